"""What fits into a limit of memory: how wide a panel may be, and how large a block.

The limit is the process's: `BASE_BYTES` of it are Python, torch and the rest of the libraries. What is left holds three
panels (where a hop starts, where it goes, and the features a series comes back to), a few numbers per node, and blocks.
Every size follows from the limit and the shapes alone, so a run that is resumed does the same sums in the same order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sparsecut.base.errors import InputError
from sparsecut.engines.blocked import even_widths
from sparsecut.kernels.moments import ROW_BLOCK
from sparsecut.kernels.streaming import in_words

BASE_BYTES = 480 << 20  # the interpreter and the libraries (370 MiB here), the threads' own memory, what malloc holds back
NODE_BYTES = 64  # a node: degrees, the filter's three scales, and what is computed from them
PAIR_BYTES = 130  # a pair of a sparse negative graph: itself, its entries in the Laplacian, and what sorts them
N_PANELS = 3  # in memory at a time; two where no series comes back to the features
MIN_BLOCK, MAX_BLOCK = 2 << 20, 16 << 20
N_BLOCKS = 8  # of that size in use at a time: what was read, what is computed from it, and as much that malloc keeps
GRAM_MATRICES = 5  # float64 (f, f) at a time: two sums, a product, and what an eigensolver works in
N_PRODUCTS = 12  # float32 (f, d) at a time where M is known by products: blocks of directions, their images and the sums
SPARE_COLUMNS = 64  # of those beyond the embedding's: directions that are not kept, and probes


@dataclass(frozen=True)
class PanelSizes:
    widest: int  # columns of a panel
    block_bytes: int

    def widths(self, n_columns: int) -> tuple[int, ...]:
        """The widths of as few panels as the widest allows, all about the same."""
        return even_widths(n_columns, math.ceil(n_columns / min(self.widest, n_columns)))


def plan_sizes(n_nodes: int, limit: int, *, is_series: bool = True, n_pairs: int = 0, matrix_bytes: int = 0) -> PanelSizes:
    """Panels as wide as the limit allows. Matrices of the features' size need room when no panel is in memory."""
    n_panels = N_PANELS if is_series else N_PANELS - 1
    fixed = BASE_BYTES + NODE_BYTES * n_nodes + PAIR_BYTES * n_pairs
    block_bytes = min(max((limit - fixed) // 64, MIN_BLOCK), MAX_BLOCK)
    widest = (limit - fixed - N_BLOCKS * block_bytes) // (4 * n_panels * n_nodes)
    needed = fixed + max(4 * n_panels * n_nodes + N_BLOCKS * MIN_BLOCK, matrix_bytes)
    if widest < 1 or limit < needed:
        enough = -(-needed // (1 << 20)) + 1  # in MiB however many: a number that can be given, and rounded up
        raise InputError(
            f"The memory_limit of Disk is too small for this graph: {in_words(limit)}. It needs at least "
            f"{enough} MiB, of which {in_words(BASE_BYTES)} are the interpreter and its libraries."
        )
    return PanelSizes(widest, block_bytes)


def gram_bytes(n_nodes: int, n_columns: int) -> int:
    """What it takes to build M and to solve it: M a few times, and rows that are summed at a time, as read and centred."""
    return 8 * GRAM_MATRICES * n_columns**2 + max(8 * min(n_nodes, ROW_BLOCK) * n_columns, N_BLOCKS * MIN_BLOCK)


def product_bytes(n_nodes: int, n_columns: int, dimension: int) -> int:
    """What it takes to find so many directions by products, and to solve M within them."""
    n_directions = dimension + SPARE_COLUMNS
    return 4 * N_PRODUCTS * n_columns * n_directions + gram_bytes(n_nodes, n_directions)


def check_in_memory(n_nodes: int, n_columns: int, limit: int, caller: str) -> None:
    """An embedding without a file to go to must fit into the limit beside the blocks."""
    needed = BASE_BYTES + NODE_BYTES * n_nodes + 4 * n_nodes * n_columns + N_BLOCKS * MIN_BLOCK
    if needed > limit:
        raise InputError(
            f"The embedding of {caller}, {n_nodes:,} × {n_columns:,}, does not fit into the memory_limit of "
            f"{in_words(limit)}. Write it to disk: output='embedding.npy'."
        )
