"""Names and checks that tests of several commands share."""

from __future__ import annotations

WORDS = ["ada", "bob", "cyd", "dan", "eve", "fay"]
N_NODES = 240


def write_labels(path, ids, labels):
    path.write_text("id,label\n" + "".join(f"{name},{label}\n" for name, label in zip(ids, labels, strict=True)))
    return path


def assert_refused(result, *parts: str) -> None:
    code, out, error = result
    assert code == 2
    assert out == ""
    assert error.startswith("Error: ")
    assert error.count("\n") == 1
    assert "Traceback" not in error
    for part in parts:
        assert part in error
