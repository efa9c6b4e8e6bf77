"""Names imported when they are first used."""

from __future__ import annotations

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


def test_nothing_is_imported_before() -> None:
    code = (
        "import sys; from sparsecut.base.lazy_names import lazy_names; get, _ = lazy_names('p', {'dumps': 'json'})\n"
        "assert 'json' not in sys.modules; assert get('dumps')(1) == '1'"
    )
    # Without site-packages, whose own start-up may import it; the library's folder is named instead.
    environment = {**os.environ, "PYTHONPATH": str(Path(sparsecut.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
