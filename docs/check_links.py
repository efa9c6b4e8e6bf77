"""Check that every relative link and image in the Markdown files leads somewhere: `python docs/check_links.py`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"```.*?```", re.DOTALL)


def anchors_of(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", path.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page: Path) -> list[str]:
    broken = []
    for link in LINK.findall(FENCE.sub("", page.read_text("utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue  # an address: not looked up, so that the check needs no network
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists():
            broken.append(f"{page.relative_to(ROOT)}: {link} does not exist")
        elif anchor and anchor not in anchors_of(target):
            broken.append(f"{page.relative_to(ROOT)}: {link} has no such heading")
    return broken


def main() -> int:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    broken = [problem for page in sorted(pages) for problem in broken_links(page)]
    print("\n".join(broken) or f"{len(pages)} pages, all links lead somewhere")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
