"""Made graphs with times: people move between groups at known rates, so that the best half-life is another in each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

N_PEOPLE, N_EDGES, N_GROUPS = 400, 12_000, 8
PURITY = 0.8  # of edges within the group that both ends are in at the time
DAY = 86_400.0


@dataclass(frozen=True)
class Drift:
    """How often people move in the span of time, and how their edges come."""

    span: float  # seconds, or steps of a unit of their own
    moves: float  # of a person in the whole span, on average
    is_calendar: bool = True
    n_bursts: int = 0  # short times in which all edges fall; 0 for edges at any time
    repeats: float = 0.0  # share of edges to one of the last three people that somebody has met


DRIFTS = {
    "never, 2 years": Drift(730 * DAY, 0.0),
    "slowly, 10 years": Drift(3650 * DAY, 1.0),
    "3 times in 2 years": Drift(730 * DAY, 3.0),
    "8 times in 48 hours": Drift(2 * DAY, 8.0),
    "4 times in 1,000 steps": Drift(1000.0, 4.0, is_calendar=False),
    "3 times, edges in 12 bursts": Drift(730 * DAY, 3.0, n_bursts=12),
    "3 times, edges that repeat": Drift(730 * DAY, 3.0, repeats=0.5),
}


def ratings_of(drift: Drift, seed: int = 0) -> pd.DataFrame:
    """Edges with times, ascending."""
    generator = np.random.default_rng(seed)
    moments = np.sort(generator.random(N_EDGES))
    if drift.n_bursts:
        centres = np.sort(generator.random(drift.n_bursts))[generator.integers(0, drift.n_bursts, N_EDGES)]
        moments = np.sort(np.clip(centres + generator.normal(0, 0.004, N_EDGES), 0, 1))
    moves = [np.sort(generator.random(generator.poisson(drift.moves))) for _ in range(N_PEOPLE)]
    groups = [generator.integers(0, N_GROUPS, len(own) + 1) for own in moves]
    fame = generator.pareto(2.5, N_PEOPLE) + 0.5
    chances = fame / fame.sum()
    sources = generator.choice(N_PEOPLE, N_EDGES, p=chances)
    met: list[list[int]] = [[] for _ in range(N_PEOPLE)]
    targets = np.empty(N_EDGES, dtype=np.int64)
    for row, (source, moment) in enumerate(zip(sources.tolist(), moments.tolist(), strict=True)):
        if met[source] and generator.random() < drift.repeats:
            targets[row] = generator.choice(met[source][-3:])
        else:
            others = generator.choice(N_PEOPLE, 60, p=chances)
            others = others[others != source]
            if generator.random() < PURITY:
                own = _group(moves, groups, source, moment)
                others = np.array([one for one in others if _group(moves, groups, one, moment) == own] or others)
            targets[row] = others[0]
        met[source].append(int(targets[row]))
    start = 1.6e9 if drift.is_calendar else 0.0
    return pd.DataFrame({"source": sources, "target": targets, "time": start + moments * drift.span})


def _group(moves: list[np.ndarray], groups: list[np.ndarray], person: int, moment: float) -> int:
    return int(groups[person][np.searchsorted(moves[person], moment)])
