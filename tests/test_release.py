"""What a release needs holds: one version everywhere, licences, files that other programs read, no trace of a machine."""

from __future__ import annotations

import ast
import json
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sparsecut import __version__

ROOT = Path(__file__).parents[1]
LICENCES = runpy.run_path(str(ROOT / "release/licences.py"))
CHECK = runpy.run_path(str(ROOT / "release/check.py"))
TAG = runpy.run_path(str(ROOT / "release/tag.py"))
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def tracked() -> list[Path]:
    """The files of the repository; those of the folder where it is no repository, as in a source archive."""
    git = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if git.returncode != 0:
        pytest.skip("not a git repository")
    return [ROOT / name for name in git.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_the_version_is_the_same_everywhere() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    newest = re.search(r"^## (\S+?),? ", changelog, re.MULTILINE)
    assert newest is not None
    assert newest.group(1) == __version__
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_nothing_under_the_gpl_comes_with_the_core_or_is_imported() -> None:
    core = LICENCES["closure"](set())
    assert {"torch", "numpy", "typing-extensions"} <= set(core)
    licences = {name: LICENCES["licence_of"](name) for name in {*core, *LICENCES["imported_by_the_library"]()}}
    assert {name for name, licence in licences.items() if LICENCES["is_gpl"](licence)} == set()
    assert {name for name, licence in licences.items() if licence == "not stated"} == set()
    assert {"networkx", "gensim", "faiss-cpu"} <= set(licences), "extras are imported too"


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        ("GPL-3.0-or-later", True),
        ("GNU General Public License v2 (GPLv2)", True),
        ("GNU Affero General Public License v3", True),
        ("AGPL-3.0", True),
        ("LGPL-2.1-only", False),
        ("GNU Lesser General Public License v3 (LGPLv3)", False),
        ("BSD-3-Clause AND MIT", False),
    ],
)
def test_the_gpl_is_told_from_the_lgpl(licence: str, expected: bool) -> None:
    assert LICENCES["is_gpl"](licence) is expected


def test_a_gpl_import_would_be_found() -> None:
    lines = (
        "import leidenalg.x",
        "def f():",
        "    from igraph import Graph",
        "    import_extra('gensim.models', caller='f')",
    )
    assert set(LICENCES["_imports"](ast.parse("\n".join(lines)))) == {"leidenalg", "igraph", "gensim"}


def test_the_dockerfile_passes_its_linter() -> None:
    hadolint = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    if hadolint is None:
        pytest.skip("hadolint is not installed")
    done = subprocess.run([hadolint, "--no-color", ROOT / "Dockerfile"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_containers_build_from_the_constraints_and_from_files_that_are_there() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text("utf-8")
    installs = re.findall(r"pip install [^&\n]*", dockerfile)
    assert len(installs) == 4
    assert all("--constraint constraints.txt" in line for line in installs)
    for line in re.findall(r"^COPY (.+)$", dockerfile, re.MULTILINE):
        *sources, _ = line.split()
        assert all((ROOT / source).exists() for source in sources), line
        allowed = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
        assert all(f"!{Path(source).parts[0]}" in allowed for source in sources), line
    container = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text("utf-8"))
    assert (ROOT / ".devcontainer" / container["build"]["dockerfile"]).resolve() == ROOT / "Dockerfile"
    assert f" AS {container['build']['target']}\n" in dockerfile


def read_yaml(name: str) -> Any:
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def test_the_workflow_calls_ci_run_on_three_systems() -> None:
    job = read_yaml(".github/workflows/ci.yml")["jobs"]["run"]
    assert {name.split("-")[0] for name in job["strategy"]["matrix"]["os"]} == {"ubuntu", "macos", "windows"}
    assert ".ci/run" in [step.get("run") for step in job["steps"]]
    assert (ROOT / ".ci/run").stat().st_mode & 0o100


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_the_hash_of_a_version(path: Path) -> None:
    used = re.findall(r"uses: (.+)", path.read_text("utf-8"))
    outside = [line for line in used if not line.startswith("./")]
    assert outside
    assert [line for line in outside if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)] == []


def test_only_a_tag_is_published_and_only_after_the_checks() -> None:
    workflow = read_yaml(".github/workflows/publish.yml")
    assert workflow[True] == {"push": {"tags": ["v[0-9]+.[0-9]+.[0-9]+"]}}  # YAML reads `on` as true
    assert "workflow_call" in read_yaml(".github/workflows/ci.yml")[True]
    jobs = workflow["jobs"]
    assert [jobs["build"]["needs"], jobs["publish"]["needs"]] == ["checks", "build"]
    assert [name for name, job in jobs.items() if "id-token" in job.get("permissions", {})] == ["publish"]
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets" not in (ROOT / ".github/workflows/publish.yml").read_text("utf-8")


@pytest.mark.parametrize(
    ("tag", "heading", "expected"),
    [
        ("v1.2.0", "1.2.0, 2030-01-31", None),
        ("v1.2.1", "1.2.1, 2030-01-31", "must be v and the version, which is 1.2.0"),
        ("1.2.0", "1.2.0, 2030-01-31", "must be v and the version"),
        ("v1.2.0", "1.2.0, unreleased", "must be 1.2.0 and a date. It is: 1.2.0, unreleased"),
        ("v1.2.0", "1x2.0, 2030-01-31", "must be 1.2.0 and a date"),
    ],
)
def test_a_tag_is_released_where_it_is_the_version(tag: str, heading: str, expected: str | None) -> None:
    found = TAG["why_not"](tag, '"""The version."""\n\n__version__ = "1.2.0"\n', f"# Changelog\n\n## {heading}\n\n- A.\n")
    assert found is None if expected is None else expected in found


def test_todays_version_is_found_where_the_tag_is_compared_with_it() -> None:
    version_file = (ROOT / "src/sparsecut/base/package_version.py").read_text("utf-8")
    dated = f"## {__version__}, 2030-01-31"
    assert TAG["why_not"](f"v{__version__}", version_file, dated) is None


def test_the_changelog_keeps_its_rule() -> None:
    """A section per version, the newest first and alone perhaps unreleased; in it one sentence or more per change."""
    head, *sections = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.MULTILINE)
    assert head == "# Changelog\n\n"
    versions = []
    for number, section in enumerate(sections):
        heading, _, body = section.partition("\n")
        found = re.fullmatch(r"(\d+)\.(\d+)\.(\d+), (unreleased|\d{4}-\d\d-\d\d)", heading)
        assert found, heading
        versions.append(tuple(map(int, found.groups()[:3])))
        assert number == 0 or found.group(4) != "unreleased", heading
        entries = re.split(r"^- ", body.strip(), flags=re.MULTILINE)
        assert entries[0] == "", "a section is a list of entries"
        for entry in entries[1:]:
            assert re.match('[A-Z`"]', entry), entry
            assert re.search(r"[.:)]$", entry.strip()), entry
            assert all(line.startswith("  ") for line in entry.strip().splitlines()[1:]), entry
    assert versions == sorted(set(versions), reverse=True)


def test_the_hooks_of_a_commit_are_the_tools_of_the_checks() -> None:
    hooks = [hook for repo in read_yaml(".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]]
    assert [hook["entry"].split()[0] for hook in hooks] == ["ruff", "ruff", "mypy"]
    assert {hook["language"] for hook in hooks} == {"system"}, "nothing is downloaded"


@pytest.mark.parametrize("name", ["bug", "feature"])
def test_issue_templates_are_forms(name: str) -> None:
    form = read_yaml(f".github/ISSUE_TEMPLATE/{name}.yml")
    assert {"name", "description", "body"} <= set(form)
    assert all(field["type"] == "textarea" and field["attributes"]["label"] for field in form["body"])


def test_the_citation_is_whole() -> None:
    citation = read_yaml("CITATION.cff")
    assert citation["cff-version"] == "1.2.0"
    assert citation["preferred-citation"]["doi"] == "10.1145/3394486.3403068"


def test_no_file_names_a_folder_of_a_machine() -> None:
    machine = re.compile(r"(?<![\w.:/}])/(?:home|root|work|Users)/\w")
    suffixes = (".py", ".md", ".toml", ".txt", ".json", ".yml", ".cff", ".cfg", ".js", ".html", "")
    texts = [path for path in tracked() if path.suffix in suffixes and path != Path(__file__)]
    assert len(texts) > 300
    found = [str(path.relative_to(ROOT)) for path in texts if machine.search(path.read_text("utf-8", errors="replace"))]
    assert found == []


def test_the_lowest_versions_are_those_of_the_project() -> None:
    pins = CHECK["lowest_versions"]()
    assert "numpy==1.26" in pins
    assert not [pin for pin in pins if pin.startswith("torch")]
    assert CHECK["pinned_torch"]().startswith("torch==")


def test_the_page_on_releases_is_drawn_from_what_was_tried() -> None:
    checked = json.loads((ROOT / "release/checked.json").read_text("utf-8"))
    page = (ROOT / "docs/release.md").read_text("utf-8")
    assert page == CHECK["render_page"](page, checked), "run: python release/check.py --render"
    assert {record["versions"] for record in checked["environments"]} == {"lowest", "newest"}
    for record in checked["environments"]:
        assert record["outcome"] in page
