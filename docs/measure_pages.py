"""Words and reading grade of every page: `python docs/measure_pages.py [FOLDER]`.

Words are those of the text: code, tables and addresses of links are left out. The grade is the automated readability index,

    4.71 · letters / words + 0.5 · words / sentences − 21.43,

about the years of school that a text asks for; names of functions make it higher than it reads.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PAGES = ("README.md", "CONTRIBUTING.md", "docs/*.md", "docs/guides/*.md")


def text_of(page: str) -> str:
    """The sentences of a page."""
    page = re.sub(r"\A---\n.*?\n---\n|<!--.*?-->|^(```|:::).*?^\1", "", page, flags=re.DOTALL | re.MULTILINE)
    page = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", page)
    lines = [line for line in page.splitlines() if not line.lstrip().startswith(("|", "<"))]
    marked = [re.sub(r"^(#+|[-*]|\d+\.)\s+(.*?)[.:]?$", r"\2", line) for line in lines]
    return re.sub(r"[`*_]", "", "\n".join(marked))


def grade_of(text: str) -> float:
    """The automated readability index of a text; a line that ends a paragraph ends a sentence."""
    words = text.split()
    n_letters = sum(letter.isalnum() for letter in text)
    n_sentences = len([part for part in re.split(r"[.!?:](?=\s)|\n\s*\n", text) if len(part.split()) > 1])
    return 4.71 * n_letters / len(words) + 0.5 * len(words) / max(n_sentences, 1) - 21.43


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    total, weighted = 0, 0.0
    for path in sorted(path for pattern in PAGES for path in folder.glob(pattern)):
        text = text_of(path.read_text("utf-8"))
        n_words = len(text.split())
        if n_words < 30:
            continue
        grade = grade_of(text)
        total, weighted = total + n_words, weighted + n_words * grade
        print(f"{n_words:6,} words  grade {grade:4.1f}  {path.relative_to(folder)}")
    print(f"{total:6,} words  grade {weighted / max(total, 1):4.1f}  in all, weighted by words")


if __name__ == "__main__":
    main()
