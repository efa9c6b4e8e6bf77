"""A lock is held by one handle, and goes with it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from sparsecut.base.file_lock import try_lock


def test_one_handle_has_it_until_it_is_closed(tmp_path: Path) -> None:
    first, second = (os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT) for _ in range(2))
    assert [try_lock(first), try_lock(second)] == [True, False]
    os.close(first)
    assert try_lock(second)
    os.close(second)


def test_windows_locks_a_byte_that_nobody_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locked: set[int] = set()

    def locking(handle: int, mode: str, n_bytes: int) -> None:
        """One byte from where the file stands, as msvcrt has it."""
        byte = os.lseek(handle, 0, os.SEEK_CUR)
        if (mode, n_bytes) != ("do not wait", 1) or byte in locked:
            raise OSError(13, "Permission denied")
        locked.add(byte)

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK="do not wait"))
    (tmp_path / "file").write_bytes(b"0123456789")
    handle, other = (os.open(tmp_path / "file", os.O_RDWR) for _ in range(2))
    os.lseek(handle, 3, os.SEEK_SET)
    assert [try_lock(handle), try_lock(other)] == [True, False]
    assert os.read(handle, 2) == b"34"  # it stands where it stood
    assert min(locked) > 1 << 30
    assert (tmp_path / "file").stat().st_size == 10
    os.close(handle)
    os.close(other)
