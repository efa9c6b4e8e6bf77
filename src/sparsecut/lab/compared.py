"""What `sparsecut.compare` found: one row per method, as objects, as a frame, as a table in a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, overload

from sparsecut.base.errors import import_extra
from sparsecut.base.notebook import Cell, table_html
from sparsecut.evaluation.paired import Comparison
from sparsecut.evaluation.scores import Scores


@dataclass(frozen=True)
class MethodResult:
    """A row of the comparison: see `sparsecut.compare`.

    Attributes
    ----------
    method : str
        Its name in the registry.
    scores : dict of int or str to Scores
        By labels per class, or by the word of the splits that have no such number; empty where the method failed.
    against_first : dict of int or str to Comparison
        Paired with the first method's.
    measured : dict
        Seconds, bytes of memory, columns.
    error : str or None
        The sentence that says why there are no scores.
    """

    method: str
    scores: dict[int | str, Scores]
    against_first: dict[int | str, Comparison]
    measured: dict[str, Any]
    error: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "error": self.error,
            **self.measured,
            "per_class": {str(n): scores.to_dict() for n, scores in self.scores.items()},
            "against_first": {str(n): comparison.to_dict() for n, comparison in self.against_first.items()},
        }


class MethodComparison(Sequence[MethodResult]):
    """The rows of a comparison, in the order of the requested methods: see `sparsecut.compare`.

    It is a sequence of `MethodResult`; `to_pandas` has the same as a table, and a notebook shows it sortable.
    """

    def __init__(self, results: Sequence[MethodResult], metrics: Sequence[str] = ("accuracy",)) -> None:
        self._results = tuple(results)
        self._metrics = tuple(metrics)  # those that tables show; the first is what methods are compared by

    @overload
    def __getitem__(self, place: int) -> MethodResult: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[MethodResult]: ...

    def __getitem__(self, place: int | slice) -> MethodResult | Sequence[MethodResult]:
        return self._results[place]

    def __len__(self) -> int:
        return len(self._results)

    def to_pandas(self) -> Any:
        """The comparison as a frame.

        Returns
        -------
        pandas.DataFrame
            One row per method and kind of split: method, labels (per class, or the word of the splits), every metric, std,
            low and high (of the 95 % interval) of the first one, majority (the share of the largest class), difference,
            difference_low, difference_high and p_value (against the first method), seconds, peak_memory_mib, columns,
            error.
        """
        pandas = import_extra("pandas", caller="MethodComparison.to_pandas", extra="pandas")
        return pandas.DataFrame(list(self._records()))

    def _records(self) -> Iterator[dict[str, Any]]:
        for result in self:
            measured = result.measured
            common = {
                "seconds": measured.get("seconds"),
                "peak_memory_mib": None if "peak_memory_bytes" not in measured else measured["peak_memory_bytes"] / 2**20,
                "columns": measured.get("columns"),
                "error": result.error,
            }
            for key in self._keys():
                scores, against = result.scores.get(key), result.against_first.get(key)
                yield {
                    "method": result.method,
                    "labels": key,
                    **{name: _mean(scores, name) for name in self._names()},
                    "std": None if scores is None else scores.std,
                    "low": None if scores is None else scores.interval[0],
                    "high": None if scores is None else scores.interval[1],
                    "majority": None if scores is None else scores.majority,
                    "difference": None if against is None else against.mean_difference,
                    "difference_low": None if against is None else against.interval[0],
                    "difference_high": None if against is None else against.interval[1],
                    "p_value": None if against is None else against.p_value,
                    **common,
                }

    def _keys(self) -> list[int | str]:
        """The kinds of split, in the order they were measured."""
        return list(dict.fromkeys(key for result in self for key in result.scores)) or [""]

    def _names(self) -> list[str]:
        """The metrics that any method was scored by."""
        return list(dict.fromkeys(name for result in self for scores in result.scores.values() for name in scores.figures))

    def heading(self, key: int | str, metric: str) -> str:
        """The heading of a column of scores; beside an accuracy stands the share of the largest class."""
        words = [f"{key} labels" if isinstance(key, int) else str(key)]
        words += [metric] if metric != "accuracy" or len(self._metrics) > 1 else []
        scored = next((result.scores[key] for result in self if key in result.scores), None)
        return " ".join(words) + ("" if scored is None else scored.beside(metric))

    def _table(self) -> tuple[list[str], list[list[str | Cell]]]:
        keys = self._keys()
        columns = ["method", *(self.heading(key, metric) for key in keys for metric in self._metrics)]
        columns += [f"less {self[0].method}", "seconds", "peak MiB"]
        rows: list[list[str | Cell]] = []
        for result in self:
            row: list[str | Cell] = [result.method]
            for scores, metric in product((result.scores.get(key) for key in keys), self._metrics):
                mean = _mean(scores, metric)
                missing = "failed" if scores is None else ""
                row.append(missing if scores is None or mean is None else Cell(scores.text(metric), mean))
            against, measured = result.against_first.get(keys[-1]), result.measured
            row.append("" if against is None else Cell(against.amount, against.mean_difference))
            for name, unit, digits in (("seconds", 1, 2), ("peak_memory_bytes", 2**20, 0)):
                row.append(Cell(f"{measured[name] / unit:,.{digits}f}", measured[name]) if name in measured else "")
            rows.append(row)
        return columns, rows

    def _repr_html_(self) -> str:
        columns, rows = self._table()
        return table_html(columns, rows, f"{', '.join(self._metrics)}: mean ± standard deviation over the splits")

    def __repr__(self) -> str:
        columns, rows = self._table()
        texts = [columns, *([cell if isinstance(cell, str) else cell.text for cell in row] for row in rows)]
        widths = [max(len(row[place]) for row in texts) for place in range(len(columns))]
        lines = []
        for row in texts:
            first, *others = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            lines.append("  ".join([first, *(cell.strip().rjust(len(cell)) for cell in others)]).rstrip())
        return "\n".join(lines)


def _mean(scores: Scores | None, metric: str) -> float | None:
    return None if scores is None or metric not in scores.figures else float(scores.figures[metric].mean())
