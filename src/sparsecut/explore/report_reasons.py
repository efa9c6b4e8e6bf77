"""Why neighbours are near, as blocks of the report's page.

why-channels   share of the score by channel, in percent, (n, k, c) bytes
why-features   a feature's place in the list of names + 1, 0 for none, (n, k, 3); why-shares its share in percent
why-through    the row + 1 of a node through which it comes, 0 for none, (n, k, 3); why-through-shares its share in percent
why-links      1 where the two are linked; why-shared how many neighbours both have, (n, k)

Shares are cut at ±127 percent. Features of which both nodes have less than usual have a minus before their place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.explore.report_input import ReportInput
from sparsecut.explore.report_page import PageBlocks
from sparsecut.links.nearness import Nearness
from sparsecut.links.neighbor_reasons import NeighborReasons, reasons_of_neighbors

MOST_PAIRS = 1_000_000  # of nodes and neighbours: reasons of more would make the page too large
MOST_PERCENT = 127


def find_reasons(model: Any, whole: ReportInput, neighbors: NDArray[np.int64] | None) -> tuple[NeighborReasons | None, str]:
    """The reasons of all neighbours, or none and a sentence that says why; no sentence where nobody could expect them."""
    if neighbors is None or whole.graph is None or not hasattr(model, "recipe_"):
        return None, ""
    if neighbors.size > MOST_PAIRS:
        return None, "The nodes are too many to say here why neighbours are near: model.why(node, k=10) says it of one."
    try:
        return reasons_of_neighbors(Nearness(model, whole.graph, whole.Z), neighbors), ""
    except InputError as error:
        return None, f"Why neighbours are near is not shown. {error}"


def add_reasons(blocks: PageBlocks, reasons: NeighborReasons) -> dict[str, Any]:
    """Pack the reasons; returns what the page needs to know of them."""
    used, places = np.unique(reasons.features, return_inverse=True)
    first = int(used[0] < 0) if len(used) else 0  # −1 is no feature
    places = places.reshape(reasons.features.shape) + 1 - first
    blocks.add_array("why-channels", _percent(reasons.channel_shares), "<i1")
    blocks.add_array("why-features", np.where(reasons.are_above, places, -places), "<i4")
    blocks.add_array("why-shares", _percent(reasons.feature_shares), "<i1")
    blocks.add_array("why-through", reasons.through + 1, "<i4")
    blocks.add_array("why-through-shares", _percent(reasons.through_shares), "<i1")
    blocks.add_array("why-links", reasons.are_linked, "<u1")
    blocks.add_array("why-shared", reasons.n_shared, "<u4")
    names = [str(reasons.feature_names[number]) for number in used[first:].tolist()]
    return {"channels": reasons.channels, "names": names, "nNamed": int(reasons.features.shape[2])}


def _percent(shares: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(np.clip(np.rint(100 * shares), -MOST_PERCENT, MOST_PERCENT))
