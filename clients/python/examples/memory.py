"""Follows what an agent knows of a person over a year, in every way, and meets the errors.

    python memory.py ADDRESS

Works in a namespace of its own and forgets what it remembered.
"""

from __future__ import annotations

import json
import secrets
import sys
import time
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

from memorysidecar import (
    Client,
    ErrorReason,
    MemorySidecarError,
    MemoryTools,
    export_memories,
    import_memories,
    memory_block,
    policy,
    v1,
)

ANA: dict[str, Any] = {"user_id": "ana"}


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


def day(month: int, number: int = 1) -> datetime:
    """A day of the year of the story."""
    return datetime(2026, month, number, tzinfo=timezone.utc)


def changing(client: Client) -> str:
    """A fact changes over time; it is asked for now, then, and as it was known then."""
    print("== A fact that changes")
    home: dict[str, Any] = {"kind": "fact", "key": "home_city", **ANA}
    client.remember({**home, "text": "Ana lives in Porto.", "valid_from_time": day(1)})
    knew = datetime.now(timezone.utc)
    # The clock of the server counts milliseconds.
    time.sleep(0.01)
    moved = client.remember(
        {**home, "text": "Ana lives in Berlin.", "valid_from_time": day(6)}, conflict="supersede"
    )
    berlin = moved.results[0].memory_id
    [porto] = moved.results[0].superseded_memory_ids
    about = {"user_id": "ana", "key": "home_city"}
    [now] = client.list_memories(filter=about)
    [march] = client.list_memories(filter={**about, "valid_at_time": day(3)})
    [known] = client.list_memories(filter=about, as_of_time=knew)
    print(f"of these, {client.count_memories(filter=about).count} now")
    print(f"now: {now.text} in March: {march.text} known before the move: {known.text}")
    assert (now.text, march.text) == ("Ana lives in Berlin.", "Ana lives in Porto.")
    assert known.text == march.text
    ended = client.get_memory(porto)
    print(
        f"{ended.text} ended on {ended.valid_until_time.ToDatetime():%d %b}, "
        f"taken over by {berlin[-4:]}"
    )
    fixed = client.update_memory(
        berlin, text="Ana lives in Berlin, in Neukölln.", reason="she said where"
    )
    states = list(client.list_memory_versions(berlin))
    print("states:", [(one.version, one.text, one.reason) for one in states])
    back = client.restore_memory_version(berlin, 1, etag=fixed.etag, reason="a mistake")
    print(f"restored as state {back.version}: {back.text}")
    expect(ErrorReason.ETAG_MISMATCH, client.update_memory, berlin, text="x", etag=fixed.etag)
    expect(ErrorReason.MEMORY_VERSION_NOT_FOUND, client.restore_memory_version, berlin, 99)
    expect(ErrorReason.MEMORY_NOT_FOUND, client.get_memory, "nobody knows")
    return berlin


def strength(client: Client, memory_id: str) -> None:
    """Repetition raises confidence; without it, confidence decays."""
    print("\n== Surer and less sure")
    again = client.remember({"key": "home_city", "text": "ana lives in berlin", **ANA})
    print("said again:", v1.RememberOutcome.Name(again.results[0].outcome))
    faded = client.decay_memories(filter=ANA, factor=0.5)
    print(f"{faded.decayed_count} decayed to {client.get_memory(memory_id).confidence:.2f}")
    [surer] = client.reinforce_memories(memory_id)
    print(f"reinforced to {surer.confidence:.2f}, said {surer.mention_count} times")
    near = client.remember(
        {"text": "Ana lives in Berlin!!", "key": "home_city", **ANA}, dedupe="similar"
    )
    assert near.results[0].memory_id == memory_id


def graph(client: Client) -> None:
    """Entities and relations."""
    print("\n== Entities and relations")
    made = client.remember(
        [
            {"entity": {"name": "Acme", "type": "organization"}},
            {"entity": {"name": "Acme Incorporated", "attributes": {"founded": "1999"}}},
            {
                "relation": {
                    "subject": "Ana",
                    "predicate": "works_at",
                    "object_value": "Acme Incorporated",
                }
            },
            {"relation": {"subject": "Acme", "predicate": "located_in", "object_value": "Seattle"}},
        ],
        user_id="ana",
    )
    acme, other = made.results[0].memory_id, made.results[1].memory_id
    merged = client.merge_entities(acme, other, reason="the same company")
    print(f"{merged.entity.name}, also {list(merged.entity.aliases)}")
    found = client.query_relations(subject="Ana", max_hops=2, filter=ANA)
    for one in found.relations:
        triple = one.memory.relation
        print(f"   {one.hop}: {triple.subject} --[{triple.predicate}]--> {triple.object_value}")
    assert [one.memory.relation.object_value for one in found.relations][-1] == "Seattle"


def turns(client: Client) -> None:
    """Turns, what they promote, what is found in them, and the context of the next prompt."""
    print("\n== Turns")
    client.create_session(
        session_id="talk",
        user_id="ana",
        policy=policy.sliding_window(max_messages=4),
        memory_policy={
            "promotion": {},
            "episodes": {},
            "extraction": {"targets": [v1.EXTRACTION_TARGET_FACTS]},
        },
    )
    recorded = client.record_turn("talk", "My name is Ana Prado.", "Nice to meet you.")
    print(f"{len(recorded.messages)} messages, episode {recorded.episode_memory_id[-4:]}")
    client.record_turn("talk", "I prefer trains to planes.", "Noted.", turn_time=day(7))
    last = client.record_turn("talk", "My birthday is on 5 May.", "I will remember.")
    print(f"promoted: {[client.get_memory(one).text for one in last.promoted_memory_ids]}")
    early = client.consolidate_session("talk")
    promoted = [client.get_memory(one).text for one in early.promoted_memory_ids]
    print(f"promoted without waiting: {promoted}")
    looked = client.extract_memories("talk", preview=True)
    print("importance:", [(one.rule, one.score) for one in looked.scores])
    text = "I work at Acme and live in Berlin."
    found = client.extract_memories(text=text, preview=True, user_id="ana")
    print("found in a text:", [one.text for one in found.memories])
    for _ in range(100):
        if not list(client.list_tasks(session_id="talk")):
            break
        time.sleep(0.1)
    facts = client.list_memories(filter={"user_id": "ana", "origin": "extraction"})
    print("found in the turns:", [one.text for one in facts])
    expect(ErrorReason.TASK_NOT_FOUND, client.retry_task, "task-none")
    expect(ErrorReason.SESSION_NOT_FOUND, client.record_turn, "nowhere", "hello")


def context(client: Client) -> None:
    """Text for the next prompt."""
    print("\n== Context")
    hits = client.recall("where does Ana live", filter={"kinds": ["memory"], **ANA}).hits
    print("recall finds:", hits[0].memory.text)
    known = {"kinds": ["memory"], **ANA}
    best = client.recall("trains or planes", filter=known, scoring="overlap").hits
    print("overlap finds:", best[0].memory.text if best else "nothing")
    made = client.assemble_context("talk", query="How should Ana travel home?", max_tokens=300)
    print(made.text)
    print(f"{made.token_count} of {made.budget_tokens} tokens, {made.total_cut_count} cut")
    assert made.token_count <= made.budget_tokens
    print(memory_block(client, "ana", top_k=3))


def tools(client: Client) -> None:
    """Tools for a model, export and import."""
    print("\n== Tools, files, forgetting")
    given = MemoryTools(client, user_id="ana")
    print("tools:", [one["name"] for one in given.definitions("anthropic")])
    made = given.call("remember", json.dumps({"content": "Ana collects stamps."}))
    print(given.call("recall", {"query": "stamps", "limit": 1}))
    print(given.call("forget", {"memory_id": made}))
    lines = list(export_memories(client, ANA))
    print(f"{len(lines)} lines exported, the first: {lines[0][:60]}...")
    dry = client.purge_memories(ANA)
    print(f"a purge would forget {dry.memory_count}")
    client.purge_memories(ANA, force=True)
    assert not list(client.list_memories(filter=ANA))
    assert import_memories(client, lines) == len(lines)
    again = [one.memory_id for one in client.list_memories(filter=ANA)]
    assert len(again) == len(lines)
    print(f"forgotten for good: {client.forget_memories(again[:1]).forgotten_count}")


def main() -> None:
    """Runs the chapters."""
    address = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50151"
    with Client(address, namespace=f"memory-{secrets.token_hex(4)}") as client:
        try:
            berlin = changing(client)
            strength(client, berlin)
            graph(client)
            turns(client)
            context(client)
            tools(client)
        finally:
            while client.purge_memories({"everyone": True}, force=True).more:
                pass
            client.delete_session("talk", allow_missing=True)
    print("\nDone.")


if __name__ == "__main__":
    main()
