"""Long streams of changes: very many one by one, lines of JSON through the shell, a search that follows; for `updates.py`.

million     changes one by one, edges that come and go: speed, memory and the largest error, tenth by tenth
follow      `sparsecut update --follow` from lines of JSON to vectors, less what opening the model takes
open        a saved state opened in place, and its first change
search      recall of `Neighbors` after a fifth of the vectors has changed, against an exact search
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sparsecut import SCE, Neighbors, Power, load
from sparsecut.graph import Graph
from standins import stand_in

Point = dict[str, Any]
N_TENTHS = 10
N_FOLLOWED = 20_000
N_ASKED = 1_000  # queries of the search


def toggled(graph: Graph, random_state: int = 0) -> Iterator[tuple[str, tuple[int, int]]]:
    """Edges that are new come, and each second change takes one of those away again: the graph stays as large as it is."""
    generator, there, listed = np.random.default_rng(random_state), set[tuple[int, int]](), []
    while True:
        ends = np.sort(generator.integers(0, graph.n_nodes, (4096, 2)), axis=1)
        is_new = (ends[:, 0] != ends[:, 1]) & (np.asarray(graph.adjacency[ends[:, 0], ends[:, 1]]).ravel() == 0)
        for edge in map(tuple, ends[is_new].tolist()):
            if edge in there:
                continue
            there.add(edge)
            listed.append(edge)
            yield "edges_added", edge
            if len(listed) > 1000:
                place = int(generator.integers(len(listed)))
                listed[place], listed[-1] = listed[-1], listed[place]
                gone = listed.pop()
                there.remove(gone)
                yield "edges_removed", gone


def measure_million(graph: Graph, model: SCE, tolerance: float, n_changes: int) -> Point:
    """Single changes in a row."""
    model.fit(graph)
    model.update(tolerance=tolerance)
    stream, tenths = toggled(graph), []
    for _ in range(N_TENTHS):
        used = 0.0
        for _ in range(n_changes // N_TENTHS):
            name, edge = next(stream)
            started = time.process_time()
            model.update(**{name: [edge]}, tolerance=tolerance)
            used += time.process_time() - started
        error = np.linalg.norm(model.embedding_ - model.transform(model.graph_), axis=1).max() / model._live().length
        tenths.append(
            {"per_second": n_changes // N_TENTHS / used, "error": float(error), "bytes": _resident(), "tolerance": tolerance}
        )
        print("million", tenths[-1], file=sys.stderr, flush=True)
    return {"nodes": graph.n_nodes, "edges": graph.n_edges, "changes": n_changes, "tenths": tenths}


def measure_follow(graph: Graph) -> Point:
    """Processor seconds of the command for few lines and for many: what the others took."""
    model = SCE(filter=Power(order=2)).fit(graph)
    model.update(tolerance=0)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for n_lines in (100, N_FOLLOWED):
            path, changes = Path(folder, "model.safetensors"), Path(folder, "changes.ndjson")
            model.save(path, with_state=True, overwrite=True)
            names = {"edges_added": "add", "edges_removed": "remove"}
            stream = toggled(graph)
            lines = (next(stream) for _ in range(n_lines))
            changes.write_text(
                "".join(json.dumps({"op": names[name], "source": i, "target": j}) + "\n" for name, (i, j) in lines)
            )
            command = [sys.executable, "-m", "sparsecut", "update", str(path), "--follow", "--tolerance", "0"]
            before, started = _children(), time.perf_counter()
            with changes.open() as source, Path(folder, "vectors.ndjson").open("w") as target:
                subprocess.run(command, stdin=source, stdout=target, check=True)
            found.append({"lines": n_lines, "used": _children() - before, "seconds": time.perf_counter() - started})
    few, many = found
    n_more = many["lines"] - few["lines"]
    return {
        "nodes": graph.n_nodes,
        "edges": graph.n_edges,
        "runs": found,
        "per_processor_second": n_more / (many["used"] - few["used"]),
        "per_second": n_more / (many["seconds"] - few["seconds"]),
    }


def measure_search(n_nodes: int = 120_000) -> Point:
    """A fifth of the vectors changes, a twentieth goes and a twentieth comes, in batches; then recall@10 by exact search."""
    graph = stand_in(n_nodes=n_nodes, n_edges=7 * n_nodes, n_features=64, n_classes=40)
    Z = SCE(filter=Power(order=2)).fit_transform(graph)
    near, generator = Neighbors(Z, graph.node_ids, index="approximate"), np.random.default_rng(0)
    before, rows, used = near.recall_, dict(enumerate(Z)), 0.0
    for part in np.array_split(generator.permutation(n_nodes)[: n_nodes // 5], 40):
        gone, kept = np.split(part, [len(part) // 4])
        ids = np.concatenate([kept, n_nodes + gone])  # those that change, and new ones
        moved = Z[generator.integers(0, n_nodes, len(ids))] + 0.3 * Z[part[generator.permutation(len(part))]]
        started = time.process_time()
        near.update(ids, moved, removed=gone)
        used += time.process_time() - started
        for node in gone.tolist():
            del rows[node]
        rows.update(zip(ids.tolist(), moved, strict=True))
    ids, now = np.array(list(rows)), np.array(list(rows.values()))
    exact = Neighbors(now, ids, index="exact")
    asked = now[generator.integers(0, len(now), N_ASKED)]
    found, right = (searched.query_vectors(asked, k=10).ids.tolist() for searched in (near, exact))
    shares = [len(set(one) & set(other)) / 10 for one, other in zip(found, right, strict=True)]
    return {"nodes": n_nodes, "before": before, "recall": float(np.mean(shares)), "recall_": near.recall_, "used": used}


def measure_open(graph: Graph, repeats: int = 5) -> Point:
    """A state of two hops on disk, opened again and again by the process that wrote it: the file is in the page cache."""
    with tempfile.TemporaryDirectory() as folder:
        path, found = Path(folder) / "model.safetensors", []
        model = SCE(filter=Power(order=2)).fit(graph)
        model.update(tolerance=0)
        model.save(path, with_state=True)
        ends = np.random.default_rng(2).integers(0, graph.n_nodes // 2, repeats)
        for end in ends.tolist():
            del model  # one process at a time follows a file, and one model of it
            started, used = time.perf_counter(), time.process_time()
            model = load(path, in_place=True)
            used, seconds = time.process_time() - used, time.perf_counter() - started
            edge = (end, end + graph.n_nodes // 2)
            change = {"weights_changed" if graph.adjacency[edge] else "edges_added": [(*edge, 1.5)]}
            first = time.process_time()
            model.update(**change, tolerance=0)
            found.append((used, seconds, time.process_time() - first))
            model.save(path, with_state=True)  # the log is taken in: the next one opens the state alone
        used, seconds, first = np.median(found, axis=0).tolist()
        return {
            **{"nodes": graph.n_nodes, "edges": graph.n_edges, "bytes": path.stat().st_size},
            **{"open_processor_s": used, "open_s": seconds, "first_change_processor_s": first},
        }


def stream_tables(points: Point) -> list[Point]:
    """The tables of the four, as far as they were measured."""
    tables = []
    if "open" in points:
        tables.append(
            {
                "caption": "A saved state of two hops, opened with `load(path, in_place=True)`; its first change.",
                "columns": ["nodes", "edges", "MiB", "opened, s", "processor s", "first change, processor s"],
                "rows": [
                    [point["nodes"], point["edges"], round(point["bytes"] / 2**20)]
                    + [round(point[key], 3) for key in ("open_s", "open_processor_s", "first_change_processor_s")]
                    for point in points["open"].values()
                ],
            }
        )
    for kind, point in points.get("million", {}).items():
        tables.append(
            {
                "caption": f"{point['changes']:,} changes one by one, {kind}: {point['nodes']:,} nodes and "
                f"{point['edges']:,} edges, tenth by tenth.",
                "columns": ["changes", "changes per processor second", "largest error", "resident memory, MiB"],
                "rows": [
                    [
                        (number + 1) * point["changes"] // N_TENTHS,
                        round(tenth["per_second"]),
                        f"{tenth['error']:.0e}",
                        round(tenth["bytes"] / 2**20),
                    ]
                    for number, tenth in enumerate(point["tenths"])
                ],
            }
        )
    if "follow" in points:
        point = points["follow"]
        tables.append(
            {
                "caption": f"`update --follow` from lines of JSON to lines of vectors, two hops, exact, {point['nodes']:,} "
                "nodes; opening the model is not counted.",
                "columns": ["lines", "changes per processor second", "changes per second"],
                "rows": [
                    [
                        point["runs"][1]["lines"],
                        round(point["per_processor_second"]),
                        round(point["per_second"]),
                    ]
                ],
            }
        )
    if "search" in points:
        point = points["search"]
        tables.append(
            {
                "caption": "`Neighbors.update`: recall@10 against an exact search after a fifth of the vectors has changed, "
                "come or gone.",
                "columns": ["vectors", "recall before", "recall after", "as it says itself"],
                "rows": [[point["nodes"], *(round(point[name], 4) for name in ("before", "recall", "recall_"))]],
            }
        )
    return tables


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _resident() -> int:
    """Bytes of memory that the process holds now, on Linux."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
