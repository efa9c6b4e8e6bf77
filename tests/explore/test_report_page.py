"""The page: what its sources give, and only the columns it has room for."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from sparsecut.explore import report_page as page
from sparsecut.explore.node_columns import make_column

ROOT = Path(__file__).parents[2]


def test_the_page_is_what_its_sources_give() -> None:
    build = runpy.run_path(str(ROOT / "web" / "build.py"))
    assert page.page_template() == build["build_page"](), "run: python web/build.py"


def test_the_build_refuses_what_joining_would_break(tmp_path: Path) -> None:
    join = runpy.run_path(str(ROOT / "web" / "build.py"))["join_modules"]
    (tmp_path / "a.js").write_text("export const one = 1;\n")
    (tmp_path / "b.js").write_text('import { one } from "./a.js";\n\nexport const two = one + 1;\n')
    assert "const two = one + 1;" in join(tmp_path, ("a", "b"))
    assert "import" not in join(tmp_path, ("a", "b"))
    for modules, text, message in (
        (("b", "a"), None, "must come before"),
        (("a",), None, "differ in b"),
        (("a", "b"), "const one = 2;\n", "is declared in"),
        (("a", "b"), 'import x from "./a.js";\n', "another form"),
    ):
        if text is not None:
            (tmp_path / "b.js").write_text(text)
        with pytest.raises(SystemExit, match=message):
            join(tmp_path, modules)


def test_columns_beyond_the_room_of_the_page_are_left_out_and_named() -> None:
    generator = np.random.default_rng(0)
    columns = [make_column(f"c{number}", generator.normal(size=300), 300) for number in range(6)]
    described, warnings = page.PageBlocks().add_columns(columns, most_bytes=4000)
    assert [column["name"] for column in described] == ["c0", "c1"]
    assert warnings[0].startswith("4 columns of the node table would make the page too large and are left out: 'c2', 'c3', ")
    assert page.PageBlocks().add_columns(columns)[1] == []
