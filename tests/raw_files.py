"""Small raw files in the real formats of published graphs, and a real server of files."""

from __future__ import annotations

import contextlib
import gzip
import json
import pickle
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp


def write(path: Path, content: bytes | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def write_npz(path: Path, **arrays: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **arrays)
    return path


def csr_parts(prefix: str, matrix: sp.csr_array) -> dict[str, Any]:
    """A matrix as gnn-benchmark and scipy store it."""
    return {
        f"{prefix}data": matrix.data,
        f"{prefix}indices": matrix.indices,
        f"{prefix}indptr": matrix.indptr,
        f"{prefix}shape": np.array(matrix.shape),
    }


def write_benchmark(path: Path, adjacency: Any, attributes: Any, labels: Any, **others: Any) -> Path:
    parts = csr_parts("adj_", sp.csr_array(adjacency)) | csr_parts("attr_", sp.csr_array(attributes))
    return write_npz(path, **parts, labels=np.asarray(labels), **others)


def write_planetoid(folder: Path, name: str, parts: Mapping[str, Any], test_nodes: list[int]) -> None:
    for part, content in parts.items():
        write(folder / f"ind.{name}.{part}", pickle.dumps(content, protocol=4))
    write(folder / f"ind.{name}.test.index", "".join(f"{node}\n" for node in test_nodes))


def write_flickr(root: Path, adjacency: Any, features: Any, classes: dict[str, Any], roles: dict[str, list[int]]) -> None:
    folder = root / "Flickr/raw"
    folder.mkdir(parents=True, exist_ok=True)
    sp.save_npz(folder / "adj_full.npz", sp.csr_matrix(adjacency))
    np.save(folder / "feats.npy", np.asarray(features, dtype=np.float64))
    (folder / "class_map.json").write_text(json.dumps(classes))
    (folder / "role.json").write_text(json.dumps(roles))


def write_lines(path: Path, rows: Any) -> Path:
    """Numbers as OGB writes them: gzipped CSV without a header; what is not a number is an empty cell."""
    lines = [",".join("" if value != value else f"{value:g}" for value in np.atleast_1d(row).tolist()) for row in rows]
    return write(path, gzip.compress("".join(f"{line}\n" for line in lines).encode()))


def write_ogb_split(root: Path, folder: str, kind: str, parts: list[list[int]]) -> None:
    for name, nodes in zip(("train", "valid", "test"), parts, strict=True):
        write_lines(root / folder / "split" / kind / f"{name}.csv.gz", nodes)


def write_ogb(root: Path, folder: str, edges: Any, features: Any, labels: Any) -> None:
    tables = {"edge": edges, "node-feat": features, "node-label": labels}
    tables |= {"num-node-list": [len(features)], "num-edge-list": [len(edges)]}
    for name, rows in tables.items():
        write_lines(root / folder / "raw" / f"{name}.csv.gz", rows)


def write_papers100m(root: Path, edges: Any, features: Any, labels: Any, *, is_packed: bool = True) -> None:
    """data.npz and node-label.npz as OGB makes them."""
    folder = root / "ogbn_papers100M/raw"
    folder.mkdir(parents=True, exist_ok=True)
    save = np.savez_compressed if is_packed else np.savez
    save(
        folder / "data.npz",
        edge_index=np.asarray(edges, dtype=np.int64).T.copy(),
        num_nodes_list=np.array([len(features)]),
        num_edges_list=np.array([len(edges)]),
        node_feat=np.asarray(features),
        node_year=np.full((len(features), 1), 2015),
    )
    save(folder / "node-label.npz", node_label=np.asarray(labels, dtype=np.float32)[:, None])


@dataclass
class FileServer:
    """A server on this machine, which can be made to misbehave."""

    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)  # ETag; none where not named
    content_type: str = "application/octet-stream"
    with_ranges: bool = True
    with_length: bool = True
    cuts: list[int] = field(default_factory=list)  # after how many bytes each of the next answers ends; -1: none is given
    shift: int = 0  # how far beyond what is asked for an answer begins
    asked: list[tuple[str, str | None, int]] = field(default_factory=list)  # path, Range, status

    def url(self, path: str) -> str:
        return f"{self.address}/{path}"


@contextlib.contextmanager
def serve_files() -> Iterator[FileServer]:
    served = FileServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, asked = self.path.removeprefix("/"), self.headers.get("Range")
            if served.cuts and served.cuts[0] < 0:
                served.cuts.pop(0)
                return
            content = served.files.get(path)
            if content is None:
                served.asked.append((path, asked, 404))
                self.send_error(404)
                return
            tag, start, status = served.tags.get(path), 0, 200
            is_same = self.headers.get("If-Range") in (None, tag)
            if asked and served.with_ranges and is_same:
                start, status = int(asked.removeprefix("bytes=").removesuffix("-")) + served.shift, 206
                if start >= len(content):
                    status = 416
            served.asked.append((path, asked, status))
            self.send_response(status)
            if status == 416:
                self.send_header("Content-Range", f"bytes */{len(content)}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            if status == 206:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            if tag:
                self.send_header("ETag", tag)
            self.send_header("Content-Type", served.content_type)
            rest = content[start:]
            if served.with_length:
                self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            with contextlib.suppress(ConnectionError):  # whoever asked may have gone
                self.wfile.write(rest[: served.cuts.pop(0)] if served.cuts else rest)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
