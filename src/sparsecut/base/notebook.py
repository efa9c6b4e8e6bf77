"""What a notebook shows of an object: tables as HTML, text as lines, a progress bar in the cell.

Everything that comes from a user's data is escaped. A table can be sorted by a click on a column's head where the page may
run scripts (a trusted notebook, a built page); elsewhere it is a table like any other. No notebook library is imported: what
is not running cannot be shown to.
"""

from __future__ import annotations

import html
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

BAR_EMS = 6.0  # how wide the bar of a share of 1 is
BAR_SECONDS = 0.2  # between two pictures of a bar: a notebook takes a message for each

_STYLE = "border-collapse:collapse;font-variant-numeric:tabular-nums"
# Numbers by value, words by the alphabet; a second click sorts the other way. What has no value goes to the end.
_SORT = (
    "var h=this,t=h.closest('table'),i=h.cellIndex,d=h.dataset.d=h.dataset.d==='1'?'-1':'1',b=t.tBodies[0];"
    "var v=function(r){return r.cells[i].dataset.v};"
    "Array.from(b.rows).sort(function(p,q){var x=v(p),y=v(q);if(x===''||y==='')return (x==='')-(y==='');"
    "var n=x-y;return d*(isNaN(n)?x.localeCompare(y):n)}).forEach(function(r){b.appendChild(r)})"
)


class Cell(NamedTuple):
    """A cell of a table: what is shown, and the number it is sorted by where that is another.

    A share, −1 to 1, is drawn as a bar beside the text: filled, or an outline where it is below zero.
    """

    text: str
    value: float | None = None
    share: float | None = None


def table_html(columns: Sequence[str], rows: Sequence[Sequence[str | Cell]], caption: str = "") -> str:
    """A table with a head, sortable where scripts run; every text is escaped."""
    head = "".join(
        f'<th style="text-align:{"left" if place == 0 else "right"};cursor:pointer" title="sort" onclick="{_SORT}">'
        f"{html.escape(name)}</th>"
        for place, name in enumerate(columns)
    )
    body = "".join(f"<tr>{''.join(map(_cell, row, range(len(row))))}</tr>" for row in rows)
    title = f'<caption style="text-align:left">{html.escape(caption)}</caption>' if caption else ""
    return f'<table style="{_STYLE}">{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def side_by_side_html(*parts: str) -> str:
    """Tables beside one another where there is the room, the first lines level."""
    shown = "".join(f'<div style="margin:0 2em 0.5em 0">{part}</div>' for part in parts if part)
    return f'<div style="display:flex;flex-wrap:wrap;align-items:flex-start">{shown}</div>'


def facts_html(title: str, facts: Sequence[tuple[str, str]], notes: Sequence[str] = ()) -> str:
    """A heading, facts by name, and sentences below; every text is escaped."""
    rows = "".join(
        f'<tr><th style="text-align:left">{html.escape(name)}</th><td style="text-align:left">{html.escape(value)}</td></tr>'
        for name, value in facts
    )
    table = f'<table style="{_STYLE}"><tbody>{rows}</tbody></table>' if rows else ""
    return f"<div><strong>{html.escape(title)}</strong>{table}{_sentences(notes)}</div>"


class Lines(str):
    """Sentences, one per line, that a prompt and a notebook show as lines and not as one quoted string."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return _sentences(self.splitlines())


def in_notebook() -> bool:
    """Whether this runs in a kernel, whose cells show HTML."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


class CellBars:
    """Bars in the cell of a notebook, one per stage, removed where no stage is given. It needs IPython alone, no widgets."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._last = 0.0

    def __call__(self, stages: Sequence[Any], now: float) -> None:
        if stages and self._handle is not None and now - self._last < BAR_SECONDS:
            return
        self._last = now
        bars = "".join(
            f'<div><progress value="{stage.done}" max="{max(stage.total, 1)}"></progress> {html.escape(str(stage))}</div>'
            for stage in stages
        )
        display = sys.modules["IPython"].display
        if self._handle is None:
            self._handle = display.display(display.HTML(bars), display_id=True)
        else:
            self._handle.update(display.HTML(bars))


def _cell(cell: str | Cell, place: int) -> str:
    text, value, share = (cell, None, None) if isinstance(cell, str) else cell
    key = html.escape(text if value is None else repr(float(value)))
    align = "left" if place == 0 else "right"
    bar = "" if share is None else _bar(share)
    return f'<td style="text-align:{align}" data-v="{key}">{bar}{html.escape(text)}</td>'


def _bar(share: float) -> str:
    width = BAR_EMS * min(abs(share), 1.0)
    look = "background:currentColor" if share >= 0 else "box-shadow:inset 0 0 0 1px currentColor"
    return (
        f'<span aria-hidden="true" style="display:inline-block;width:{BAR_EMS}em;text-align:left;margin-right:0.5em">'
        f'<span style="display:inline-block;width:{width:.2f}em;height:0.6em;opacity:0.6;{look}"></span></span>'
    )


def _sentences(lines: Sequence[str]) -> str:
    return f'<ul style="margin:0.3em 0">{"".join(f"<li>{html.escape(line)}</li>" for line in lines)}</ul>' if lines else ""
