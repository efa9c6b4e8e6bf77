"""When compiled loops are used, and when not."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sparsecut.io import acceleration

# Doubts about the header are compared by the notes.
pytestmark = pytest.mark.filterwarnings("ignore::sparsecut.base.errors.ReadingWarning")


@pytest.mark.parametrize("error", [ImportError, RuntimeError])
def test_without_numba_the_plain_way_is_taken(monkeypatch, error):
    """Not installed; or no folder to keep what it compiles."""
    import numba

    import sparsecut.io

    def refuse(**options):
        raise error("cannot cache function")

    monkeypatch.setattr(numba, "njit", refuse)
    for module in ("id_loops", "text_loops"):
        monkeypatch.delitem(sys.modules, f"sparsecut.io.{module}")
        monkeypatch.delattr(sparsecut.io, module, raising=False)
    assert acceleration._loops.__wrapped__("id_loops") is None
    assert acceleration.loops_for("id_loops", 10, 11) is None


def test_small_files_do_not_wait_for_numba(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\na,b\n")
    program = f"import sys, sparsecut; sparsecut.read_graph({str(path)!r}); sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
