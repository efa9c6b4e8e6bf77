"""`sparsecut update`: changes of a graph in, the vectors that they changed out; the model goes on from there."""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sparsecut.base.errors import InputError, NewValuesWarning, WriteError, check_choice, check_integer, check_real
from sparsecut.cli.console import Output, takes_output
from sparsecut.cli.options import METHOD, OUTPUT, READING, Encoding, Force, ModelWithState, option

if TYPE_CHECKING:
    from sparsecut.updates.change_batch import ChangeBatch
    from sparsecut.updates.change_files import Line
    from sparsecut.updates.live import Changed
    from sparsecut.updates.resuming import Position

FOLLOWED_BATCH = 1000
READ_BACK = 1 << 16  # bytes
TEXT_ROWS = 1 << 14  # whose numbers are written at a time


@takes_output
def update(
    model_path: ModelWithState,
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
            "Where to write: .parquet, .csv or .ndjson. With --follow changed vectors go to standard output.",
            "--output",
            "-o",
            metavar="FILE",
        ),
    ] = None,
    follow: Annotated[
        bool,
        option(
            READING,
            "Read changes from standard input as they come. They are lines of JSON; so are the changed vectors.",
            "--follow",
        ),
    ] = False,
    start_at: Annotated[
        int | None,
        option(
            READING,
            "With --follow, to go on after a stop or a kill: the byte of the stream at which standard input begins, 0 or an "
            "offset that was printed. Changes that the model holds already are passed over.",
            "--start-at",
            metavar="OFFSET",
        ),
    ] = None,
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
    *,
    output: Output,
) -> None:
    """Change the graph of a saved model, and the vectors it touches. The model is updated in place.

    sparsecut update model.safetensors changes.csv -o changed.parquet

    tail -f changes.ndjson | sparsecut update model.safetensors --follow

    A change is op,source,target,weight for an edge or op,node,features for a node, where op is add, remove or change. A
    column "time" is carried through: a changed vector has the last time of its batch. Of a node that changes only the
    columns that change are given. In a graph with types "relation" names the type of an edge where its ends do not tell it.

    With --follow the vectors of a batch are followed by {"line": L, "offset": N}, the last change that is safe on disk. To
    go on there after a stop or a kill:

    tail -c +$((N + 1)) changes.ndjson | sparsecut update MODEL --follow --start-at N

    A batch is made whole or not at all, also where the process is killed. Bad changes are named by their line.
    """
    from sparsecut.io import check_writable
    from sparsecut.model.loading import load
    from sparsecut.updates.change_files import read_changes

    check_choice("update", "--on-error", on_error, ("stop", "skip"))
    check_real("update", "--tolerance", tolerance)
    if batch is not None:
        check_integer("update", "--batch", batch, 1)
    if follow != (changes_path is None):
        raise InputError("Changes come from a file, or with --follow from standard input. Give one of the two.")
    if output_path is None and not follow:
        raise InputError("Say where changed vectors go: -o changed.parquet.")
    if start_at is not None:
        check_integer("update", "--start-at", start_at, 0)
        if not follow:
            raise InputError("--start-at is where a stream begins. Give it with --follow, or leave it out.")
    if output_path is not None:
        suffixes = (".ndjson",) if follow else (".parquet", ".csv", ".ndjson")
        check_writable(output_path, force or start_at is not None, suffixes)
    model = load(model_path, in_place=True)
    writer = _Stream(output_path, start_at is not None) if follow else _Table(output_path, model._live().node_types)
    if changes_path is None:
        batches = _followed(model, start_at, batch or FOLLOWED_BATCH, writer, output)
    else:
        batches = _batches(read_changes(changes_path, encoding), batch)
    counts = {"changes": 0, "batches": 0, "vectors": 0, "removed": 0, "skipped": 0}
    started = time.perf_counter()
    try:
        for lines in batches:
            changed, at, n_made = _make(model, lines, tolerance, on_error, output, counts)
            writer.write(changed, at, model._position)
            if n_made:
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
    drift, is_advised = model.span_drift_, model.refit_advised_
    if not follow or output_path is not None:
        output.say(
            f"{counts['changes']:,} changes, {counts['vectors']:,} vectors changed in {seconds:.2f} s → {output_path}; "
            f"drift within the fitted span {drift:.3f}"
        )
    if is_advised:
        edges, now = model._live().n_edges_since_fit
        output.note(
            f"The graph has changed much since the fit (drift within the fitted span {drift:.2f}, {edges:,} edges then and "
            f"{now:,} now): consider fitting it again."
        )
    output.result(
        {"output": None if output_path is None else str(output_path), **counts, "seconds": seconds, "span_drift": drift}
    )


def _followed(
    model: Any, start_at: int | None, n_most: int, writer: _Stream | _Table, output: Output
) -> Iterator[list[Line]]:
    """The lines of standard input; where it begins before what the model holds, from there on.

    What was changed behind the byte at which it begins, and may not have been written then, is written first.
    """
    from sparsecut.updates.change_files import follow_lines, pass_over
    from sparsecut.updates.resuming import Position

    handle, position = sys.stdin.fileno(), model._position
    if start_at is None:
        position = model._position = Position()
    else:
        if start_at > position.offset:
            raise InputError(
                f"The model holds the changes up to line {position.line:,}, byte {position.offset:,}: those from there to "
                f"--start-at {start_at:,} would be lost. Begin at {position.offset} or before."
            )
        missed = model._replayed.behind(start_at, model._live())
        for note in missed.notes:
            output.note(note)
        writer.write(missed, None, position)
        pass_over(handle, position.offset - start_at)
    yield from follow_lines(handle, n_most, after=position)


def _batches(lines: Iterable[Line], size: int | None) -> Iterator[list[Line]]:
    """So many lines at a time; of a file without any one batch of none, so that its output is written."""
    waiting, is_first = iter(lines), True
    while (batch := list(islice(waiting, size))) or is_first:
        is_first = False
        yield batch


def _make(
    model: Any, lines: list[Line], tolerance: float, on_error: str, output: Output, counts: dict[str, int]
) -> tuple[Changed, Any, int]:
    """(what a batch changed, its last time, the number of changes)."""
    from sparsecut.updates.change_batch import ChangeBatch
    from sparsecut.updates.resuming import Position

    state = model._live()
    batch = ChangeBatch(state, model.encoder_, model.kind_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NewValuesWarning)  # of single lines: said of the whole batch below
        for line in lines:
            refused = _refused(batch, line, state.index.takes)
            if refused is not None and on_error == "stop":
                raise InputError(f"{refused} Nothing of its batch was changed.")
            if refused is not None:
                counts["skipped"] += 1
                output.warn(f"{refused} It is skipped.")
    position = Position(lines[-1].number, lines[-1].end) if lines and lines[-1].end else None
    with output.warnings_as_notes():
        changes = replace(model._checked(**batch.arguments()), now=batch.now)
        return model._apply(changes, tolerance, position), batch.time, batch.n_changes


def _refused(batch: ChangeBatch, line: Line, takes: type) -> str | None:
    """Why a line is no change that can be made, or None where it is taken in."""
    try:
        batch.add(line.parse(takes))
    except InputError as error:
        return f"Line {line.number}: {str(error).rstrip('.')}."
    return None


class _Stream:
    """Lines of JSON, one per changed vector, written when a batch is made, and then how far the stream was read."""

    def __init__(self, path: Path | None, goes_on: bool) -> None:
        if goes_on and path is not None and path.exists():
            _cut_unfinished(path)
        self._path = path
        self._file = sys.stdout.buffer if path is None else path.open("ab" if goes_on else "wb", buffering=0)

    def write(self, changed: Changed, at: Any, position: Position) -> None:
        lines = "".join(f"{line}\n" for line in (*_lines(changed, at), json.dumps(position._asdict()))).encode()
        if self._path is None:
            self._file.write(lines)
            self._file.flush()
            return
        from sparsecut.io import write_error

        end = self._file.seek(0, os.SEEK_END)
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

    def __init__(self, path: Path | None, node_types: tuple[str, ...] | None) -> None:
        assert path is not None
        self._path, self._node_types = path, node_types
        self._parts: list[tuple[Changed, Any]] = []

    def write(self, changed: Changed, at: Any, position: Position) -> None:
        self._parts.append((changed, at))

    def close(self, force: bool) -> None:
        if not self._parts:  # an error before any change was made
            return
        from sparsecut.updates.vector_files import write_changed

        try:
            write_changed(self._path, self._parts, node_types=self._node_types, overwrite=force)
        except WriteError as error:
            raise WriteError(
                f"{error} The changes are made, and in the model: sparsecut.load(path).embedding_ has all vectors."
            ) from error


def _cut_unfinished(path: Path) -> None:
    """Cut off the line that a killed process left without its end."""
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        while end:
            start = max(end - READ_BACK, 0)
            file.seek(start)
            place = file.read(end - start).rfind(b"\n")
            if place >= 0:
                end = start + place + 1
                break
            end = start
        file.truncate(end)


def _lines(changed: Changed, at: Any) -> Iterator[str]:
    """A line of JSON for each vector, in the fewest digits that float32 is read from again, and for each node that went."""
    when = "" if at is None else f', "time": {json.dumps(at)}'
    for identity in changed.removed:
        yield f'{{"id": {json.dumps(identity)}{when}, "removed": true}}'
    for identity, text in zip(changed.ids.tolist(), _texts(changed.rows), strict=True):
        yield f'{{"id": {json.dumps(identity)}{when}, "embedding": [{text}]}}'


def _texts(rows: Any) -> list[str]:
    """The numbers of each row, by Arrow, which writes them many times faster than Python."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts: list[str] = []
    for start in range(0, len(rows), TEXT_ROWS):
        block = rows[start : start + TEXT_ROWS]
        numbers = pc.cast(pa.array(block.ravel()), pa.string())
        ends = pa.array([number * block.shape[1] for number in range(len(block) + 1)], pa.int32())
        texts += pc.binary_join(pa.ListArray.from_arrays(ends, numbers), ", ").to_pylist()
    return texts
