"""PanelPasses over panels on disk: blocks of whole rows, and what is summed up over them in float64."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from sparsecut.base.progress import Reporter
from sparsecut.engines.disk.panels import Panels
from sparsecut.engines.disk.sizes import N_PANELS, PanelSizes
from sparsecut.kernels.moments import ROW_BLOCK, mean_of, scatter
from sparsecut.kernels.products import blocks
from sparsecut.kernels.streaming import row_blocks
from sparsecut.operators.negatives import ListedPairs, NegativeGraph


class PanelPasses:
    def __init__(self, sizes: PanelSizes, report: Reporter, *, row_block: int = ROW_BLOCK) -> None:
        self.sizes, self.report, self.row_block = sizes, report, row_block
        self._room: list[Tensor] = []

    def moments(self, panels: Sequence[Panels], weights: Sequence[Tensor | None]) -> tuple[Tensor, Tensor]:
        """For each list of row weights the weighted mean (c,) and Σ w_i (s_i − mean)(s_i − mean)ᵀ, in one pass.

        None are weights of 1, by the kernels of memory.
        """
        n_columns = sum(part.shape[1] for part in panels)
        means = torch.cat([self.means(part, weights) for part in panels], dim=1)  # (k, c)
        scatters = torch.zeros(len(weights), n_columns, n_columns, dtype=torch.float64)
        for rows, block in self.rows(panels, "Gram matrix", least=self.row_block):
            for number, row_weights in enumerate(weights):
                if row_weights is None:
                    scatters[number] += scatter(block, None, means[number]) * len(block)
                else:
                    centred = block - means[number].float()
                    scatters[number] += centred.T @ (centred * row_weights[rows, None].float())
        return means, scatters

    def means(self, panels: Panels, weights: Sequence[Tensor | None]) -> Tensor:  # (k, f)
        """The weighted means of the rows, in float64."""
        sums = torch.zeros(len(weights), panels.shape[1], dtype=torch.float64)
        for rows, block in panels.blocks(self._slices([panels], self.row_block)):
            for number, row_weights in enumerate(weights):
                sums[number] += mean_of(block) * len(block) if row_weights is None else row_weights[rows] @ block.double()
        totals = [float(panels.n_rows if row_weights is None else row_weights.sum()) for row_weights in weights]
        return sums / torch.tensor(totals, dtype=torch.float64).clamp(min=1e-300)[:, None]

    def gram_of_pairs(self, first: Sequence[Panels], second: Sequence[Panels], pairs: ListedPairs) -> Tensor:
        """Sᵀ L G a panel of G at a time: L joins any two rows, so it is held whole, and S is read block by block."""
        n_columns = sum(part.shape[1] for part in second)
        M = torch.zeros(sum(part.shape[1] for part in first), n_columns, dtype=torch.float64)
        column = 0
        for part in second:
            for panel, width in enumerate(part.widths):
                image = pairs.laplacian(part.read(panel, self.buffers(part, with_start=False)[1]))  # (n, c)
                start = 0
                for other in first:
                    span = slice(start, start + other.shape[1])
                    for rows, block in other.blocks(self._slices([other])):
                        M[span, column : column + width] += block.T @ image[rows]
                        self.report("negative pairs", column * part.n_rows + rows.stop, n_columns * part.n_rows)
                    start = span.stop
                column += width
        self._room = []
        return M

    def laplacian(self, panels: Panels, negatives: NegativeGraph, into: Panels) -> None:
        """L·G, a panel at a time, and a few of its columns: what is computed on the way takes no more than a block."""
        for panel, width in enumerate(panels.widths):
            if into.has(panel):
                continue
            _, current, other = self.buffers(panels, with_start=False)
            X = panels.read(panel, current)
            image = other[: X.numel()].view_as(X)
            for columns in row_blocks(width, 8 * panels.n_rows, self.sizes.block_bytes):
                image[:, columns] = negatives.laplacian(X[:, columns])
            into.write(panel, image)

    def rows(
        self, panels: Sequence[Panels], stage: str, start: int = 0, *, least: int = 1
    ) -> Iterator[tuple[slice, Tensor]]:
        """Blocks of rows of all panels side by side, of a multiple of `least` rows but for the last."""
        self._room = []  # the caller needs the memory for matrices of f × f
        slices = [rows for rows in self._slices(panels, least) if rows.start >= start]
        for parts in zip(*(part.blocks(slices) for part in panels), strict=True):
            rows = parts[0][0]
            yield rows, parts[0][1] if len(parts) == 1 else torch.cat([part for _, part in parts], dim=1)
            self.report(stage, rows.stop, panels[0].n_rows)

    def _slices(self, panels: Sequence[Panels], least: int = 1) -> list[slice]:
        """Rows of which a block holds all columns twice: as read, and side by side.

        Sums over `least` rows at a time, as many as memory's kernels take, have the same bits as theirs.
        """
        n_fit = self.sizes.block_bytes // max(8 * sum(part.shape[1] for part in panels), 1)
        return blocks(panels[0].n_rows, max(n_fit // least, 1) * least)

    def buffers(self, panels: Panels, *, with_start: bool) -> tuple[Tensor, Tensor, Tensor]:
        """Room for a panel three times, kept from panel to panel. Untouched memory costs nothing."""
        n_values = panels.n_rows * max(panels.widths)
        if not self._room or len(self._room[1]) < n_values:
            self._room = [torch.empty(n_values if with_start or which else 0) for which in range(N_PANELS)]
        elif with_start and len(self._room[0]) < n_values:
            self._room[0] = torch.empty(n_values)
        start, current, other = self._room
        return start, current, other
