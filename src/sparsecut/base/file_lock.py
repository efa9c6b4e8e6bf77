"""A lock on an open file, which the system lets go of however the process that holds it ends."""

from __future__ import annotations

import os

WINDOWS_BYTE = (1 << 31) - 2  # behind what is ever written: on Windows nobody else can read a byte that is locked


def try_lock(handle: int) -> bool:
    """Lock a file for this process alone.

    Parameters
    ----------
    handle : int
        The open file, as `os.open` returns it. Closing it ends the lock.

    Returns
    -------
    bool
        False where another process, or another handle of this one, has the lock.
    """
    try:
        import fcntl
    except ImportError:
        return _try_lock_on_windows(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _try_lock_on_windows(handle: int) -> bool:
    import msvcrt

    place = os.lseek(handle, 0, os.SEEK_CUR)
    os.lseek(handle, WINDOWS_BYTE, os.SEEK_SET)
    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    except OSError:
        return False
    finally:
        os.lseek(handle, place, os.SEEK_SET)
    return True
