"""What `sparsecut evaluate` measures: each task computes one kind of score, prints it as a table and as JSON."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparsecut.base.errors import InputError, check_choice, check_integer
from sparsecut.cli.console import LABELS_PER_CLASS, N_SPLITS, QUICK_LABELS, QUICK_SPLITS, Output
from sparsecut.cli.pipes import shown, written_to

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from sparsecut.evaluation import Split
    from sparsecut.evaluation.targets import ProbeTarget
    from sparsecut.graph import Graph, Ids


def classify(
    output: Output,
    embedding: Path,
    Z: NDArray[Any],
    goal: ProbeTarget,
    node_ids: Ids,
    probe: str,
    split: str,
    dataset: str | None,
    per_class: list[int],
    n_splits: int,
    seed: int,
    metrics: str | None = None,
) -> None:
    """Figures of a linear probe over splits of the labelled nodes."""
    from sparsecut.evaluation import PROTOCOLS
    from sparsecut.evaluation.metrics import check_metrics, unit_of
    from sparsecut.evaluation.probing import probe_target

    check_choice("sparsecut evaluate", "--probe", probe, PROTOCOLS)
    check_metrics("sparsecut evaluate", metrics, goal.kind)
    rows, results = [], {}
    with output.progress() as bar:
        for name, chosen in _splits(output, goal, node_ids, split, dataset, per_class, n_splits, seed):
            scores = probe_target(Z, goal, chosen, protocol=probe, metrics=metrics, progress=bar)
            n_probed = len(chosen)
            for metric, values in scores.figures.items():
                text = f"{scores.text(metric)}{scores.beside(metric)}"
                rows.append([name, metric, text, _interval(values, 1 if unit_of(metric) else 3)])
            results[name] = scores.to_dict()
    unit = ", in percent" if all(map(unit_of, scores.figures)) else ""
    output.table(
        f"Probe: {scores.probe}, split: {split}, {n_probed} splits{unit}",
        ["labels\nper class" if per_class else "split", "metric", "mean ± std", "95 % interval"],
        rows,
    )
    measured = {"task": "classify", "embedding": str(embedding), "target": goal.kind, "probe": scores.probe, "split": split}
    output.result({**measured, "per_class": results})


def _interval(values: NDArray[Any], digits: int) -> str:
    from sparsecut.evaluation.scores import interval_of

    low, high = interval_of(values)
    return f"{low:.{digits}f} to {high:.{digits}f}" if len(values) > 1 else ""


def split_for(goal: ProbeTarget, split: str) -> str:
    """The splits that "auto" stands for: so many nodes of each class, or, where there are no classes, all in ten parts."""
    from sparsecut.evaluation.metrics import CLASSES
    from sparsecut.evaluation.split_choice import AUTO, CV, RANDOM

    return split if split != AUTO else RANDOM if goal.kind == CLASSES else CV


def how_many(caller: str, split: str, per_class: list[int] | None, splits: int | None, quick: bool) -> tuple[list[int], int]:
    """The numbers of labels per class to train on, none where the splits are not made by them, and of splits."""
    from sparsecut.evaluation.split_choice import PER_CLASS

    n_splits = (QUICK_SPLITS if quick else N_SPLITS) if splits is None else check_integer(caller, "--splits", splits, 1)
    if split in PER_CLASS:
        return per_class or (QUICK_LABELS if quick else LABELS_PER_CLASS), n_splits
    if per_class:
        raise InputError(f"The splits {split} are not made by labels per class. Leave --per-class out, or --split.")
    return [], n_splits


def _splits(
    output: Output,
    goal: ProbeTarget,
    node_ids: Ids,
    split: str,
    dataset: str | None,
    per_class: list[int],
    n_splits: int,
    seed: int,
) -> Iterator[tuple[str, list[Split]]]:
    """The splits to probe over, by the number of labels per class, by their word, or, from a file, as "given"."""
    import numpy as np

    from sparsecut import datasets
    from sparsecut.evaluation import Split, read_splits
    from sparsecut.evaluation.probing import splits_of
    from sparsecut.evaluation.split_choice import OF_A_DATASET, is_word
    from sparsecut.io.edges.ids import check_known, positions_of

    if not is_word(split) and (Path(split).exists() or Path(split).suffix):
        yield "given", read_splits(split, node_ids)[:n_splits]
        return
    position = np.arange(len(node_ids))
    if split in OF_A_DATASET and dataset is not None:
        # Splits name the nodes of the dataset by number; the rows here may be in another order.
        ids = np.arange(datasets.find_dataset(dataset).n_nodes)
        position = positions_of(ids, node_ids)
        check_known(position, ids, f"The dataset {dataset}", "the embedding")
    make = partial(splits_of, goal.take(position), split, dataset=dataset, n_splits=n_splits, random_state=seed)
    named = {str(n_labels): partial(make, per_class=n_labels) for n_labels in per_class} or {split: make}
    for name, make_named in named.items():
        with output.warnings_as_notes():
            made = make_named()
        yield name, [Split(position[one.train], position[one.validation], position[one.test]) for one in made]


def cluster(
    output: Output,
    embedding: Path,
    Z: NDArray[Any],
    labels: NDArray[Any] | None,
    graph: Graph | None,
    n_clusters: int | None,
    runs: int,
    seed: int,
    node_ids: Ids,
    output_path: Path | None,
    force: bool,
    metrics: str | None = None,
) -> None:
    """Agreement of k-means clusters with the labels, and how they cut the graph; the clusters themselves, to a file."""
    from sparsecut.evaluation import evaluate_clusters
    from sparsecut.evaluation.clustering import AGAINST_LABELS
    from sparsecut.io.result_files import write_columns

    with output.progress() as bar:
        scores = evaluate_clusters(
            Z,
            labels,
            graph=graph,
            n_clusters=n_clusters,
            n_runs=runs,
            metrics=metrics,
            random_state=seed,
            progress=bar,
        )
    for note in scores.notes:
        output.note(note)
    rows = []
    for name, values in scores.figures.items():
        is_share = name in AGAINST_LABELS
        digits, unit = (1, ", percent") if is_share else (3, "")
        rows.append([name + unit, f"{values.mean():.{digits}f} ± {values.std():.{digits}f}"])
    if rows:
        output.table(f"k-means, {scores.n_clusters} clusters, {runs} runs", ["figure", "mean ± std"], rows)
    if output_path is not None:
        with written_to(output_path) as path:
            write_columns(path, {"id": node_ids, "cluster": scores.assigned}, overwrite=force)
        output.say(f"{scores.n_clusters} clusters, the tightest of {runs} runs → {shown(output_path)}")
    written = None if output_path is None else str(output_path)
    output.result({"task": "cluster", "embedding": str(embedding), "output": written, **scores.to_dict()})


def links(
    output: Output,
    embedding: Path | None,
    graph: Graph | None,
    method: str,
    fraction: float,
    by: str,
    runs: int,
    seed: int,
    device: str,
    metrics: str | None = None,
) -> None:
    """How well a method that is trained without some of the edges ranks them above pairs without an edge."""
    if embedding is not None:
        raise InputError(
            f"Links cannot be scored on {embedding}: its method has already seen every edge. Name the graph and the method, "
            "and edges are held out before training: sparsecut evaluate --task links --graph GRAPH --method sce."
        )
    if graph is None:
        raise InputError("The task links needs a graph to hold edges out of. Name it: --graph GRAPH.")
    from sparsecut.evaluation import evaluate_links
    from sparsecut.evaluation.link_holdout import WAYS
    from sparsecut.lab.baselines.methods import find_method
    from sparsecut.links.ranking import LINK_METRICS

    check_choice("sparsecut evaluate", "--by", by, WAYS)
    model = find_method(method).make({}, {"random_state": seed, "device": device})
    with output.warnings_as_notes(), output.progress() as bar:
        scores = evaluate_links(
            graph,
            model,
            fraction=fraction,
            n_runs=runs,
            metrics=tuple(metrics.replace(" ", "").split(",")) if metrics else LINK_METRICS,
            random_state=seed,
            by=by,
            progress=bar,
        )
    first = next(iter(scores.figures.values()))
    output.table(
        f"Links in percent, {method}: {scores.n_held_out:,} {'later ' * (by == 'time')}edges held out before training, "
        f"{runs} runs",
        ["ranked by", *scores.figures],
        [[name, *(f"{by[name].mean():.1f} ± {by[name].std():.1f}" for by in scores.figures.values())] for name in first],
    )
    output.result({"task": "links", "method": method, "by": by, **scores.to_dict()})


def health(output: Output, embedding: Path, Z: NDArray[Any], graph: Graph | None) -> None:
    """Effective rank, spectrum and cut ratio, which need no labels."""
    from sparsecut.evaluation import measure_health

    health = measure_health(Z, graph)
    rows = [["effective rank", f"{health.effective_rank:.1f} of {health.dimension}"]]
    if len(health.spectrum):
        rows += [
            ["variance in the first component", f"{health.first_share:.1%}"],
            ["in the first ten", f"{health.spectrum[:10].sum():.1%}"],
        ]
    if health.cut_ratio is not None:
        rows.append(["cut ratio", f"{health.cut_ratio:.4f}"])
    output.table("Health, without labels", ["figure", ""], rows)
    output.say(health.verdict)
    output.result({"task": "health", "embedding": str(embedding), **health.to_dict()})
