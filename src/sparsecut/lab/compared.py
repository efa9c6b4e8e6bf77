"""What `sparsecut.compare` found: one row per method, as objects, as a frame, as a table in a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from sparsecut.base.errors import import_extra
from sparsecut.base.notebook import Cell, table_html
from sparsecut.evaluation.scores import Comparison, Scores


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

    def __init__(self, results: Sequence[MethodResult]) -> None:
        self._results = tuple(results)

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
            One row per method and kind of split: method, labels (per class, or the word of the splits), accuracy, std, low
            and high (of the 95 % interval), macro_f1, difference and p_value (against the first method), seconds,
            peak_memory_mib, columns, error.
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
                    "accuracy": None if scores is None else scores.mean,
                    "std": None if scores is None else scores.std,
                    "low": None if scores is None else scores.interval[0],
                    "high": None if scores is None else scores.interval[1],
                    "macro_f1": None if scores is None else scores.macro_f1,
                    "difference": None if against is None else against.mean_difference,
                    "p_value": None if against is None else against.p_value,
                    **common,
                }

    def _keys(self) -> list[int | str]:
        """The kinds of split, in the order they were measured."""
        return list(dict.fromkeys(key for result in self for key in result.scores)) or [""]

    def _table(self) -> tuple[list[str], list[list[str | Cell]]]:
        keys = self._keys()
        columns = ["method", *(f"{key} labels" if isinstance(key, int) else key for key in keys)]
        columns += [f"less {self[0].method}", "seconds", "peak MiB"]
        rows: list[list[str | Cell]] = []
        for result in self:
            row: list[str | Cell] = [result.method]
            for key in keys:
                scores = result.scores.get(key)
                row.append("failed" if scores is None else Cell(str(scores), scores.mean))
            against, measured = result.against_first.get(keys[-1]), result.measured
            row.append("" if against is None else Cell(f"{against.mean_difference:+.1f}", against.mean_difference))
            for name, unit, digits in (("seconds", 1, 2), ("peak_memory_bytes", 2**20, 0)):
                row.append(Cell(f"{measured[name] / unit:,.{digits}f}", measured[name]) if name in measured else "")
            rows.append(row)
        return columns, rows

    def _repr_html_(self) -> str:
        columns, rows = self._table()
        return table_html(columns, rows, "Accuracy in percent, mean ± standard deviation over the splits")

    def __repr__(self) -> str:
        columns, rows = self._table()
        texts = [columns, *([cell if isinstance(cell, str) else cell.text for cell in row] for row in rows)]
        widths = [max(len(row[place]) for row in texts) for place in range(len(columns))]
        lines = []
        for row in texts:
            first, *others = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            lines.append("  ".join([first, *(cell.strip().rjust(len(cell)) for cell in others)]).rstrip())
        return "\n".join(lines)
