"""One more filter, negative graph, solver, engine, format, dataset, command or method is one file and one line.

All eight are added to a copy of the package; what a user sees of each is then asked of that copy, in a process of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from difflib import ndiff
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]

FILTER = '''
from sparsecut.operators.filters.filter import Filter


class Damped(Filter, word="damped"):
    """Each hop counts `damping` times as much as the one before.

    Parameters
    ----------
    damping : float, default=0.5
        The factor.
    order : int, default=4
        Hops.
    """

    def __init__(self, *, damping=0.5, order=4):
        self.damping = damping
        self.order = order

    def coefficients(self):
        weights = [self.damping**hop for hop in range(self.order + 1)]
        return tuple(weight / sum(weights) for weight in weights)
'''
NEGATIVES = '''
import torch

from sparsecut.operators.negatives.negative_graph import AllPairs, NegativeGraph
from sparsecut.operators.negatives.negatives import Negatives


class DegreePower(Negatives, word="degree_power"):
    """All pairs, weighted by (d_i·d_j)^power: 0 is `Complete`."""

    def __init__(self, *, power=0.0):
        self.power = power

    def describe(self, nodes, generator):
        pairs = AllPairs(nodes.n_nodes, row_weights=torch.from_numpy(nodes.degrees**self.power))
        return NegativeGraph(nodes.n_nodes, (pairs,), base_weight=pairs.total_weight)
'''
SOLVER = '''
import torch

from sparsecut.model.solver import Solution, Solver
from sparsecut.operators.aggregation import Projection


class Whitened(Solver, word="whitened"):
    """The leading eigenvectors of M, each column of the embedding scaled to a variance."""

    def __init__(self, *, variance=1.0):
        self.variance = variance

    def solve(self, problem):
        _, vectors = torch.linalg.eigh(problem.moments().M)
        leading = vectors[:, -problem.dimension :].float()
        mean, scatter = problem.embedding_moments(Projection(problem.split(leading), "mean"))
        scale = (self.variance * problem.negatives.n_nodes / scatter.diagonal()).sqrt()
        return Solution(Projection(problem.split(leading * scale.float()), "mean", (mean * scale).float()))
'''
ENGINE = '''class Toy(EngineChoice, word="toy"):
    """Rows as lists of numbers, for graphs of a few nodes."""

    options = (Option("patience", "how long a loop may take, in hours", metavar="HOURS", type="integer", default="one"),)

    def __init__(self, *, patience=1):
        self.patience = patience

'''
FORMAT = '''
import numpy as np
import scipy.sparse as sp

from sparsecut.graph import Graph
from sparsecut.io.formats.graph_format import GraphFormat


def read_pairs(request):
    """Pairs of node numbers, two to a line."""
    i, j = np.loadtxt(request.path, dtype=np.int64).T
    return Graph(sp.csr_array((np.ones(len(i)), (i, j)), shape=(i.max() + 1, j.max() + 1)), directed=request.directed)


FORMATS = (GraphFormat((".pairs",), read_pairs),)
'''
DATASET = """
import numpy as np

from sparsecut.datasets.dataset import Dataset, GraphSizes
from sparsecut.graph import Graph

DATASETS = (
    Dataset(
        name="triangle",
        about="three nodes",
        sizes=GraphSizes(3, 3, 3, 3),
        origin="this file",
        licence="none",
        citation="Euclid, Elements",
        raw=(),
        read=lambda _: Graph(np.ones((3, 3)) - np.eye(3), features=np.eye(3), labels=np.arange(3)),
    ),
)
"""
COMMAND = '''
def hello(name: str = "you") -> None:
    """Greet someone."""
    print(f"Hello, {name}.")
'''
METHOD = '''
from sparsecut.lab.baselines.untrained import RawFeatures


class Doubled(RawFeatures):
    """Twice the features."""

    def fit(self, graph, **options):
        super().fit(graph, **options)
        self.embedding_ = 2 * self.embedding_
        return self
'''


class Addition(NamedTuple):
    file: str  # that is written
    content: str
    place: str = ""  # the file with the line, where there is one
    after: str = ""  # what stands in the line above
    line: str = ""


def additions() -> dict[str, Addition]:
    choices, end = "model/choices.py", "import Sparsifier as Sparsifier"
    toy = (ROOT / "tests/toy_engine.py").read_text("utf-8")
    toy = toy.replace("class Toy(EngineChoice):\n", ENGINE)
    toy = toy.replace(
        "from sparsecut.engines import ", "from sparsecut.base.parameters import Option\nfrom sparsecut.engines import "
    )
    return {
        "filter": Addition(
            *("operators/filters/damped.py", FILTER, choices, end),
            "from sparsecut.operators.filters.damped import Damped as Damped",
        ),
        "negatives": Addition(
            *("operators/negatives/degree_power.py", NEGATIVES, choices, end),
            "from sparsecut.operators.negatives.degree_power import DegreePower as DegreePower",
        ),
        "solver": Addition(
            *("model/whitened.py", SOLVER, choices, end), "from sparsecut.model.whitened import Whitened as Whitened"
        ),
        "engine": Addition(*("engines/toy.py", toy, choices, end), "from sparsecut.engines.toy import Toy as Toy"),
        "format": Addition("io/formats/pairs_file.py", FORMAT),
        "dataset": Addition(
            *("datasets/triangle.py", DATASET, "datasets/registry.py", "FILES = ("), '    "sparsecut.datasets.triangle",'
        ),
        "command": Addition("cli/hello.py", COMMAND),
        "method": Addition(
            *("lab/baselines/doubled.py", METHOD, "lab/baselines/methods.py", '("raw",'),
            '    ("doubled", "twice the features", "doubled:Doubled", {}),',
        ),
    }


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("one_more")
    shutil.copytree(ROOT / "src/sparsecut", folder / "sparsecut")  # with what is compiled: compiling again takes seconds
    for one in additions().values():
        (folder / "sparsecut" / one.file).write_text(one.content, "utf-8")
        if one.place:
            path = folder / "sparsecut" / one.place
            lines = path.read_text("utf-8").splitlines()
            (above,) = (number for number, line in enumerate(lines) if one.after in line)
            path.write_text("\n".join([*lines[: above + 1], one.line, *lines[above + 1 :], ""]), "utf-8")
    return folder


ASKED = '''
import contextlib, io, json, runpy, sys
import numpy as np
import sparsecut as sc
from sparsecut.cli import main

found = {}

def run(*words):
    """The exit code and what is printed of a command."""
    out, err = io.StringIO(), io.StringIO()
    sys.argv = ["sparsecut", *words]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
            code = 0
        except SystemExit as exit_:
            code = exit_.code or 0
    return code, " ".join((out.getvalue() + err.getvalue()).replace("│", " ").split())

def message_of(call):
    try:
        call()
    except sc.InputError as error:
        return str(error)

graph = sc.datasets.load("digits")
rng = np.random.default_rng(0)
few = sc.Graph(np.triu(rng.random((24, 24)) < 0.2, 1) * 1.0, features=rng.normal(size=(24, 5)), directed="symmetrize")
help_page = run("embed", "--help-all")[1]
api_page = runpy.run_path(API_PAGE)["with_choices"](open(API_PAGE.replace("api_page.py", "api.md")).read())

found["names"] = [name in sc.__all__ and getattr(sc, name).__name__ for name in ("Damped", "DegreePower", "Whitened", "Toy")]
found["api"] = [f"   {name}\\n" in api_page for name in ("Damped", "DegreePower", "Whitened", "Toy")]
found["parameters"] = [
    sc.SCE(filter="damped").get_params()["filter__damping"],
    sc.SCE(negatives="degree_power").get_params()["negatives__power"],
    sc.SCE(solver="whitened").get_params()["solver__variance"],
    sc.SCE(engine="toy").get_params()["engine__patience"],
]
found["misspelled"] = [
    message_of(lambda: sc.SCE(**{kind: word}).fit(few))
    for kind, word in (("filter", "dampd"), ("negatives", "degree_powr"), ("solver", "whitend"), ("engine", "toi"))
]
found["help"] = [word in help_page for word in ("damped", "whitened", "toy: rows as lists of numbers", "--patience HOURS")]

expected = sc.SCE(filter=sc.Damped(), dimension=8).fit_transform(graph)
found["filter"] = run("embed", "digits", "--filter", "damped", "--dimension", "8", "-o", "f.npy")[0]
found["filter agrees"] = bool(np.array_equal(np.load("f.npy"), expected))
model = sc.SCE(filter=sc.Damped(damping=0.25), dimension=8).fit(few)
model.save("model.safetensors")
found["filter is loaded"] = sc.load("model.safetensors").filter == sc.Damped(damping=0.25)
as_complete, complete = (sc.SCE(negatives=one).fit_transform(few) for one in ("degree_power", "complete"))
found["negatives agree"] = bool(np.allclose(as_complete, complete, atol=1e-4))
found["solver"] = run("embed", "digits", "--solver", "whitened", "--dimension", "4", "-o", "w.npy")[0]
found["variances"] = np.load("w.npy").var(axis=0).tolist()
by_toy, in_memory = (sc.SCE(engine=one).fit_transform(few) for one in ("toy", "memory"))
found["engine agrees"] = bool(np.allclose(by_toy, in_memory, atol=1e-3))
np.savetxt("few.txt", np.transpose(few.adjacency.nonzero()), fmt="%d")
np.save("few.npy", few.features)
found["engine"] = run("embed", "few.txt", "-f", "few.npy", "--engine", "toy", "--patience", "2", "-o", "t.npy")
found["engine's option"] = run("embed", "few.txt", "--patience", "2", "-o", "u.npy")

open("square.pairs", "w").write("0 1\\n1 2\\n2 3\\n3 0\\n")
found["format"] = sc.read_graph("square.pairs").adjacency.toarray().tolist()
open("square.pears", "w").write("")
found["format is named"] = [message_of(lambda: sc.read_graph("square.pears")), help_page]
found["dataset"] = [sc.datasets.load("triangle").n_edges, run("datasets", "triangle")[0], "triangle" in run("datasets")[1]]
from sparsecut.cli.completion import complete_source
found["completed"] = complete_source("tria")
found["command"] = [run("hello", "--name", "world"), "hello Greet someone." in run("--help")[1], run("helo")[1]]
compared = sc.compare(graph, ["doubled"], per_class=5, n_splits=2)
found["method"] = [one.method for one in compared]
found["method's help"] = "doubled" in run("compare", "--help-all")[1] and "doubled" in help_page
print(json.dumps(found))
'''


@pytest.fixture(scope="module")
def found(copy: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a user of the copy sees."""
    code = f"API_PAGE = {str(ROOT / 'docs/api_page.py')!r}\n{ASKED}"
    environment = {**os.environ, "PYTHONPATH": str(copy), "COLUMNS": "200", "NO_COLOR": "1"}
    folder = tmp_path_factory.mktemp("asked")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=folder, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    answers: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answers


@pytest.mark.parametrize("kind", additions())
def test_it_is_one_file_and_at_most_one_line_elsewhere(kind: str, copy: Path) -> None:
    one = additions()[kind]
    assert not (ROOT / "src/sparsecut" / one.file).exists()
    if one.place:
        before, after = (
            (folder / one.place).read_text("utf-8").splitlines() for folder in (ROOT / "src/sparsecut", copy / "sparsecut")
        )
        others = {other.line for other in additions().values() if other.place == one.place} - {one.line}
        changed = [line for line in ndiff(before, after) if line[0] in "+-" and line[2:] not in others]
        assert changed == [f"+ {one.line}"]


def test_choices_are_public_names_with_parameters_words_and_a_place_on_the_pages(found: dict[str, Any]) -> None:
    assert found["names"] == ["Damped", "DegreePower", "Whitened", "Toy"]
    assert found["api"] == [True] * 4
    assert found["parameters"] == [0.5, 0.0, 1.0, 1]
    assert found["help"] == [True] * 4
    for message, word in zip(found["misspelled"], ("damped", "degree_power", "whitened", "toy"), strict=True):
        assert message.endswith(f"Did you mean {word!r}?")


def test_a_filter_a_negative_graph_and_a_solver_give_their_vectors(found: dict[str, Any]) -> None:
    assert (found["filter"], found["solver"]) == (0, 0)
    assert found["filter agrees"]
    assert found["filter is loaded"]
    assert found["negatives agree"]  # with a power of 0 it is the complete graph
    assert found["variances"] == pytest.approx([1] * 4, rel=1e-3)


def test_an_engine_gives_the_vectors_and_has_its_option(found: dict[str, Any]) -> None:
    assert found["engine agrees"]
    assert found["engine"][0] == 0, found["engine"]
    assert found["engine's option"][0] == 2
    assert "--patience is for --engine toy." in found["engine's option"][1]


def test_a_format_is_read_and_named(found: dict[str, Any]) -> None:
    square = [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]
    assert found["format"] == square
    assert all(".pairs" in text for text in found["format is named"])


def test_a_dataset_is_loaded_listed_and_completed(found: dict[str, Any]) -> None:
    assert found["dataset"] == [3, 0, True]
    assert found["completed"] == ["triangle"]


def test_a_command_runs_and_is_listed(found: dict[str, Any]) -> None:
    run, is_listed, misspelled = found["command"]
    assert run == [0, "Hello, world."]
    assert is_listed
    assert "Did you mean 'hello'?" in misspelled


def test_a_method_is_compared(found: dict[str, Any]) -> None:
    assert found["method"] == ["doubled"]
    assert found["method's help"]
