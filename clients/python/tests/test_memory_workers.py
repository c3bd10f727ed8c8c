"""Workers for long-term memory: they find facts, score texts and settle contradictions."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from hooks import FINDER, JUDGE, SCORER, hooked, memory
from real import RealServer

import memorysidecar as ms
from memorysidecar import AsyncClient, AsyncWorker, Client, Worker, policy, v1

__all__ = ["hooked", "memory"]


@contextlib.contextmanager
def at_work(worker: Worker) -> Iterator[None]:
    """Runs a worker beside what asks for its work; its tasks are over when this ends."""
    running = threading.Thread(target=worker.run)
    running.start()
    try:
        yield
    finally:
        worker.stop()
        # A poll that is under way ends with a task.
        with contextlib.suppress(ms.MemorySidecarError):
            worker._client.extract_memories(text="end", extraction=FINDER, preview=True, timeout=3)
        running.join(30)
    assert not running.is_alive()


def find(task: v1.ExtractInput) -> dict[str, Any]:
    """Finds a fact in each message that has an otter."""
    said = [(one.text, [one.message_id]) for one in task.messages] or [(task.text, [])]
    return {
        "facts": [
            {"text": text.upper(), "key": "animal", "importance": 0.9, "message_ids": [*ids, "no"]}
            for text, ids in said
            if "otter" in text
        ],
        "entities": [{"name": "Otter", "type": "animal"}, {"name": ""}],
    }


def test_a_worker_finds_facts_in_a_text_and_after_turns(memory: Client) -> None:
    asked: list[v1.ExtractInput] = []

    def extract(task: v1.ExtractInput) -> dict[str, Any]:
        asked.append(task)
        return find(task)

    with at_work(Worker(memory, FINDER, extract=extract)):
        how = {"hook": FINDER, "targets": ["facts", "entities"], "instructions": "animals"}
        shown = memory.extract_memories(text="one otter", extraction=how, preview=True)
        assert [one.text for one in shown.memories] == ["ONE OTTER", "Otter [animal]"]
        assert shown.rejected_count == 1 and not list(
            memory.list_memories(filter={"everyone": True})
        )
        assert asked[0].text == "one otter" and asked[0].transcript == "USER: one otter"
        assert asked[0].instructions == "animals" and len(asked[0].targets) == 2
        extraction = {"hook": FINDER}
        memory.create_session(
            session_id="s", user_id="ana", memory_policy={"extraction": extraction}
        )
        memory.record_turn("s", "I saw an otter", "Where?")
        deadline = time.monotonic() + 20
        while not (facts := list(memory.list_memories(filter={"everyone": True, "key": "animal"}))):
            assert time.monotonic() < deadline
            time.sleep(0.05)
    assert (facts[0].text, facts[0].user_id) == ("I SAW AN OTTER", "ana")
    assert facts[0].trust == v1.TRUST_LOW and facts[0].source.hook == FINDER
    assert list(facts[0].source.message_ids) == [asked[1].messages[0].message_id]


def test_what_is_no_finding_gives_the_task_back(memory: Client) -> None:
    calls: list[int] = []

    def extract(task: v1.ExtractInput) -> Any:
        calls.append(1)
        return "an otter" if len(calls) == 1 else find(task)

    with at_work(Worker(memory, FINDER, extract=extract)):
        # The client asks again: the first answer of the worker was of no form.
        found = memory.extract_memories(text="an otter", extraction=FINDER)
        assert [one.text for one in found.memories][:1] == ["AN OTTER"]
        assert len(calls) == 2


def test_a_worker_scores_what_leaves_the_window(memory: Client) -> None:
    def score(texts: list[str]) -> list[float]:
        return [0.9 if "otter" in text else 0.1 for text in texts]

    worker = Worker(memory, [SCORER, FINDER], score=score, extract=find)
    with at_work(worker):
        memory.create_session(
            session_id="s",
            user_id="ana",
            policy=policy.sliding_window(max_messages=2),
            memory_policy={
                "promotion": {
                    "selection": "any_text",
                    "score_hook": SCORER,
                    "importance_threshold": 0.7,
                },
            },
        )
        for said in ("Nothing new.", "An otter!", "Bye."):
            memory.record_turn("s", said, "Yes.")
        kept = {"user_id": "ana", "origin": "promotion"}
        deadline = time.monotonic() + 20
        while not (facts := list(memory.list_memories(filter=kept))):
            assert time.monotonic() < deadline
            time.sleep(0.05)
    assert [(one.text, one.importance) for one in facts] == [("An otter!", 0.9)]


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("supersede", ["Tea at six."]),
        ("drop", ["Tea at five."]),
        ("keep_both", ["Tea at five.", "Tea at six."]),
        ({"text": "Tea at five or six."}, ["Tea at five or six."]),
        # No answer: both stay.
        ("whatever", ["Tea at five.", "Tea at six."]),
    ],
)
def test_a_worker_settles_what_contradicts(memory: Client, answer: Any, left: list[str]) -> None:
    asked: list[tuple[str, tuple[str, ...], str]] = []

    def resolve(task: v1.ResolveInput) -> Any:
        asked.append((task.text, tuple(task.known), task.key))
        return answer

    with at_work(Worker(memory, [JUDGE, FINDER], resolve=resolve, extract=find)):
        memory.remember({"text": "Tea at five.", "key": "tea"})
        # The hook is the default_resolver of the hooks file.
        memory.remember({"text": "Tea at six.", "key": "tea"}, conflict="ask_hook")
    # A failed task is tried again.
    assert set(asked) == {("Tea at six.", ("Tea at five.",), "tea")}
    assert (len(asked) == 1) == (answer != "whatever")
    assert [one.text for one in memory.list_memories(filter={"everyone": True})] == left


def test_an_async_worker_finds_scores_and_settles(hooked: RealServer, memory: Client) -> None:
    async def run() -> None:
        async def extract(task: v1.ExtractInput) -> v1.ExtractOutput:
            return v1.ExtractOutput(**find(task))

        async def score(texts: list[str]) -> list[float]:
            return [1.0 for _ in texts]

        async def resolve(task: v1.ResolveInput) -> Literal["supersede"]:
            return "supersede"

        async with AsyncClient(hooked.address, namespace=memory.namespace) as client:
            hooks = [FINDER, SCORER, JUDGE]
            worker = AsyncWorker(client, hooks, extract=extract, score=score, resolve=resolve)
            running = asyncio.create_task(worker.run(max_tasks=3))
            found = await client.extract_memories(text="one otter", extraction=FINDER)
            assert found.memories[0].text == "ONE OTTER"
            one = {"text": "No otter.", "key": "animal"}
            await client.remember(one, conflict="ask_hook")
            left = [
                one.text
                async for one in client.list_memories(filter={"everyone": True, "key": "animal"})
            ]
            assert left == ["No otter."]
            settings = {"promotion": {"score_hook": SCORER}}
            await client.create_session(session_id="s", memory_policy=settings)
            await client.append("s", ["Kept.", "The newest."])
            await client.trim_session("s", keep_recent=1)
            assert await asyncio.wait_for(running, 30) == 3

    asyncio.run(run())
