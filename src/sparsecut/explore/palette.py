"""The colours of the report, for pictures: the same tables as in `web/src/colors.js`, which a test compares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CLASSES = {
    "light": (
        *("#2973b0", "#be1506", "#0a9a7c", "#dc711a", "#662d58", "#8a7dfa"),
        *("#1d6e47", "#be148b", "#2323b8", "#7846e0", "#8a6a00", "#6a8fc9"),
    ),
    "dark": (
        *("#55aee8", "#c92516", "#0fd4bb", "#f2dc3a", "#d07a98", "#7d50e8"),
        *("#d8a267", "#a8fff6", "#017a4a", "#be148b", "#dfe597", "#6f78c7"),
    ),
}
RAMPS = {
    "light": ("#440154", "#46327e", "#365c8d", "#277f8e", "#1f9d88"),
    "dark": ("#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725"),
}
MISSING = {"light": "#8a8f98", "dark": "#757b85"}
GOLDEN_ANGLE = 137.508


def class_colors(count: int, theme: str) -> NDArray[np.float64]:
    """(count, 3) of 0 to 1. Beyond the palette, hues as far from one another as can be."""
    named = [rgb(color) for color in CLASSES[theme][:count]]
    others = [_spread(position, theme) for position in range(len(named), count)]
    return np.array([*named, *others]).reshape(count, 3)


def rgb(color: str) -> NDArray[np.float64]:
    return np.array([int(color[start : start + 2], 16) for start in (1, 3, 5)]) / 255


def luminance(color: NDArray[np.float64]) -> float:
    """WCAG's relative luminance of a colour of 0 to 1."""
    linear = np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)
    return float(linear @ np.array([0.2126, 0.7152, 0.0722]))


def _spread(position: int, theme: str) -> NDArray[np.float64]:
    lightness = 0.5 - 0.05 * (position % 3) if theme == "light" else 0.68 + 0.06 * (position % 3)
    hue = np.deg2rad(position * GOLDEN_ANGLE)
    a, b = 0.12 * np.cos(hue), 0.12 * np.sin(hue)
    roots = lightness + np.array(
        [[0.3963377774, 0.2158037573], [-0.1055613458, -0.0638541728], [-0.0894841775, -1.291485548]]
    ) @ [
        a,
        b,
    ]
    to_rgb = np.array(
        [
            [4.0767416621, -3.3077115913, 0.2309699292],
            [-1.2684380046, 2.6097574011, -0.3413193965],
            [-0.0041960863, -0.7034186147, 1.707614701],
        ]
    )
    linear = np.clip(to_rgb @ roots**3, 0, 1)
    return np.asarray(np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055))
