"""`sparsecut estimate` as a person asks for it."""

from __future__ import annotations

import json
from pathlib import Path

from shell import sparsecut


def test_sizes_or_a_graph(tmp_path: Path) -> None:
    sizes = ("--nodes", 5000, "--edges", 20_000, "--columns", 16)
    found = json.loads(sparsecut("estimate", *sizes, "--json", folder=tmp_path).stdout)
    assert {cost["engine"] for cost in found["engines"]} == {"memory", "disk", "dask"}
    assert found["best"] == "memory"
    assert "Take engine='memory'." in sparsecut("estimate", "digits", folder=tmp_path).stdout
    assert "or all of --nodes, --edges and --columns" in sparsecut("estimate", folder=tmp_path, expect=2).stderr
    assert "or all of --nodes" in sparsecut("estimate", "digits", *sizes, folder=tmp_path, expect=2).stderr
