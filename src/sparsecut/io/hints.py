"""What is likely wrong where a table names nodes that a graph does not have: its first line was read as what it is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.graph.id_columns import likely_name
from sparsecut.io.edges.ids import ID_NAMES, positions_of
from sparsecut.io.edges.table_files import TEXT_SUFFIXES
from sparsecut.io.edges.text import TextLayout, read_layout
from sparsecut.io.opening import table_suffix

MAX_SHOWN = 60


def layout_of(path: str | Path, kind: str, encoding: str | None = None) -> TextLayout | None:
    """How a table is laid out, as far as its own lines say; None where it is no text or cannot be read."""
    path = Path(path)
    if table_suffix(path) not in TEXT_SUFFIXES or not path.is_file():
        return None
    try:
        return read_layout(path, kind, frozenset(ID_NAMES), encoding=encoding)
    except InputError:
        return None


def header_hint(
    path: str | Path, kind: str, ids: NDArray[Any], is_known: NDArray[np.bool_], encoding: str | None = None
) -> str:
    """The sentence for a table whose first row alone names an unknown node: its first line looks like a header."""
    if is_known.all() or is_known[0] or not is_known[1:].all() or len(ids) < 2:
        return ""
    layout = layout_of(path, kind, encoding)
    if layout is None or str(ids[0]) not in layout.first_cells:
        return ""
    option, flag = ("label_column", "--label-column") if kind == "labels" else ("feature_columns", "--feature-columns")
    return (
        f" The first line, {layout.first_line[:MAX_SHOWN]!r}, looks like a header: if it is, name a column of it "
        f"({option}=…, {flag} …), or the column of ids (id_column=…, --id-column …)."
    )


def taken_for_header(path: str | Path, kind: str, absent: NDArray[Any], encoding: str | None = None) -> str:
    """The sentence for a table that has no row for a node, which its header seems to be: the line may be a row."""
    layout = layout_of(path, kind, encoding)
    if layout is None or not layout.has_header:
        return ""
    name = np.array([likely_name(layout.names)])
    if (positions_of(name, absent) < 0).all():
        return ""
    return f" Its first line, {layout.first_line[:MAX_SHOWN]!r}, was taken for a header. Give it one, if it has none."
