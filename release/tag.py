"""Whether a tag may be released: `python release/tag.py v0.1.0`.

The tag is the version of `package_version.py`, and the changelog's newest heading has that version and a date.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def why_not(tag: str, version_file: str, changelog: str) -> str | None:
    """What is wrong with the tag, or None."""
    version = re.search(r'^__version__ = "(.+)"$', version_file, re.MULTILINE)
    if version is None or tag != f"v{version.group(1)}":
        return f"The tag {tag} must be v and the version, which is {version and version.group(1)}. Tag that, or change it."
    newest = re.search(r"^## (.+)$", changelog, re.MULTILINE)
    if newest is None or not re.fullmatch(rf"{re.escape(tag[1:])}, \d{{4}}-\d\d-\d\d", newest.group(1)):
        return f"The changelog's newest heading must be {tag[1:]} and a date. It is: {newest and newest.group(1)}."
    return None


if __name__ == "__main__":
    texts = [(ROOT / name).read_text("utf-8") for name in ("src/sparsecut/base/package_version.py", "CHANGELOG.md")]
    sys.exit(why_not(sys.argv[1], *texts))
