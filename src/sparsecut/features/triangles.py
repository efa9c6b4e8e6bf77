"""How many triangles every node is in, by passes over the blocks of an undirected graph.

Every edge points from its end of lower degree to the other; a hash of the ids decides between equal ones. A node points to
few others, √(2m) at most, hubs included. A triangle at u is an edge v → w between two of its neighbours:

    t(u) = Σ_{v ∈ N(u)} |N⁺(v) ∩ N(u)| ,     N⁺(v): those that v points to

so a pass needs N⁺ of the neighbours, kept as a column, and the block's own rows to search in. At most `MOST_LISTED` of
N⁺(v) are kept, chosen by a hash, and what is found among them is multiplied by |N⁺(v)| / MOST_LISTED: the count stays
unbiased, and it is exact where no neighbour points to more. A pass costs MOST_LISTED look-ups per entry at most. Numbers are
multiples of 1 / MOST_LISTED, so sums of them are exact: neither the order of nodes nor the number of blocks changes a bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsecut.kernels.block import Block, Column, Passes
from sparsecut.kernels.either import (
    counts_of,
    doubles,
    filled,
    is_tensor,
    last_not_above,
    longs,
    on_host,
    places_of,
    positions,
    repeat,
    stable_order,
    take,
)
from sparsecut.kernels.hashing import mixed, node_hashes, shifted
from sparsecut.kernels.streaming import blocks_of_entries

MOST_LISTED = 16  # of N⁺(v); a power of two, so that its multiples are exact
MOST_NODES = 1 << 24  # whose lists are kept whole, 68 bytes per node; of more nodes a quarter at a time
AT_ONCE = 8  # of a list, looked up together: most lists are no longer
N_SLOTS = 1024  # of a row's marks, which rule out most look-ups before any search
ENTRIES_AT_ONCE = {False: 1 << 14, True: 1 << 22}  # of a part of a block: on a CPU what its cache holds, on a GPU more


def triangles(passes: Passes, most_listed: int = MOST_LISTED, most_nodes: int = MOST_NODES) -> Column:
    """The number of triangles at every node of an undirected graph, float64; estimated near nodes that point to many."""
    n_nodes: int = passes.graph.n_nodes
    hashes = node_hashes(passes)
    order = passes.column("order-by-degree", np.int64, order_of, hashes)
    dtype = np.int32 if n_nodes < 2**31 else np.int64
    width = most_listed if n_nodes <= most_nodes else -(-most_listed // 4)
    found = None
    for first in range(0, most_listed, width):
        part = slice(first, min(first + width, most_listed))
        name, n_columns = f"{part.start}-{part.stop}-of-{most_listed}", part.stop - part.start + 1
        lists = passes.column(f"listed-{name}", dtype, listed_of, order, hashes, part, most_listed, width=n_columns)
        found = passes.column(f"triangles-{name}", np.float64, triangles_of, lists, found, n_nodes, part, most_listed)
    assert found is not None
    return found


def order_of(block: Block, hashes: Column) -> Any:
    """Numbers that order nodes by their degree, then by a hash."""
    starts = block.starts()
    return (longs(starts[1:] - starts[:-1]) << 32) | shifted(hashes[block.rows], 32)


def listed_of(block: Block, order: Column, hashes: Column, part: slice, most_listed: int) -> Any:
    """A part of the list of `most_listed` nodes that each points to, then −1; in the last column how many it points to."""
    starts, others = block.starts(), block.neighbours()
    n_rows, width = block.rows.stop - block.rows.start, part.stop - part.start
    rows = repeat(positions(slice(0, n_rows), starts), longs(starts[1:] - starts[:-1]), len(others))
    own, theirs = order[block.rows][rows], order[others]
    is_up = (theirs > own) | ((theirs == own) & (others > rows + block.rows.start))
    places = places_of(is_up)
    rows, others = rows[places], others[places]
    counts = counts_of(rows, n_rows)
    numbers = positions(slice(0, len(rows)), starts) - (counts.cumsum(0) - counts)[rows]
    long = places_of((counts > most_listed)[rows])
    if len(long):
        # In one number the row and, below it, a hash of the edge: sorted, each row has those that are kept in front.
        drawn = mixed(hashes[block.rows][rows[long]] + hashes[longs(others[long])])
        numbers[long[stable_order((rows[long] << 32) | shifted(drawn, 32))]] = numbers[long]
    kept = places_of((numbers >= part.start) & (numbers < part.stop))
    table = filled((n_rows, width + 1), -1, others)
    table.reshape(-1)[rows[kept] * (width + 1) + numbers[kept] - part.start] = others[kept]
    table[:, width] = counts
    return table


def triangles_of(block: Block, lists: Column, so_far: Column | None, n_nodes: int, part: slice, most_listed: int) -> Any:
    """Triangles at each node of the block that a part of the lists has, added to those of the parts before."""
    starts, others = block.starts(), block.neighbours()
    ends = on_host(starts)
    counts = doubles(starts[1:] * 0)
    for rows in blocks_of_entries(ends, 8 * ENTRIES_AT_ONCE[is_tensor(starts)], row_bytes=64):
        here = slice(int(ends[rows.start]), int(ends[rows.stop]))
        counts[rows] = _triangles(starts[rows.start : rows.stop + 1], others[here], lists, n_nodes, part, most_listed)
    return counts if so_far is None else counts + so_far[block.rows]


def _triangles(starts: Any, others: Any, lists: Column, n_nodes: int, part: slice, most_listed: int) -> Any:
    n_rows, width = len(starts) - 1, part.stop - part.start
    rows = repeat(positions(slice(0, n_rows), starts), longs(starts[1:] - starts[:-1]), len(others))
    keys = rows * (n_nodes + 1) + others + 1  # ascending; −1 is nobody's neighbour
    offsets = rows * N_SLOTS
    is_marked = filled((n_rows * N_SLOTS,), 0, others == -1)
    is_marked[offsets + _slots(others)] = True
    around = take(lists, others)  # (entries, width + 1)
    n_listed = around[:, width]
    shares = doubles(n_listed.clip(min=most_listed)) / most_listed
    totals = doubles(starts[1:] * 0)
    for first in range(0, width, AT_ONCE):
        if part.start + first:  # few lists are so long
            longer = places_of(n_listed > part.start + first)
            rows, offsets, shares, n_listed = rows[longer], offsets[longer], shares[longer], n_listed[longer]
            around = take(around, longer)
        listed = around[:, first : min(first + AT_ONCE, width)]  # (e, AT_ONCE)
        found = places_of(take(is_marked, (_slots(listed) + offsets[:, None]).reshape(-1)))
        entries = found // listed.shape[1]
        wanted = rows[entries] * (n_nodes + 1) + listed[entries, found % listed.shape[1]] + 1
        entries = entries[keys[last_not_above(keys, wanted)] == wanted]
        totals += counts_of(rows[entries], n_rows, shares[entries])
    return totals


def _slots(nodes: Any) -> Any:
    """A number below `N_SLOTS` for each position."""
    return nodes & (N_SLOTS - 1)
