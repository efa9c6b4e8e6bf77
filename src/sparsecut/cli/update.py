"""`sparsecut update`: changes of a graph in, the vectors that they changed out; the model goes on from there."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sparsecut.cli.console import Output
from sparsecut.cli.options import METHOD, OUTPUT, READING, AsJson, Encoding, Force, Quiet, Verbose, option
from sparsecut.errors import InputError, check_choice, check_integer, check_real

if TYPE_CHECKING:
    from sparsecut.io.change_files import Line
    from sparsecut.model.change_batch import ChangeBatch
    from sparsecut.model.live import Changed

FOLLOWED_BATCH = 1000


def update(
    model_path: Annotated[Path, typer.Argument(metavar="MODEL", help="A model saved by embed --save-model --with-state.")],
    changes_path: Annotated[
        Path | None,
        typer.Argument(
            metavar="CHANGES",
            help="A .csv, .tsv or .parquet file with the columns op, source, target, weight or op, node, features; or lines "
            "of JSON (.ndjson); text may be packed (.csv.zst). op is add, remove or change.",
        ),
    ] = None,
    output_path: Annotated[
        Path | None,
        option(
            OUTPUT,
            "Where changed vectors go: .parquet, .csv, .ndjson; with --follow standard output.",
            "--output",
            "-o",
            metavar="FILE",
        ),
    ] = None,
    follow: Annotated[
        bool,
        option(READING, "Read lines of JSON from standard input, and write changed vectors as they come.", "--follow"),
    ] = False,
    batch: Annotated[
        int | None,
        option(
            METHOD,
            "Changes made at once.",
            metavar="N",
            show_default=f"all of a file, at most {FOLLOWED_BATCH:,} with --follow",
        ),
    ] = None,
    tolerance: Annotated[
        float,
        option(
            METHOD, "How far a vector may be from the exact one, as a share of the vectors' length; 0 is exact.", metavar="X"
        ),
    ] = 0.001,
    on_error: Annotated[
        str,
        option(
            READING,
            "A change that cannot be made: stop (its batch is not made), or skip it and go on.",
            choices=("stop", "skip"),
        ),
    ] = "stop",
    encoding: Encoding = None,
    force: Force = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Change the graph of a saved model and write the vectors that changed. The model is updated in place.

    sparsecut update model.safetensors changes.csv -o changed.parquet

    tail -f changes.ndjson | sparsecut update model.safetensors --follow

    A change is op,source,target,weight for an edge or op,node,features for a node, where op is add, remove or change. A
    column "time" is carried through: a changed vector has the last time of its batch.

    A batch is made whole or not at all, also where the process is killed. Bad changes are told by their line.
    """
    output = Output(as_json, quiet, verbose, output_path)
    from sparsecut.io import check_writable
    from sparsecut.io.change_files import follow_lines, read_changes
    from sparsecut.model.loading import load

    check_choice("update", "--on-error", on_error, ("stop", "skip"))
    check_real("update", "--tolerance", tolerance)
    if batch is not None:
        check_integer("update", "--batch", batch, 1)
    if follow != (changes_path is None):
        raise InputError("Changes come from a file, or with --follow from standard input. Give one of the two.")
    if output_path is None and not follow:
        raise InputError("Say where changed vectors go: -o changed.parquet.")
    if output_path is not None:
        check_writable(output_path, force, (".ndjson",) if follow else (".parquet", ".csv", ".ndjson"))
    model = load(model_path, in_place=True)
    if changes_path is None:
        batches: Iterator[list[Line]] = follow_lines(sys.stdin.fileno(), batch or FOLLOWED_BATCH)
    else:
        batches = _batches(read_changes(changes_path, encoding), batch)
    writer = _Stream(output_path) if follow else _Table(output_path)
    counts = {"changes": 0, "batches": 0, "vectors": 0, "removed": 0, "skipped": 0}
    started = time.perf_counter()
    try:
        for lines in batches:
            changed, at, n_made = _make(model, lines, tolerance, on_error, output, counts)
            if n_made:
                writer.write(changed, at)
                counts["batches"] += 1
                counts["changes"] += n_made
                counts["vectors"] += len(changed)
                counts["removed"] += len(changed.removed)
                for note in changed.notes:
                    output.note(note)
    except BrokenPipeError:  # whoever read the vectors has gone: what was made is in the model
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what Python still flushes at its end goes nowhere
        return
    finally:
        writer.close(force)
    seconds = time.perf_counter() - started
    drift, is_advised = model.drift_, model.refit_advised_
    if not follow or output_path is not None:
        output.say(
            f"{counts['changes']:,} changes, {counts['vectors']:,} vectors changed in {seconds:.2f} s → {output_path}; "
            f"drift {drift:.3f}"
        )
    if is_advised:
        output.note(f"The drift is {drift:.2f}: fit the graph again when you can.")
    output.result(
        {"output": None if output_path is None else str(output_path), **counts, "seconds": seconds, "drift": drift}
    )


def _batches(lines: Iterable[Line], size: int | None) -> Iterator[list[Line]]:
    waiting = iter(lines)
    while batch := list(islice(waiting, size)):
        yield batch


def _make(
    model: Any, lines: list[Line], tolerance: float, on_error: str, output: Output, counts: dict[str, int]
) -> tuple[Changed, Any, int]:
    """(what a batch changed, its last time, the number of changes)."""
    from sparsecut.model.change_batch import ChangeBatch

    state = model._live()
    batch = ChangeBatch(state, model.encoder_)
    for line in lines:
        refused = _refused(batch, line, state.index.takes)
        if refused is not None and on_error == "stop":
            raise InputError(f"{refused} Nothing of its batch was changed.")
        if refused is not None:
            counts["skipped"] += 1
            output.warn(f"{refused} It is skipped.")
    return model.update(**batch.arguments(), tolerance=tolerance), batch.time, batch.n_changes


def _refused(batch: ChangeBatch, line: Line, takes: type) -> str | None:
    """Why a line is no change that can be made, or None where it is taken in."""
    try:
        batch.add(line.parse(takes))
    except InputError as error:
        return f"Line {line.number}: {str(error).rstrip('.')}."
    return None


class _Stream:
    """Lines of JSON, one per changed vector, written when a batch is made."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file = sys.stdout.buffer if path is None else path.open("wb", buffering=0)

    def write(self, changed: Changed, at: Any) -> None:
        lines = "".join(json.dumps(record) + "\n" for record in _records(changed, at)).encode()
        if self._path is None:
            self._file.write(lines)
            self._file.flush()
            return
        from sparsecut.io import write_error

        end = self._file.tell()
        try:
            while lines:
                lines = lines[self._file.write(lines) :]
        except OSError as error:
            self._file.truncate(end)  # a reader finds whole batches alone
            raise write_error(f"The vectors of a batch that was made (it is in the model) to {self._path}", error) from error

    def close(self, force: bool) -> None:
        if self._path is not None:
            self._file.close()


class _Table:
    """A file that is whole when all is done; without times the last vector of a node alone."""

    def __init__(self, path: Path | None) -> None:
        assert path is not None
        self._path = path
        self._parts: list[tuple[Changed, Any]] = []

    def write(self, changed: Changed, at: Any) -> None:
        self._parts.append((changed, at))

    def close(self, force: bool) -> None:
        if not self._parts:
            return
        from sparsecut.io.changed_files import write_changed

        write_changed(self._path, self._parts, overwrite=force)


def _records(changed: Changed, at: Any) -> Iterator[dict[str, Any]]:
    when = {} if at is None else {"time": at}
    for identity in changed.removed:
        yield {"id": identity, **when, "removed": True}
    for identity, row in zip(changed.ids.tolist(), changed.rows.tolist(), strict=True):
        yield {"id": identity, **when, "embedding": row}
