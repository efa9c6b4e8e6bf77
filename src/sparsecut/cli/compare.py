"""`sparsecut compare`: several methods on one graph, one table of accuracy, seconds and peak memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sparsecut.base.errors import InputError, check_choice
from sparsecut.cli.completion import completing_list
from sparsecut.cli.console import Output, in_mebibytes, print_error, takes_output
from sparsecut.cli.evaluate_tasks import how_many
from sparsecut.cli.graph_input import Reading, dataset_of, open_graph, takes_reading
from sparsecut.cli.options import (
    EVALUATION,
    METHOD,
    Device,
    Dimension,
    Features,
    Fraction,
    GraphName,
    Labels,
    Metrics,
    PaperSettings,
    PerClass,
    Probe,
    Quick,
    Seed,
    SplitKind,
    Splits,
    option,
)
from sparsecut.lab.baselines.methods import find_method, names

if TYPE_CHECKING:
    from sparsecut.evaluation import Comparison
    from sparsecut.graph import Graph
    from sparsecut.lab.compared import MethodComparison

N_RUNS, QUICK_RUNS = 5, 2  # of --task links

METHODS = (
    "Names separated by commas; the others are compared with the first. "
    f"Embeddings, which are probed: {', '.join(names(is_supervised=False))}. "
    f"Predictors, which are fitted to the labels of every split: {', '.join(names(is_supervised=True))}."
)


@takes_output
@takes_reading("edges")
def compare(
    graph: GraphName,
    methods: Annotated[str, option(METHOD, METHODS, metavar="NAMES", completion=completing_list(names()))],
    features: Features = None,
    labels: Labels = None,
    *,
    reading: Reading,
    task: Annotated[
        str, option(EVALUATION, "What to compare by: labels, or links that are held out.", choices=("classify", "links"))
    ] = "classify",
    fraction: Fraction = 0.1,
    metrics: Metrics = None,
    probe: Probe = "paper",
    split: SplitKind = "random",
    per_class: PerClass = None,
    splits: Splits = None,
    quick: Quick = False,
    dimension: Dimension = None,
    paper: PaperSettings = None,
    device: Device = "auto",
    seed: Seed = 0,
    output: Output,
) -> None:
    """Compare methods on a graph: score, seconds, memory. Each runs in a process of its own, over the same splits.

    sparsecut compare cora --methods sce,mosce,smoothed,raw

    sparsecut compare cora --methods gcn,sce --splits 10

    sparsecut compare cora --methods sce,gcn --split public

    sparsecut compare cora --methods sce,mosce,raw --quick

    sparsecut compare cora --methods sce,deepwalk --task links --splits 3

    An embedding is fitted once, without labels, and probed on every split. A method that predicts labels is fitted anew for
    every split and given the labels of its training and validation nodes alone; its seconds are those of one fit.

    Exit code: 0 if every method ran, 1 if some failed (the table shows the others), 2 for wrong input or if all failed.
    """
    from sparsecut.evaluation import PROTOCOLS
    from sparsecut.lab.comparison import compare as compare_methods

    check_choice("sparsecut compare", "--probe", probe, PROTOCOLS)
    check_choice("sparsecut compare", "--task", task, ("classify", "links"))
    given = {"--probe": probe != "paper", "--split": split != "random", "--per-class": bool(per_class)}
    others = [name for name, is_given in given.items() if is_given] if task == "links" else []
    others += ["--fraction"] if task == "classify" and fraction != 0.1 else []
    if others:
        raise InputError(f"The task {task} does not use {', '.join(others)}. Leave that out, or name another --task.")
    counts, n_asked = how_many("sparsecut compare", split, per_class, splits, quick)
    chosen = [find_method(name.strip()).name for name in methods.split(",") if name.strip()]
    loaded = open_graph(graph, features, output, labels, reading)
    if task == "links":
        n_runs = (QUICK_RUNS if quick else N_RUNS) if splits is None else n_asked
        _compare_links(
            output, graph, loaded, chosen, fraction, n_runs, metrics, seed, {"dimension": dimension, "device": device}
        )
        return
    if loaded.labels is None:
        raise InputError(f"{graph} brings no labels to compare by. Name them: --labels FILE.")
    keys: list[int | str] = [*counts] or [split]
    with output.warnings_as_notes(), output.progress() as bar:
        results = compare_methods(
            loaded,
            chosen,
            split=split,
            dataset=dataset_of(graph),
            per_class=counts,
            n_splits=n_asked,
            probe=probe,
            metrics=metrics,
            random_state=seed,
            options={"dimension": dimension, "device": device},
            paper=paper,
            progress=bar,
        )
    shown = [name.strip() for name in metrics.split(",")] if metrics else ["accuracy"]
    rows, n_splits = [], n_asked
    for result in results:
        if result.error is not None:
            rows.append([result.method, *("failed" for _ in range(len(keys) * len(shown))), "", "", ""])
            continue
        difference = result.against_first.get(keys[-1])
        n_splits = result.scores[keys[-1]].n_splits
        cells = [(result.scores[key], name) for key in keys for name in shown]
        rows.append(
            [
                result.method,
                *(scores.text(name) if name in scores.figures else "" for scores, name in cells),
                "" if difference is None else _difference(difference),
                f"{result.measured['seconds']:.2f}",
                in_mebibytes(result.measured.get("peak_memory_bytes")),
            ]
        )
    named = [results.heading(key, name).replace(" (", "\n(") for key in keys for name in shown]
    output.table(
        f"{', '.join(shown)}: mean ± deviation over {n_splits} splits ({split}), probe: {probe}",
        ["method", *named, _less(shown, chosen[0]), "seconds", "peak\nmemory"],
        rows,
    )
    measured = {"graph": graph, "probe": probe, "split": split, "n_splits": n_splits}
    output.result({**measured, "methods": [result.to_dict() for result in results]})
    _say_failures(results)


def _compare_links(
    output: Output,
    name: str,
    graph: Graph,
    methods: list[str],
    fraction: float,
    n_runs: int,
    metrics: str | None,
    seed: int,
    options: dict[str, object],
) -> None:
    """Methods by held-out links: every figure with its deviation over the runs."""
    from sparsecut.lab.link_comparison import compare_links
    from sparsecut.links.ranking import LINK_METRICS

    with output.warnings_as_notes(), output.progress() as bar:
        results = compare_links(
            graph,
            methods,
            fraction=fraction,
            n_runs=n_runs,
            metrics=metrics or LINK_METRICS,
            random_state=seed,
            options=options,
            progress=bar,
        )
    scored = [result for result in results if result.error is None]
    named = list(scored[0].scores["links"].figures) if scored else []
    rows = []
    for result in results:
        if result.error is not None:
            rows.append([result.method, *("failed" for _ in named), "", ""])
            continue
        scores, difference = result.scores["links"], result.against_first.get("links")
        cells = [f"{scores.figures[one].mean():.1f} ± {scores.figures[one].std():.1f}" for one in named]
        seconds = f"{result.measured['seconds']:.2f}"
        rows.append([result.method, *cells, "" if difference is None else _difference(difference), seconds])
    output.table(
        f"Links in percent, {fraction:g} of the edges held out, mean ± deviation over {n_runs} runs",
        ["method", *named, _less(named, methods[0]), "seconds"],
        rows,
    )
    output.result({"graph": name, "task": "links", "n_runs": n_runs, "methods": [result.to_dict() for result in results]})
    _say_failures(results)


def _say_failures(results: MethodComparison) -> None:
    failed = [f"{result.method} failed: {result.error}" for result in results if result.error is not None]
    if len(failed) == len(results):
        raise InputError("; ".join(failed))
    if failed:
        print_error("; ".join(failed))
        raise typer.Exit(1)


def _less(metrics: list[str], first: str) -> str:
    """The heading of the differences, which are of the first metric."""
    return f"{metrics[0]}\nless {first}" if len(metrics) > 1 else f"less {first}"


def _difference(compared: Comparison) -> str:
    """The difference by the first metric with its 95 % interval and p-value, where there is more than one split."""
    if compared.n_splits < 2:
        return compared.amount
    low, high = compared.interval
    return f"{compared.amount} [{low:+.1f}, {high:+.1f}]\n(p = {compared.p_value:.1g})"
