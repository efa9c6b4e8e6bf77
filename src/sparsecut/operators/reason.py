"""One choice that a fit has made, as data: what was chosen, on which ground, by which figures.

Whoever decides makes the record; `sparsecut.model.explanation` has the sentences. A file keeps the records, so that a loaded
model explains itself as the fitted one does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

KEPT = "kept"  # the ground of a choice that an earlier fit made, and whose evidence is gone
DECIMALS = 3  # of figures: more are never shown, and sums in another order differ beyond them


@dataclass(frozen=True)
class Reason:
    """A choice and the evidence for it.

    Parameters
    ----------
    topic : str
        What was decided: "weighting", "filter", "trial" (of filters), "channels", "graph channels", "structure",
        "dimension" or "spectrum".
    chosen : str
        What it became.
    because : str
        The ground, one word: `sparsecut.model.explanation` has a sentence for each.
    figures : mapping of str to float, optional
        Numbers by name: the evidence. They are kept to three decimals.
    channel : str, default=""
        The channel that it belongs to, where several were solved one by one.
    """

    topic: str
    chosen: str
    because: str
    figures: Mapping[str, float] = field(default_factory=dict)
    channel: str = ""

    def __post_init__(self) -> None:
        kept = {name: n if isinstance(n, int) else round(float(n), DECIMALS) for name, n in self.figures.items()}
        object.__setattr__(self, "figures", kept)  # numbers for JSON, whatever kind of float an engine measured


def of_channel(reasons: Sequence[Reason | str], channel: str) -> list[Reason | str]:
    """The reasons of one channel, marked with its name."""
    return [f"{channel}: {reason}" if isinstance(reason, str) else replace(reason, channel=channel) for reason in reasons]


def to_header(reasons: Sequence[Reason | str]) -> list[Any]:
    """What JSON can hold of some reasons. A sentence that a solver of the user's gave stays one."""
    return [reason if isinstance(reason, str) else asdict(reason) for reason in reasons]


def read_reasons(header: Sequence[Any]) -> list[Reason | str]:
    """What `to_header` wrote."""
    return [entry if isinstance(entry, str) else Reason(**entry) for entry in header]
