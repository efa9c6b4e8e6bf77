"""Finished pieces of a work folder, brought to the disk in the background.

A process that is killed loses nothing that it has written: the system still has it. Only a machine that goes down loses what
was not brought to the disk yet. So nobody waits for the disk. A thread brings one piece after another there, in the order in
which they were finished, and notes it in a journal. Who goes on with the work after the machine was started again (`boot_id`
tells) trusts the pieces that the journal names, as they were then, and removes the others.
"""

from __future__ import annotations

import json
import os
import queue
import threading
from pathlib import Path
from typing import BinaryIO

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")  # of Linux: another one each time the machine starts
LOCK, BOOT, JOURNAL = "lock", "boot", "journal"  # files of the folder that are no pieces


def boot_id(path: Path = BOOT_ID) -> str | None:
    """What names the time since the machine was started; None where the system does not tell."""
    try:
        return path.read_text().strip() or None
    except OSError:
        return None


class BackgroundSync:
    """Brings the pieces of a folder to the disk, one after another. What cannot be brought there is raised by `check`."""

    def __init__(self, folder: Path, boot: str) -> None:
        self.folder = folder
        if _read(folder / BOOT) not in (None, boot):
            remove_unsynced(folder)
        with (folder / BOOT).open("w") as file:
            file.write(boot)
            file.flush()
            os.fsync(file.fileno())
        self._waiting: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._error: OSError | None = None
        self._is_ending = False
        self._journal: BinaryIO | None = None

    def add(self, name: str) -> None:
        """A piece that is finished."""
        if self._thread is None:
            self._journal = (self.folder / JOURNAL).open("ab")
            self._thread = threading.Thread(target=self._run, name="sync", daemon=True)
            self._thread.start()
        self._waiting.put(name)

    def check(self) -> None:
        """Raise what the disk has refused."""
        if self._error is not None:
            raise self._error

    def close(self, *, is_needed: bool = False) -> None:
        """End the thread. What is not on the disk yet is brought there where it `is_needed`; as a rule the folder goes."""
        if self._thread is None or self._journal is None:
            return
        self._is_ending = not is_needed
        self._waiting.put(None)
        self._thread.join()
        self._journal.close()
        self._thread = None

    def _run(self) -> None:
        while (name := self._waiting.get()) is not None and not self._is_ending:
            try:
                handle = os.open(self.folder / name, os.O_RDONLY)
            except FileNotFoundError:  # it has served already, and was removed
                continue
            try:
                status = os.fstat(handle)
                os.fsync(handle)
                self._note([name, status.st_size, status.st_mtime_ns])
            except OSError as error:
                self._error = error
                return
            finally:
                os.close(handle)

    def _note(self, entry: list[str | int]) -> None:
        assert self._journal is not None
        self._journal.write(json.dumps(entry).encode() + b"\n")
        self._journal.flush()
        os.fsync(self._journal.fileno())


def remove_unsynced(folder: Path) -> None:
    """Remove the pieces that the journal does not name as they are now, and from the journal what names no piece."""
    known = {_entry(line) for line in (_read(folder / JOURNAL) or "").splitlines()}
    kept = []
    for path in list(folder.iterdir()):
        status = path.stat()
        entry = path.name, status.st_size, status.st_mtime_ns
        if entry in known:
            kept.append(json.dumps(entry))
        elif path.is_file() and path.name not in (LOCK, BOOT, JOURNAL):
            path.unlink()
    (folder / JOURNAL).write_text("".join(f"{entry}\n" for entry in kept))  # without the half line of a sudden end


def _read(path: Path) -> str | None:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return None


def _entry(line: str) -> tuple[str | int, ...]:
    try:
        return tuple(json.loads(line))
    except ValueError:
        return ()
