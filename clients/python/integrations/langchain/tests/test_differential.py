"""Random operations on the vector store that LangChain keeps in memory, and on ours."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

import pytest
from differential import Ranked, closest, differ
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from memorysidecar import Client
from real import RealServer

from memorysidecar_langchain import SidecarVectorStore

IDS = ("a", "b", "c/d", "ü %", "\n", "#", "_", "x" * 600)
TEXTS = (*(f"text {number}" for number in range(30)), "", "\N{GRINNING FACE}\0")
KINDS = ("add", "add", "delete", "get", "search", "search", "filter", "filter", "mmr", "vector")


class Seeded(Embeddings):
    """Gives each text a vector of its own."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        draw = random.Random(text)
        return [draw.gauss(0, 1) for _ in range(16)]


def draw_metadata(draw: random.Random) -> dict[str, Any]:
    all_of = {
        "n": draw.choice((0, 1, 2, -1, 1.5)),
        "tag": draw.choice(("a", "b", "ab", "ü")),
        "is": draw.choice((True, False, None)),
        "deep": {"x": draw.randrange(3)},
        "tags": draw.sample(("a", "b", "c"), draw.randrange(3)),
    }
    return {key: value for key, value in all_of.items() if draw.random() < 0.7}


def draw_filter(draw: random.Random, depth: int = 0) -> dict[str, Any]:
    kind = draw.randrange(9 if depth < 2 else 6)
    path = draw.choice(("n", "deep.x"))
    if kind == 0:
        return {draw.choice(("tag", "tags")): draw.choice(("a", "b"))}
    if kind == 1:
        return {"is": draw.choice((True, None))}
    if kind == 2:
        return {path: {draw.choice(("$gt", "$gte", "$lt", "$lte")): draw.choice((0, 1, 1.5))}}
    if kind == 3:
        return {"tag": {draw.choice(("$in", "$nin")): draw.sample(["a", "ü", None], 2)}}
    if kind == 4:
        return {"tag": {"$contains": "b", "$startswith": "a"}, path: {"$exists": True}}
    if kind == 5:
        return {path: {"$ne": draw.choice((0, 1, None))}}
    if kind == 6:
        return {"$not": draw_filter(draw, depth + 1)}
    group = "$and" if kind == 7 else "$or"
    return {group: [draw_filter(draw, depth + 1) for _ in range(2)]}


def passes(wanted: Mapping[str, Any], metadata: Mapping[str, Any]) -> bool:
    """Tells what a filter means, in other words than those of the store."""
    for key, value in wanted.items():
        if key == "$not":
            fits = not passes(value, metadata)
        elif key in ("$and", "$or"):
            fits = (all if key == "$and" else any)(passes(one, metadata) for one in value)
        else:
            tests = value if isinstance(value, dict) else {"$eq": value}
            found: Any = metadata
            for name in key.split("."):
                found = found[name] if isinstance(found, dict) and name in found else ...
            values = found if isinstance(found, list) else [found]
            fits = all(holds(name, values, limit, found) for name, limit in tests.items())
        if not fits:
            return False
    return True


def holds(name: str, values: list[Any], limit: Any, found: Any) -> bool:
    def is_same(limit: Any) -> bool:
        if limit is None:
            return found is ... or None in values
        return any(
            one == limit and isinstance(one, bool) == isinstance(limit, bool) for one in values
        )

    match name:
        case "$eq" | "$ne":
            return is_same(limit) == (name == "$eq")
        case "$in" | "$nin":
            return any(map(is_same, limit)) == (name == "$in")
        case "$exists":
            return (found is not ...) == limit
        case "$contains":
            return any(isinstance(one, str) and limit in one for one in values)
        case "$startswith":
            return any(isinstance(one, str) and one.startswith(limit) for one in values)
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        return False
    order = {"$gt": found > limit, "$gte": found >= limit, "$lt": found < limit}
    return order.get(name, found <= limit)


def draw_step(draw: random.Random) -> dict[str, Any]:
    count = draw.choice((1, 1, 2, 3))
    return {
        "kind": draw.choice(KINDS),
        "ids": [draw.choice(IDS) for _ in range(count)],
        "texts": [draw.choice(TEXTS) for _ in range(count)],
        "metadatas": [draw_metadata(draw) for _ in range(count)],
        "filter": draw_filter(draw),
        "k": draw.choice((0, 1, 2, 4, 100)),
        "lambda": draw.choice((0.3, 0.5, 0.9)),
    }


def ranked(scored: list[tuple[Document, float]]) -> list[Ranked]:
    return [(document.id, document, score) for document, score in scored]


def do(
    step: Mapping[str, Any], ours: SidecarVectorStore, theirs: InMemoryVectorStore
) -> str | None:
    """Does a step on both; says how they differ."""
    ids, texts, k = step["ids"], step["texts"], step["k"]
    match step["kind"]:
        case "add":
            documents = [
                Document(id=name, page_content=text, metadata=metadata)
                for name, text, metadata in zip(ids, texts, step["metadatas"], strict=True)
            ]
            found, expected = ours.add_documents(documents), theirs.add_documents(documents)
        case "delete":
            ours.delete(ids)
            theirs.delete(ids)
            return None
        case "get":
            found, expected = ours.get_by_ids(ids), theirs.get_by_ids(ids)
        case "mmr":
            # A document that equals the query makes all others of equal worth at 0.5.
            query, more = f"query {k}", {"fetch_k": 1_000, "lambda_mult": step["lambda"]}
            found, expected = (
                [one.page_content for one in store.max_marginal_relevance_search(query, k, **more)]
                for store in (ours, theirs)
            )
        case "vector":
            vector = Seeded().embed_query(texts[0])
            truth = theirs.similarity_search_with_score_by_vector(vector, 1_000)
            scored = ours.similarity_search_with_score_by_vector(vector, k)
            return closest(ranked(scored), ranked(truth), k)
        case kind:
            wanted = step["filter"] if kind == "filter" else {}
            truth = theirs.similarity_search_with_score(
                texts[0], 1_000, filter=lambda document: passes(wanted, document.metadata)
            )
            scored = ours.similarity_search_with_score(texts[0], k, filter=wanted)
            return closest(ranked(scored), ranked(truth), k)
    return None if found == expected else f"{found!r}\n  not {expected!r}"


@pytest.mark.timeout(1800)
def test_random_operations_agree_with_the_store_in_memory(server: RealServer) -> None:
    with Client(server.address, namespace=f"t-{uuid4().hex}") as client:

        def play(steps: Sequence[dict[str, Any]]) -> str | None:
            ours = SidecarVectorStore(client, Seeded(), collection_id=uuid4().hex)
            theirs = InMemoryVectorStore(Seeded())
            for step in steps:
                difference = do(step, ours, theirs)
                if difference is not None:
                    return f"{step}\n  {difference}"
            return None

        differ("LangChain", "vector store", draw_step, play)
