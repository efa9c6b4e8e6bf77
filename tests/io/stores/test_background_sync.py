"""Pieces that are brought to the disk in the background: what is trusted after the machine was started again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sparsecut.io.stores.background_sync import JOURNAL, BackgroundSync, boot_id
from sparsecut.io.stores.workfolder import WorkFolder, work_folder


def write(work: WorkFolder, name: str, content: bytes) -> None:
    with work.writing(name) as file:
        file.write(content)


def killed(folder: Path) -> None:
    """A folder as a killed run leaves it: `kept` on the disk, `changed` in an earlier state alone, `late` not at all."""
    folder.mkdir(exist_ok=True)
    work = WorkFolder(folder, "first start")
    assert not work.is_resumed
    assert work.syncing is not None
    for name in ("kept", "changed", "removed"):
        write(work, name, b"as it was")
    work.remove("removed")
    work.syncing.close(is_needed=True)
    (folder / "late").write_bytes(b"in memory")
    (folder / "changed").write_bytes(b"as it is.")  # as long as before
    os.utime(folder / "changed", ns=(0, (folder / "changed").stat().st_mtime_ns + 1))
    with (folder / JOURNAL).open("ab") as journal:
        journal.write(b'["late", 9')  # a line that was on its way


def test_a_killed_process_loses_nothing(tmp_path: Path) -> None:
    killed(tmp_path)
    again = WorkFolder(tmp_path, "first start")
    assert again.is_resumed
    assert [again.has(name) for name in ("kept", "changed", "removed", "late")] == [True, True, False, True]


def test_after_another_start_of_the_machine_only_what_was_on_the_disk_counts(tmp_path: Path) -> None:
    killed(tmp_path)
    again = WorkFolder(tmp_path, "second start")
    assert again.is_resumed
    assert [again.has(name) for name in ("kept", "changed", "removed", "late")] == [True, False, False, False]
    assert (again / "kept").read_bytes() == b"as it was"
    write(again, "late", b"once more")
    assert again.syncing is not None
    again.syncing.close(is_needed=True)
    assert WorkFolder(tmp_path, "third start").has("late")


def test_a_system_that_does_not_tell_waits_for_the_disk(tmp_path: Path) -> None:
    assert boot_id(tmp_path / "none") is None
    (tmp_path / "boot_id").write_text("a-b-c\n")
    assert boot_id(tmp_path / "boot_id") == "a-b-c"
    with work_folder(tmp_path, "x", boot=None) as work:
        assert work.syncing is None
        write(work, "piece", b"whole")
        assert sorted(path.name for path in work.path.iterdir()) == ["lock", "piece"]
    with work_folder(tmp_path, "y", boot="now") as work:
        write(work, "piece", b"whole")
        assert work.has("piece")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["boot_id"]


def test_what_the_disk_refuses_is_raised_with_the_next_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    syncing = BackgroundSync(tmp_path, "now")
    (tmp_path / "piece").write_bytes(b"whole")
    monkeypatch.setattr(os, "fsync", full)
    syncing.add("piece")
    syncing.close(is_needed=True)
    with pytest.raises(OSError, match="No space"):
        syncing.check()
