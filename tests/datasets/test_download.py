"""Files from a real server on this machine: whole, continued, cut, changed, wrong, absent."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from raw_files import FileServer, serve_files
from sparsecut.base.errors import InputError
from sparsecut.datasets import RawFile
from sparsecut.datasets.download import ATTEMPTS, fetch, fetch_file

CONTENT = np.random.default_rng(0).bytes(1_000_000)
OTHER = np.random.default_rng(1).bytes(1_000_000)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def silent(stage: str, done: int, total: int) -> None:
    pass


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serve_files() as served:
        served.files["x.bin"] = CONTENT
        served.tags["x.bin"] = '"one"'
        yield served


def test_a_file_arrives_whole_with_progress_and_leaves_nothing_beside_it(server: FileServer, tmp_path: Path) -> None:
    reports: list[tuple[str, int, int]] = []
    path = tmp_path / "a/b/x.bin"
    fetch_file(server.url("x.bin"), path, sha256(CONTENT), lambda *report: reports.append(report))
    assert path.read_bytes() == CONTENT
    assert [file.name for file in path.parent.iterdir()] == ["x.bin"]
    assert {stage for stage, _, _ in reports} == {"x.bin, KiB"}
    assert [done for _, done, _ in reports] == sorted(done for _, done, _ in reports)
    assert reports[-1][1:] == (len(CONTENT) // 1024, len(CONTENT) // 1024)
    fetch_file(server.url("x.bin"), path, sha256(CONTENT), silent)
    assert len(server.asked) == 1  # what is there is not asked for again


def test_a_cut_connection_is_continued_where_it_ended(server: FileServer, tmp_path: Path) -> None:
    server.cuts = [300_000, 200_000]
    fetch_file(server.url("x.bin"), tmp_path / "x.bin", sha256(CONTENT), silent)
    assert (tmp_path / "x.bin").read_bytes() == CONTENT
    assert server.asked == [("x.bin", None, 200), ("x.bin", "bytes=300000-", 206), ("x.bin", "bytes=500000-", 206)]


def test_a_connection_that_ends_without_an_answer_is_tried_again(server: FileServer, tmp_path: Path) -> None:
    server.cuts = [-1, 300_000, -1]
    fetch_file(server.url("x.bin"), tmp_path / "x.bin", None, silent)
    assert (tmp_path / "x.bin").read_bytes() == CONTENT
    assert server.asked == [("x.bin", None, 200), ("x.bin", "bytes=300000-", 206)]


def test_an_answer_that_begins_elsewhere_is_not_appended(server: FileServer, tmp_path: Path) -> None:
    server.cuts, server.shift = [300_000], 10
    with pytest.raises(InputError, match="answered with another part of the file than was requested"):
        fetch_file(server.url("x.bin"), tmp_path / "x.bin", None, silent)
    assert (tmp_path / "x.bin.part").read_bytes() == CONTENT[:300_000]


def test_a_later_run_continues_an_earlier_one(server: FileServer, tmp_path: Path) -> None:
    server.cuts = [100_000] * ATTEMPTS
    with pytest.raises(InputError, match=rf"broke {ATTEMPTS} times; 400,000 bytes are kept"):
        fetch_file(server.url("x.bin"), tmp_path / "x.bin", None, silent)
    assert not (tmp_path / "x.bin").exists()
    fetch_file(server.url("x.bin"), tmp_path / "x.bin", None, silent)
    assert server.asked[-1] == ("x.bin", "bytes=400000-", 206)
    assert (tmp_path / "x.bin").read_bytes() == CONTENT
    assert [file.name for file in tmp_path.iterdir()] == ["x.bin"]


def test_what_has_changed_meanwhile_is_fetched_anew(server: FileServer, tmp_path: Path) -> None:
    server.cuts = [100_000] * ATTEMPTS
    with pytest.raises(InputError, match="broke"):
        fetch_file(server.url("x.bin"), tmp_path / "x.bin", None, silent)
    server.files["x.bin"], server.tags["x.bin"] = OTHER, '"two"'
    fetch_file(server.url("x.bin"), tmp_path / "x.bin", None, silent)
    assert server.asked[-1] == ("x.bin", "bytes=400000-", 200)  # asked for the rest, given all
    assert (tmp_path / "x.bin").read_bytes() == OTHER


def test_halves_of_two_files_are_told_by_the_checksum(server: FileServer, tmp_path: Path) -> None:
    """A server without tags cannot say that its file has changed."""
    server.tags.clear()
    server.cuts = [100_000] * ATTEMPTS
    with pytest.raises(InputError, match="broke"):
        fetch_file(server.url("x.bin"), tmp_path / "x.bin", sha256(OTHER), silent)
    server.files["x.bin"] = OTHER
    fetch_file(server.url("x.bin"), tmp_path / "x.bin", sha256(OTHER), silent)
    assert [status for _, _, status in server.asked[-2:]] == [206, 200]
    assert (tmp_path / "x.bin").read_bytes() == OTHER


def test_without_a_tag_or_a_checksum_nothing_is_continued(server: FileServer, tmp_path: Path) -> None:
    server.tags["x.bin"] = 'W/"weak"'  # says that the content means the same, not that its bytes are the same
    server.cuts = [300_000]
    fetch_file(server.url("x.bin"), tmp_path / "x.bin", None, silent)
    assert server.asked == [("x.bin", None, 200), ("x.bin", None, 200)]
    assert (tmp_path / "x.bin").read_bytes() == CONTENT


def test_a_server_that_cannot_continue_sends_all_again(server: FileServer, tmp_path: Path) -> None:
    server.with_ranges = False
    server.cuts = [300_000]
    fetch_file(server.url("x.bin"), tmp_path / "x.bin", None, silent)
    assert [status for _, _, status in server.asked] == [200, 200]
    assert (tmp_path / "x.bin").read_bytes() == CONTENT


def test_a_part_that_is_already_all_is_only_checked_and_moved(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "x.bin.part").write_bytes(CONTENT)
    fetch_file(server.url("x.bin"), tmp_path / "x.bin", sha256(CONTENT), silent)
    assert server.asked == [("x.bin", "bytes=1000000-", 416)]
    assert (tmp_path / "x.bin").read_bytes() == CONTENT


def test_a_part_longer_than_the_file_is_dropped(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "x.bin.part").write_bytes(CONTENT + b"more")
    (tmp_path / "x.bin.part.tag").write_text('"one"')
    fetch_file(server.url("x.bin"), tmp_path / "x.bin", None, silent)
    assert [status for _, _, status in server.asked] == [416, 200]
    assert (tmp_path / "x.bin").read_bytes() == CONTENT


def test_an_answer_without_a_length_is_taken_to_its_end(server: FileServer, tmp_path: Path) -> None:
    server.with_length = False
    fetch_file(server.url("x.bin"), tmp_path / "x.bin", sha256(CONTENT), silent)
    assert (tmp_path / "x.bin").read_bytes() == CONTENT


def test_an_empty_file_is_a_file(server: FileServer, tmp_path: Path) -> None:
    server.files["empty"] = b""
    fetch_file(server.url("empty"), tmp_path / "empty", sha256(b""), silent)
    assert (tmp_path / "empty").read_bytes() == b""


def test_a_wrong_checksum_puts_nothing_in_place(server: FileServer, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"its SHA-256 is {sha256(CONTENT)}, not {sha256(OTHER)}"):
        fetch_file(server.url("x.bin"), tmp_path / "x.bin", sha256(OTHER), silent)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_not_there(server: FileServer, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing answered 404 Not Found"):
        fetch_file(server.url("nothing"), tmp_path / "nothing", None, silent)
    assert list(tmp_path.iterdir()) == []


def test_a_web_page_is_not_a_file(server: FileServer, tmp_path: Path) -> None:
    server.content_type = "text/html; charset=utf-8"
    with pytest.raises(InputError, match="answered with a web page instead of the file"):
        fetch_file(server.url("x.bin"), tmp_path / "x.bin", None, silent)
    assert list(tmp_path.iterdir()) == []


def test_a_host_that_does_not_answer(tmp_path: Path) -> None:
    with serve_files() as served:
        address = served.url("x.bin")
    with pytest.raises(InputError, match=r"cannot be reached \(.*refused"):
        fetch_file(address, tmp_path / "x.bin", None, silent)


def test_a_folder_that_cannot_be_made(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match=r"x\.bin cannot be written: "):
        fetch_file(server.url("x.bin"), tmp_path / "file/x.bin", None, silent)


def zipped(**files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(f"folder/{name}.npz", content)
    return buffer.getvalue()


def members(server: FileServer, archive_sha256: str | None = None, a: bytes = CONTENT) -> list[RawFile]:
    url = server.url("all.zip")
    return [
        RawFile("raw/a.npz", url, sha256(a), "a.npz", archive_sha256),
        RawFile("raw/b.npz", url, None, "b.npz", archive_sha256),
    ]


def test_members_of_an_archive_are_taken_out_and_the_archive_is_removed(server: FileServer, tmp_path: Path) -> None:
    server.files["all.zip"] = zipped(a=CONTENT, b=OTHER, c=b"not asked for")
    fetch(members(server, sha256(server.files["all.zip"])), tmp_path, silent)
    assert {file.name: file.read_bytes() for file in (tmp_path / "raw").iterdir()} == {"a.npz": CONTENT, "b.npz": OTHER}
    assert [path for path, _, _ in server.asked] == ["all.zip"]  # once for both


def test_an_archive_is_not_opened_before_its_checksum_is_right(server: FileServer, tmp_path: Path) -> None:
    server.files["all.zip"] = zipped(a=CONTENT, b=OTHER)
    with pytest.raises(InputError, match="is not the file it was"):
        fetch(members(server, sha256(b"another")), tmp_path, silent)
    assert list((tmp_path / "raw").iterdir()) == []


def test_a_member_with_a_wrong_checksum_is_not_put_in_place(server: FileServer, tmp_path: Path) -> None:
    server.files["all.zip"] = zipped(a=CONTENT, b=OTHER)
    with pytest.raises(InputError, match=r"a\.npz in .*all\.zip is not the file it was"):
        fetch(members(server, a=OTHER), tmp_path, silent)
    assert list((tmp_path / "raw").iterdir()) == []


@pytest.mark.parametrize("content", [b"not an archive", zipped(a=CONTENT), zipped(a=CONTENT, b=OTHER)[:-50]])
def test_an_archive_that_is_none_or_lacks_a_member(content: bytes, server: FileServer, tmp_path: Path) -> None:
    server.files["all.zip"] = content
    with pytest.raises(InputError, match=r"all\.zip is not a zip archive that holds a\.npz, b\.npz"):
        fetch(members(server), tmp_path, silent)
    assert not (tmp_path / "raw/b.npz").exists()
    assert not (tmp_path / "raw/all.zip").exists()


def test_only_absent_files_are_fetched(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"mine")
    server.files["y.bin"] = OTHER
    fetch([RawFile("x.bin", server.url("x.bin")), RawFile("y.bin", server.url("y.bin"))], tmp_path, silent)
    assert (tmp_path / "x.bin").read_bytes() == b"mine"
    assert (tmp_path / "y.bin").read_bytes() == OTHER


def test_a_file_that_nobody_serves(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no host is known to serve x\.bin"):
        fetch([RawFile("x.bin")], tmp_path, silent)


def test_two_at_once_fetch_it_once(server: FileServer, tmp_path: Path) -> None:
    arguments = (server.url("x.bin"), tmp_path / "x.bin", sha256(CONTENT), silent)
    threads = [threading.Thread(target=fetch_file, args=arguments) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(server.asked) == 1
    assert (tmp_path / "x.bin").read_bytes() == CONTENT
