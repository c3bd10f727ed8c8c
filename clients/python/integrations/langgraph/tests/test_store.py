"""The store beside what the suites of LangGraph ask: a differential test, ttl, embedding by the
server, limits, erasure."""

from __future__ import annotations

import os
import random
import time
from typing import Any

import pytest
from integration import erase
from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore
from memorysidecar import Client, Invalid

from memorysidecar_langgraph import SidecarStore

LABELS = ("a", "b", "A", "a*", "a%", "ü", "x y")
KEYS = ("k", "K", "1", "10", "2", "-")
TTL = 5
"""Seconds that items live without a read: longer than a busy machine stands still."""


def shown(result: Any) -> Any:
    """Gives the parts of a result that both stores must agree on. Searches promise no order."""
    if result is None or isinstance(result, tuple):
        return result
    if isinstance(result, list):
        return sorted(repr(shown(one)) for one in result)
    return result.namespace, result.key, result.value


def random_op(draw: random.Random) -> Any:
    namespace = tuple(draw.choices(LABELS, k=draw.randint(1, 3)))
    kind = draw.randrange(8)
    if kind < 4:
        value = {"n": draw.randrange(5), "tag": draw.choice(KEYS), "in": {"m": draw.randrange(3)}}
        is_gone = draw.random() < 0.2
        return PutOp(namespace, draw.choice(KEYS), None if is_gone else value)
    if kind == 4:
        return GetOp(namespace, draw.choice(KEYS))
    if kind == 5:
        wanted = [
            None,
            {"n": draw.randrange(5)},
            {"n": {"$gte": 2, "$lt": 4}},
            {"tag": {"$ne": "k"}, "in": {"m": 1}},
        ]
        prefix = namespace[: draw.randint(0, 2)]
        return SearchOp(prefix, filter=draw.choice(wanted), limit=10_000)
    conditions = [
        None,
        (MatchCondition("prefix", namespace[:1]),),
        (MatchCondition("suffix", namespace[-1:]),),
        (MatchCondition("prefix", ("*", *namespace[1:])), MatchCondition("suffix", ("a",))),
    ]
    return ListNamespacesOp(
        match_conditions=draw.choice(conditions),
        max_depth=draw.choice([None, 1, 2]),
        limit=10_000,
    )


def test_random_operations_agree_with_the_store_in_memory(client: Client) -> None:
    seed = int(os.environ.get("TEST_SEED", random.randrange(2**32)))
    depth = int(os.environ.get("TEST_DEPTH", "1"))
    print(f"TEST_SEED={seed}")
    draw = random.Random(seed)
    ours, theirs = SidecarStore(client), InMemoryStore()
    for _ in range(400 * depth):
        ops = [random_op(draw) for _ in range(draw.randint(1, 20))]
        # The store in memory lists namespaces that a read made, and those whose items are gone.
        for namespace in [name for name, items in theirs._data.items() if not items]:
            del theirs._data[namespace]
        if isinstance(ops[0], ListNamespacesOp):
            ops = ops[:1]
        else:
            ops = [op for op in ops if not isinstance(op, ListNamespacesOp)]
        expected = theirs.batch(ops)
        for op, found, wanted in zip(ops, ours.batch(ops), expected, strict=True):
            assert shown(found) == shown(wanted), (seed, op)


def test_the_embedder_of_the_server_finds_items_by_their_meaning(client: Client) -> None:
    store = SidecarStore(client, index={"fields": ["text", "notes[*]"]})
    store.put(("u", "ana"), "1", {"text": "She lives in Berlin.", "notes": ["likes bread"]})
    store.put(("u", "ana"), "2", {"text": "The invoice is 1,070 euros."})
    store.put(("u", "bob"), "3", {"text": "He lives in Porto."})
    store.put(("u", "ana"), "4", {"other": 1})
    store.put(("u", "ana"), "5", {"text": "She lives in Rome."}, index=False)
    found = store.search(("u", "ana"), query="Where does she live?", limit=2)
    assert found[0].key == "1"
    assert found[0].score is not None
    assert {item.key for item in store.search(("u", "ana"), query="lives")} == {"1", "2", "4", "5"}
    store.put(("u", "ana"), "1", {"text": "She moved to Kyoto."})
    [best] = store.search(("u", "ana"), query="bread in Berlin", limit=1)
    assert "Berlin" not in repr(best.value)
    store.delete(("u", "ana"), "1")
    assert "1" not in {item.key for item in store.search(("u", "ana"), query="Kyoto")}


def test_a_search_by_vectors_finds_no_vector_where_there_is_none(client: Client) -> None:
    def embed(size: int) -> dict[str, Any]:
        return {"dims": size, "embed": lambda texts: [[1.0] * size for _ in texts]}

    store = SidecarStore(client, index=embed(3))
    assert store.search(("u",), query="home") == []
    store.put(("u",), "1", {"text": "Berlin"}, index=False)
    assert [(item.key, item.score) for item in store.search(("u",), query="home")] == [("1", None)]
    store.put(("u",), "1", {"text": "Berlin"})
    with pytest.raises(Invalid, match='"langgraph" with 3 values'):
        SidecarStore(client, index=embed(2)).search(("u",), query="home")


def documents_of(client: Client) -> list[Any]:
    return list(client.list_documents(collection_id="langgraph.store"))


def test_items_expire_and_reads_refresh_them(client: Client) -> None:
    store = SidecarStore(client, ttl={"default_ttl": TTL / 60, "refresh_on_read": True})
    store.put(("t",), "read", {"v": 1})
    store.put(("t",), "left", {"v": 1})
    store.put(("t",), "kept", {"v": 1}, ttl=None)
    until = time.monotonic() + 2 * TTL
    while len(items := store.search(("t",), refresh_ttl=False)) == 3:
        assert time.monotonic() < until
        assert store.get(("t",), "read") is not None
        time.sleep(0.3)
    assert {item.key for item in items} == {"read", "kept"}
    assert store.get(("t",), "left") is None


def test_texts_expire_and_live_on_with_their_items(client: Client) -> None:
    ttl = {"default_ttl": TTL / 60, "refresh_on_read": True}
    store = SidecarStore(client, index={"fields": ["a", "b"]}, ttl=ttl)
    long_key = "k" * 2_000
    for key in ("got", "found", long_key, "left"):
        store.put(("t",), key, {"a": f"a pear for {key[:5]}", "b": "a plum"})
    store.put(("t",), "kept", {"a": "an apple", "b": "a plum"}, ttl=None)
    until = time.monotonic() + 2 * TTL
    while len(documents := documents_of(client)) > 8:
        assert time.monotonic() < until
        assert store.get(("t",), "got") is not None
        assert store.search(("t",), query="pear for found", limit=1)[0].key == "found"
        assert store.get(("t",), long_key) is not None
        time.sleep(0.3)
    assert sorted(one.text for one in documents if one.text != "a plum") == [
        "a pear for found",
        "a pear for got",
        "a pear for kkkkk",
        "an apple",
    ]
    assert len(documents) == 8
    store.put(("t",), "found", {"a": "a pear", "b": "a plum"}, ttl=None)
    assert not any(one.HasField("ttl") for one in documents_of(client) if one.record.key == "found")


def test_texts_go_with_their_items(client: Client) -> None:
    store = SidecarStore(client, index={"fields": ["a[*]"]})

    def texts() -> list[str]:
        return sorted(one.text for one in documents_of(client))

    store.put(("t",), "one", {"a": ["a pear", "a plum"]})
    store.put(("t",), "two", {"a": ["an apple"]})
    store.put(("t",), "one", {"a": ["a pear"]})
    assert texts() == ["a pear", "an apple"]
    [pear, _] = documents_of(client)
    client.delete_record(pear.record.path, pear.record.key)
    assert texts() == ["an apple"]
    store.put(("t",), "two", {"a": ["an apple"]}, index=False)
    assert texts() == []


def test_limits_are_said(client: Client) -> None:
    store = SidecarStore(client)
    with pytest.raises(ValueError, match=r"4\d{6} bytes as JSON; at most 4128768"):
        store.put(("t",), "k", {"v": "x" * 4_200_000})
    found = SidecarStore(client, index={"fields": ["a[*]"]})
    with pytest.raises(ValueError, match="257 texts to search by; at most 256"):
        found.put(("t",), "k", {"a": [f"text {at}" for at in range(257)]})
    with pytest.raises(ValueError, match="the value and the texts of 'k'"):
        found.put(("t",), "k", {"a": ["x" * 900_000], "v": "x" * 2_500_000})
    with pytest.raises(ValueError, match="254 bytes"):
        store.put(("x" * 255,), "k", {"v": 1})
    with pytest.raises(ValueError, match=r"\$in"):
        store.put(("t",), "k", {"v": 1})
        store.search(("t",), filter={"v": {"$in": [1]}})


def test_keys_may_have_any_length(client: Client) -> None:
    store = SidecarStore(client)
    key = "k" * 2_000
    store.put(("t",), key, {"v": 1})
    assert store.get(("t",), key).key == key
    assert [item.key for item in store.search(("t",))] == [key]


def test_numbers_and_order_of_keys_are_exact(client: Client) -> None:
    store = SidecarStore(client)
    value = {"z": 9007199254740993, "a": 1, "f": 1.0, "nested": {"b": None, "a": [1, "ü"]}}
    store.put(("t",), "k", value)
    found = store.get(("t",), "k").value
    assert repr(found) == repr(value)


def test_a_user_is_erased_with_the_items(client: Client) -> None:
    store = SidecarStore(client, index={}, user_of=lambda namespace: namespace[1])
    store.put(("memories", "ana"), "1", {"text": "lives in Berlin"})
    store.put(("memories", "bob"), "2", {"text": "lives in Porto"})
    erase(client, "ana")
    assert [item.key for item in store.search((), query="lives in Berlin")] == ["2"]


def test_many_puts_and_large_ones_are_split(client: Client) -> None:
    store = SidecarStore(client)
    ops = [PutOp(("t", str(n % 7)), str(n), {"n": n, "x": "x" * 20_000}) for n in range(600)]
    store.batch(ops)
    assert len(store.search(("t",), limit=1_000)) == 600
    assert len(store.list_namespaces(prefix=("t",))) == 7
