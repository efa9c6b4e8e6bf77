"""`python benchmarks/peers`: see the package's documentation."""

from __future__ import annotations

import sys
from pathlib import Path

# Python puts this folder first, where a file named as a library would hide it. The benchmarks are one folder up.
sys.path[0] = str(Path(__file__).resolve().parents[1])

from peers.runner import main  # noqa: E402

main()
