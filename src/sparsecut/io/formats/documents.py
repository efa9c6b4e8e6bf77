"""Graphs from documents: node-link JSON, and GraphML and GML by way of networkx.

Node attributes in such files are not guessed to be features: `read_graph(path, features=["age"], labels="club")` takes those
that are meant, and the notes name those that were not used.
"""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any
from xml.parsers import expat

from sparsecut.base.errors import InputError, import_extra
from sparsecut.features import Scale
from sparsecut.graph import Graph
from sparsecut.io.formats.graph_format import GraphFormat, GraphRequest
from sparsecut.io.hostile.guards import reading
from sparsecut.io.objects import graph_of_links, graph_of_networkx
from sparsecut.io.opening import open_bytes
from sparsecut.io.stores.held import HeldGraph


def read_graphml(request: GraphRequest) -> HeldGraph:
    """A GraphML file, by way of networkx. One that declares XML entities is refused."""
    path, encoding = request.path, request.encoding
    networkx = import_extra("networkx", caller="Reading GraphML", extra="formats")
    with reading(path, "graph"):
        with open_bytes(path, "graph", encoding) as file:
            content = file.read()
        declared = None if encoding else re.match(rb"""<\?xml[^>]*\bencoding=["']([\w.\-]+)""", content)
        text = content.decode(declared[1].decode("ascii") if declared else "utf-8-sig")
        _refuse_entities(content, path)
        graph = _quietly(networkx.parse_graphml, text)
    return _converted(graph, request, "GraphML")


def read_gml(request: GraphRequest) -> HeldGraph:
    """A GML file, by way of networkx, with labels or without."""
    networkx = import_extra("networkx", caller="Reading GML", extra="formats")
    path = request.path
    with reading(path, "graph"):
        with open_bytes(path, "graph", request.encoding) as file:
            lines = file.read().decode("utf-8-sig").splitlines()
        try:
            graph = _quietly(networkx.parse_gml, lines)
        except networkx.NetworkXError as error:
            if "label" not in str(error):
                raise
            graph = _quietly(networkx.parse_gml, lines, label="id")  # nodes without labels
    return _converted(graph, request, "GML")


def read_node_link(request: GraphRequest) -> HeldGraph:
    """`{"nodes": [{"id": …}], "links": [{"source": …, "target": …}]}`, or with `edges` for `links`."""
    path, weight, directed = request.path, request.weight, request.directed
    with reading(path, "graph"), open_bytes(path, "graph", request.encoding) as file:
        content = json.loads(file.read())
    links = next((content[key] for key in ("links", "edges") if key in content), None) if isinstance(content, dict) else None
    nodes = content.get("nodes") if isinstance(content, dict) else None
    if not isinstance(links, list) or not isinstance(nodes, list):
        raise InputError(
            f"The graph file {path} must be node-link JSON: an object with a list 'nodes' and a list 'links' or 'edges'."
        )
    is_fit = all(isinstance(node, dict) and isinstance(node.get("id"), str | int) for node in nodes)
    if not is_fit or not all(isinstance(link, dict) and "source" in link and "target" in link for link in links):
        raise InputError(f"The graph file {path} must give each node an 'id' and each link a 'source' and a 'target'.")
    column = weight or "weight"
    if weight is not None and not any(weight in link for link in links):
        raise InputError(f"The graph file {path} has no {weight!r} in any of its links.")
    weights = [link.get(column, 1) for link in links] if any(column in link for link in links) else None
    what, names = f"The graph file {path}", _names({name for node in nodes for name in node} - {"id"})
    said = "no weights" if weights is None else f"weights in {column!r}"

    def make(features: Any, labels: Any, scale: Scale, notes: tuple[str, ...]) -> Graph:
        return graph_of_links(
            [node["id"] for node in nodes],
            [(link["source"], link["target"]) for link in links],
            weights,
            what=what,
            directed=directed,
            notes=(f"Graph: {path}, node-link JSON, {said}.{_unused(names, features, labels)}", *notes),
            attributes=nodes,
            features=features,
            labels=labels,
            scale=scale,
        )

    return HeldGraph({"node attributes": names}, make)


def _converted(graph: Any, request: GraphRequest, form: str) -> HeldGraph:
    path, weight, directed = request.path, request.weight, request.directed
    names = _names({name for _, attributes in graph.nodes(data=True) for name in attributes})
    has_weights = any((weight or "weight") in attributes for *_, attributes in graph.edges(data=True))
    if weight is not None and not has_weights:
        raise InputError(f"The graph file {path} has no {weight!r} at any of its edges.")
    said = f"weights in {weight or 'weight'!r}" if has_weights else "no weights"

    def make(features: Any, labels: Any, scale: Scale, notes: tuple[str, ...]) -> Graph:
        notes = (f"Graph: {path}, {form}, {said}.{_unused(names, features, labels)}", *notes)
        what = f"The graph file {path}"
        return graph_of_networkx(graph, features, labels, weight or "weight", directed, what=what, scale=scale, notes=notes)

    return HeldGraph({"node attributes": names}, make)


def _names(names: set[Any]) -> list[str]:
    return sorted(str(name) for name in names)


def _unused(names: list[str], features: Any, labels: Any) -> str:
    used = {labels, *([features] if isinstance(features, str) else features or ())}
    unused = [name for name in names if name not in used]
    return f" Node attributes not used: {', '.join(unused)}." if unused else ""


def _quietly(parse: Any, *arguments: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return parse(*arguments, **options)


def _refuse_entities(content: bytes, path: Path) -> None:
    """A document that declares entities can grow without end when it is parsed; no graph needs them."""
    parser = expat.ParserCreate()

    def refuse(*_: Any) -> None:
        raise InputError(f"The graph file {path} declares XML entities, which no graph needs. It was not read.")

    parser.EntityDeclHandler = refuse
    parser.Parse(content, True)


FORMATS = tuple(
    GraphFormat((suffix,), read, options=("weight",), is_text=True, has_attributes=True)
    for suffix, read in ((".graphml", read_graphml), (".gml", read_gml), (".json", read_node_link))
)
