"""NODE… and `--batch`: the nodes that a command is asked about, by their ids."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from sparsecut.base.errors import InputError
from sparsecut.cli.options import READING, option
from sparsecut.cli.pipes import is_standard

Nodes = Annotated[list[str] | None, typer.Argument(metavar="NODE…", help="Ids of nodes.")]
Batch = Annotated[Path | None, option(READING, "A file with one id per line; - for standard input.", metavar="FILE")]


def read_nodes(
    caller: str, nodes: list[str] | None, batch: Path | None, encoding: str | None, *, after: str = "the file"
) -> list[str]:
    """The ids that were named, then those of the file; an error where there are none. `after` says where ids are named."""
    named = [*(nodes or []), *(_read_batch(caller, batch, encoding) if batch is not None else [])]
    if not named:
        raise InputError(f"{caller} needs a node: name ids after {after}, or a file of ids with --batch.")
    return named


def _read_batch(caller: str, path: Path, encoding: str | None) -> list[str]:
    from sparsecut.io import check_encoding, check_readable, reading
    from sparsecut.io.opening import open_bytes

    if is_standard(path):
        text = sys.stdin.read()
    else:
        encoding = check_encoding(caller, encoding)
        with reading(check_readable(path, "batch"), "batch"), open_bytes(path, "batch", encoding) as file:
            text = file.read().decode("utf-8-sig")
    ids = [line.strip() for line in text.splitlines() if line.strip()]
    if not ids:
        raise InputError(f"The batch file {path} has no ids: one per line.")
    return ids
