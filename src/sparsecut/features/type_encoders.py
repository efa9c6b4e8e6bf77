"""Features by type of nodes: each type has columns of its own, by an encoder of its own; and every encoder read back.

The columns of all types stand side by side, in the order of the types, and a node has zeros in those of other types.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparsecut.features.encoder import NamedColumns, TableEncoder, Vocabulary


@dataclass(frozen=True)
class TypeColumnsOf:
    """The columns of one type of nodes: so many, and how a table becomes them; None for an array, taken as it is."""

    type: str
    n_columns: int
    encoder: TableEncoder | Vocabulary | NamedColumns | None

    @property
    def names_in(self) -> tuple[str, ...]:
        named = None if self.encoder is None else self.encoder.names_in
        return tuple(map(str, range(self.n_columns))) if named is None else named

    @property
    def names_out(self) -> tuple[str, ...]:
        return self.encoder.names_out if isinstance(self.encoder, TableEncoder) else self.names_in


@dataclass(frozen=True)
class TypeEncoders:
    """Each type of nodes has columns of its own, one block beside the other; a node has zeros in those of other types."""

    kind: ClassVar[str] = "types"
    node_types: tuple[str, ...]
    parts: tuple[TypeColumnsOf, ...]  # of the types that have features, in the order of the types

    @property
    def names_in(self) -> tuple[str, ...]:
        """The columns of all types: author:age."""
        return tuple(f"{part.type}:{name}" for part in self.parts for name in part.names_in)

    @property
    def names_out(self) -> tuple[str, ...]:
        return tuple(f"{part.type}:{name}" for part in self.parts for name in part.names_out)

    @property
    def n_columns(self) -> int:
        return sum(part.n_columns for part in self.parts)

    @property
    def column_types(self) -> NDArray[np.int16]:
        """The type of every column, as its place among `node_types`."""
        codes = [self.node_types.index(part.type) for part in self.parts]
        return np.repeat(codes, [part.n_columns for part in self.parts]).astype(np.int16)

    @property
    def starts(self) -> dict[str, int]:
        """Where the columns of each type begin."""
        ends = np.cumsum([part.n_columns for part in self.parts]).tolist()
        return {part.type: end - part.n_columns for part, end in zip(self.parts, ends, strict=True)}

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(f"{part.type}: {note}" for part in self.parts if part.encoder for note in part.encoder.notes)

    @property
    def free_text(self) -> tuple[str, ...]:
        """A sentence for each column of free text, which is left out."""
        tables = [part for part in self.parts if isinstance(part.encoder, TableEncoder)]
        return tuple(f"{part.type}: {said}" for part in tables for said in part.encoder.free_text)  # type: ignore[union-attr]

    def to_header(self) -> dict[str, Any]:
        parts = [
            {"type": part.type, "n_columns": part.n_columns, "encoder": part.encoder and part.encoder.to_header()}
            for part in self.parts
        ]
        return {"kind": self.kind, "node_types": list(self.node_types), "parts": parts}

    @classmethod
    def from_header(cls, header: dict[str, Any]) -> TypeEncoders:
        parts = [
            TypeColumnsOf(str(part["type"]), int(part["n_columns"]), _single(read_encoder(part["encoder"])))
            for part in header["parts"]
        ]
        return cls(tuple(map(str, header["node_types"])), tuple(parts))


Encoder: TypeAlias = "TableEncoder | Vocabulary | NamedColumns | TypeEncoders"

_READERS: dict[str, Callable[[dict[str, Any]], Encoder]] = {
    kind.kind: kind.from_header for kind in (TableEncoder, Vocabulary, NamedColumns, TypeEncoders)
}


def _single(encoder: Encoder | None) -> TableEncoder | Vocabulary | NamedColumns | None:
    assert not isinstance(encoder, TypeEncoders)
    return encoder


def read_encoder(header: dict[str, Any] | None) -> Encoder | None:
    """The encoder that a model's or a store's header describes."""
    return None if header is None else _READERS[header["kind"]](header)
