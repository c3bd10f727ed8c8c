"""Random operations on the vector store of LlamaIndex, and on ours."""

from __future__ import annotations

import random
from collections.abc import Sequence
from copy import deepcopy
from typing import Any
from uuid import uuid4

import pytest
from differential import NEAR, Ranked, closest, differ
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores import SimpleVectorStore, VectorStoreQuery
from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQueryMode,
)
from memorysidecar import Client
from real import RealServer

from memorysidecar_llama_index import SidecarVectorStore

IDS = ("a", "b", "c/d", "ü %", "\n", "", "x" * 600)
DOCS = ("d1", "ü/\n", "y" * 600, None)
KINDS = ("add",) * 3 + ("delete", "delete_nodes", "delete_nodes", "clear")
KINDS += ("nearest",) * 6 + ("diverse",) * 2
TAGS = ("a", "b", "ab", "", "Ü", "x" * 300)


def draw_vector(draw: random.Random) -> list[float]:
    return [draw.gauss(0, 1) for _ in range(8)]


def draw_node(draw: random.Random) -> TextNode:
    metadata = {
        "n": draw.choice((0, 1, 2, -1, 1.5, 2**60, None)),
        "a.b": draw.choice((1, 2)),
        "tag": draw.choice(TAGS),
        "is": draw.choice((True, False)),
        "tags": draw.sample((*TAGS, 1, 2.5, True), draw.randrange(3)),
        "a": {"b": draw.choice((1, 2))},
    }
    if draw.random() < 0.05:
        metadata["large"] = {str(number): "y" * 200 for number in range(200)}
    document = draw.choice(DOCS)
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=document)} if document else {}
    return TextNode(
        id_=draw.choice(IDS),
        text=draw.choice(("", f"text {draw.randrange(9)}", "😀\0")),
        metadata={key: one for key, one in metadata.items() if draw.random() < 0.7},
        embedding=draw_vector(draw),
        relationships=source,
    )


def draw_filter(draw: random.Random) -> MetadataFilter:
    number = ("n", draw.choice(("==", "!=", ">", ">=", "<", "<=")), draw.choice((0, 1, 1.5, 2**60)))
    some_tags = draw.sample(TAGS, draw.randrange(3))
    key, name, value = draw.choice(
        (
            number,
            ("n", draw.choice(("in", "nin")), draw.choice(([0, 2], [1.5, -1.0], [2**60]))),
            (draw.choice(("is", "a.b")), draw.choice(("==", "!=", ">", "<=")), draw.choice((0, 1))),
            ("tag", draw.choice(("==", "!=", ">", ">=", "<", "<=")), draw.choice(TAGS)),
            ("tag", draw.choice(("in", "nin", "any", "all")), some_tags),
            ("tag", draw.choice(("text_match", "contains")), draw.choice(TAGS)),
            ("tag", "text_match_insensitive", draw.choice(("A", "ü", ""))),
            ("tags", draw.choice(("==", "!=", "any", "all")), some_tags),
            ("tags", "contains", draw.choice((*TAGS, 1, 2.5))),
            ("doc_id", draw.choice(("==", "!=")), draw.choice(("d1", "None", "y" * 600))),
            (draw.choice(("n", "tag", "tags", "large", "")), "is_empty", None),
        )
    )
    return MetadataFilter(key=key, operator=FilterOperator(name), value=value)


def draw_filters(draw: random.Random) -> MetadataFilters | None:
    if draw.random() < 0.3:
        return None
    count = draw.choice((0, 1, 1, 2, 2, 3))
    condition = draw.choice((*FilterCondition, None))
    return MetadataFilters(filters=[draw_filter(draw) for _ in range(count)], condition=condition)


def draw_step(draw: random.Random) -> dict[str, Any]:
    return {
        "kind": draw.choice(KINDS),
        "nodes": [draw_node(draw) for _ in range(draw.choice((0, 1, 2, 4)))],
        "document": draw.choice(DOCS) or "None",
        "ids": draw.choice((None, None, [], [draw.choice(IDS) for _ in range(3)])),
        "filters": draw_filters(draw),
        "vector": draw_vector(draw),
        "top_k": draw.choice((1, 2, 3, 100)),
        "threshold": draw.choice((None, 0.3, 0.9)),
    }


def do(store: Any, step: dict[str, Any]) -> Any:
    """Does a step on one store; gives what its caller sees."""
    filters = deepcopy(step["filters"])
    match step["kind"]:
        case "add":
            return store.add(deepcopy(step["nodes"]))
        case "delete":
            return store.delete(step["document"])
        case "delete_nodes":
            wanted = step["ids"] is not None or (filters is not None and filters.filters)
            return store.delete_nodes(step["ids"], filters) if wanted else None
        case "clear":
            return store.clear()
    is_near = step["kind"] == "nearest"
    query = VectorStoreQuery(
        query_embedding=step["vector"],
        similarity_top_k=step["top_k"],
        node_ids=step["ids"] or None,
        filters=filters,
        mode=VectorStoreQueryMode.DEFAULT if is_near else VectorStoreQueryMode.MMR,
    )
    options = {} if is_near else {"mmr_threshold": step["threshold"], "mmr_prefetch_k": 1_000}
    return store.query(query, **options)


def compare(ours: Any, theirs: Any, step: dict[str, Any]) -> str | None:
    """Does a step on both; says how they differ."""
    is_near = step["kind"] == "nearest"
    expected = do(theirs, {**step, "top_k": 1_000} if is_near else step)
    found = do(ours, step)
    if not is_near and step["kind"] != "diverse":
        return None if found == expected else f"{found!r}\n  not {expected!r}"
    if [node.node_id for node in found.nodes] != found.ids:
        return f"ids that are not those of the nodes: {found!r}"
    if is_near:
        return closest(ranked(found), ranked(expected), step["top_k"])
    scores = zip(found.similarities, expected.similarities, strict=True)
    is_same = found.ids == expected.ids and all(abs(one - other) <= NEAR for one, other in scores)
    return None if is_same else f"{found!r}\n  not {expected!r}"


def ranked(result: Any) -> list[Ranked]:
    """Gives the ids and scores of what a query has found: the other store keeps no nodes."""
    return [(one, None, score) for one, score in zip(result.ids, result.similarities, strict=True)]


@pytest.mark.timeout(1800)
def test_random_operations_agree_with_the_simple_store(server: RealServer) -> None:
    with Client(server.address, namespace=f"t-{uuid4().hex}") as client:

        def play(steps: Sequence[dict[str, Any]]) -> str | None:
            ours = SidecarVectorStore(client, collection_id=uuid4().hex)
            theirs = SimpleVectorStore()
            nodes: dict[str, TextNode] = {}
            for step in steps:
                difference = compare(ours, theirs, step)
                if difference is not None:
                    return f"{step}\n  {difference}"
                if step["kind"] == "add":
                    nodes.update({node.node_id: node for node in step["nodes"]})
                nodes = {key: nodes[key] for key in theirs.data.embedding_dict}
                if step["kind"] == "delete_nodes":
                    stored = {node.node_id: node for node in ours.get_nodes()}
                    if stored != nodes:
                        return f"{step}\n  leaves {stored!r}\n  not    {nodes!r}"
            return None

        differ("LlamaIndex", "vector store", draw_step, play, 800)
