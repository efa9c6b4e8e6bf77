"""The report as one file: the page built from `web/`, with the data in blocks of gzip and base64.

Base64 cannot spell a tag, so nothing that a node, a column or a label is called can become part of the page's markup; the
script makes text of it. The same data give the same bytes.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import first_few
from sparsecut.explore.node_columns import NodeColumn
from sparsecut.io import write_whole

MARK = "{{payload}}"
MAX_COLUMN_BYTES = 24 << 20  # of all columns, packed: what is beyond is left out, and the page says so


class PageBlocks:
    """The blocks of a page, packed as they are added."""

    def __init__(self) -> None:
        self._parts: list[str] = []

    def add(self, name: str, content: bytes) -> int:
        """Pack a block; returns its size in the page."""
        text = pack(content)
        self._parts.append(_element(name, text))
        return len(text)

    def add_array(self, name: str, values: NDArray[Any], dtype: str) -> int:
        return self.add(name, np.ascontiguousarray(values, dtype=dtype).tobytes())

    def add_json(self, name: str, value: Any) -> int:
        return self.add(name, json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode())

    def add_columns(
        self, columns: list[NodeColumn], most_bytes: int = MAX_COLUMN_BYTES
    ) -> tuple[list[dict[str, Any]], list[str]]:
        """Pack columns while there is room: (what the page needs to know of each, a warning if some are left out)."""
        described, left_out, total = [], [], 0
        for position, column in enumerate(columns):
            block = f"column-{position}"
            text = pack(_column_bytes(column))
            if total + len(text) > most_bytes:
                left_out.append(column.name)
                continue
            total += len(text)
            self._parts.append(_element(block, text))
            description = {"name": column.name, "kind": column.kind, "block": block}
            described.append({**description, "names": list(column.names)} if column.kind == "class" else description)
        if not left_out:
            return described, []
        return described, [
            f"{len(left_out)} columns of the node table would make the page too large and are left out: "
            f"{first_few(left_out)}. Give fewer columns."
        ]

    def write(self, path: str | Path, *, overwrite: bool = False) -> int:
        """Write the page whole; returns its size in bytes."""
        before, after = page_template().split(MARK)
        content = "\n".join([before.rstrip("\n"), *self._parts]) + after
        with write_whole(path, overwrite) as temporary:
            return temporary.write_bytes(content.encode())


def page_template() -> str:
    """The page as `web/build.py` left it."""
    return resources.files("sparsecut.explore").joinpath("report_page.html").read_text("utf-8")


def read_block(path: Path, name: str) -> bytes | None:
    """The content of a block of a report written before; None where there is none."""
    pattern = re.compile(
        rb'<script type="application/octet-stream" data-block="' + re.escape(name.encode()) + rb'">([^<]*)<'
    )
    try:
        found = pattern.search(path.read_bytes())
        return None if found is None else gzip.decompress(base64.b64decode(found.group(1), validate=True))
    except (OSError, ValueError, EOFError):
        return None


def pack(content: bytes) -> str:
    return base64.b64encode(gzip.compress(content, compresslevel=6, mtime=0)).decode("ascii")


def _column_bytes(column: NodeColumn) -> bytes:
    if column.kind == "text":
        return json.dumps(column.values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    if column.kind == "number":
        return np.ascontiguousarray(column.values, dtype="<f4").tobytes()
    return np.ascontiguousarray(column.values, dtype="<u2" if len(column.names) < 65535 else "<u4").tobytes()


def _element(name: str, text: str) -> str:
    return f'<script type="application/octet-stream" data-block="{name}">{text}</script>'
