// Colours that hold on their background (contrast of at least 3 to 1) and for eyes that see red and green alike.
//
// The tests compute both: contrast by WCAG's formula, and the distance of every two class colours in OKLab, as seen with
// normal sight, deuteranopia and protanopia.

export const THEMES = {
  light: {
    background: "#ffffff",
    missing: "#8a8f98",
    classes: [
      "#2973b0", "#be1506", "#0a9a7c", "#dc711a", "#662d58", "#8a7dfa",
      "#1d6e47", "#be148b", "#2323b8", "#7846e0", "#8a6a00", "#6a8fc9",
    ],
    ramp: ["#440154", "#46327e", "#365c8d", "#277f8e", "#1f9d88"],
  },
  dark: {
    background: "#12161c",
    missing: "#757b85",
    classes: [
      "#55aee8", "#c92516", "#0fd4bb", "#f2dc3a", "#d07a98", "#7d50e8",
      "#d8a267", "#a8fff6", "#017a4a", "#be148b", "#dfe597", "#6f78c7",
    ],
    ramp: ["#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725"],
  },
};

const GOLDEN_ANGLE = 137.508;

/** The colour of the class at a position among all, as [r, g, b] of 0 to 255. */
export function classColor(position, theme) {
  const palette = THEMES[theme].classes;
  if (position < palette.length) return parseColor(palette[position]);
  // Beyond the palette colours only help to tell neighbours apart: hues as far from one another as can be.
  const lightness = theme === "light" ? 0.5 - 0.05 * (position % 3) : 0.68 + 0.06 * (position % 3);
  return fromOklch(lightness, 0.12, (position * GOLDEN_ANGLE * Math.PI) / 180);
}

/** The colour at a share of 0 to 1 along the ramp of a theme. */
export function rampColor(share, theme) {
  const stops = THEMES[theme].ramp;
  const place = Math.min(1, Math.max(0, share)) * (stops.length - 1);
  const low = Math.min(stops.length - 2, Math.floor(place));
  const [from, to] = [parseColor(stops[low]), parseColor(stops[low + 1])];
  return from.map((value, channel) => Math.round(value + (to[channel] - value) * (place - low)));
}

export function missingColor(theme) {
  return parseColor(THEMES[theme].missing);
}

export function parseColor(hex) {
  return [1, 3, 5].map((start) => parseInt(hex.slice(start, start + 2), 16));
}

export function cssColor([red, green, blue]) {
  return `rgb(${red} ${green} ${blue})`;
}

/** WCAG's contrast ratio of two colours, 1 to 21. */
export function contrast(first, second) {
  const [light, dark] = [luminance(first), luminance(second)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

export function luminance(color) {
  const [red, green, blue] = color.map(toLinear);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function toLinear(channel) {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

export function fromLinear(value) {
  const clipped = Math.min(1, Math.max(0, value));
  return Math.round(255 * (clipped <= 0.0031308 ? clipped * 12.92 : 1.055 * clipped ** (1 / 2.4) - 0.055));
}

function fromOklch(lightness, chroma, hue) {
  const a = chroma * Math.cos(hue);
  const b = chroma * Math.sin(hue);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map(fromLinear);
}
