"""Where a report's nodes lie in the plane: given, kept from the report it replaces, or laid out."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.progress import Reporter
from sparsecut.explore.layout import choose_method, layout
from sparsecut.explore.report_input import ReportInput
from sparsecut.explore.report_page import read_block


def find_positions(
    path: Path, whole: ReportInput, method: str, seed: int, tell: Reporter
) -> tuple[NDArray[np.float32], str]:
    """Positions (n, 2) of the nodes of a report that is written to `path`, and where they come from, in words."""
    if whole.xy is not None:
        return whole.xy, "positions given beside the vectors"
    chosen = choose_method(method, len(whole.Z))
    kept = _kept_positions(path, whole.layout_key(method, seed), len(whole.Z))
    if kept is not None:
        return kept, f"{chosen}, kept from the report that was here"
    return layout(whole.Z, method=method, random_state=seed, progress=tell), chosen


def _kept_positions(path: Path, key: str, n_nodes: int) -> NDArray[np.float32] | None:
    """The positions in a report that was written before for the same vectors, method and seed; None where there are none."""
    meta = read_block(path, "meta") if path.is_file() else None
    try:
        is_same = meta is not None and json.loads(meta)["layout"]["key"] == key
    except (ValueError, KeyError, TypeError):
        return None
    columns = [read_block(path, name) for name in ("x", "y")] if is_same else [None]
    if any(column is None or len(column) != 4 * n_nodes for column in columns):
        return None
    xy = np.column_stack([np.frombuffer(column or b"", dtype="<f4") for column in columns]).astype(np.float32)
    return xy if np.isfinite(xy).all() else None
