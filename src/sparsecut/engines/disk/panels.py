"""A matrix of n rows on disk, in panels of columns: each panel a file of float32, its rows one after another.

A hop needs every row of a column and no other column. So a panel that fits into memory takes all its hops there, and the
disk sees it twice, from its first byte to its last: once read, once written. Blocks of rows would need rows from all over
the disk for every hop, and a file for every hop between. What needs whole rows (the Gram matrix, the projection) reads the
same rows of every panel: as many reads as there are panels, each in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from weakref import finalize

import torch
from torch import Tensor

from sparsecut.io.stores.workfolder import WorkFolder
from sparsecut.kernels.streaming import row_blocks


class Panels:
    """The matrix `name` of a work folder, (n, sum of widths). Its files go away with it; a killed process leaves them."""

    def __init__(self, work: WorkFolder, name: str, n_rows: int, widths: Sequence[int]) -> None:
        self.work, self.name, self.n_rows, self.widths = work, name, n_rows, tuple(widths)
        finalize(self, _remove, work, [self._file(panel) for panel in range(len(self.widths))])

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_rows, self.n_columns

    @property
    def n_columns(self) -> int:
        return sum(self.widths)

    @property
    def spans(self) -> list[slice]:
        """The columns of each panel."""
        spans, start = [], 0
        for width in self.widths:
            spans.append(slice(start, start + width))
            start += width
        return spans

    def has(self, panel: int) -> bool:
        return self.work.has(self._file(panel))

    def read(self, panel: int, buffer: Tensor) -> Tensor:  # (n, c)
        """A whole panel, in the memory of a buffer."""
        X = buffer[: self.n_rows * self.widths[panel]]
        with (self.work / self._file(panel)).open("rb") as file:
            _fill(file, X)
        return X.view(self.n_rows, self.widths[panel])

    def write(self, panel: int, X: Tensor) -> None:
        with self.work.writing(self._file(panel)) as file:
            for rows in row_blocks(self.n_rows, 4 * self.widths[panel]):
                file.write(X[rows].numpy().data)

    def fill(self, blocks: Callable[[], Iterator[Tensor]]) -> None:
        """All panels at once, from blocks of whole rows in order. Does nothing if they are there."""
        if all(self.has(panel) for panel in range(len(self.widths))):
            return
        with ExitStack() as stack:
            files = [stack.enter_context(self.work.writing(self._file(panel))) for panel in range(len(self.widths))]
            for block in blocks():
                for file, span in zip(files, self.spans, strict=True):
                    file.write(block[:, span].contiguous().numpy().data)

    def blocks(self, slices: Iterable[slice]) -> Iterator[tuple[slice, Tensor]]:
        """Blocks of whole rows (b, f), not to be kept: the next one takes their place."""
        with ExitStack() as stack:
            files = [
                stack.enter_context((self.work / self._file(panel)).open("rb", buffering=0))
                for panel in range(len(self.widths))
            ]
            room = torch.empty(0)
            for rows in slices:
                n = rows.stop - rows.start
                if len(room) < n:
                    room, part = torch.empty(n, self.shape[1]), torch.empty(n * max(self.widths))
                block = room[:n]
                for file, span, width in zip(files, self.spans, self.widths, strict=True):
                    file.seek(rows.start * width * 4)
                    _fill(file, part[: n * width])
                    block[:, span] = part[: n * width].view(n, width)
                yield rows, block

    def _file(self, panel: int) -> str:
        return f"{self.name}-{panel:04d}"


def _remove(work: WorkFolder, files: Sequence[str]) -> None:
    for file in files:
        work.remove(file)


def _fill(file: object, values: Tensor) -> None:
    """Read exactly as many float32 as a tensor has room for."""
    view = values.numpy().data.cast("B")
    done = 0
    while done < len(view):
        n_bytes = file.readinto(view[done:])  # type: ignore[attr-defined]
        if not n_bytes:
            raise EOFError("a panel ends too early")
        done += n_bytes
