"""A program in a process of its own, that finds the tests' modules as the tests do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def run_script(
    code: str, folder: Path, *arguments: Any, seconds: float = 240, executable: str = sys.executable
) -> subprocess.CompletedProcess[str]:
    """Run with the folder and the arguments; the program stays there as `.script.py`."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONWARNINGS": "ignore"}
    (folder / ".script.py").write_text(code)
    return subprocess.run(
        [executable, str(folder / ".script.py"), str(folder), *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
