"""Build the report's page from its sources: the modules joined into one script, the style and the markup around it.

    python web/build.py            write src/sparsecut/explore/report_page.html
    python web/build.py --check    fail where that file is not what the sources give

There is no bundler: every module imports only from modules before it, names at the top of a module are unique over all of
them, so taking the words `import … from` and `export` away and joining the rest is all that is needed. Same sources, same
bytes, on any machine with Python.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import re
import sys
from pathlib import Path

SOURCE = Path(__file__).parent / "src"
PAGE = Path(__file__).parents[1] / "src" / "sparsecut" / "explore" / "report_page.html"
MODULES = (
    *("payload", "view", "grid", "colors", "csv", "columns", "search", "density", "dom"),
    *("renderer", "canvas_renderer", "overlay", "scene", "interaction", "painting"),
    *("edges", "edge_panel", "features", "groups", "tree", "legend", "reasons", "details", "selection", "search_box"),
    *("charts", "sections", "theme", "main"),
)
IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)
DECLARATION = re.compile(r"^(?:export )?(?:async )?(?:function|class|const|let)\s+(\w+)", re.MULTILINE)


def join_modules(folder: Path = SOURCE, modules: tuple[str, ...] = MODULES) -> str:
    """One script of all modules, in an order in which each comes after those it imports."""
    missing = {path.stem for path in folder.glob("*.js")} ^ set(modules)
    if missing:
        raise SystemExit(f"web/build.py: MODULES and {folder} differ in {', '.join(sorted(missing))}.")
    parts, home = ['"use strict";\n(() => {\n'], {}
    for position, module in enumerate(modules):
        text = (folder / f"{module}.js").read_text("utf-8")
        late = [name for name in IMPORT.findall(text) if name not in modules[:position]]
        if late:
            raise SystemExit(f"web/build.py: {module}.js imports {late[0]}.js, which must come before it in MODULES.")
        body = IMPORT.sub("", text)
        if re.search(r"^import\b", body, re.MULTILINE):
            raise SystemExit(f"web/build.py: {module}.js has an import of another form than import {{…}} from './….js'.")
        for name in DECLARATION.findall(body):
            if home.setdefault(name, module) != module:
                raise SystemExit(f"web/build.py: {name} is declared in {home[name]}.js and in {module}.js.")
        parts.append(f"// {module}.js\n{re.sub(r'^export ', '', body, flags=re.MULTILINE).strip()}\n\n")
    return "".join([*parts, "})();\n"])


def build_page(folder: Path = SOURCE) -> str:
    """The page without its data, which goes where {{payload}} stands."""
    script, style = join_modules(folder), (folder / "report.css").read_text("utf-8")
    if "</script" in script.lower() or "</style" in style.lower():
        raise SystemExit("web/build.py: the sources hold the end of their own element.")
    page = (folder / "report.html").read_text("utf-8")
    values = {"script-hash": _hash(script), "style-hash": _hash(style), "script": script, "style": style}
    for name, value in values.items():
        page = page.replace("{{" + name + "}}", value)
    return page


def _hash(text: str) -> str:
    """What the content security policy knows an inline script or style by."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    page = build_page()
    if parser.parse_args().check:
        if not PAGE.exists() or PAGE.read_text("utf-8") != page:
            print(f"{PAGE} is not what web/src gives. Run: python web/build.py", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(page, "utf-8")
    print(f"{PAGE}: {len(page):,} characters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
