"""The colours of pictures are those of the page."""

from __future__ import annotations

import re
from pathlib import Path

from sparsecut.explore import palette

SOURCE = Path(__file__).parents[2] / "web" / "src" / "colors.js"


def test_pictures_and_the_page_have_the_same_colours() -> None:
    text = SOURCE.read_text("utf-8")
    for theme in ("light", "dark"):
        block = text[text.index(f"  {theme}: {{") :]
        for name, ours in (("classes", palette.CLASSES[theme]), ("ramp", palette.RAMPS[theme])):
            listed = re.search(rf"{name}: \[(.*?)\]", block, re.DOTALL)
            assert tuple(re.findall(r"#\w{6}", listed.group(1))) == ours
        assert re.search(r'missing: "(#\w{6})"', block).group(1) == palette.MISSING[theme]
