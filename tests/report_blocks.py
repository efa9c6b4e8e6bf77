"""What a report holds, read back from its file."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any


def blocks_of(path: Path) -> dict[str, bytes]:
    found = re.findall(r'data-block="([\w-]+)">([^<]*)</script>', path.read_text("utf-8"))
    return {name: gzip.decompress(base64.b64decode(text)) for name, text in found}


def meta_of(path: Path) -> dict[str, Any]:
    return dict(json.loads(blocks_of(path)["meta"]))


def section(meta: dict[str, Any], name: str) -> dict[str, Any]:
    return next(found for found in meta["sections"] if found["id"] == name)
