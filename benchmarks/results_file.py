"""The file a benchmark leaves in `benchmarks/results`, in the one shape that `render.py` draws the page from.

title, about, command    what was run, and how to run it again
tables                   caption, columns and rows of numbers, words and truths each
notes                    sentences the figures need
points                   the measurements themselves, by name: a run that was broken off goes on from them
environment              the stamp of the machine and its versions
code                     the stamp of the code that was measured: the benchmark and all it imports
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sparsecut.base.environment import environment_stamp
from sparsecut.io import write_whole
from sparsecut.lab.paper.code_stamp import stamp_code

FOLDER = Path(__file__).parent / "results"


def read_points(name: str) -> dict[str, Any]:
    """The measurements that are there already."""
    path = FOLDER / f"{name}.json"
    return dict(json.loads(path.read_text("utf-8"))["points"]) if path.exists() else {}


def script_of(command: str) -> str:
    """The module of the benchmark that a command runs: wide of `python benchmarks/wide.py`, peers.runner of a folder."""
    path = next(word for word in command.split() if word.startswith("benchmarks/"))
    return Path(path).stem if path.endswith(".py") else f"{Path(path).name}.runner"


def write_results(name: str, *, folder: Path = FOLDER, **content: Any) -> None:
    """Write title, about, command, tables, notes and points whole, stamped."""
    result = {**content, "environment": {**environment_stamp(), **content.get("environment", {})}}
    result["code"] = stamp_code([script_of(content["command"])])
    text = json.dumps(result, indent=1, ensure_ascii=False) + "\n"  # before the file is opened: a run is often stopped
    folder.mkdir(exist_ok=True)
    with write_whole(folder / f"{name}.json") as temporary:
        temporary.write_text(text, "utf-8")
