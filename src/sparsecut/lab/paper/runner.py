"""What runs an experiment: cell by cell, each saved as it ends, those already done skipped."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sparsecut.base.environment import environment_stamp
from sparsecut.base.errors import InputError
from sparsecut.base.progress import Reporter
from sparsecut.evaluation.scores import NO_PROBE
from sparsecut.lab.paper.code_stamp import stamp_code
from sparsecut.lab.paper.experiment_plan import Absent, Plan, Request
from sparsecut.lab.paper.experiments import EXPERIMENTS
from sparsecut.lab.paper.results import Results


@dataclass(frozen=True)
class Tally:
    """How much of an experiment was run now, was there before, and could not be run."""

    n_run: int = 0
    n_skipped: int = 0
    n_absent: int = 0

    @property
    def n_done(self) -> int:
        return self.n_run + self.n_skipped + self.n_absent


def check_request(names: Sequence[str], request: Request) -> Request:
    """The request with the rows and columns spelled as the tables spell them; each must be in one of the experiments."""
    modules = [EXPERIMENTS[name].module() for name in names]
    where = ", ".join(names)
    columns = [column for module in modules for column in module.COLUMNS]
    rows = [row for module in modules for row in module.ROWS]
    return spell_request(request, columns, rows, where)


def spell_request(request: Request, columns: Sequence[str], rows: Sequence[str], where: str) -> Request:
    """The request with its datasets and methods spelled as among `columns` and `rows`, which those of `where` are."""
    return replace(
        request,
        datasets=_spelled("--dataset", request.datasets, columns, where),
        methods=_spelled("--method", request.methods, rows, where),
    )


def run_experiment(
    name: str, request: Request, folder: Path, report: Reporter, note: Callable[[str], None], *, is_forced: bool = False
) -> tuple[Results, Tally]:
    """Run what an experiment of the paper plans and the folder does not hold yet."""
    experiment = EXPERIMENTS[name]
    return _run(experiment.results(folder), experiment.module().plan(request), report, note, is_forced)


def run_jobs(
    name: str, jobs: Plan, folder: Path, report: Reporter, note: Callable[[str], None], *, is_forced: bool = False
) -> tuple[Results, Tally]:
    """Run the jobs whose cells `folder`/`name`.json does not hold yet, or all of them; every cell is saved as it ends."""
    return _run(Results(folder, name), jobs, report, note, is_forced)


def _run(
    results: Results, jobs: Plan, report: Reporter, note: Callable[[str], None], is_forced: bool
) -> tuple[Results, Tally]:
    tally, n_cells = Tally(), sum(1 if isinstance(job, Absent) else len(job.cells) for job in jobs)
    for job in jobs:
        report(f"{results.experiment}, cells", tally.n_done, n_cells)
        if isinstance(job, Absent):
            results.mark_absent(job.cell, job.reason)
            tally = replace(tally, n_absent=tally.n_absent + 1)
            continue
        if not is_forced and all(results.has(planned) for planned in job.cells):
            tally = replace(tally, n_skipped=tally.n_skipped + len(job.cells))
            continue
        with _warnings_noted(note):
            measured = job.run(report)
        stamp = {"environment": run_stamp(), "code": stamp_code(job.code)}
        cells = [{**planned, **values, **stamp} for planned, values in zip(job.cells, measured, strict=True)]
        results.add(cells)
        tally = replace(tally, n_run=tally.n_run + len(cells))
        for cell in cells:
            note(f"{results.experiment}: {cell['method']}, {cell['dataset']}: {describe(cell)}")
    report(f"{results.experiment}, cells", n_cells, n_cells)
    return results, tally


def describe(cell: dict[str, Any]) -> str:
    """A cell's figure in a few words."""
    labels = f" with {cell['per_class']} labels" if "per_class" in cell else ""
    if "epoch_accuracies" in cell:
        return f"{cell['epoch_accuracies'][-1]:.1f}{labels} after {len(cell['epoch_accuracies'])} epochs"
    if "accuracy" in cell:
        by_count = cell["accuracy"].get("paper", cell["accuracy"])  # of both probes, the paper's
        scores = ", ".join(f"{scored['mean']:.1f} with {count} labels" for count, scored in by_count.items())
        return f"{scores}, {cell['seconds']:.2f} s"
    score = f"{cell['mean']:.1f} ± {cell['std']:.1f}{labels}" if "mean" in cell else ""
    if "scores" in cell and all("mean" in scored for scored in cell["scores"].values()):
        by_probe = " and ".join(
            f"{scored['mean']:.1f}" + ("" if probe == NO_PROBE else f" by the {probe} probe")
            for probe, scored in cell["scores"].items()
        )
        score = f"{by_probe}{labels}, seed {cell['seed']}"
    run = f"run {cell['run'] + 1}" if "run" in cell else ""
    seconds = f"{cell['seconds']:.2f} s" if "seconds" in cell else ""
    return ", ".join(part for part in (score, run, seconds) if part)


def run_stamp() -> dict[str, Any]:
    """Versions, machine and date, with the threads torch may use and the GPU it would take."""
    import torch

    stamp: dict[str, Any] = {**environment_stamp(), "threads": torch.get_num_threads()}
    if torch.cuda.is_available():
        stamp["gpu"] = torch.cuda.get_device_name()
    return stamp


def _spelled(option: str, asked: Sequence[str] | None, known: Sequence[str], where: str) -> list[str] | None:
    if not asked:
        return None
    by_lower = {name.lower(): name for name in known}
    for name in asked:
        if name.lower() not in by_lower:
            raise InputError(f"{option} {name} is not part of {where}. There are: {', '.join(dict.fromkeys(known))}.")
    return [by_lower[name.lower()] for name in asked]


@contextmanager
def _warnings_noted(note: Callable[[str], None]) -> Iterator[None]:
    """What the library warns of (a dimension the features cannot fill) is said once per job, as a sentence."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        note(f"Note: {message}")
