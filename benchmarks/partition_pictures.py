"""Pictures of `partition_parts.py`: our cut over each peer's, and our time over theirs, per graph and number of parts.

One SVG each, in colours that follow the reader's choice of light or dark.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

IMAGES = Path(__file__).parents[1] / "docs" / "images"
CUTS, TIMES = "parts_cuts.svg", "parts_times.svg"
PICTURE = (
    f"\n\n![Edges cut by partition over those of METIS, KaMinPar and KaHIP strong, for each graph and number of parts; "
    f"left of the line ours are fewer](images/{CUTS})\n\n![CPU seconds of partition over those of KaHIP strong, "
    f'and of effort="fast" over those of METIS, for each graph and number of parts](images/{TIMES})'
)
COLOURS = {"METIS": "#c2571a", "KaMinPar": "#7a4fc9", "KaHIP strong": "#0f8a6b"}
STYLE = """text { font: 11px system-ui, sans-serif; fill: #333 } .grid { stroke: #ccc } .one { stroke: #333 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .grid { stroke: #555 } .one { stroke: #ddd } }"""
LEFT, WIDTH, GAP, ROW, TOP = 110, 130, 36, 20, 56


def draw_pictures(table: dict[str, Any]) -> None:
    """Write both pictures from the rows of the table."""
    column = {name: position for position, name in enumerate(table["columns"])}
    rows = [dict(zip(column, row, strict=True)) for row in table["rows"]]
    cuts = {peer: (peer, "sparsecut", peer) for peer in COLOURS}
    times = {
        "partition over KaHIP strong": ("KaHIP strong", "seconds", "KaHIP strong, seconds"),
        "fast over METIS": ("METIS", "fast, seconds", "METIS, seconds"),
    }
    _write(CUTS, rows, cuts, (0.7, 1.1), "Our cut over a peer's: left of the line ours has fewer edges")
    _write(TIMES, rows, times, (0.1, 20.0), "Our seconds over a peer's: left of the line ours is quicker")


def _write(
    name: str, rows: list[dict[str, Any]], series: dict[str, tuple[str, str, str]], limits: tuple[float, float], title: str
) -> None:
    graphs, counts = list(dict.fromkeys(row["graph"] for row in rows)), sorted({row["parts"] for row in rows})
    width, height = LEFT + len(counts) * (WIDTH + GAP), TOP + len(graphs) * ROW + 26
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        f'<text x="4" y="14" font-weight="bold">{escape(title)}</text>',
    ]
    for number, (label, (colour, _, _)) in enumerate(series.items()):
        x = LEFT + 190 * number
        parts += [
            f'<circle cx="{x}" cy="29" r="4" fill="{COLOURS[colour]}"/><text x="{x + 8}" y="33">{escape(label)}</text>'
        ]
    parts += [f'<text x="4" y="{TOP + ROW * at + 14}">{escape(graph)}</text>' for at, graph in enumerate(graphs)]
    for panel, count in enumerate(counts):
        left = LEFT + panel * (WIDTH + GAP)
        parts.append(f'<text x="{left}" y="{TOP - 8}">{count} parts</text>')
        for mark in (limits[0], 1.0, limits[1]):
            x = left + _place(mark, limits)
            kind = "one" if mark == 1 else "grid"
            bottom = TOP + ROW * len(graphs)
            parts.append(f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}"/>')
            parts.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{mark:g}</text>')
        for row in rows:
            if row["parts"] != count:
                continue
            y = TOP + ROW * graphs.index(row["graph"]) + 10
            for label, (colour, ours, theirs) in series.items():
                if row[ours] is not None and row[theirs]:
                    quotient = row[ours] / row[theirs]
                    about = f"{row['graph']}, {count} parts, {label}: {quotient:.3g}"
                    x = left + _place(quotient, limits)
                    parts.append(
                        f'<circle cx="{x:.1f}" cy="{y}" r="4" fill="{COLOURS[colour]}" fill-opacity="0.8">'
                        f"<title>{escape(about)}</title></circle>"
                    )
    (IMAGES / name).write_text("\n".join([*parts, "</svg>"]) + "\n", "utf-8")


def _place(quotient: float, limits: tuple[float, float]) -> float:
    """The position of a quotient on the logarithmic axis of a panel; what is beyond the axis lies at its end."""
    low, high = (math.log(limit) for limit in limits)
    return WIDTH * (min(max(math.log(max(quotient, 1e-9)), low), high) - low) / (high - low)
