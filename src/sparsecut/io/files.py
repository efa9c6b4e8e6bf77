"""Files are read only when they are there and written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sparsecut.errors import InputError


def check_readable(path: str | Path, kind: str) -> Path:
    """The path of a file that exists and can be opened, or an error that says what is there instead."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"The {kind} file {path} is a directory. Name a file in it.")
    if not path.exists():
        raise InputError(f"The {kind} file {path} does not exist. Its folder is {path.absolute().parent}.")
    if not os.access(path, os.R_OK):
        raise InputError(f"The {kind} file {path} cannot be read: permission denied.")
    return path


def check_writable(path: str | Path) -> Path:
    """The path of a file that could be written, found out before any work is done for it."""
    path = Path(path)
    folder = path.absolute().parent
    if path.is_dir():
        raise InputError(f"The output {path} is a directory. Name a file in it.")
    if not folder.is_dir():
        raise InputError(f"The output {path} cannot be written: the folder {folder} does not exist. Make it first.")
    try:
        _make_temporary(path).unlink()  # permissions alone do not tell: the disk may be full or read-only
    except OSError as error:
        raise InputError(f"The output {path} cannot be written: {error.strerror}.") from error
    return path


@contextmanager
def write_whole(path: str | Path) -> Iterator[Path]:
    """A temporary path in the same folder, moved to `path` if the block ends well and removed if it does not."""
    path = check_writable(path)
    temporary = _make_temporary(path)
    try:
        yield temporary
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)  # mkstemp makes private files; the result is as public as any other
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"The output {path} could not be written: {error.strerror or error}.") from error
    finally:
        temporary.unlink(missing_ok=True)


def _make_temporary(path: Path) -> Path:
    """An empty file beside the path, with its suffix: some writers choose their format by it."""
    handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.absolute().parent)
    os.close(handle)
    return Path(name)
