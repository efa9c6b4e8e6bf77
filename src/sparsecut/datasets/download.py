"""Raw files from the hosts that serve them.

A file is received beside its place as `NAME.part`. Where a connection breaks, the part stays, and the next attempt requests
the rest, in this run or a later one; a server that cannot continue, or whose file has changed since, sends all of it again.
Once complete and with the right checksum the file is moved into place, so an incomplete file is never read. (pooch would
serve but for this: it begins every attempt at the first byte, and some archives are larger than a gigabyte.)
"""

from __future__ import annotations

import hashlib
import http.client
import os
import shutil
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from sparsecut.base.errors import InputError
from sparsecut.base.package_version import __version__
from sparsecut.base.progress import Reporter
from sparsecut.datasets.dataset import RawFile
from sparsecut.io import write_whole

ATTEMPTS = 4  # in a row, each of which continues the one before
TIMEOUT = 30.0  # seconds without a byte
CHUNK = 1 << 18


def fetch(files: Sequence[RawFile], root: Path, report: Reporter) -> None:
    """Download the files that are missing under `root`."""
    archives: dict[str, list[RawFile]] = {}
    for file in files:
        if (root / file.path).is_file():
            continue
        if file.url is None:
            raise InputError(f"no host is known to serve {file.path}")
        if file.member is None:
            fetch_file(file.url, root / file.path, file.sha256, report)
        else:
            archives.setdefault(file.url, []).append(file)
    for url, members in archives.items():
        _fetch_members(url, members, root, report)


def fetch_file(url: str, path: Path, sha256: str | None, report: Reporter) -> None:
    """Download one file, or the rest of it, and move it into place once it is complete and its checksum is right."""
    part = path.with_name(path.name + ".part")
    with _writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with _one_at_a_time(path.parent):
        if path.is_file():
            return  # another process has fetched it meanwhile
        is_continued = _receive_whole(url, part, sha256 is not None, report)
        if is_continued and sha256 is not None and sha256_of(part) != sha256:
            _forget(part)  # the halves may be of two versions of the file
            _receive_whole(url, part, True, report)
        if sha256 is not None and (got := sha256_of(part)) != sha256:
            _forget(part)
            raise InputError(f"what {url} serves is not the file it was: its SHA-256 is {got}, not {sha256}")
        with _writing(path):
            part.replace(path)
        _forget(part)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file in hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def _fetch_members(url: str, members: list[RawFile], root: Path, report: Reporter) -> None:
    """Fetch a zip archive, take files out of it, and remove it."""
    place = (root / members[0].path).parent / PurePosixPath(url).name
    fetch_file(url, place, members[0].archive_sha256, report)
    try:
        with zipfile.ZipFile(place) as archive:
            for file in members:
                (name,) = (name for name in archive.namelist() if PurePosixPath(name).name == file.member)
                with write_whole(root / file.path) as temporary:
                    with archive.open(name) as content, temporary.open("wb") as output:
                        shutil.copyfileobj(content, output, CHUNK)
                    if file.sha256 is not None and sha256_of(temporary) != file.sha256:
                        raise InputError(f"{file.member} in {url} is not the file it was: its SHA-256 is another")
    except InputError:
        raise
    except (zipfile.BadZipFile, zlib.error, ValueError, EOFError, NotImplementedError) as error:
        names = ", ".join(str(file.member) for file in members)
        raise InputError(f"{url} is not a zip archive that holds {names}") from error
    finally:
        place.unlink(missing_ok=True)


class _BrokenError(Exception):
    """A connection ended before the file did."""


def _receive_whole(url: str, part: Path, is_checked: bool, report: Reporter) -> bool:
    """Repeat the request until the file is complete. Returns whether the part of an earlier request was used."""
    is_continued = False
    for _ in range(ATTEMPTS):
        try:
            return _receive(url, part, is_checked, report) or is_continued
        except _BrokenError:  # noqa: PERF203
            is_continued = True
    raise InputError(f"the connection to {url} broke {ATTEMPTS} times; {_size(part):,} bytes are kept for the next attempt")


def _receive(url: str, part: Path, is_checked: bool, report: Reporter) -> bool:
    """One request for the file, or for the rest of it. Returns whether the rest was sent."""
    n_kept = _size(part)
    tag = _tag_file(part).read_text() if _tag_file(part).is_file() else ""
    headers = {"User-Agent": f"sparsecut/{__version__}", "Accept-Encoding": "identity"}
    # Continued is only what is known to be the same file: by its tag, or afterwards by its checksum.
    if n_kept and (tag or is_checked):
        headers |= {"Range": f"bytes={n_kept}-"} | ({"If-Range": tag} if tag else {})
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=TIMEOUT) as response:
            is_rest = bool(response.status == 206)
            if is_rest and not response.headers.get("Content-Range", "").startswith(f"bytes {n_kept}-"):
                raise InputError(f"{url} answered with another part of the file than was requested")
            if response.headers.get_content_type() == "text/html":
                raise InputError(f"{url} answered with a web page instead of the file")
            _save(response, part, n_kept if is_rest else 0, report)
            return is_rest
    except urllib.error.HTTPError as error:
        with error:
            if error.code != 416:
                raise InputError(f"{url} answered {error.code} {error.reason}") from None
            # Nothing follows what is kept: it is all there is, or it is of another file.
            if error.headers.get("Content-Range") == f"bytes */{n_kept}":
                return True
            _forget(part)
            raise _BrokenError from error
    except urllib.error.URLError as error:
        raise InputError(f"{url} cannot be reached ({error.reason})") from error
    except (OSError, http.client.HTTPException) as error:
        raise _BrokenError from error


def _save(response: Any, part: Path, n_kept: int, report: Reporter) -> None:
    length = response.headers.get("Content-Length", "")
    total = n_kept + int(length) if length.isdecimal() else None
    done = n_kept
    with _writing(part):
        _tag_file(part).write_text(_tag_of(response.headers))
        file = part.open("ab" if n_kept else "wb")
    with file:
        while chunk := response.read(CHUNK):
            with _writing(part):
                file.write(chunk)
            done += len(chunk)
            report(f"{part.stem}, KiB", done >> 10, (total or done) >> 10)
        with _writing(part):
            file.flush()
    if total is not None and done < total:
        raise _BrokenError


def _tag_of(headers: Any) -> str:
    """The version of a file: its strong tag or its date, where the server gives one (a weak tag is none)."""
    tag = headers.get("ETag", "")
    return str(tag if tag and not tag.startswith("W/") else headers.get("Last-Modified", ""))


def _tag_file(part: Path) -> Path:
    return part.with_name(part.name + ".tag")


def _forget(part: Path) -> None:
    part.unlink(missing_ok=True)
    _tag_file(part).unlink(missing_ok=True)


def _size(part: Path) -> int:
    return part.stat().st_size if part.is_file() else 0


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn an error of the disk into an `InputError`, so that it is not taken for a broken connection."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from error


@contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    """Lock the folder, so that processes that need the same files wait for each other."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
