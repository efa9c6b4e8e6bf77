"""The page: what its sources give, and only the columns it has room for."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

import sparsecut as sc
from report_blocks import meta_of
from sparsecut.explore import report_page as page

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


def test_columns_beyond_the_room_of_the_page_are_left_out_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_COLUMN_BYTES", 4000)
    generator = np.random.default_rng(0)
    nodes = {f"c{number}": generator.normal(size=300) for number in range(6)}
    meta = meta_of(sc.report(generator.normal(size=(300, 3)), tmp_path / "r.html", nodes=nodes, layout_method="pca"))
    assert "would make the page too large" in " ".join(meta["warnings"])
    assert "c5" not in [column["name"] for column in meta["columns"]]
