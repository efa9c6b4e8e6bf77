"""Install the built packages into clean environments and use them: `make dist && python release/check.py`.

For every Python on PATH that the package supports, two environments: the lowest versions that `pyproject.toml` allows, and
the newest that pip finds. Into each goes the wheel from dist/ and nothing else; then `smoke.py` runs there. torch is the one
of `constraints.txt` in both. The outcome, with the versions and what they weigh on disk, goes to `release/checked.json`, and
from there into docs/release.md. `--render` only draws that page again; `--lowest`, `--newest` and `--python` choose what to
try.

Environments are made below $TMPDIR, a gigabyte each, and deleted. pip is used as it is configured on this machine.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RECORDS = ROOT / "release/checked.json"
PAGE = ROOT / "docs/release.md"
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
BEGIN, END = "<!-- drawn by release/check.py from release/checked.json -->", "<!-- end -->"
SHOWN = ("numpy", "scipy", "scikit-learn", "pyarrow", "torch", "safetensors", "typer", "rich")
# Run inside an environment: the version of each distribution and the bytes of its files.
WEIGH = """
import importlib.metadata, json
found = {}
for distribution in importlib.metadata.distributions():
    files = [distribution.locate_file(file) for file in distribution.files or ()]
    size = sum(path.stat().st_size for path in files if path.exists())
    found[distribution.name.lower()] = [distribution.version, size]
print(json.dumps(found))
"""


def core_requirements() -> list[str]:
    """The requirements of the core, as `pyproject.toml` has them."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    section = re.search(r"^dependencies = \[\n(.*?)^\]", text, re.DOTALL | re.MULTILINE)
    assert section is not None
    return re.findall(r'^\s*"([^"]+)"', section.group(1), re.MULTILINE)


def lowest_versions() -> list[str]:
    """The core's requirements at their lower bounds, torch left out."""
    pins = [requirement.replace(">=", "==") for requirement in core_requirements()]
    return [pin for pin in pins if not pin.startswith("torch")]


def pinned_torch() -> str:
    constraints = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    return next(line for line in constraints if line.startswith("torch=="))


def try_environment(python: str, kind: str, wheel: Path, *, with_torch: bool) -> dict[str, Any]:
    """Make an environment, install, run the smoke test there; what was found, whether it worked or not."""
    record: dict[str, Any] = {"python": python, "versions": kind, "date": datetime.now(timezone.utc).date().isoformat()}
    with tempfile.TemporaryDirectory(prefix="sparsecut-check-") as name:
        folder = Path(name)
        subprocess.run([f"python{python}", "-m", "venv", folder / "venv"], check=True)
        inside = str(folder / "venv/bin/python")
        pins = lowest_versions() if kind == "lowest" else []
        if with_torch:
            install = [str(wheel), pinned_torch(), *pins]
        else:
            rest = [line for line in core_requirements() if not line.startswith("torch")]
            install = [*rest, *pins]
            subprocess.run([inside, "-m", "pip", "install", "--quiet", "--no-deps", str(wheel)], check=True)
        installed = _run([inside, "-m", "pip", "install", "--quiet", *install])
        if installed.returncode != 0:
            return record | {"outcome": "could not be installed", "error": installed.stderr[-2000:]}
        weighed = json.loads(_run([inside, "-I", "-c", WEIGH]).stdout)
        (folder / "work").mkdir()
        smoke = [inside, "-I", str(ROOT / "release/smoke.py"), str(folder / "work")]
        done = _run(smoke if with_torch else [*smoke, "--without-torch"])
        parts = {name: found[0] for name, found in weighed.items() if name in SHOWN}
        sizes = {name: round(found[1] / 2**20, 1) for name, found in weighed.items() if found[1] > 2**20}
        total = round(sum(found[1] for name, found in weighed.items() if name not in ("pip", "setuptools")) / 2**20)
        record |= {"installed": parts, "mebibytes": dict(sorted(sizes.items(), key=lambda item: -item[1])), "total": total}
        if done.returncode != 0:
            return record | {"outcome": "failed", "error": done.stderr[-2000:]}
        return record | {"outcome": "passed" if with_torch else "passed, without what needs torch"}


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def render_page(page: str, checked: dict[str, Any]) -> str:
    """The page with its tables drawn again."""
    drawn = "\n\n".join([_outcomes(checked), _weights(checked)])
    before, _, rest = page.partition(BEGIN)
    _, found, after = rest.partition(END)
    assert found, "docs/release.md has no place for the tables"
    return f"{before}{BEGIN}\n\n{drawn}\n\n{END}{after}"


def _outcomes(checked: dict[str, Any]) -> str:
    lines = ["| Python | versions | " + " | ".join(SHOWN) + " | outcome |", "|---|---|" + "---|" * len(SHOWN) + "---|"]
    for record in checked["environments"]:
        versions = [record.get("installed", {}).get(name, "–") for name in SHOWN]
        lines.append("| " + " | ".join([record["python"], record["versions"], *versions, record["outcome"]]) + " |")
    return "\n".join(lines) + f"\n\nOn {checked['platform']}, by `python release/check.py`."


def _weights(checked: dict[str, Any]) -> str:
    whole = [record for record in checked["environments"] if "torch" in record.get("installed", {})]
    if not whole:
        return "Nothing has been weighed."
    record = whole[-1]
    sizes, total = record["mebibytes"], record["total"]
    lines = ["| distribution | MiB on disk | share |", "|---|---|---|"]
    lines += [
        f"| {name} | {size:,.0f} | {size / total:.0%} |" for name, size in sizes.items() if size >= 5 and name != "pip"
    ]
    without = {name: total - sizes.get(name, 0) for name in ("torch", "pyarrow")}
    both = total - sizes.get("torch", 0) - sizes.get("pyarrow", 0)
    words = (
        f"All of it, Python {record['python']} with the {record['versions']} versions: {total:,} MiB. "
        f"Without torch {without['torch']:,.0f}, without pyarrow {without['pyarrow']:,.0f}, without both {both:,.0f}."
    )
    return "\n".join([words, "", *lines])


def main() -> int:
    parser = argparse.ArgumentParser(description="Install the built packages into clean environments and use them.")
    parser.add_argument("--python", action="append", help="such as 3.11; may be repeated. Default: all on PATH.")
    parser.add_argument("--lowest", action="store_true", help="only the lowest versions")
    parser.add_argument("--newest", action="store_true", help="only the newest versions")
    parser.add_argument("--without-torch", action="store_true", help="leave out torch, and what needs it")
    parser.add_argument("--render", action="store_true", help="only draw docs/release.md again")
    asked = parser.parse_args()
    checked = json.loads(RECORDS.read_text("utf-8")) if RECORDS.exists() else {"environments": []}
    if not asked.render:
        wheels = sorted((ROOT / "dist").glob("*.whl"))
        if len(wheels) != 1:
            parser.error(f"dist/ has {len(wheels)} wheels, not one: run make dist first")
        kinds = [kind for kind, is_asked in (("lowest", asked.lowest), ("newest", asked.newest)) if is_asked]
        for python in asked.python or [version for version in PYTHONS if shutil.which(f"python{version}")]:
            for kind in kinds or ["lowest", "newest"]:
                record = try_environment(python, kind, wheels[0], with_torch=not asked.without_torch)
                # What went wrong is shown and not kept: it names folders of this machine.
                print(python, kind, record["outcome"], record.pop("error", ""), flush=True)
                others = [old for old in checked["environments"] if (old["python"], old["versions"]) != (python, kind)]
                checked["environments"] = sorted([*others, record], key=lambda one: (one["python"], one["versions"]))
        checked["platform"] = f"{platform.system()} {platform.machine()}"
        RECORDS.write_text(json.dumps(checked, indent=1, ensure_ascii=False) + "\n", "utf-8")
    PAGE.write_text(render_page(PAGE.read_text("utf-8"), checked), "utf-8")
    return 0 if all(record["outcome"].startswith("passed") for record in checked["environments"]) else 1


if __name__ == "__main__":
    sys.exit(main())
