"""The house stands: rooms import only rooms above them, the core needs no extra, importing is cheap."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "sparsecut"

# From the top of the house down. A room may import those above it and itself.
ROOMS = (
    *("base", "kernels", "features", "graph", "io", "datasets"),
    *("operators", "engines", "updates", "model", "links"),
    *("evaluation", "explore", "cuts", "lab", "cli", "__main__"),
)


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


class Facts(NamedTuple):
    """What the tests below ask of a file."""

    rooms: set[str]  # that it imports, at its top or inside a function
    at_its_top: list[tuple[str, str]]  # (module, name in it) of what it imports when it is imported itself
    names_lab: bool  # in a string, as lazy imports do
    classes: list[str]  # with the line of each, as name:line
    has_behaviour: bool  # defines a function or a class: an `__init__` that only exports has none


@cache
def facts_of(path: Path) -> Facts:
    """Read once: parsing all files takes a second or more."""
    tree = ast.parse(path.read_text("utf-8"))
    has_behaviour = any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for node in tree.body)
    facts = Facts(set(), [], False, [], has_behaviour)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "sparsecut":
            parts = node.module.split(".")
            facts.rooms.update({parts[1]} if len(parts) > 1 else {alias.name for alias in node.names if alias.name in ROOMS})
        elif isinstance(node, ast.Import):
            facts.rooms.update(alias.name.split(".")[1] for alias in node.names if alias.name.startswith("sparsecut."))
        elif isinstance(node, ast.ClassDef):
            facts.classes.append(f"{node.name}:{node.lineno}")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search(r"\bsparsecut\.lab\b", node.value):
            facts = facts._replace(names_lab=True)
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            facts.at_its_top.extend((node.module, alias.name) for alias in node.names)
    return facts


def test_every_file_belongs_to_a_room() -> None:
    assert {room_of(path) for path in SOURCE.rglob("*.py")} - {"__init__"} == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_rooms_above_it(room: str) -> None:
    below = set(ROOMS[ROOMS.index(room) + 1 :])
    files = [path for path in SOURCE.rglob("*.py") if room_of(path) == room]
    wrong = {str(path.relative_to(SOURCE)): facts_of(path).rooms & below for path in files if facts_of(path).rooms & below}
    assert wrong == {}


def mentions_lab(path: Path) -> bool:
    """Whether a file imports `sparsecut.lab` or names it in a string."""
    return "lab" in facts_of(path).rooms or facts_of(path).names_lab


def test_only_the_command_line_and_the_public_names_know_the_lab() -> None:
    """The lab holds other systems and the paper's experiments; embedding a graph needs none of it."""
    assert {room_of(path) for path in SOURCE.rglob("*.py") if mentions_lab(path)} == {"__init__", "cli", "lab"}


def modules_of(path: Path, known: set[str]) -> set[str]:
    """Which of the known modules a file imports when it is imported itself."""
    top = facts_of(path).at_its_top
    return {f"{module}.{name}" if f"{module}.{name}" in known else module for module, name in top} & known


@pytest.mark.parametrize("room", [room for room in ROOMS if (SOURCE / room).is_dir()])
def test_imports_inside_a_room_go_one_way(room: str) -> None:
    names = {
        ".".join(["sparsecut", *path.relative_to(SOURCE).with_suffix("").parts]).removesuffix(".__init__"): path
        for path in (SOURCE / room).rglob("*.py")
    }
    order = TopologicalSorter({name: modules_of(path, set(names)) for name, path in names.items()})
    order.prepare()  # raises where modules import each other in a circle


# Rooms whose tests mirror them: a tests/<room>/test_<module>.py for every module with behaviour.
MIRRORED = tuple(room for room in ROOMS if (SOURCE / room).is_dir())

# Modules with behaviour that have no test file of their own, and why.
_BY_READING = "tested through read_graph and the broken and fuzzed files: test_graphs, test_broken_files, test_fuzzed"
_TOGETHER = "one table of cases for all of them: test_filters, test_negatives"
NOT_MIRRORED = {
    "base/environment.py": "what a report of an error says of the machine: test_info, test_console",
    "base/errors.py": "every test of a refusal reads its sentences",
    "cuts/multilevel_child.py": "runs in a process of its own, which test_multilevel starts",
    "datasets/__init__.py": "`load` itself: every test of a dataset goes through it",
    "datasets/dataset.py": "data classes: the registry's tests fill them",
    "features/arrow_values.py": "tested through the columns and sources it serves",
    "graph/node_values.py": "tested through Graph: test_graph, test_frames",
    "io/edges/word_loop.py": "compiled twin of what test_numbering tests",
    "updates/hop_loops.py": "compiled twin of what test_hop_terms tests, held to it there",
    "updates/prefetching.py": "a hint to the processor that changes no number: the loops of test_hop_terms use it",
    "updates/list_loops.py": "compiled twin of what test_neighbor_lists tests, by the same test",
    "updates/role_loops.py": "compiled twin of what test_local_roles tests, held to it there",
    "updates/compiled_loops.py": "imports the loops: test_hop_terms and test_updating use them",
    **{
        f"engines/dask/{name}.py": "what workers run: test_contract holds it to dense matrices, test_faults kills it"
        for name in ("dask_engine", "filtering", "plugin", "tasks")
    },
    "engines/dask/piece_weights.py": "what workers run: test_typed_stores holds it to the stores of one process",
    "engines/dask/job_opening.py": "tested through what explain says of a plan and a partition: test_choice",
    **{
        f"io/{name}.py": _BY_READING
        for name in (
            *("edges/table_files", "hostile/guards", "hostile/sandbox_child", "nodes/node_attributes"),
            *("published_files", "stores/numpy_files", "stores/record_batches", "stores/row_positions"),
            "stores/streamed_tables",
        )
    },
    "io/stores/type_pieces.py": "the steps of a store by type: test_typed_building",
    "updates/graph_rows.py": "a protocol: what fills it is tested in test_graph_columns",
    "kernels/cuda_kernels.py": "runs on a GPU alone: test_cuda",
    **{
        f"operators/filters/{name}.py": _TOGETHER
        for name in ("average", "filter", "heat", "lazy", "pagerank", "power", "series", "symmetric")
    },
    **{f"operators/negatives/{name}.py": _TOGETHER for name in ("complete", "degrees", "pairs", "sampled")},
}


def mirror_of(module: Path) -> Path:
    parts = module.relative_to(SOURCE).parts
    return Path(__file__).parent.joinpath(*parts[:-1], f"test_{parts[-1]}")


@pytest.mark.parametrize("room", MIRRORED)
def test_every_module_with_behaviour_has_its_test_file(room: str) -> None:
    modules = [path for path in sorted((SOURCE / room).rglob("*.py")) if facts_of(path).has_behaviour]
    without = {str(path.relative_to(SOURCE)) for path in modules if not mirror_of(path).is_file()}
    excepted = {name for name in NOT_MIRRORED if name.split("/")[0] == room}
    assert without == excepted, "a test file is missing, or an exception is no longer one"


@pytest.mark.parametrize("name", ["SCE", "MoSCE", "NodeFeatures"])
def test_the_estimators_stand_on_few_classes(name: str) -> None:
    import sparsecut

    assert len(getattr(sparsecut, name).__mro__) - 1 <= 4  # without object


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name without their endings, in any order: those of change_files and of changed_files."""
    return tuple(sorted(re.sub(r"(ed|es|s|ing)$", "", word) for word in name.split("_")))


def test_a_module_has_its_name_alone() -> None:
    modules = [path for path in sorted(SOURCE.rglob("*.py")) if path.stem not in ("__init__", "__main__")]
    homes: dict[str, list[str]] = {}
    alike: dict[tuple[str, ...], set[str]] = {}
    for path in modules:
        homes.setdefault(path.stem, []).append(str(path.relative_to(SOURCE)))
        if "_" in path.stem:
            alike.setdefault(words_of(path.stem), set()).add(path.stem)
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}
    assert [names for names in alike.values() if len(names) > 1] == []


def test_a_class_has_its_name_alone() -> None:
    homes: dict[str, list[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for name, line in (entry.split(":") for entry in facts_of(path).classes):
            homes.setdefault(name, []).append(f"{path.relative_to(SOURCE)}:{line}")
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


def run_python(code: str, *flags: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *flags, "-c", code],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environment},
        check=False,
    )


def core_distributions() -> set[str]:
    """The packages the core requires, and those they require, extras left out."""
    found: set[str] = set()
    todo = ["sparsecut"]
    while todo:
        name = todo.pop()
        if name in found:
            continue
        try:
            requirements = metadata.requires(name) or []
        except metadata.PackageNotFoundError:  # for another platform or Python
            continue
        found.add(name)
        todo += [re.match(r"[\w.-]+", line).group() for line in requirements if "extra ==" not in line]
    return found - {"sparsecut"}


def make_core_only_site(folder: Path) -> Path:
    """A folder of links to the core's packages alone: on it, an extra is not hidden but absent."""
    folder.mkdir()
    for name in core_distributions():
        distribution = metadata.distribution(name)
        for top in {file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")}:
            if not (folder / top).exists():
                (folder / top).symlink_to(Path(str(distribution.locate_file(top))))
    (folder / "sparsecut").symlink_to(SOURCE)
    return folder


CORE_SCRIPT = """
import importlib.util, os, sys
assert importlib.util.find_spec("matplotlib") is None
import sparsecut as sc
graph = sc.datasets.load("digits")
model = sc.SCE(solver=sc.Adam(epochs=2))
Z = model.fit_transform(graph)
model.save("model.safetensors")
sc.load("model.safetensors").transform(graph)
sc.MoSCE(solver=sc.Adam(epochs=2)).fit(graph)
sc.write_embedding("z.parquet", Z, graph.node_ids)
assert sc.evaluate(Z, graph.labels, n_splits=2).mean > 90
from sparsecut.cli import main
sys.argv = ["sparsecut", "demo"]
main()
"""


@pytest.mark.slow
def test_the_core_works_without_any_extra(tmp_path: Path) -> None:
    if "sparsecut" not in {distribution.name for distribution in metadata.distributions()}:
        pytest.skip("sparsecut runs from its source here: what it depends on is not recorded")
    site = make_core_only_site(tmp_path / "site")
    done = run_python(f"import os; os.chdir({str(tmp_path)!r})\n{CORE_SCRIPT}", "-S", PYTHONPATH=str(site))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "sparsecut-demo" / "embedding.parquet").exists()
    assert "report.html in a browser" in done.stdout
    assert "sparsecut neighbors sparsecut-demo/embedding.parquet 7" in done.stdout.partition("What next?")[2]
    assert (tmp_path / "sparsecut-demo" / "report.html").exists()  # laid out by principal components: there is no extra


def test_importing_and_help_do_not_wait_for_torch() -> None:
    heavy = "{'torch', 'sklearn', 'scipy', 'pyarrow', 'matplotlib'}"
    code = (
        f"import sys, sparsecut.cli\nif {heavy} & set(sys.modules):\n    sys.exit('imported at once')\n"
        "from sparsecut.cli import main\nsys.argv = ['sparsecut', '--help']\n"
        f"try:\n    main()\nexcept SystemExit:\n    pass\nsys.exit(' '.join({heavy} & set(sys.modules)) or 0)"
    )
    done = run_python(code)
    assert "embed" in done.stdout
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_estimators_do_not_wait_for_scikit_learn() -> None:
    done = run_python(f"import sys; from sparsecut import SCE; sys.exit(' '.join({NOT_FOR_A_FIT} & set(sys.modules)) or 0)")
    assert done.returncode == 0, done.stderr


# What takes long to import and no closed form needs.
NOT_FOR_A_FIT = {
    *("sklearn", "scipy.linalg", "scipy.stats", "scipy.optimize", "pandas", "pyarrow", "polars", "matplotlib", "networkx"),
    *("dask", "numba", "safetensors"),
}
LIBRARY_SCRIPT = """
import sparsecut as sc
graph = sc.datasets.load("digits")
model = sc.SCE(dimension=8)
Z = model.fit_transform(graph)
model.update(edges_added=[[0, 1]])
model.explain()
sc.evaluate(Z, graph.labels, n_splits=2)
sc.partition(graph, 2)
sc.write_embedding("z.parquet", Z, graph.node_ids)
"""
EMBED_SCRIPT = """
import sys
from sparsecut.cli import main
open("edges.csv", "w").write("a,b\\nb,c\\nc,d\\nd,a\\n")
sys.argv = ["sparsecut", "embed", "edges.csv", "--dimension", "2", "-o", "z.npy", "-q"]
try:
    main()
except SystemExit as end:
    assert end.code == 0
"""
READS_TEXT = {"pyarrow", "pandas"}  # pyarrow imports pandas, where that is installed
# What the command line's help lists, without a method or an experiment itself.
NAMES_OF_THE_LAB = {"lab", "lab.baselines", "lab.baselines.methods", "lab.paper", "lab.paper.experiments"}


@pytest.mark.slow
@pytest.mark.parametrize(("script", "allowed"), [(LIBRARY_SCRIPT, set()), (EMBED_SCRIPT, NAMES_OF_THE_LAB)])
def test_embedding_a_graph_loads_no_method_of_the_lab(tmp_path: Path, script: str, allowed: set[str]) -> None:
    """The command waits for torch and arrays alone: it scores and writes nothing that needs more."""
    note = "open('loaded', 'w').write(' '.join(sys.modules))"
    code = f"import os, sys\nos.chdir({str(tmp_path)!r})\ntry:\n    exec({script!r})\nfinally:\n    {note}"
    done = run_python(code)
    assert done.returncode == 0, done.stderr
    loaded = set((tmp_path / "loaded").read_text().split())
    of_lab = {name.removeprefix("sparsecut.") for name in loaded if name.startswith("sparsecut.lab")}
    assert of_lab <= allowed
    if script == EMBED_SCRIPT:
        assert (tmp_path / "z.npy").exists()
        assert loaded & NOT_FOR_A_FIT <= READS_TEXT
        assert len([name for name in loaded if name.startswith("sparsecut")]) < 215  # of twice as many


def test_every_public_name_is_there() -> None:
    import sparsecut

    for name in sparsecut.__all__:
        assert getattr(sparsecut, name) is not None
    assert set(dir(sparsecut)) == set(sparsecut.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = sparsecut.nothing
