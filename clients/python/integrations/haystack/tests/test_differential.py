"""Random operations on the store that Haystack keeps in memory, and on ours."""

from __future__ import annotations

import random
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from differential import Ranked, closest, differ
from haystack import Document
from haystack.dataclasses import ByteStream, SparseEmbedding
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.document_stores.types import DuplicatePolicy
from memorysidecar import Client
from real import RealServer

from memorysidecar_haystack import SidecarDocumentStore

IDS = ("a", "b", "c/d", "ü %", "\n", "#", "x" * 600)
KINDS = ("write",) * 3 + ("delete", "delete_matching", "update", "count", "unique", "all")
KINDS += ("filter",) * 5 + ("nearest",) * 3
DATES = ("2024-01-02", "2024-01-02T00:00:00", "2024-01-02T01:00:00+01:00", "2025-05-05T10:00:00Z")


def draw_vector(draw: random.Random) -> list[float]:
    return [draw.gauss(0, 1) for _ in range(8)]


def draw_meta(draw: random.Random) -> dict[str, Any]:
    meta = {
        "n": draw.choice((0, 1, 2, -1, 1.5, True, None)),
        "tag": draw.choice(("a", "b", "ab", "ü", "x" * 300)),
        "is": draw.choice((True, False, None, 1)),
        "deep": draw.choice(({"x": draw.randrange(3)}, None)),
        "tags": draw.sample(("a", "b", "c"), draw.randrange(3)),
        "date": draw.choice(DATES),
    }
    if draw.random() < 0.05:
        meta["large"] = {str(number): "y" * 200 for number in range(200)}
    return {key: value for key, value in meta.items() if key == "large" or draw.random() < 0.7}


def draw_document(draw: random.Random) -> Document:
    return Document(
        id=draw.choice(IDS),
        content=draw.choice((None, "", f"text {draw.randrange(9)}", "😀\0")),
        blob=draw.choice((None, None, ByteStream(b"\xff\0", mime_type="image/png"))),
        meta=draw_meta(draw),
        embedding=draw.choice((None, draw_vector(draw), draw_vector(draw))),
        sparse_embedding=draw.choice((None, None, SparseEmbedding([1, 5], [0.5, 0.25]))),
    )


def draw_filter(draw: random.Random, depth: int = 0) -> dict[str, Any]:
    kind = draw.randrange(11 if depth < 3 else 7)
    number = draw.choice(("meta.n", "meta.deep.x", "n"))
    date = draw.choice(DATES)
    if kind < 7:
        field, name, value = (
            ("meta.tag", draw.choice(("==", "!=")), draw.choice(("a", "ü", None, "x" * 300))),
            ("meta.tag", draw.choice(("in", "not in")), draw.sample(["a", "ü", "ab", None], 2)),
            ("meta.is", draw.choice(("==", "!=")), draw.choice((True, None, 0))),
            (number, draw.choice((">", ">=", "<", "<=")), draw.choice((0, 1, 1.5, True))),
            (number, *draw.choice((("==", 1), ("!=", 0), ("in", [1, 2]), ("not in", [0, None])))),
            (*draw.choice((("meta.date", ">"), ("meta.date", "=="), ("meta.tag", "=="))), date),
            (*draw.choice((("id", "=="), ("meta.tags", "=="))), draw.choice(("a", ["a"]))),
        )[kind]
        return {"field": field, "operator": name, "value": value}
    operator = ("AND", "OR", "NOT")[kind % 3]
    conditions = [draw_filter(draw, depth + 1) for _ in range(draw.choice((1, 2, 3)))]
    return {"operator": operator, "conditions": conditions}


def draw_step(draw: random.Random) -> dict[str, Any]:
    policies = (DuplicatePolicy.OVERWRITE, DuplicatePolicy.OVERWRITE, DuplicatePolicy.SKIP)
    policy = draw.choice((*policies, DuplicatePolicy.FAIL, DuplicatePolicy.NONE))
    fails = policy in (DuplicatePolicy.FAIL, DuplicatePolicy.NONE)
    # A write that fails leaves what came before in memory; ours leaves nothing.
    count = 1 if fails else draw.choice((1, 2, 3))
    return {
        "kind": draw.choice(KINDS),
        "documents": [draw_document(draw) for _ in range(count)],
        "policy": policy,
        "ids": [draw.choice(IDS) for _ in range(2)],
        "filters": draw.choice((draw_filter(draw), draw_filter(draw), None, {})),
        "vector": draw_vector(draw),
        "top_k": draw.choice((0, 1, 3, 100)),
        "meta": draw.choice(({"n": 7}, {"tag": "ab"})),
        "flag": draw.random() < 0.5,
    }


def by_id(documents: list[Document]) -> list[Document]:
    """Sorts documents: those that were replaced have other places."""
    return sorted(documents, key=lambda document: document.id)


def do(store: Any, step: dict[str, Any]) -> Any:
    """Does a step on one store; gives what its caller sees."""
    filters = deepcopy(step["filters"])
    try:
        match step["kind"]:
            case "write":
                return store.write_documents(deepcopy(step["documents"]), step["policy"])
            case "delete":
                return store.delete_documents(step["ids"])
            case "delete_matching":
                return store.delete_by_filter(filters) if filters and step["flag"] else None
            case "update":
                return store.update_by_filter(filters, step["meta"]) if filters else None
            case "count":
                return store.count_documents(), store.count_documents_by_filter(filters or {})
            case "unique":
                fields = ["n", "meta.tag", "tags"]
                values = store.get_metadata_field_unique_values("is", filters=filters)
                return store.count_unique_metadata_by_filter(filters or {}, fields), repr(values)
            case "all":
                return store.get_metadata_field_min_max("tag"), sorted(
                    store.get_metadata_fields_info()
                )
            case "nearest":
                return store.embedding_retrieval(
                    step["vector"], filters, step["top_k"], step["flag"], step["flag"]
                )
            case _:
                return by_id(store.filter_documents(filters))
    except DuplicateDocumentError as error:
        return type(error)


def compare(ours: Any, theirs: Any, step: dict[str, Any]) -> str | None:
    """Does a step on both; says how they differ."""
    if step["kind"] == "nearest":
        truth = do(theirs, {**step, "top_k": 1_000})
        return closest(ranked(do(ours, step)), ranked(truth), step["top_k"])
    expected, found = do(theirs, step), do(ours, step)
    return None if found == expected else f"{found!r}\n  not {expected!r}"


def ranked(documents: list[Document]) -> list[Ranked]:
    return [(one.id, replace(one, score=None), one.score) for one in documents]


@pytest.mark.timeout(1800)
@pytest.mark.filterwarnings("ignore:.*[Mm]utat")
def test_random_operations_agree_with_the_store_in_memory(server: RealServer) -> None:
    with Client(server.address, namespace=f"t-{uuid4().hex}") as client:

        def play(steps: Sequence[dict[str, Any]]) -> str | None:
            ours = SidecarDocumentStore(client=client, collection_id=uuid4().hex)
            theirs = InMemoryDocumentStore(embedding_similarity_function="cosine")
            for step in steps:
                difference = compare(ours, theirs, step)
                if difference is not None:
                    return f"{step}\n  {difference}"
            return None

        differ("Haystack", "document store", draw_step, play)
