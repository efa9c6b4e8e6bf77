"""Where the files of a graph are: under $SPARSECUT_DATA, in the user's cache, or on the hosts they are fetched from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from sparsecut.base.errors import InputError
from sparsecut.base.progress import Reporter, reporting
from sparsecut.datasets.dataset import Dataset, RawFile
from sparsecut.datasets.download import fetch, sha256_of


class Found(NamedTuple):
    """A root that holds the files of a dataset, and which files those are."""

    folder: Path
    files: tuple[RawFile, ...]


def roots() -> list[Path]:
    """Where files are looked for, in this order. The last one is the cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sparsecut"
    named = os.environ.get("SPARSECUT_DATA")
    return [Path(named), cache] if named else [cache]


def locate(dataset: Dataset, root: str | Path | None = None) -> Found | None:
    """The first root that holds all files of a dataset, or else those that make it a graph without features."""
    folders = roots() if root is None else [Path(root)]
    for files in (dataset.raw, dataset.without_features):
        for folder in folders:
            if (files or not dataset.raw) and all((folder / file.path).is_file() for file in files):
                return Found(folder, files)
    return None


def provide(
    dataset: Dataset, root: str | Path | None = None, *, is_fetched: bool = True, progress: Reporter | None = None
) -> Path:
    """The root that holds the files of a dataset, downloaded where they are missing, and with the right checksums."""
    found = locate(dataset, root)
    if found is None:
        if not is_fetched:
            raise _absent(dataset, root, "")
        if dataset.by_hand:
            raise _absent(dataset, root, f" and are not fetched unasked: {dataset.by_hand}")
        folder = roots()[-1] if root is None else Path(root)
        try:
            with reporting(progress) as report:
                fetch(dataset.raw, folder, report)
        except InputError as error:
            raise _absent(dataset, root, f" and could not be fetched: {error}") from error
        return folder  # each file was checked before it was put there
    for file in found.files:
        path = found.folder / file.path
        if file.sha256 is not None and (got := sha256_of(path)) != file.sha256:
            raise InputError(
                f"{path} is not the published file: its SHA-256 is {got}, and should be {file.sha256}. "
                "Remove it and fetch it again."
            )
    return found.folder


def _absent(dataset: Dataset, root: str | Path | None, why: str) -> InputError:
    folder = roots()[0] if root is None else Path(root)
    missing = [file for file in dataset.files if not (folder / file).is_file()]
    return InputError(
        f"The files of {dataset.name} are not here{why}. Put {', '.join(missing)} into {folder} "
        f"(from {dataset.origin}; `sparsecut datasets {dataset.name}` has the addresses), "
        "or set SPARSECUT_DATA to the folder that holds them."
    )
