"""Names imported when they are first used."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

import sparsecut
from sparsecut.base.lazy_names import lazy_names


def test_a_name_is_found_in_its_home_and_a_module_is_its_own() -> None:
    get, names = lazy_names("sparsecut.graph", {"Graph": "sparsecut.graph.graph", "labels": "sparsecut.graph.labels"})
    from sparsecut.graph import labels
    from sparsecut.graph.graph import Graph

    assert get("Graph") is Graph
    assert get("labels") is labels
    assert names() == ["Graph", "labels"]
    with pytest.raises(AttributeError, match=r"module 'sparsecut.graph' has no attribute 'nothing'"):
        get("nothing")


@pytest.mark.parametrize("is_on", [True, False])
def test_the_collector_is_off_during_an_import_and_is_then_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_on: bool
) -> None:
    (tmp_path / "watched_import.py").write_text("import gc\nwas_on = gc.isenabled()\n")
    (tmp_path / "broken_import.py").write_text("raise OSError('broken')\n")
    monkeypatch.syspath_prepend(tmp_path)
    get, _ = lazy_names("p", {"was_on": "watched_import", "nothing": "broken_import"})
    before = gc.isenabled()
    try:
        (gc.enable if is_on else gc.disable)()
        assert get("was_on") is False
        with pytest.raises(OSError, match="broken"):
            get("nothing")
        assert gc.isenabled() == is_on
    finally:
        (gc.enable if before else gc.disable)()
        sys.modules.pop("watched_import", None)


def test_nothing_is_imported_before() -> None:
    code = (
        "import sys; from sparsecut.base.lazy_names import lazy_names; get, _ = lazy_names('p', {'dumps': 'json'})\n"
        "assert 'json' not in sys.modules; assert get('dumps')(1) == '1'"
    )
    # Without site-packages, whose own start-up may import it; the library's folder is named instead.
    environment = {**os.environ, "PYTHONPATH": str(Path(sparsecut.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
