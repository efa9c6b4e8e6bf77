"""Which code a figure was measured with: what counts as its code, what does not, and what a page makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sparsecut.lab.paper import code_stamp
from sparsecut.lab.paper.code_stamp import EARLIER, hash_code, is_todays, mark_earlier, modules_reached, stamp_code

FILES = {
    "sparsecut/__init__.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from sparsecut.rooms import Method\n",
    "sparsecut/rooms/__init__.py": "from sparsecut.rooms.method import Method\nfrom sparsecut.rooms.other import Other\n",
    "sparsecut/rooms/method.py": (
        '"""A method."""\nfrom sparsecut.steps import step\n\nclass Method:\n    """It fits."""\n    size = 3\n'
    ),
    "sparsecut/rooms/other.py": "class Other: pass\n",
    "sparsecut/steps.py": "def step():\n    from sparsecut.deep import value\n    return value\n",
    "sparsecut/deep.py": "value = 1  # one\n",
    "sparsecut/score.py": (
        "from typing import TYPE_CHECKING\nfrom sparsecut.rooms import Method\n"
        "if TYPE_CHECKING:\n    from sparsecut.rooms.other import Other\n"  # for editors: it does not run
    ),
    "benchmarks/timed.py": "import sparsecut as sc\nimport helper\nsc.Method()\n",
    "benchmarks/helper.py": "import json\n",
}
Write = Callable[[str, str], None]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """A project of a few files in the place of this one; writing a file forgets what was read of it."""

    def forget() -> None:
        for function in (hash_code, code_stamp._imported, code_stamp._path_of, code_stamp._tree, code_stamp._hash_file):
            function.cache_clear()

    def write(name: str, text: str) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        forget()

    for name, text in FILES.items():
        write(name, text)
    monkeypatch.setattr(code_stamp, "HOME", tmp_path / "sparsecut")
    monkeypatch.setattr(code_stamp, "SCRIPTS", tmp_path / "benchmarks")
    forget()
    yield write
    forget()


def test_imports_are_followed_to_where_names_are_defined(write: Write) -> None:
    method = {"sparsecut.rooms.method", "sparsecut.steps", "sparsecut.deep"}
    assert modules_reached(["sparsecut.rooms.method"]) == method
    assert modules_reached(["sparsecut.score"]) == {"sparsecut.score", *method}  # not by way of the other class
    assert modules_reached(["timed"]) == {"timed", "helper", *method}


@pytest.mark.parametrize(
    ("name", "text", "is_changed"),
    [
        ("sparsecut/deep.py", "value = 2\n", True),
        ("sparsecut/deep.py", "# the first\nvalue = 1\n", False),
        ("sparsecut/rooms/method.py", FILES["sparsecut/rooms/method.py"].replace("It fits.", "It embeds."), False),
        ("sparsecut/rooms/method.py", FILES["sparsecut/rooms/method.py"].replace("size = 3", "size = 4"), True),
        ("sparsecut/rooms/other.py", "class Other: size = 1\n", False),
        ("sparsecut/new.py", "value = 1\n", False),
    ],
)
def test_a_stamp_ends_with_the_code_it_names(write: Write, name: str, text: str, is_changed: bool) -> None:
    cell = {"code": stamp_code(["sparsecut.score"])}
    assert is_todays(cell)
    write(name, text)
    assert is_todays(cell) != is_changed


def test_a_module_that_is_gone_is_not_todays(write: Write, tmp_path: Path) -> None:
    cell = {"code": stamp_code(["sparsecut.score"])}
    (tmp_path / "sparsecut/deep.py").unlink()
    write("sparsecut/new.py", "")
    assert not is_todays(cell)


def test_figures_are_marked_unless_all_their_cells_are_todays(write: Write) -> None:
    today = {"code": stamp_code(["sparsecut.score"])}
    earlier = {"code": {**today["code"], "hash": "0" * 16}}
    confirmed = {"code": {**earlier["code"], "confirmed": {"hash": today["code"]["hash"], "splits": 5}}}
    assert mark_earlier("77.1", today, confirmed) == "77.1"
    assert mark_earlier("77.1", today, earlier) == mark_earlier("77.1", {}) == f"77.1{EARLIER}"
    write("sparsecut/deep.py", "value = 3\n")  # a confirmation is of one version too
    assert mark_earlier("77.1", confirmed) == f"77.1{EARLIER}"


def test_every_method_reaches_the_code_that_fits_it() -> None:
    reached = modules_reached(["sparsecut.model.sce"])
    assert {"sparsecut.model.closed_form", "sparsecut.model.auto.channel_choice", "sparsecut.engines.memory"} <= reached
    assert not any(module.startswith(("sparsecut.cli", "sparsecut.cuts", "sparsecut.lab.baselines")) for module in reached)
