"""The engine for a job: which plan, which blocks of rows, and the notes on both."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from sparsecut.engines.contract import Job
from sparsecut.engines.dask.cluster import Cluster
from sparsecut.engines.dask.dask_engine import DaskEngine
from sparsecut.engines.dask.operator import Layout
from sparsecut.engines.dask.parts import Parts
from sparsecut.engines.dask.plan import PLAN_NAMES, ClusterWork, Plan, PlanWord, choose_plan, even_starts, ordered_starts
from sparsecut.engines.dask.running import Runner
from sparsecut.engines.dask.shared import has_values, share
from sparsecut.io.stores.workfolder import WorkFolder, fingerprint_of
from sparsecut.kernels.streaming import in_words


def make_engine(
    job: Job,
    work: WorkFolder,
    cluster: Cluster,
    parts: Parts | None,
    *,
    plan: PlanWord,
    n_blocks: int | None,
    partition: Any,
    timeout: float,
) -> DaskEngine:
    """The engine for a job on a cluster. A given partition cuts the blocks of plan="rows" where fewer rows are exchanged."""
    graph = job.graph
    sizes = ClusterWork(
        n_nodes=graph.n_nodes,
        n_entries=int(graph.adjacency.nnz),
        is_weighted=has_values(graph.adjacency),
        n_columns=max(graph.n_features, job.n_columns) if job.with_moments else job.n_columns,
        n_workers=len(cluster.workers),
        worker_bytes=cluster.worker_bytes,
        is_series=job.is_series,
    )
    chosen = choose_plan(sizes, plan, n_blocks)
    runner = Runner(cluster.client, job.report, timeout, cluster.where)
    engine = DaskEngine(job, work, cluster, chosen, Layout(even_starts(graph.n_nodes, chosen.n_blocks)), runner, parts)
    engine.details.append(_say(chosen, cluster))
    if partition is not None and chosen.name == "rows":
        engine = _by_partition(engine, np.asarray(partition), job, work, cluster, parts)
    if parts is not None:
        parts.keep_only([*engine.layout.starts, engine.layout.order is None], work)
    return engine


def _by_partition(
    engine: DaskEngine, partition: Any, job: Job, work: WorkFolder, cluster: Cluster, parts: Parts | None
) -> DaskEngine:
    """Blocks of whole parts where they exchange fewer rows."""
    labels = np.unique(partition, return_inverse=True)[1].ravel()
    order = np.argsort(labels, kind="stable")
    starts = ordered_starts(np.bincount(labels).tolist(), engine.layout.n_blocks)
    for first, last in pairwise(starts):
        order[first:last].sort()
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    mark = fingerprint_of(order)
    layout = Layout(starts, share(order, work, f"order-{mark}"), share(place, work, f"place-{mark}"))
    other = DaskEngine(job, work, cluster, engine.smoother.plan, layout, engine.runner, parts)
    halos = [one.smoother.halo_rows(one.plain_operator()) for one in (engine, other)]
    chosen = other if halos[1] < halos[0] else engine
    verdict = "is followed" if chosen is other else "is not followed"
    chosen.details = [
        *engine.details,
        f"The given partition {verdict}: a hop exchanges {halos[1]:,} rows with it and {halos[0]:,} without.",
    ]
    return chosen


def _say(plan: Plan, cluster: Cluster) -> str:
    return (
        f"Engine dask, {PLAN_NAMES[plan.name]}: {plan.why}; {plan.n_blocks} blocks of rows on {len(cluster.workers)} "
        f"workers with {in_words(cluster.worker_bytes)} each, dashboard {cluster.dashboard}."
    )
