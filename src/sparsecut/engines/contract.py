"""What an engine is: where the rows live, and everything that touches n of them. All else is f×f.

An engine is chosen by an object (`EngineChoice`: `Memory`, `Disk`), which holds its parameters and opens it for a job:

    with choice.open(job) as engine:
        rows    = engine.load(graph, weighting, filter)                      F, weighted, and P; no hop taken yet
        levels  = [engine.smooth(rows, polynomial) for polynomial in …]      S₁ … S_k
        moments = engine.moments(levels, negatives)                          M, mean, scatter
        …                                                                    a solver finds W from these, without any row
        Z       = engine.project(levels, projection, output)                 S·W

Everything else that must see all nodes or edges (degrees, column counts, samples, evidence for choices) is a pass: a
function of a `Block`, which the engine takes to the rows.

`Rows` are the engine's own: nobody else looks inside. The names of the steps are the method's, and so is the order: a new
engine is one file or folder beside this one, and no other room changes. Two engines give the same embedding up to rounding;
`tests/engines/test_contract.py` holds each of them to a dense reference.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import DTypeLike, NDArray
from torch import Tensor

from sparsecut.base.choice import Choice
from sparsecut.base.errors import InputError
from sparsecut.base.parameters import Option
from sparsecut.base.progress import Reporter
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph
from sparsecut.kernels.block import Block, Column
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.operators.aggregation import Projection
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import NegativeGraph

if TYPE_CHECKING:
    from sparsecut.engines.costs import Cost, Machine, Workload

__all__ = ["NEEDS", "Block", "Column", "Engine", "EngineChoice", "Job", "Moments", "TrainableRows"]

R = TypeVar("R")
Value = TypeVar("Value")

# What a job may need beyond the calls of the contract, as a sentence "… cannot {what}. {remedy}, or use …".
NEEDS = {
    "max": ("aggregate by max, which is not a function of the Gram matrix", "Use aggregation='mean' or 'concat'"),
    "batches": ("train mini-batches, which take rows from everywhere", "Leave batch_size out"),
    "rows": ("train over rows", "Use Adam(route='auto') or Adam(route='gram')"),
    "output": ("write a file", "Write what it returns with sparsecut.write_embedding"),
}


@dataclass(frozen=True)
class Moments:
    """What learning needs of the rows of [S₁ … S_k], in float64 on the engine's device."""

    M: Tensor  # Sᵀ L_H S, (c, c) for c columns
    mean: Tensor  # (c,)
    scatter: Tensor | None  # (S − mean)ᵀ(S − mean), (c, c); None where it would take another pass over the rows
    n_rows: int


@dataclass(frozen=True)
class Job:
    """What is going to be asked of an engine: before any work it plans by it, or refuses it."""

    caller: str  # for messages: "SCE"
    graph: Graph
    n_levels: int = 1
    n_columns: int = 0  # of the embedding, at most
    is_series: bool = True  # whether a filter comes back to the features it started from
    n_pairs: int = 0  # that the negative graph will list, about
    with_moments: bool = True  # a transform needs none
    with_whole_gram: bool = True  # M is built; where not, it is known by products with the rows
    needs: frozenset[str] = frozenset()  # of NEEDS
    output: Path | None = None  # the .npy file the embedding goes to, or the folder of its parts
    key: tuple[Any, ...] = ()  # what the result depends on beside the graph: a killed job goes on only with the same
    report: Reporter = field(default=lambda *_: None)


class TrainableRows(Protocol):
    """What training needs of the rows S, (n, f), of an engine that supports "rows", "batches" or "max".

    The two products give S·W and its gradient for W (`engines.rows.project`). A step is priced by the two counts.
    """

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def device(self) -> torch.device: ...

    @property
    def n_stored(self) -> int | None:
        """The entries of sparse features; None where they are dense."""

    @property
    def n_gathered(self) -> int:
        """The entries of P: the rows that a hop reads."""

    def __matmul__(self, weights: Tensor) -> Tensor:
        """S·W, (n, d)."""

    def transpose_times(self, rows: Tensor) -> Tensor:
        """Sᵀ·G, (f, d)."""

    def take(self, nodes: Tensor) -> TrainableRows:
        """The rows of some nodes, for a mini-batch."""


class Engine(Protocol[R]):
    """Where the rows of one job are. R is what it holds n rows by; an instance is used by one job."""

    device: torch.device
    """Where it wants weights, and where its small matrices are."""

    supports: frozenset[str]
    """Which of NEEDS it can serve. No choice of a fit may follow from it: that would be another answer by another engine.

    "parts" says that an embedding which is written stays in parts: what is asked of all its rows is asked of the engine.
    "rows", "batches" and "max" need rows that training differentiates through: R is then `TrainableRows`.
    """

    graph: Graph
    """The job's graph: what `each`, `total` and `column` go over."""

    notes: list[str]
    """What the user should know: what was requested and could not be done as requested."""

    details: list[str]
    """How the job was done, for `explain(details=True)`."""

    def load(self, graph: Graph, weighting: Weighting, filter: Filter, features: Any = None) -> R:
        """The weighted features F, (n, f), and the filter's matrix P of the graph; no hop taken yet.

        `features` takes the place of the graph's own: an array, a sparse matrix, or anything with a `shape` whose slices
        of rows are arrays. Where its rows follow from the nodes' ids it has `of_ids` too, a function of some ids that other
        processes find by its name: an engine may make the rows where they are needed.
        """

    def smooth(self, rows: R, polynomial: Polynomial, *, lazily: bool = False) -> R:
        """S = Σ c_k P^k F by Horner's rule, (n, f); every hop is one product of P with n rows.

        `lazily`, it may keep P, F and the polynomial as they are, and take the hops in each product: for few columns that
        costs less than forming S. Rows that were not smoothed lazily can be smoothed on.
        """

    def moments(self, levels: Sequence[R], negatives: NegativeGraph) -> Moments:
        """M = Sᵀ L_H S, the mean and the scatter of S = [S₁ … S_k], the levels side by side.

        M is the sum over the parts of the negative graph: for those of `all_pairs` Σ_i a_i (s_i − m)(s_i − m)ᵀ times
        scale·volume, m the mean weighted by a; for those of `listed` Sᵀ L S with their sparse `matrix` L.
        """

    def multiply(self, levels: Sequence[R], W: Tensor) -> R:
        """[S₁ … S_k]·W, (n, d), as rows of the same graph that have taken no hop yet."""

    def transpose_multiply(self, levels: Sequence[R], others: R, negatives: NegativeGraph) -> Tensor:
        """Sᵀ L_H G, (c, d), for the rows G of `others`: with `multiply` the product M·W of an M that is not built."""

    def map(self, levels: Sequence[R], function: Callable[..., Tensor], n_columns: int, *arguments: Any) -> R:
        """function(S₁, …, S_k, *arguments), (n, n_columns), as rows of the same graph that have taken no hop yet.

        The function works row by row: it is given some rows of every level as float32 tensors, (m, f₁), …, and returns
        (m, n_columns). The arguments are numbers and small arrays; other processes find the function by its name.
        """

    def project(
        self, levels: Sequence[R], projection: Projection, output: Path | None = None, *, is_last_use: bool = False
    ) -> NDArray[Any] | Tensor:
        """Z = aggregate(S₁·W⁽¹⁾, …, S_k·W⁽ᵏ⁾) − offset, (n, dimension) float32, where the rows are.

        Written to an .npy file, Z is a memory map of it.

        Lazy levels are projected first and smoothed then: their hops carry the columns of the embedding. `is_last_use`
        says that the levels are not used again, and Z may take their memory. Numbers that overflowed are never
        returned or written: `sparsecut.kernels.magnitude.check_finite` raises.
        """

    def take(self, rows: R, nodes: NDArray[np.int64]) -> Tensor:
        """Some of the rows, (len(nodes), f), of nodes in ascending order."""

    def without(self, rows: R, edges: NDArray[np.int64]) -> R:
        """The rows, no hop taken yet, on the graph less some of its edges, (2, m): P of the graph that is left.

        In an undirected graph an edge goes with its reverse.
        """

    def each(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """[function(block, *arguments) for every `Block`], in the order of the rows.

        A block is some consecutive rows of the job's graph, as arrays or tensors where they are
        (`sparsecut.kernels.block`); what a function makes of it is small, and stays on the device. The arguments are
        numbers, words, columns and small arrays; other processes find the function by its name.
        """

    def total(self, function: Callable[..., Any], *arguments: Any) -> NDArray[Any]:
        """The sum of the arrays function(block, *arguments) over all blocks, in the host's memory.

        Functions return whole numbers or exact parts of sums (`sparsecut.kernels.exact_sums`), so that the total does not
        depend on how many blocks there are.
        """

    def column(
        self, name: str, dtype: DTypeLike, function: Callable[..., Any], *arguments: Any, width: int | None = None
    ) -> Column:
        """function(block, *arguments), one number per node, of all blocks: where every block reads it, by `column[nodes]`.

        With a width it is one row of so many numbers per node. It is computed once under its name, as long as somebody
        holds it at least.
        """

    def placed(self, name: str, array: NDArray[Any]) -> Column:
        """An array of this process, one number per node or one row, where every block can read it, by `column[nodes]`.

        A second one of a name takes the place of the first, which is no longer read.
        """

    def checkpoint(self, key: str, compute: Callable[[], Value]) -> Value:
        """A small result: a value that JSON holds, or a dictionary of arrays.

        An engine that survives being killed remembers it under the key, and a job that goes on gets the same bits.
        """


class EngineChoice(Choice):
    """The parameters of an engine, and how it is opened."""

    supports: frozenset[str] = frozenset()
    """Which of NEEDS it can serve."""

    options: ClassVar[tuple[Option, ...]] = ()
    """Its options of the command line, written out: help pages read them from the source, without importing the engine."""

    keeps_files: ClassVar[bool] = False
    """Whether it works from files to files: unfinished work is in a folder, its parameter `scratch`, from which a command
    that was killed goes on. It then has `reads_in_parts` and `build_store`."""

    writes: ClassVar[tuple[str, ...]] = ()
    """Endings of what it writes an embedding to by itself; "" is a folder of parts."""

    build_store: Callable[..., None]
    """Make a folder that `sparsecut.open_store` opens, of files that it reads in parts, as `sparsecut.build_store` does."""

    @abstractmethod
    def open(self, job: Job) -> AbstractContextManager[Engine[Any]]:
        """The engine, ready for a job, until the job is done. What it cannot do it refuses here."""

    def estimate(self, work: Workload, machine: Machine) -> Cost | None:
        """What a fit would take on this machine; None where an engine has no estimate."""
        return None

    def taken_of(self, costs: Sequence[Cost]) -> str | None:
        """The word of the engine that would run a fit with these costs: its own, unless it is one that chooses another."""
        return self.word

    def reads_in_parts(
        self, edges: str | Path | Mapping[Any, Any], features: str | Path | Mapping[str, Any] | None, **columns: Any
    ) -> bool:
        """Whether `build_store` takes these files; any other graph is read in memory first.

        Of a graph with types `edges` and `features` are the files of each type of edges and of nodes. `columns` are
        `source`, `target`, `weight` and `bipartite` of `sparsecut.build_store`. Files that no other reader takes are refused
        here where they break a rule.
        """
        return False

    def check_output(self, path: Path) -> None:
        """Raise where an embedding cannot be written to a path whose ending is one of `writes`."""

    @contextmanager
    def running(self, tell: Callable[[str], None] | None = None) -> Iterator[EngineChoice]:
        """A copy of it for several jobs: what an engine has to start for a job is started once, and ended with the block."""
        yield type(self)(**self.get_params(deep=False))

    def refuse_unsupported(self, job: Job) -> None:
        """Raise where the job needs what the engine does not support."""
        for need in sorted(job.needs - self.supports):
            what, remedy = NEEDS[need]
            elsewhere = "disk" if need == "output" else "memory"
            raise InputError(
                f"{job.caller}(engine={self if self.word is None else self.word!r}) cannot {what}. {remedy}, or use "
                f"engine={elsewhere!r}."
            )
