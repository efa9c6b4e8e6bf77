"""The channels of the default: what the features say of the neighbours, what is chosen, and its constants left out.

    python benchmarks/channels.py [--graphs cora,wiki] [--force]

For every graph the evidence (own, gain and its standard error, of `model.auto.channel_choice`), the weights that follow, and
the accuracy with every pair of constants of a grid: the own rows and what is around them are embedded once and put side by
side with the weights that the constants give. Each graph in turn is then left out: the constants with the least mean regret
on the others are scored on it. The regret is the accuracy of the best mixture of the grid less that of the chosen one.
Seconds are processor seconds of the default beside those of `SCE(channels="smoothed")`, the best of three each, alternately.

The same for the rule of columns that tell nothing of each other, with r₀: on every graph with its 64 leading principal
components in place of its features.
"""

from __future__ import annotations

import argparse
import time
from itertools import product
from typing import Any

import numpy as np

import beyond
from results_file import read_points, write_results
from sparsecut import SCE, ClosedForm, Graph
from sparsecut.engines import MemoryEngine, resolve_device
from sparsecut.evaluation import probe
from sparsecut.features.weighting import Weighting
from sparsecut.graph.edge_sample import sample_linked_nodes
from sparsecut.lab.paper.row_methods import load_graph
from sparsecut.model.auto import channel_choice
from sparsecut.model.auto.constants import CONSTANTS, ChannelRule
from sparsecut.operators.filters import PageRank

NAME = "channels"
EVEN_GAINS, STEEPNESSES = (0.015, 0.02, 0.03, 0.04, 0.05), (1.5, 2.0, 3.0, 4.0)
SHIPPED = (CONSTANTS.channels.even_gain, CONSTANTS.channels.steepness)
EVEN_TOLDS = (0.03, 0.06, 0.09, 0.12, 0.17)
N_COMPONENTS = 64
N_SPLITS = 10


def measure(name: str) -> dict[str, Any]:
    graph = load_graph(name)
    assert graph.labels is not None
    weighting = SCE().fit(graph, progress=_silent).recipe_.weighting
    evidence = evidence_of(graph, weighting)
    choices = {
        f"{even:g}, {steep:g}": channel_choice.choose_by(evidence, ChannelRule(even_gain=even, steepness=steep)).weights
        for even, steep in product(EVEN_GAINS, STEEPNESSES)
    }
    point = {**figures_of(evidence), "weights": channel_choice.choose_by(evidence).weights}
    return point | {"scores": score_choices(name, graph, choices, weighting.name)} | seconds_of(graph)


def figures_of(evidence: channel_choice.ChannelEvidence) -> dict[str, float]:
    """The evidence by the names that the results file has."""
    figures = dict(vars(evidence))
    return {**figures, "told": figures.pop("neighbor_r2")}


def measure_components(name: str) -> dict[str, Any]:
    """The rule of columns that do not predict each other."""
    graph = load_graph(name)
    whole = ClosedForm(effective_rank=1e6)  # no sharpening: the principal components
    components = SCE(channels="own", dimension=N_COMPONENTS, solver=whole).fit_transform(graph, progress=_silent)
    graph = graph.replace(features=components)
    evidence = evidence_of(graph, Weighting("none"))  # they have signs
    choices = {
        f"{even:g}": channel_choice.choose_by(evidence, ChannelRule(even_neighbor_r2=even)).weights for even in EVEN_TOLDS
    }
    point = {**figures_of(evidence), "weights": channel_choice.choose_by(evidence).weights}
    return point | {"scores": score_choices(name, graph, choices, "none"), "raw": score(name, graph, components)}


def score_choices(name: str, graph: Graph, choices: dict[str, dict[str, float]], weighting: str) -> dict[str, list[float]]:
    """Every channel is embedded once; the accuracies of each choice of weights."""
    parts = {}
    for channel in {channel for weights in choices.values() for channel in weights}:
        Z = SCE(channels=channel, weighting=weighting).fit_transform(graph, progress=_silent)
        parts[channel] = Z / np.sqrt(np.square(Z, dtype=np.float64).sum(axis=1).mean()), Z
    known: dict[str, list[float]] = {}
    for weights in choices.values():
        if str(weights) not in known:
            known[str(weights)] = score(name, graph, mixed(parts, weights))
    return {constants: known[str(weights)] for constants, weights in choices.items()}


def evidence_of(graph: Graph, weighting: Weighting) -> channel_choice.ChannelEvidence:
    engine = MemoryEngine(resolve_device("cpu", NAME), graph=graph)
    rows = engine.load(graph, weighting, PageRank(restart=0.2))
    nodes = sample_linked_nodes(engine, CONSTANTS.channel_cost.most_nodes)
    return channel_choice.gather_evidence(graph, rows, weighting, engine, nodes)


def mixed(parts: dict[str, Any], weights: dict[str, float]) -> Any:
    lead = max(weights, key=weights.__getitem__)
    length = np.sqrt(np.square(parts[lead][1], dtype=np.float64).sum(axis=1).mean())
    return np.hstack([parts[name][0] * (length * weight) for name, weight in weights.items()]).astype(np.float32)


def score(name: str, graph: Graph, Z: Any) -> list[float]:
    assert graph.labels is not None
    scores = []
    for count in beyond.LABEL_COUNTS:
        splits = beyond.splits_of(name, graph, count, N_SPLITS, 0)
        scores.append(round(float(probe(Z, graph.labels, splits, progress=_silent).mean), 2))
    return scores


def seconds_of(graph: Graph) -> dict[str, float]:
    best = {"default": np.inf, "smoothed": np.inf}
    for _ in range(3):
        for which, model in (("default", SCE()), ("smoothed", SCE(channels="smoothed"))):
            started = time.process_time()
            model.fit(graph, progress=_silent)
            best[which] = min(best[which], time.process_time() - started)
    return {"seconds": round(best["default"], 3), "smoothed_seconds": round(best["smoothed"], 3)}


def regret(point: dict[str, Any], constants: str) -> float:
    """In points, the mean over the label counts."""
    means = {name: float(np.mean(values)) for name, values in point["scores"].items()}
    return max(means.values()) - means[constants]


def left_out(points: dict[str, Any], name: str) -> str:
    others = [point for other, point in points.items() if other != name]
    scores: dict[str, list[float]] = points[name]["scores"]
    return min(scores, key=lambda constants: float(np.mean([regret(point, constants) for point in others])))


def tables_of(points: dict[str, Any]) -> list[dict[str, Any]]:
    shipped = f"{SHIPPED[0]:g}, {SHIPPED[1]:g}"
    rows = []
    for name, point in points.items():
        chosen = left_out(points, name) if len(points) > 1 else shipped
        weights = ", ".join(f"{channel} {weight:g}" for channel, weight in point["weights"].items())
        is_blind = point["own"] <= CONSTANTS.channels.own_errors * point.get("own_error", 0.0)
        g = None if is_blind else round((point["gain"] - point["error"]) / point["own"], 3)
        figures = [round(point[key], 3) for key in ("own", "gain", "error")]
        regrets = [round(regret(point, shipped), 2), f"{regret(point, chosen):.2f} ({chosen})"]
        ratio = round(point["seconds"] / point["smoothed_seconds"], 2)
        rows.append([name, *figures, g, weights, *regrets, ratio])
    columns = ["graph", "own", "gain", "error", "g", "weights", "regret", "regret, constants without it", "times smoothed"]
    tables = [{"caption": "What is chosen, and what it costs.", "columns": columns, "rows": rows}]
    found = {name: point["components"] for name, point in points.items() if "components" in point}
    if not found:
        return tables
    shipped = f"{CONSTANTS.channels.even_neighbor_r2:g}"
    rows = []
    for name, point in found.items():
        chosen = left_out(found, name) if len(found) > 1 else shipped
        weights = ", ".join(f"{channel} {weight:g}" for channel, weight in point["weights"].items())
        regrets = [round(regret(point, shipped), 2), f"{regret(point, chosen):.2f} ({chosen})"]
        to_raw = float(np.mean(point["scores"][shipped])) - float(np.mean(point["raw"]))
        rows.append([name, round(point["own"], 3), round(point["told"], 3), weights, *regrets, round(to_raw, 1)])
    columns = ["graph", "own", "r", "weights", "regret", "regret, r₀ without it", "from the components themselves"]
    caption = (
        f"The {N_COMPONENTS} leading principal components in place of the features: columns that tell nothing of each "
        "other. r is what neighbours tell of a row; "
        f"r₀ of {', '.join(f'{value:g}' for value in EVEN_TOLDS)}, shipped: {shipped}."
    )
    return [*tables, {"caption": caption, "columns": columns, "rows": rows}]


def save(points: dict[str, Any]) -> None:
    chosen = {left_out(points, name) for name in points} if len(points) > 1 else set()
    regrets = [regret(points[name], left_out(points, name)) for name in points] if len(points) > 1 else []
    notes = [
        f"Grid: g₀ of {', '.join(f'{value:g}' for value in EVEN_GAINS)}, "
        f"q of {', '.join(f'{value:g}' for value in STEEPNESSES)}; shipped: {SHIPPED[0]:g}, {SHIPPED[1]:g}.",
    ]
    if regrets:
        notes.append(
            f"Constants chosen without a graph: {'; '.join(sorted(chosen))}. Their regret is {np.mean(regrets):.2f} points "
            f"on average and {max(regrets):.2f} at most, against the best mixture of the grid for that graph."
        )
    write_results(
        NAME,
        title="Channels",
        about="What half of a row's columns tells of the other half (own), what neighbours add to it (gain), the standard "
        "error of that, g = (gain − error)/own, and the weights that follow. Regret: points of "
        "accuracy (mean over 5 and 20 labels per class, probe: paper, 10 splits) below the best weights that the grid of "
        "constants offers this graph. The last column is the processor time of a fit over that of the smoothed channel.",
        command="python benchmarks/channels.py",
        tables=tables_of(points),
        notes=notes,
        points=points,
        environment={},
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", default=",".join(beyond.COLUMNS))
    parser.add_argument("--force", action="store_true")
    arguments = parser.parse_args()
    for name in arguments.graphs.split(","):
        point = read_points(NAME).get(name, {})
        if not point or arguments.force:
            point = measure(name)
            print(name, point["weights"], point["scores"][f"{SHIPPED[0]:g}, {SHIPPED[1]:g}"], flush=True)
        if "components" not in point:
            point["components"] = measure_components(name)
            print(name, "components", point["components"]["weights"], point["components"]["scores"], flush=True)
        save({**read_points(NAME), name: point})


def _silent(*_: object) -> None:
    """One line per graph is enough."""


if __name__ == "__main__":
    main()
