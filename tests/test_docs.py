"""What the documentation shows works."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    names: dict = {}
    exec(compile(code, "README.md", "exec"), names)
    assert len(names["Z"]) == 1797
    assert np.isfinite(names["Z_later"]).all()


def test_the_python_of_the_quickstart_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(0)
    for prefix in ("", "new_"):
        ends = generator.integers(0, 160, (400, 2))
        Path(f"{prefix}edges.csv").write_text("source,target\n" + "\n".join(f"p{i},p{j}" for i, j in ends))
        rows = [f"p{i}," + ",".join(map(str, row)) for i, row in enumerate(generator.normal(size=(160, 130)))]
        header = "id," + ",".join(f"x{column}" for column in range(130))
        Path(f"{prefix}features.csv").write_text("\n".join([header, *rows]))
    Path("labels.csv").write_text("id,label\n" + "\n".join(f"p{i},{i % 2}" for i in range(160)))
    names: dict = {"adjacency": np.ones((2, 2)), "X": np.eye(2), "y": [0, 1], "names": ["a", "b"]}
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/quickstart.md").read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 7
    for number, block in enumerate(blocks):
        if number != 1:  # the second shows the other way to make a graph, on two nodes here
            exec(compile(block, "quickstart.md", "exec"), names)
        else:
            exec(compile(block, "quickstart.md", "exec"), dict(names))
    assert len(names["Z_new"]) == 160


def test_links_lead_somewhere_and_a_broken_one_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check = runpy.run_path(str(ROOT / "docs/check_links.py"))
    assert check["main"]() == 0, capsys.readouterr().out
    page = ROOT / "docs" / "method.md"
    assert check["anchors_of"](page) >= {"the-method", "new-nodes"}


def test_the_python_of_the_explore_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib

    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/explore.md").read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 4
    for block in blocks:
        # Principal components: the other layouts are tested on their own, and take their time.
        exec(compile(block.replace('"report.html",', '"report.html", layout_method="pca",'), "explore.md", "exec"), names)
    assert names["found"].ids.shape == (2, 5)
    assert names["knn"].n_nodes == 1797
    assert (tmp_path / "report.html").stat().st_size > 100_000
    assert (tmp_path / "digits.png").exists()
    from matplotlib import pyplot

    pyplot.close("all")
