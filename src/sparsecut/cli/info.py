"""`sparsecut info`: what it runs on, to be put into the report of a defect."""

from __future__ import annotations

from typing import Any

from sparsecut.cli.console import Output, in_mebibytes
from sparsecut.cli.options import AsJson


def info(as_json: AsJson = False) -> None:
    """Print what a report of a defect needs. That is: versions of libraries, threads, GPU, data folders.

    sparsecut info

    sparsecut info --json
    """
    output = Output(as_json, quiet=False)
    from sparsecut import datasets
    from sparsecut.base.environment import machine_facts

    facts = {**machine_facts(), "data_folders": [str(root) for root in datasets.roots()]}
    output.facts(_rows(facts))
    output.result(facts, with_notes=False)


def _rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    def named(libraries: dict[str, str | None]) -> str:
        return ", ".join(f"{name} {number or 'not installed'}" for name, number in libraries.items())

    here = {extra: found for extra, found in facts["extras"].items() if all(found.values())}
    absent = [extra for extra in facts["extras"] if extra not in here]
    return [
        ("sparsecut", facts["sparsecut"]),
        ("Python", facts["python"]),
        ("system", facts["system"]),
        ("libraries", named(facts["libraries"])),
        *((f"extra {extra}", named(found)) for extra, found in here.items()),
        ("extras not installed", ", ".join(absent) or "none"),
        ("processor", f"{facts['cpu']}, {facts['cores']} cores"),
        ("threads", str(facts["threads"])),
        ("memory", in_mebibytes(facts["memory_bytes"])),
        ("GPU", ", ".join(facts["gpus"]) or ("none" if facts["cuda"] else "none; torch was built without CUDA")),
        ("data folders", "\n".join(facts["data_folders"])),
    ]
