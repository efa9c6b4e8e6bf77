"""Why two nodes are near, as a result: shares by name that add up to the score, and the same in plain words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import import_extra
from sparsecut.base.notebook import Cell, facts_html, side_by_side_html, table_html
from sparsecut.graph import Ids

N_SAID = 5  # names in a sentence
N_SHOWN = 12  # rows of a notebook's table
N_LISTED = 3  # names in a cell of it
LEAST_SAID = 0.01  # of the score: what is below it is not worth a word
EMPTY = np.empty(0)

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Shares:
    """Parts of a score by name, the largest first.

    Attributes
    ----------
    names : array (m,)
        Names of features, or ids of nodes.
    values : float array (m,)
        What each adds to the score; below zero where it keeps the nodes apart.
    changes : float array (m,)
        Of features: by what the score changes where the feature is zero for every node. Empty for nodes.
    higher : float array (2, m)
        Of features: how far each of the two nodes, with what its neighbours bring, is above the mean. Empty for nodes.
    """

    names: NDArray[Any]
    values: Array
    changes: Array
    higher: Array

    @classmethod
    def of(cls, names: NDArray[Any], values: Array, *, changes: Array = EMPTY, higher: Array = EMPTY) -> Shares:
        """Shares, sorted; those of nothing are left out."""
        order = np.argsort(-values, kind="stable")
        order = order[values[order] != 0]
        return cls(
            names[order],
            values[order],
            changes[order] if len(changes) else changes,
            higher[:, order] if len(higher) else higher,
        )

    @property
    def total(self) -> float:
        """The sum of all values."""
        return float(self.values.sum())

    def __len__(self) -> int:
        return len(self.names)

    def value(self, name: Any) -> float:
        """What a name adds to the score; 0 for one that adds nothing."""
        return float(self.values[self.names == name].sum())

    def change(self, name: Any) -> float:
        """By what the score changes without the feature of this name."""
        return float(self.changes[self.names == name].sum())


@dataclass(frozen=True, eq=False, repr=False)
class Why:
    """Why two nodes are near: z_u·z_v and what it is made of. Every view adds up to the score.

        score = Σ channels = Σ features + rest = Σ sources + rest = Σ neighbors + rest

    Attributes
    ----------
    nodes : tuple
        The ids of the two nodes; twice the same where the vector of one is explained.
    score : float
        z_u·z_v.
    cosine : float
        The same over the lengths of the two vectors.
    channels : dict of str to float
        What the columns of each channel add.
    features : Shares
        What each feature adds, by its name; places in the graph and counts around the nodes among them.
    sources : Shares
        What each node adds whose features the two vectors hold, by its id.
    neighbors : Shares
        What comes through each neighbour of one of the two, from that neighbour or from beyond it, by its id. The two nodes
        are there with what they bring themselves.
    shared : array
        The ids of the neighbours that both have.
    rest : float
        What comes from nodes that were not read, and from the mean where walks do not keep it.

    Examples
    --------
    >>> import sparsecut as sc
    >>> found = sc.SCE().fit(sc.datasets.load("digits")).why(0, 1)
    >>> bool(abs(sum(found.channels.values()) - found.score) < 1e-5 * abs(found.score))
    True
    """

    nodes: tuple[Any, Any]
    score: float
    cosine: float
    channels: dict[str, float]
    features: Shares
    sources: Shares
    neighbors: Shares
    shared: Ids
    rest: float

    @property
    def is_one(self) -> bool:
        """Whether the vector of one node is explained."""
        return bool(self.nodes[0] == self.nodes[1])

    def sentences(self, n_said: int = N_SAID) -> list[str]:
        """The reasons in plain words, one per line.

        Parameters
        ----------
        n_said : int, default=5
            How many names a sentence has at most.

        Returns
        -------
        list of str
        """
        first, second = self.nodes
        lines = [
            f"{first}: squared length {self.score:.4g}."
            if self.is_one
            else f"{first} and {second}: cosine {self.cosine:.2f}, score {self.score:.4g}."
        ]
        if len(self.channels) > 1:
            ranked = sorted(self.channels.items(), key=lambda item: -item[1])
            worth = [
                f"{name} ({self._share(value)})" for name, value in ranked if abs(value) >= LEAST_SAID * abs(self.score)
            ]
            lines.append(f"By channel: {', '.join(worth)}.")
        who = str(first) if self.is_one else "Both"
        above, below, apart = self._features_said(n_said)
        if above:
            lines.append(f"{who} {'has' if self.is_one else 'have'} more than usual of {above}.")
        if below:
            lines.append(f"{who} {'has' if self.is_one else 'have'} less than usual of {below}.")
        others = self._listed(self._graph_features(), n_said)
        if others:
            lines.append(f"From the graph itself: {others}.")
        if apart:
            lines.append(f"They differ in {apart}.")
        through = self._listed(zip(self.neighbors.names.tolist(), self.neighbors.values.tolist(), strict=True), n_said)
        if through:
            lines.append(f"It comes through {through}.")
        if not self.is_one:
            n_shared = len(self.shared)
            names = ", ".join(map(str, self.shared[:n_said].tolist()))
            more = f" and {n_shared - n_said:,} more" if n_shared > n_said else ""
            lines.append(f"Shared neighbours: {names}{more}." if n_shared else "They share no neighbour.")
        if abs(self.rest) >= LEAST_SAID * abs(self.score):
            lines.append(f"{self._share(self.rest)} comes from nodes further away than were read.")
        return lines

    def to_frame(self) -> Any:
        """All shares as one table.

        Returns
        -------
        pandas.DataFrame
            Columns `by` (channel, feature, source, neighbor), `name`, `value` (its part of the score), `share` (of the
            score) and `change` (of the score without a feature; empty elsewhere). The values of each `by` add up to
            the score, with a row named "rest" where something is left.
        """
        pandas = import_extra("pandas", caller="Why.to_frame", extra="pandas")
        rows = [("channel", name, value, np.nan) for name, value in self.channels.items()]
        for by, shares in (("feature", self.features), ("source", self.sources), ("neighbor", self.neighbors)):
            changes = shares.changes if len(shares.changes) else np.full(len(shares), np.nan)
            listed = zip(shares.names.tolist(), shares.values.tolist(), changes.tolist(), strict=True)
            rows += [(by, name, value, change) for name, value, change in listed]
            rows.append((by, "rest", self.score - shares.total, np.nan))
        frame = pandas.DataFrame(rows, columns=["by", "name", "value", "change"])
        frame.insert(3, "share", frame["value"] / self.score if self.score else np.nan)
        return frame

    def to_dict(self, n_named: int = N_SHOWN) -> dict[str, Any]:
        """The largest shares as plain data, for JSON.

        Parameters
        ----------
        n_named : int, default=12
            How many features, sources and neighbours are named.

        Returns
        -------
        dict
        """
        named = {
            by: [
                {"name": _plain(name), "value": round(value, 8)}
                for name, value in zip(shares.names[:n_named].tolist(), shares.values[:n_named].tolist(), strict=True)
            ]
            for by, shares in (("features", self.features), ("sources", self.sources), ("neighbors", self.neighbors))
        }
        return {
            "nodes": list(self.nodes),
            "score": self.score,
            "cosine": self.cosine,
            "channels": self.channels,
            **named,
            "shared": self.shared.tolist(),
            "rest": self.rest,
            "sentences": self.sentences(),
        }

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def __repr__(self) -> str:
        return f"Why({self.nodes[0]!r}, {self.nodes[1]!r}, score {self.score:.4g}, cosine {self.cosine:.2f})"

    def _repr_html_(self) -> str:
        title, *notes = self.sentences()
        return facts_html(title, [], notes) + self._tables(N_SHOWN)

    def _tables(self, n_shown: int) -> str:
        """Channels, features, and the neighbours through which they come, with bars of their shares."""
        through = {False: "through", True: "neighbour"}[self.is_one]
        parts = [table_html(["feature", "share"], self._rows(self.features.names, self.features.values, n_shown))]
        parts.append(table_html([through, "share"], self._rows(self.neighbors.names, self.neighbors.values, n_shown)))
        if len(self.channels) > 1:
            ranked = sorted(self.channels.items(), key=lambda item: -item[1])
            names, values = np.array([name for name, _ in ranked]), np.array([value for _, value in ranked])
            parts.append(table_html(["channel", "share"], self._rows(names, values, n_shown)))
        return side_by_side_html(*parts)

    def _rows(self, names: NDArray[Any], values: Array, n_shown: int) -> list[list[str | Cell]]:
        """The largest shares, and the one that is furthest below zero where those do not reach it."""
        places = list(range(min(n_shown, len(names))))
        if len(names) > n_shown and values[-1] < 0:
            places[-1] = len(names) - 1
        size = abs(self.score) or 1.0
        listed = [(str(names.tolist()[place]), float(values[place])) for place in places]
        return [[name, Cell(self._share(value), value, value / size)] for name, value in listed]

    def _share(self, value: float) -> str:
        return f"{value / abs(self.score):.0%}".replace("-", "−") if self.score else f"{value:.3g}"

    def _listed(self, items: Any, n_said: int) -> str:
        """Names with their shares, the largest first, those that say something."""
        listed = [(name, value) for name, value in items if value >= LEAST_SAID * abs(self.score)][:n_said]
        return ", ".join(f"{name} ({self._share(value)})" for name, value in listed)

    def _features_said(self, n_said: int) -> tuple[str, str, str]:
        """The given features that both nodes have above the mean, below it, and those that keep them apart."""
        shares = self.features
        if not len(shares.higher) or not len(shares):
            return "", "", ""
        items = list(zip(shares.names.tolist(), shares.values.tolist(), *shares.higher.tolist(), strict=True))
        above = self._listed([(name, value) for name, value, a, b in items if a > 0 and b > 0], n_said)
        below = self._listed([(name, value) for name, value, a, b in items if a < 0 and b < 0], n_said)
        given = [(name, -value) for name, value, a, b in reversed(items) if value < 0 and a * b < 0]
        return above, below, self._listed(given, n_said).replace("(", "(−")

    def _graph_features(self) -> list[tuple[Any, float]]:
        shares = self.features
        is_given = (shares.higher != 0).any(axis=0) if len(shares.higher) else np.zeros(len(shares), dtype=bool)
        return [
            (name, value)
            for name, value, given in zip(shares.names.tolist(), shares.values.tolist(), is_given.tolist(), strict=True)
            if not given
        ]


class Whys(list[Why]):
    """Why a node is near several others: a list of `Why`, which a notebook shows as one table."""

    def _repr_html_(self) -> str:
        if not self:
            return facts_html("No node to compare with.", [])
        rows: list[list[str | Cell]] = []
        for one in self:
            parts = (one.features, one.neighbors)
            shares = [one._listed(zip(part.names.tolist(), part.values.tolist(), strict=True), N_LISTED) for part in parts]
            rows.append(
                [str(one.nodes[1]), Cell(f"{one.cosine:.2f}", one.cosine, one.cosine), *shares, str(len(one.shared))]
            )
        title = f"{self[0].nodes[0]}: why {len(self)} nodes are near"
        columns = ["node", "cosine", "features", "through", "shared neighbours"]
        return facts_html(title, []) + table_html(columns, rows)


def _plain(name: Any) -> Any:
    return name.item() if isinstance(name, np.generic) else name
