"""Files are read only when they are there, written whole or not at all, and replaced only on request.

One rule for whatever a user names: a file or folder that exists stays as it is unless `overwrite=True` (shell: `--force`)
is given. A URL is not a file, which its error says.
"""

from __future__ import annotations

import errno
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sparsecut.base.errors import InputError, WriteError

URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]+):/+(?P<rest>.*)", re.DOTALL)  # C:/ is none; a Path has one slash left
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def check_readable(path: str | Path, kind: str) -> Path:
    """The path of a file that exists and can be opened, or an error that says what is there instead."""
    refuse_url(path, f"The {kind} file")
    path = Path(path)
    if path.is_dir():
        raise InputError(f"The {kind} file {path} is a directory. Name a file in it.")
    if not path.exists():
        raise InputError(f"The {kind} file {path} does not exist. Its folder is {path.absolute().parent}.")
    if not os.access(path, os.R_OK):
        raise InputError(f"The {kind} file {path} cannot be read: permission denied.")
    return path


def refuse_url(path: str | Path, what: str, *, is_output: bool = False) -> None:
    """Say that URLs are not read, or not written to, where one is given for a path."""
    url = URL.fullmatch(str(path))
    if url is None or Path(path).exists():
        return
    if url["scheme"].lower() == "file":
        raise InputError(f"{what} file:///{url['rest']} is a URL. Name its path: /{url['rest']}.")
    remedy = (
        "not written to. Write a file and upload it." if is_output else "not read. Download it first, and name the file."
    )
    raise InputError(f"{what} {url['scheme']}://{url['rest']} is a URL, and URLs are {remedy}")


def check_writable(path: str | Path, overwrite: bool = True, suffixes: Sequence[str] = ()) -> Path:
    """The path of a file that `write_whole` could write: tried before any work is done for it."""
    _make_temporary(Path(path), overwrite, suffixes).unlink()
    return Path(path)


def exists_error(path: str | Path) -> InputError:
    """The error for an output that exists and may not be replaced."""
    return InputError(f"The output {path} exists. Pass overwrite=True (--force) to replace it.")


@contextmanager
def write_whole(path: str | Path, overwrite: bool = True, suffixes: Sequence[str] = ()) -> Iterator[Path]:
    """A temporary path in the same folder, moved to `path` if the block ends well and removed if it does not.

    Where `suffixes` are given, the path must end in one of them; a file that exists is replaced only with `overwrite`.
    """
    path = Path(path)
    temporary = _make_temporary(path, overwrite, suffixes)
    try:
        yield temporary
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)  # mkstemp makes private files; the result is as public as any other
        temporary.replace(path)
    except OSError as error:
        raise write_error(f"The output {path}", error) from error
    finally:
        temporary.unlink(missing_ok=True)


def sync_folder(path: str | Path) -> None:
    """Bring the name of a file to the disk, so that after a crash of the machine it is not the file before it."""
    try:
        handle = os.open(Path(path).absolute().parent, os.O_RDONLY)
    except OSError:  # a system on which folders are not opened
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_leftovers(path: str | Path) -> None:
    """Remove what writers that were killed have left beside a file that no other process writes now."""
    path = Path(path)
    made = re.compile(rf"\.{re.escape(path.stem)}-[a-z0-9_]{{8}}{re.escape(path.suffix)}")
    for beside in path.absolute().parent.iterdir():
        if made.fullmatch(beside.name):
            beside.unlink(missing_ok=True)


def write_error(what: str, error: OSError, remedy: str = "write to another disk") -> WriteError:
    """What the system said about a file that could not be written, as a sentence."""
    reason = os.strerror(error.errno) if error.errno else str(error)
    advice = f" Free some room, or {remedy}." if error.errno in FULL else ""
    return WriteError(f"{what} could not be written: {reason}. Nothing of it was left behind.{advice}")


def _make_temporary(path: Path, overwrite: bool, suffixes: Sequence[str]) -> Path:
    """An empty file beside the path, with its suffix, by which some writers choose their format."""
    refuse_url(path, "The output", is_output=True)
    folder = path.absolute().parent
    if suffixes and path.suffix not in suffixes:
        ways = ", ".join(suffixes[:-1]) + " or " * (len(suffixes) > 1) + suffixes[-1]
        raise InputError(f"The output {path} must end in {ways}: the suffix is the format.")
    if path.is_dir():
        raise InputError(f"The output {path} is a directory. Name a file in it.")
    if not folder.is_dir():
        raise InputError(f"The output {path} cannot be written: the folder {folder} does not exist. Make it first.")
    if path.exists() and not overwrite:
        raise exists_error(path)
    try:  # permissions alone do not tell: the disk may be full or read-only
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=folder)
    except OSError as error:
        if error.errno in FULL:
            raise write_error(f"The output {path}", error) from error
        raise InputError(f"The output {path} cannot be written: {error.strerror}.") from error
    os.close(handle)
    return Path(name)
