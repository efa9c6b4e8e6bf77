"""Files packed in every way that is read."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
from pathlib import Path

import pyarrow as pa


def pack(path: Path, suffix: str, content: bytes | None = None) -> Path:
    """A packed copy of a file beside it, PATH.suffix."""
    content = path.read_bytes() if content is None else content
    packed = path.with_name(path.name + suffix)
    if suffix == ".zip":
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(path.name, content)
    elif suffix == ".zst":
        with pa.CompressedOutputStream(str(packed), "zstd") as file:
            file.write(content)
    else:
        compress = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[suffix]
        packed.write_bytes(compress(content))
    return packed
