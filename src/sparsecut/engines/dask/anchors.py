"""Which blocks of rows lie together, without the address of a worker.

An anchor is a small result that some worker holds, and a task that depends on it alone runs there.

No task is bound to an address. When no worker runs at the moment at which Dask places such a task, it waits for the address
itself, and a worker that comes back has another one: it waits forever, also where other workers are allowed. An anchor that
is lost with its worker is computed again elsewhere, like any other result.
"""

from __future__ import annotations

from typing import Any

from sparsecut.engines.dask.running import Runner


class Anchors:
    """As many anchors as there were workers at the start: one on each, while all of them are there."""

    def __init__(self, runner: Runner, n_workers: int) -> None:
        self.runner, self.n_workers = runner, n_workers
        self._known: frozenset[str] = frozenset()  # workers that the anchors were spread over
        self._held: list[Any] = []

    def spread(self, n_blocks: int) -> list[Any]:
        """An anchor for each of so many blocks of rows; those that follow one another share one.

        Where workers have gone or come, new anchors are made, so that those that came take their share of what is loaded
        from now on.
        """
        workers = self.runner.workers()
        if workers != self._known:
            self._known, self._held = workers, self.runner.submit_each(anchor, range(self.n_workers))
        return [self._held[self.number(block, n_blocks)] for block in range(n_blocks)]

    def number(self, block: int, n_blocks: int) -> int:
        """Which anchor a block has: blocks of the same one exchange nothing."""
        return block * self.n_workers // n_blocks

    def in_turn(self, n_blocks: int) -> list[int]:
        """The blocks, one of every anchor after another: tasks sent in this order give each worker as much to do.

        Dask sends a task to its inputs unless the worker that has them is busier than the bytes are worth.
        """
        return sorted(range(n_blocks), key=lambda block: (block * self.n_workers % n_blocks, block))


def anchor(number: int) -> int:
    return number
