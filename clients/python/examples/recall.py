"""Recalls a year of dated messages and a few documents, in every way, and meets the errors.

    python recall.py ADDRESS

Works in a namespace of its own and deletes what it made.
"""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from memorysidecar import Client, ErrorReason, MemorySidecarError, v1, where

YEAR = Path(__file__).resolve().parents[3] / "examples" / "year.json"
GUIDE = """Telescope guide

To align the telescope, point it at Polaris and press Align twice.

Cleaning: never touch the mirror. Blow dust away with dry air.

The dome closes by itself when it rains or when the wind passes 60 km/h."""

# Records that Ana may see: without a user, recall finds shared records only.
ANA = {"user_id": "ana"}


def expect(reason: str, call: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Makes a call that must fail, and shows how."""
    try:
        call(*args, **kwargs)
    except MemorySidecarError as error:
        if error.reason != reason:
            raise
        print(f"   {error.code.name} {reason}: {error.message}")
        return
    raise AssertionError(f"the call did not fail with {reason}")


def remember(client: Client) -> list[dict[str, Any]]:
    """Stores the year, each day a session, and gives the questions about it."""
    year = json.loads(YEAR.read_text(encoding="utf-8"))
    for day in year["sessions"]:
        session = {"session_id": day["sessionId"], "user_id": year["userId"]}
        client.create_session(**session, labels=day["labels"])
        messages = [
            {
                "role": one["role"],
                "text": one["text"],
                "sent_time": datetime.fromisoformat(one["sentTime"].replace("Z", "+00:00")),
            }
            for one in day["messages"]
        ]
        client.append(day["sessionId"], messages)
    questions: list[dict[str, Any]] = year["questions"]
    return questions


def show(hit: v1.RecallHit) -> None:
    """Prints a hit with the parts of its score."""
    said = hit.message.message
    parts = ", ".join(
        f"{v1.ScoreFeature.Name(part.feature)[14:].lower()} {part.score:.2f}" for part in hit.parts
    )
    print(f"   {said.sent_time.ToDatetime():%d %b}: {hit.passage}")
    print(f"      score {hit.score:.2f} = {parts}; relevance {hit.relevance:.2f}")


def ask(client: Client, questions: list[dict[str, Any]]) -> None:
    """Asks what the year holds, and checks that the answers are among the first three."""
    for question in questions:
        print(f"\n{question['query']}")
        found = client.recall(question["query"], filter=ANA, page_size=3)
        show(found.hits[0])
        places = [(hit.message.session_id, hit.message.message.seq) for hit in found.hits]
        assert (question["sessionId"], question["seq"]) in places, (question, places)


def narrow(client: Client) -> None:
    """Filters, context, sessions, pages, modes."""
    print("\n== Narrower")
    work = client.recall(
        "what was wrong with the drift",
        filter={**ANA, "session_labels": {"topic": "work"}, "roles": ["ROLE_USER"]},
        context_before=1,
        context_after=1,
    )
    first = work.hits[0].message
    around = [*first.before, first.message, *first.after]
    print("with its neighbors:", " | ".join(one.text[:40] for one in around))
    days = client.recall("Iceland", filter=ANA, group_by_session=2)
    print("days about Iceland:", [day.session_id for day in days.sessions])
    page = client.recall("telescope", filter=ANA, page_size=2)
    more = client.recall("telescope", filter=ANA, page_size=2, page_token=page.next_page_token)
    print(f"two pages: {len(page.hits)} and {len(more.hits)} hits")
    for mode in ("lexical", "dense", "hybrid"):
        hits = client.recall("a place to live", filter=ANA, mode=mode, page_size=1).hits
        print(f"{mode}: {hits[0].passage[:60] if hits else 'nothing'}")
    none = client.recall("How do I bake sourdough bread?", filter=ANA, min_relevance=0.3)
    print(f"what nobody talked about: {len(none.hits)} hits")
    print(f"looked at everything: {work.coverage.complete}")
    expect(ErrorReason.REQUEST_INVALID, client.recall, "x", diversity=2)
    expect(ErrorReason.EMBEDDING_MISMATCH, client.recall, embedding=[1.0, 0.0])


def documents(client: Client) -> None:
    """Documents: write, split, list, search, delete."""
    print("\n== Documents")
    written = client.upsert_documents(
        [
            {"document_id": "guide", "text": GUIDE, "metadata": {"kind": "manual", "pages": 3}},
            {"document_id": "menu", "text": "Tuesday: soup. Friday: fish.", "trust": v1.TRUST_LOW},
        ],
        chunk_chars=90,
        overlap_chars=0,
    )
    print(
        f"written: {[(one.document_id, list(one.chunk_document_ids)) for one in written.documents]}"
    )
    here = {"collection_ids": ["default"]}
    [best] = client.recall("how to clean the mirror", filter=here, page_size=1).hits
    print(f"{best.document.document_id}: {best.document.text!r}")
    manual = {"metadata": [where("kind", equals="manual"), where("pages", at_least=2, below=10)]}
    listed = client.list_documents(filter=manual)
    print(f"of the manual: {[one.document_id for one in listed]}")
    exact = client.recall("fish soup", filter=here, scoring="tf_idf", page_size=1).hits
    print(f"by tf-idf: {exact[0].document.document_id} {exact[0].score:.3f}")
    [vector] = client.embed("dusty optics")
    near = client.recall(embedding=vector, filter=here, scoring="cosine", page_size=1).hits
    print(f"by vector of {len(vector.values)} values ({vector.model}): {near[0].document.text!r}")
    client.upsert_documents(
        {"document_id": "own", "text": "own vector", "embedding": [3.0, 4.0]}, collection_id="mine"
    )
    news_text = {"document_id": "news", "text": "rain", "ttl": 60, "payload": '{"id":1.50}'}
    client.upsert_documents(news_text, collection_id="mine")
    payload = client.get_document("news", collection_id="mine", include_payload=True).payload
    print(f"kept beside the text: {payload.media_type} {payload.data.decode()}")
    [news] = client.refresh_documents("news", collection_id="mine")
    print(f"{news.document_id} expires: {news.HasField('expire_time')}")
    client.upsert_documents("snow", collection_id="mine/winter")
    below = {"collection_ids": ["mine"], "recursive_collections": True}
    deep = client.recall("snow", filter=below, page_size=1).hits
    print(f"found below: {deep[0].document.collection_id}")
    client.clear_collection("mine/winter", recursive=True)
    own = client.get_document("own", collection_id="mine", include_embedding=True)
    print(f"stored at length 1: {[round(x, 3) for x in own.embedding.values]}")
    counts = {one.collection_id: one.document_count for one in client.list_collections()}
    print(f"collections: {counts}")
    both = client.recall("When does the dome close?", filter=ANA, page_size=2)
    print(f"recall finds documents, too: {[hit.WhichOneof('record') for hit in both.hits]}")
    expect(ErrorReason.DOCUMENT_NOT_FOUND, client.get_document, "nowhere")
    gone = client.delete_documents("guide")
    print(f"deleted {gone.deleted_count} chunks of the guide")
    everyone = {"everyone": True}
    total = client.count_documents(collection_id="mine", filter=everyone)
    dry = client.purge_documents("mine", {**everyone, "labels": {"state": "old"}})
    print(f"of {total.count} documents {dry.document_count} would be purged")
    items = client.count_items(label_key="state", filter=everyone, max_groups=3)
    print(f"{items.document_count} documents, {items.without_value_count} items have no state")
    cleared = client.clear_collection("mine")
    print(f"cleared {cleared.deleted_count} documents of another collection")
    counted = client.count_tokens(["How long is this?"], token_rule=v1.TOKEN_RULE_O200K)
    print(f"tokens: {counted.total_token_count}")


def main() -> None:
    """Runs the chapters."""
    address = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50151"
    with Client(address, namespace=f"year-{secrets.token_hex(4)}") as client:
        try:
            questions = remember(client)
            ask(client, questions)
            narrow(client)
            documents(client)
        finally:
            for session in client.list_sessions():
                client.delete_session(session.session_id)
            client.clear_collection("default")
    print("\nDone.")


if __name__ == "__main__":
    main()
