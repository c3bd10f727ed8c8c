"""Tasks, hooks and summaries: what is sent, and what the real server makes of it."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from fake import FakeServer, answer, fail
from hooks import HOOK, ORDER, VECTORS, hooked, memory
from real import RealServer

import memorysidecar as ms
from memorysidecar import (
    AsyncClient,
    AsyncWorker,
    Client,
    ErrorReason,
    MemorySidecarError,
    Worker,
    policy,
    v1,
)

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

__all__ = ["hooked", "memory"]


def sent(fake: FakeServer, rpc: str) -> Any:
    """The newest request of an rpc."""
    return fake.requests(rpc)[-1]


def overflow(memory: Client, session_id: str) -> None:
    """Makes a task of a session."""
    stage = policy.drop_oldest(
        "oldest",
        max_messages=2,
        unit="message",
        summarize=policy.summarize(HOOK, keep="append", leave="at_once", on_failure="drop"),
    )
    memory.create_session(session_id=session_id, policy=policy.make_policy(stage))
    memory.append(session_id, ["one", "two", "three", "four"])


def test_requests_take_seconds_and_names(fake: FakeServer, fake_client: Client) -> None:
    fake_client.poll_tasks("a", wait=1.5, lease=timedelta(minutes=1), worker_id="w", max_tasks=3)
    request = sent(fake, "PollTasks")
    assert list(request.hooks) == ["a"] and request.max_tasks == 3 and request.worker_id == "w"
    assert request.wait.ToTimedelta() == timedelta(seconds=1.5)
    assert request.lease.ToTimedelta() == timedelta(minutes=1)
    fake_client.poll_tasks(["a", "b"])
    request = sent(fake, "PollTasks")
    assert list(request.hooks) == ["a", "b"] and not request.HasField("wait")
    leased = v1.LeasedTask(task=v1.HookTask(task_id="t", namespace="other"), lease_token="x")
    fake_client.complete_task(leased, "text")
    request = sent(fake, "CompleteTask")
    assert (request.namespace, request.task_id, request.lease_token) == ("other", "t", "x")
    assert request.summarize.text == "text" and request.request_id
    fake_client.complete_task(leased, {"text": "text", "model": "m"})
    assert sent(fake, "CompleteTask").summarize.model == "m"
    fake_client.fail_task(leased, "why", permanent=True, retry_delay=2)
    request = sent(fake, "FailTask")
    assert request.message == "why" and request.permanent and request.retry_delay.seconds == 2
    fake_client.extend_lease(leased, 5)
    assert sent(fake, "ExtendLease").lease.seconds == 5
    list(fake_client.list_tasks(state="dead", hook="a", type="extract"))
    request = sent(fake, "ListTasks")
    assert (request.state, request.type) == (v1.TASK_STATE_DEAD, v1.TASK_TYPE_EXTRACT)
    leased.embed.texts.append("t")
    fake_client.complete_task(leased, ((1, 2), [3.5, 4]))
    request = sent(fake, "CompleteTask")
    assert [list(vector.values) for vector in request.embed.vectors] == [[1, 2], [3.5, 4]]
    fake_client.complete_task(leased, v1.EmbedOutput(vectors=[v1.TextVector(values=[1])]))
    assert list(sent(fake, "CompleteTask").embed.vectors[0].values) == [1]
    fake_client.complete_task(leased, "text")
    assert sent(fake, "CompleteTask").summarize.text == "text"
    leased.rerank.query = "q"
    fake_client.complete_task(leased, (2, 0.5))
    assert list(sent(fake, "CompleteTask").rerank.scores) == [2, 0.5]
    fake_client.complete_task(leased, v1.RerankOutput(scores=[1]))
    assert list(sent(fake, "CompleteTask").rerank.scores) == [1]
    leased.extract.text = "said"
    fake_client.complete_task(leased, {"facts": [{"text": "f", "key": "k"}]})
    assert sent(fake, "CompleteTask").extract.facts[0].key == "k"
    fake_client.complete_task(leased, v1.ExtractOutput(model="m"))
    assert sent(fake, "CompleteTask").extract.model == "m"
    with pytest.raises(TypeError, match="a mapping or an ExtractOutput"):
        fake_client.complete_task(leased, "text")
    with pytest.raises(ValueError, match='no "wishes" field'):
        fake_client.complete_task(leased, {"wishes": []})
    leased.score.texts.append("t")
    fake_client.complete_task(leased, [1, 0.5])
    assert list(sent(fake, "CompleteTask").score.scores) == [1, 0.5]
    leased.resolve.text = "new"
    fake_client.complete_task(leased, "supersede")
    assert sent(fake, "CompleteTask").resolve.action == v1.RESOLVE_ACTION_SUPERSEDE
    fake_client.complete_task(leased, {"text": "both"})
    request = sent(fake, "CompleteTask").resolve
    assert (request.action, request.text) == (v1.RESOLVE_ACTION_MERGE, "both")
    with pytest.raises(ValueError, match='"nothing" is none of keep_both, supersede, merge, drop'):
        fake_client.complete_task(leased, "nothing")
    leased.summarize.transcript = "said"
    with pytest.raises(TypeError, match="a text or a SummarizeOutput"):
        fake_client.complete_task(leased, [1.0])
    with pytest.raises(ValueError, match="is none of ready, leased, waiting, dead"):
        fake_client.list_tasks(state="gone")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="is none of summarize, extract, score"):
        fake_client.list_tasks(type="embed")  # type: ignore[arg-type]
    fake_client.compact_session("s", stage="old", wait=3, summarize=policy.summarize("h"))
    request = sent(fake, "CompactSession")
    assert request.stage == "old" and request.wait.seconds == 3 and request.summarize.hook == "h"
    with pytest.raises(ValueError, match="give one of keep_recent, stage"):
        fake_client.compact_session("s")


def test_a_summary_is_said_with_short_names() -> None:
    made = policy.summarize(
        "h",
        keep="hierarchical",
        flow="density",
        leave="with_summary",
        on_failure="placeholder",
        transcript="capitals",
        shape="exchange",
        fan_in=3,
        separator="",
    )
    assert made.keep == v1.SUMMARY_KEEP_HIERARCHICAL and made.flow == v1.SUMMARY_FLOW_DENSITY
    assert made.on_failure == v1.SUMMARY_FAILURE_PLACEHOLDER and made.HasField("separator")
    assert not policy.summarize().HasField("separator")
    stage = policy.keep_last("s", 1, summarize=made)
    assert stage.removed_to == v1.REMOVED_TO_SUMMARIZE and stage.summarize == made
    view = policy.summary_view("system_suffix", prefix="", max_tokens=200)
    assert view.show == v1.SUMMARY_SHOW_SYSTEM_SUFFIX and view.HasField("prefix")
    with pytest.raises(ValueError, match='"twice" is none of'):
        policy.summarize(keep="twice")  # type: ignore[arg-type]


def test_a_worker_does_tasks_until_it_is_stopped(memory: Client) -> None:
    seen: list[str] = []

    def summarize(task: v1.SummarizeInput) -> str:
        seen.append(task.transcript)
        worker.stop()
        return "short"

    worker = Worker(memory, HOOK, summarize)
    overflow(memory, "s")
    assert worker.run() == 1
    assert seen == ["user: one\nuser: two"]
    assert memory.get_session("s").summary.text == "short"
    assert memory.window("s").messages[0].text == "Summary of the conversation so far: short"


def test_what_a_function_raises_gives_the_task_back(memory: Client) -> None:
    overflow(memory, "s")
    calls: list[int] = []

    def summarize(task: v1.SummarizeInput) -> str:
        calls.append(1)
        worker.stop()
        raise KeyError("a secret of the conversation")

    worker = Worker(memory, HOOK, summarize)
    assert worker.run() == 0
    [task] = memory.list_tasks()
    assert task.last_failure.message == "KeyError" and task.failed_attempts == 1
    memory.retry_task(task.task_id)

    def refuse(task: v1.SummarizeInput) -> str:
        refuser.stop()
        raise ms.TaskRefused("not this one")

    refuser = Worker(memory, HOOK, refuse)
    refuser.run()
    [task] = memory.list_tasks(state="dead")
    assert task.last_failure.message == "not this one"


def test_a_lease_is_extended_while_the_function_works(memory: Client) -> None:
    overflow(memory, "s")
    go = threading.Event()

    def summarize(task: v1.SummarizeInput) -> str:
        # Longer than the lease: without an extension another worker would get the task.
        assert not go.wait(2.5)
        return "late"

    assert Worker(memory, HOOK, summarize, lease=1.0).run(max_tasks=1) == 1
    assert memory.get_session("s").summary.text == "late"


def test_a_worker_ends_with_errors_that_would_come_again(memory: Client) -> None:
    with pytest.raises(ms.MemorySidecarError) as raised:
        Worker(memory, "nobody", lambda task: "").run()
    assert raised.value.reason == ErrorReason.HOOK_NOT_CONFIGURED


def test_a_worker_goes_on_when_the_server_was_away(fake: FakeServer) -> None:
    retry = ms.RetryPolicy(max_attempts=1, initial_delay=0.01, max_delay=0.02)
    with Client(fake.path, retry=retry, timeout=5) as client:
        worker = Worker(client, "h", lambda task: "text")
        task = v1.LeasedTask(
            task=v1.HookTask(task_id="t"), lease_token="x", summarize=v1.SummarizeInput()
        )
        answers = [answer(v1.PollTasksResponse(tasks=[task]))]
        away = [fail(grpc.StatusCode.UNAVAILABLE)] * 2
        fake.script["PollTasks"] = [*away, *answers]
        assert worker.run(max_tasks=1) == 1


def test_a_task_of_an_unknown_type_is_given_back(fake: FakeServer) -> None:
    strange = v1.HookTask(task_id="t", type=99)  # type: ignore[arg-type]
    task = v1.LeasedTask(task=strange, lease_token="x")
    known = v1.LeasedTask(
        task=v1.HookTask(task_id="u"), lease_token="x", summarize=v1.SummarizeInput()
    )
    for kind in (Worker, AsyncWorker):
        fake.calls.clear()
        fake.script["PollTasks"] = [answer(v1.PollTasksResponse(tasks=[task, known]))]
        if kind is Worker:
            with Client(fake.path, timeout=5) as client:
                Worker(client, "h", lambda task: "text").run(max_tasks=1)
        else:

            async def work() -> None:
                async def summarize(task: v1.SummarizeInput) -> str:
                    return "text"

                async with AsyncClient(fake.path, timeout=5) as client:
                    await AsyncWorker(client, "h", summarize).run(max_tasks=1)

            asyncio.run(work())
        failed = sent(fake, "FailTask")
        assert failed.task_id == "t" and not failed.permanent
        assert {one.task_id for one in fake.requests("CompleteTask")} == {"u"}


def test_an_async_worker_does_the_same(hooked: RealServer, memory: Client) -> None:
    overflow(memory, "s")

    async def run() -> int:
        async def summarize(task: v1.SummarizeInput) -> v1.SummarizeOutput:
            await asyncio.sleep(0)
            return v1.SummarizeOutput(text="async", model="m")

        async with AsyncClient(hooked.address, namespace=memory.namespace) as client:
            done = await AsyncWorker(client, [HOOK], summarize).run(max_tasks=1)
            listed = [one async for one in client.list_summaries("s")]
            assert [one.origin.model for one in listed] == ["m"]
            sources = [one.seq async for one in client.list_summary_sources("s", 1)]
            assert sources == [1, 2]
            answered = await client.compact_session("s", keep_recent=2, wait=1)
            assert answered.outcome == v1.COMPACT_OUTCOME_NOTHING
            assert len(await client.list_hooks()) == 7
            return done

    assert asyncio.run(run()) == 1


def otters(text: str) -> list[float]:
    """Says how often a text has an otter, as a vector."""
    return [float(text.count("otter")), 1.0]


def shortest(query: str, texts: list[str]) -> list[float]:
    assert query == "otter"
    return [-float(len(text)) for text in texts]


def say(memory: Client) -> None:
    texts = ["otter otter otter otter", "one otter", "none of them"]
    for number, text in enumerate(texts):
        memory.append(f"s{number}", [text], create_session=True)


def found(answered: v1.RecallResponse) -> list[str]:
    return [hit.message.session_id for hit in answered.hits]


def test_a_worker_makes_vectors_and_puts_hits_in_order(memory: Client) -> None:
    purposes: set[str] = set()

    def embed(texts: list[str], purpose: str) -> list[list[float]]:
        purposes.add(purpose)
        return [otters(text) for text in texts]

    say(memory)
    worker = Worker(memory, [VECTORS, ORDER], embed=embed, rerank=shortest)
    running = threading.Thread(target=worker.run)
    running.start()
    try:
        made = memory.embed(["an otter"])[0]
        assert list(made.values) == pytest.approx([0.7071, 0.7071], abs=1e-3)
        deadline = time.monotonic() + 20
        while True:
            answered = memory.recall("otter otter otter otter", mode="dense")
            if answered.coverage.without_vector_count == 0:
                break
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert answered.coverage.dense == v1.DENSE_STATE_USED
        assert found(answered)[0] == "s0" and purposes == {"query", "passage"}
        ordered = memory.recall("otter", rerank=ORDER)
        assert ordered.coverage.rerank == v1.RERANK_STATE_USED
        assert found(ordered).index("s1") < found(ordered).index("s0")
    finally:
        worker.stop()
        # A poll that is under way ends with its task.
        with contextlib.suppress(ms.MemorySidecarError):
            memory.embed(["end"], timeout=3)
        running.join(30)
    assert not running.is_alive()


def test_an_async_worker_makes_vectors_too(hooked: RealServer, memory: Client) -> None:
    async def run() -> None:
        async def embed(texts: list[str], purpose: str) -> list[tuple[float, float]]:
            assert purpose == "query"
            return [(3.0, 4.0) for _ in texts]

        async def rerank(query: str, texts: list[str]) -> list[float]:
            return shortest(query, texts)

        async with AsyncClient(hooked.address, namespace=memory.namespace) as client:
            worker = AsyncWorker(client, [VECTORS, ORDER], embed=embed, rerank=rerank)
            running = asyncio.create_task(worker.run(max_tasks=2))
            made = await client.embed(["a"], purpose="query")
            assert list(made[0].values) == pytest.approx([0.6, 0.8])
            await client.append("s", ["one otter"], create_session=True)
            answered = await client.recall("otter", mode="lexical", rerank=ORDER)
            assert answered.coverage.rerank == v1.RERANK_STATE_USED
            assert await asyncio.wait_for(running, 30) == 2

    asyncio.run(run())


def test_a_worker_without_a_function_for_a_task_gives_it_back(memory: Client) -> None:
    overflow(memory, "s")
    worker = Worker(memory, HOOK, embed=lambda texts, purpose: [])
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(worker.run, max_tasks=1)
        try:
            deadline = time.monotonic() + 20
            while not (task := next(iter(memory.list_tasks()))).HasField("last_failure"):
                assert time.monotonic() < deadline
                time.sleep(0.05)
        finally:
            worker.stop()
        assert running.result(20) == 0
    assert task.last_failure.message == "the worker has no function for the task"
    with pytest.raises(ValueError, match="give one of summarize, embed, rerank, extract"):
        Worker(memory, HOOK)


def test_the_example_meets_every_error_of_a_worker(hooked: RealServer) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / "tasks.py"), hooked.address, HOOK],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("Done.\n")
    for reason in (
        "HOOK_NOT_CONFIGURED",
        "TASK_NOT_FOUND",
        "LEASE_LOST",
        "TASK_SUPERSEDED",
        "TASK_RESULT_INVALID",
        "SUMMARY_NOT_FOUND",
    ):
        assert f" {reason}: " in done.stdout, reason


def test_a_subject_is_erased_and_its_receipt_names_nobody(memory: Client) -> None:
    memory.append("s", ["one otter"], create_session=True)
    dry = memory.erase_subject(session_id="s", dry_run=True)
    assert (dry.erasure_id, dry.state) == ("", v1.ERASURE_STATE_DRY_RUN)
    receipt = memory.erase_subject(session_id="s")
    while receipt.state == v1.ERASURE_STATE_RUNNING:
        time.sleep(0.05)
        receipt = memory.get_erasure(receipt.erasure_id)
    assert list(receipt.erased) == list(dry.erased)
    with pytest.raises(MemorySidecarError, match="SESSION_NOT_FOUND"):
        memory.get_session("s")
    with pytest.raises(MemorySidecarError, match="ERASURE_NOT_FOUND"):
        memory.get_erasure("gone")
    with pytest.raises(ValueError, match="user_id is empty"):
        memory.erase_subject(user_id="")
    with pytest.raises(TypeError, match="a subject is one of user_id"):
        memory.erase_subject(user_id="a", agent_id="b")
    assert not memory.erase_subject(agent_id="a", dry_run=True).erased
    assert not memory.erase_subject(session_id="s", message_ids=["m"], dry_run=True).erased
    assert not memory.erase_subject(collection_id="c", document_id="d", dry_run=True).erased
