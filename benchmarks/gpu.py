"""Fit and project on one GPU, at the sizes of Reddit, ogbn-products and ogbn-papers100M.

    python benchmarks/gpu.py [--size reddit] [--size products] [--size papers100M] [--output FILE]

The graphs are stand-ins generated on the device: as many nodes, edges and features as the real ones have, degrees of a power
law, planted communities, shuffled ids. Timed is what follows once they are there: two hops, the Gram matrix of the exact
negatives, four epochs over it, the projection, with the settings of the paper for Reddit; not the effective rank, which
`fit` reports afterwards. Two warm-ups, the median of several runs, by device events. Bytes gathered are those of one row an
entry of the graph; a copy's bandwidth, read and written, is measured in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

# Blocks of tens of gigabytes come and go: once a small tensor sits in a freed one, it does not serve for a large one.
os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:1024")

import torch
from torch import Tensor

from results_file import write_results
from sparsecut import SCE, Adam, Power
from sparsecut.engines import MemoryEngine
from sparsecut.engines.rows import Rows
from sparsecut.kernels.entries import Entries
from sparsecut.kernels.halves import halved
from sparsecut.model.history import History
from sparsecut.model.problem import Channel, Fitting, Problem
from sparsecut.operators.negatives import complete_graph
from sparsecut.operators.propagation import Propagation

RESULTS = Path(__file__).parent / "results" / "gpu.json"
CUDA = torch.device("cuda")
N_WARM_UPS = 2
# nodes, undirected edges, features, dimension, the bound in milliseconds, the share of edges drawn beyond those wanted
SIZES = {
    "reddit": (232_965, 11_600_000, 602, 512, 16, 1.06),
    "products": (2_400_000, 62_000_000, 100, 100, 40, 1.01),
    "papers100M": (111_000_000, 1_600_000_000, 128, 128, 1000, 1.001),
}
N_COMMUNITIES = 41
WITHIN = 0.7  # the share of edges whose ends are of one community
SIGNAL = 0.3  # the deviation of the communities' means beside noise of deviation 1
CHUNK = 50_000_000  # edges drawn at a time
KEYS_AT_ONCE = 250_000_000  # edges sorted at a time
NOTES = [
    "Plain torch is its CSR product (cuSPARSE), matrix products and autograd, in float32.",
    "float16 keeps eleven bits of a number. The error is that of the embedding, after hops and training, against float32.",
    "At the size of papers100M the embedding takes 57 GB: in every run the memory of the first hop is given back for it and "
    "taken again, which is the difference between the whole and its parts.",
]
FILTER = Power(order=2)
SOLVER = Adam(epochs=4, learning_rate=0.01, route="gram")


def draw_graph(n_nodes: int, n_edges: int, extra: float) -> tuple[Entries, Tensor]:
    """Neighbour lists without repeats and loops, every edge in both directions, and the community of every node.

    Too many edges to sort at once are sorted a range of nodes at a time, and drawn again, the same, for every range.
    """
    generator = torch.Generator(CUDA).manual_seed(0)
    number = torch.randperm(n_nodes, device=CUDA, generator=generator).int()  # of the node with a rank
    n_drawn = int(n_edges * extra)
    n_ranges = -(-2 * n_drawn // KEYS_AT_ONCE)
    counts = torch.zeros(n_nodes, dtype=torch.int64, device=CUDA)
    indices = torch.empty(2 * n_drawn, dtype=torch.int32, device=CUDA)
    filled = 0
    for part in range(n_ranges):
        low, high = n_nodes * part // n_ranges, n_nodes * (part + 1) // n_ranges
        keys = []
        for chunk in range(-(-n_drawn // CHUNK)):
            generator.manual_seed(chunk + 1)
            size = min(CHUNK, n_drawn - chunk * CHUNK)
            first, second = (_draw_ranks(size, n_nodes, generator) for _ in range(2))
            is_within = torch.rand(size, device=CUDA, generator=generator) < WITHIN
            second = torch.where(is_within, second // N_COMMUNITIES * N_COMMUNITIES + first % N_COMMUNITIES, second)
            first, second = number[first], number[second.clamp(max=n_nodes - 1)]
            for start, end in ((first, second), (second, first)):
                is_here = (start >= low) & (start < high) & (start != end)
                keys.append((start[is_here].long() - low) * n_nodes + end[is_here])
        sorted_keys = torch.cat(keys).sort().values
        del keys
        sorted_keys = torch.unique_consecutive(sorted_keys)
        rows = sorted_keys // n_nodes
        counts[low:high] = torch.bincount(rows, minlength=high - low)
        indices[filled : filled + len(rows)] = sorted_keys - rows * n_nodes
        filled += len(rows)
        del sorted_keys, rows
        torch.cuda.empty_cache()
    offsets = torch.zeros(n_nodes + 1, dtype=torch.int64, device=CUDA)
    torch.cumsum(counts, 0, out=offsets[1:])
    communities = torch.empty(n_nodes, dtype=torch.int32, device=CUDA)
    communities[number.long()] = torch.arange(n_nodes, device=CUDA, dtype=torch.int32) % N_COMMUNITIES
    return Entries(indices[:filled], offsets, None), communities


def _draw_ranks(size: int, n_nodes: int, generator: torch.Generator) -> Tensor:
    """Ranks r with weights (r + n/100)^(−2/3), which gives degrees a tail of the power 2.5, by the inverse of their sum."""
    shares = torch.rand(size, device=CUDA, generator=generator, dtype=torch.float64)
    shift = n_nodes / 100
    low, high = shift ** (1 / 3), (n_nodes + shift) ** (1 / 3)
    return ((low + (high - low) * shares) ** 3 - shift).long().clamp(0, n_nodes - 1)


def draw_features(communities: Tensor, n_features: int, dtype: torch.dtype) -> Tensor:
    generator = torch.Generator(CUDA).manual_seed(1)
    means = SIGNAL * torch.randn(N_COMMUNITIES, n_features, device=CUDA, generator=generator)
    features = torch.empty(len(communities), n_features, dtype=dtype, device=CUDA)
    for block, labels in zip(features.split(1 << 20), communities.split(1 << 20), strict=True):
        block.copy_(torch.randn(block.shape, device=CUDA, generator=generator) + means[labels.long()])
    return features


def time_of(work: Callable[[], Any], n_repeats: int) -> float:
    """Milliseconds, the median of several runs after the warm-ups."""
    for _ in range(N_WARM_UPS):
        work()
    times = []
    for _ in range(n_repeats):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        start.record()
        work()
        stop.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(stop))
    return sorted(times)[n_repeats // 2]


def copy_bandwidth() -> float:
    """Terabytes a second, read and written."""
    source = torch.randint(0, 255, (4 << 30,), dtype=torch.uint8, device=CUDA)
    target = torch.empty_like(source)
    return 2 * len(source) / time_of(lambda: target.copy_(source), 5) / 1e9


def fit_and_project(rows: Rows, dimension: int, precision: str) -> Tensor:
    """Z on the device. `engine.project` would copy it to the host, which is not what is timed."""
    n_nodes, n_features = rows.shape
    engine, settings = MemoryEngine(CUDA, precision), SCE(dimension=dimension, solver=SOLVER)._settings()
    fitting = Fitting(settings, engine, complete_graph(n_nodes), dimension, (0, 0), History(), lambda *_: None)
    problem = Problem(fitting, Channel("smoothed", n_features, rows, (FILTER,)))
    (W,) = SOLVER.solve(problem).projection.weights
    return problem.levels[0] @ W


def stages(rows: Rows, dimension: int, precision: str, n_repeats: int) -> dict[str, float]:
    """Milliseconds of one hop, of the Gram matrix and of the projection, each by itself."""
    engine, features = MemoryEngine(CUDA, precision), rows.features
    assert rows.propagation is not None
    assert isinstance(features, Tensor)
    W = torch.randn(rows.shape[1], dimension, device=CUDA) / rows.shape[1] ** 0.5
    negatives = complete_graph(rows.shape[0])
    return {
        "a hop": time_of(lambda: rows.propagation @ features, n_repeats),
        "Gram": time_of(lambda: engine.moments([rows], negatives), n_repeats),
        "projection": time_of(lambda: rows @ W, n_repeats),
    }


def plain_torch(rows: Rows, dimension: int) -> Callable[[], Tensor]:
    """The same by library calls alone: torch's sparse product, matrix products, autograd."""
    entries, features = rows.propagation.neighbors, rows.features
    left = rows.propagation.diagonals.left[:, None]
    values = torch.ones(len(entries.indices), device=CUDA)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns that its CSR is new
        A = torch.sparse_csr_tensor(entries.offsets.int(), entries.indices, values, (len(left), len(left)))
    start = torch.randn(rows.shape[1], dimension, device=CUDA) / rows.shape[1] ** 0.5

    def work() -> Tensor:
        S = features
        for _ in range(2):
            S = (A @ S + S) * left
        mean = S.mean(dim=0)
        M = len(S) * (S.T @ S - len(S) * torch.outer(mean, mean))
        W = start.clone().requires_grad_()
        optimizer = torch.optim.Adam([W], lr=0.01)
        for _ in range(SOLVER.epochs):
            optimizer.zero_grad()
            (1 / (W * (M @ W)).sum()).backward()
            optimizer.step()
        return S @ W.detach()

    return work


def measure(name: str, bandwidth: float) -> list[dict[str, Any]]:
    n_nodes, n_edges, n_features, dimension, bound, extra = SIZES[name]
    n_repeats = 5 if n_nodes > 10**7 else 11
    started = time.perf_counter()
    entries, communities = draw_graph(n_nodes, n_edges, extra)
    torch.cuda.synchronize()
    n_entries = len(entries.indices)
    print(f"{name}: {n_entries:,} entries drawn in {time.perf_counter() - started:.1f} s", flush=True)
    degrees = entries.offsets.diff().double() + 1
    P = Propagation(entries, FILTER.diagonals(degrees).single())
    del degrees
    _ = P.schedule.order
    torch.cuda.empty_cache()

    features = draw_features(communities, n_features, torch.float16 if n_nodes > 10**7 else torch.float32)
    del communities
    results = []
    exact: Tensor | None = None
    for precision in ("single", "half"):
        if n_nodes > 10**7 and precision == "single":
            continue  # the rows alone would need 57 GB, three times over
        loaded = Rows(features, P)
        if precision == "half" and features.dtype == torch.float32:
            halves, scale = halved(features)
            loaded = Rows(halves, P, (scale,))
        torch.cuda.reset_peak_memory_stats()
        milliseconds = time_of(partial(fit_and_project, loaded, dimension, precision), n_repeats)
        parts = stages(loaded, dimension, precision, n_repeats)
        peak = torch.cuda.max_memory_allocated()
        size = loaded.features.element_size()
        moved = (n_entries + 2 * n_nodes) * n_features * size + 4 * n_entries
        least = 2 * n_nodes * n_features * size + 4 * n_entries
        Z = fit_and_project(loaded, dimension, precision)
        error = None
        if exact is None:
            exact = Z if precision == "single" else None
        else:
            error = float((Z - exact).norm() / exact.norm())
        del Z
        row = {
            "size": name,
            "n_entries": n_entries,
            "precision": precision,
            "milliseconds": milliseconds,
            "bound": bound,
            "stages": parts,
            "gathered_tb_s": moved / parts["a hop"] / 1e9,
            "least_ms": (2 * least + 2 * n_nodes * n_features * size + 4 * n_nodes * dimension) / bandwidth / 1e9,
            "gathered_ms": (2 * moved + 2 * n_nodes * n_features * size + 4 * n_nodes * dimension) / bandwidth / 1e9,
            "peak_bytes": peak,
            "error": error,
        }
        if precision == "single" and n_nodes < 10**7:
            row["plain_torch_ms"] = time_of(plain_torch(loaded, dimension), n_repeats)
        print(json.dumps(row), flush=True)
        results.append(row)
    return results


def tables(rows: list[dict[str, Any]], bandwidth: float) -> list[dict[str, Any]]:
    whole = {
        "caption": "Fit and project, data on the device.",
        "columns": ["size", "rows in", "ms", "target", "met", "plain torch, ms", "error of Z", "peak GB"],
        "rows": [
            [
                row["size"],
                "float32" if row["precision"] == "single" else "float16",
                row["milliseconds"],
                f"< {row['bound']:,} ms",
                row["milliseconds"] < row["bound"],
                row.get("plain_torch_ms"),
                row["error"],
                row["peak_bytes"] / 1e9,
            ]
            for row in rows
        ],
    }
    parts = {
        "caption": f"Its parts, and the roofline at the {bandwidth:.2f} TB/s that a copy reaches here: the least that "
        "must be moved if every row were read once a hop, and what is moved if nothing is found in a cache.",
        "columns": [
            "size",
            "rows in",
            "a hop, ms",
            "gathered, TB/s",
            "Gram, ms",
            "projection, ms",
            "least, ms",
            "uncached, ms",
        ],
        "rows": [
            [
                row["size"],
                "float32" if row["precision"] == "single" else "float16",
                row["stages"]["a hop"],
                row["gathered_tb_s"],
                row["stages"]["Gram"],
                row["stages"]["projection"],
                row["least_ms"],
                row["gathered_ms"],
            ]
            for row in rows
        ],
    }
    return [whole, parts]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", action="append", choices=SIZES)
    parser.add_argument("--output", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    bandwidth = copy_bandwidth()
    print(f"copy: {bandwidth:.2f} TB/s", flush=True)
    rows = []
    for name in arguments.size or SIZES:
        rows += measure(name, bandwidth)
        torch.cuda.empty_cache()
        save(rows, bandwidth, arguments.output)


def save(rows: list[dict[str, Any]], bandwidth: float, output: Path) -> None:
    write_results(
        output.stem,
        folder=output.parent,
        title="One GPU",
        about=(__doc__ or "").split("\n\n", 2)[2].strip(),
        command="python benchmarks/gpu.py",
        tables=tables(rows, bandwidth),
        notes=NOTES,
        points=rows,
        environment={"gpu": torch.cuda.get_device_name(), "copy_tb_s": round(bandwidth, 2)},
    )


if __name__ == "__main__":
    main()
