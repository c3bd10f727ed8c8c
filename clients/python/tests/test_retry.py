"""Retries: which calls are tried again, when, and how often."""

from __future__ import annotations

import asyncio
import time

import grpc
import pytest
from conftest import QUICK
from fake import FakeServer, Step, answer, fail

import memorysidecar as ms
from memorysidecar import AsyncClient, Client, RetryPolicy, v1
from memorysidecar._retry import Attempts
from memorysidecar.errors import make_error

S = grpc.StatusCode
GONE = fail(S.UNAVAILABLE, "SHUTTING_DOWN", retry_delay=0)
FULL = fail(S.UNAVAILABLE, "OVERLOADED", retry_delay=0.1)
DONE = answer(v1.AppendMessagesResponse(last_seq=7))


def test_a_read_is_tried_again(fake: FakeServer, fake_client: Client) -> None:
    fake.script["GetSession"] = [GONE, GONE, answer(v1.GetSessionResponse())]
    fake_client.get_session("s")
    assert len(fake.requests("GetSession")) == 3


def test_a_mutation_is_tried_again_with_the_same_request_id(
    fake: FakeServer, fake_client: Client
) -> None:
    fake.script["AppendMessages"] = [GONE, FULL, DONE]
    assert fake_client.append("s", "hello").last_seq == 7
    tries = fake.requests("AppendMessages")
    assert len(tries) == 3
    assert tries[0] == tries[1] == tries[2]
    fake_client.append("s", "hello")
    assert fake.requests("AppendMessages")[3].request_id != tries[0].request_id


def test_the_request_id_of_the_caller_is_kept(fake: FakeServer, fake_client: Client) -> None:
    fake_client.append("s", "hello", request_id="mine")
    assert fake.requests("AppendMessages")[0].request_id == "mine"


def test_the_pause_that_the_server_asks_for_is_kept(fake: FakeServer, fake_client: Client) -> None:
    fake.script["AppendMessages"] = [FULL, DONE]
    start = time.monotonic()
    fake_client.append("s", "hello")
    assert time.monotonic() - start >= 0.1


@pytest.mark.parametrize(
    "step",
    [
        fail(S.RESOURCE_EXHAUSTED, "CONSUMER_LIMIT_REACHED"),
        fail(S.RESOURCE_EXHAUSTED, "NEW", retry_delay=0),
        fail(S.ABORTED, "LAST_SEQ_MISMATCH"),
        fail(S.ABORTED, "HOOK_FAILED"),
        fail(S.INTERNAL, "INTERNAL"),
        fail(S.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED"),
        fail(S.INVALID_ARGUMENT, "REQUEST_INVALID", retry_delay=0),
    ],
)
def test_other_errors_are_not_tried_again(
    fake: FakeServer, fake_client: Client, step: Step
) -> None:
    fake.script["AppendMessages"] = [step]
    with pytest.raises(ms.MemorySidecarError):
        fake_client.append("s", "hello")
    assert len(fake.calls) == 1


def test_attempts_are_bounded(fake: FakeServer, fake_client: Client) -> None:
    fake.script["GetSession"] = [GONE]
    with pytest.raises(ms.Unavailable) as caught:
        fake_client.get_session("s")
    assert caught.value.reason == "SHUTTING_DOWN"
    assert len(fake.calls) == QUICK.max_attempts


def test_one_attempt_means_no_retry(fake: FakeServer) -> None:
    fake.script["GetSession"] = [GONE]
    with Client(fake.path, retry=RetryPolicy(max_attempts=1)) as client:
        with pytest.raises(ms.Unavailable):
            client.get_session("s")
    assert len(fake.calls) == 1


def test_the_deadline_bounds_all_attempts(fake: FakeServer, fake_client: Client) -> None:
    fake.script["GetSession"] = [fail(S.UNAVAILABLE, "OVERLOADED", retry_delay=10)]
    start = time.monotonic()
    with pytest.raises(ms.MemorySidecarError) as caught:
        fake_client.get_session("s", timeout=2)
    assert caught.value.retry_delay == 10
    assert time.monotonic() - start < 2
    assert len(fake.calls) == 1


def test_a_slow_server_meets_the_deadline(fake: FakeServer, fake_client: Client) -> None:
    fake.script["AppendMessages"] = [lambda request, context: time.sleep(1)]
    with pytest.raises(ms.DeadlineExceeded) as caught:
        fake_client.append("s", "hello", timeout=0.1)
    assert caught.value.request_id
    assert str(caught.value) == (
        "DEADLINE_EXCEEDED: AppendMessages was not answered within its timeout of 0.1 s."
    )


def test_asyncio_retries_alike(fake: FakeServer) -> None:
    fake.script["AppendMessages"] = [GONE, FULL, DONE]
    fake.script["GetSession"] = [fail(S.NOT_FOUND, "SESSION_NOT_FOUND")]

    async def main() -> None:
        async with AsyncClient(fake.path, retry=QUICK) as client:
            assert (await client.append("s", "hello")).last_seq == 7
            with pytest.raises(ms.NotFound):
                await client.get_session("s")

    asyncio.run(main())
    tries = fake.requests("AppendMessages")
    assert len(tries) == 3 and tries[0] == tries[2]
    assert len(fake.requests("GetSession")) == 1


def test_what_is_safe_comes_from_the_contract() -> None:
    with ms.Client("127.0.0.1:1") as client:
        unsafe = {name for name, rpc in client._rpcs.items() if not rpc.is_safe}
    names = ("PollTasks", "BackUp", "CompactStore")
    assert unsafe == {f"memorysidecar.v1.{name}Request" for name in names}


def test_pauses_grow_vary_and_end() -> None:
    policy = RetryPolicy(initial_delay=1, max_delay=8)
    for failures, full in [(1, 1), (2, 2), (3, 4), (4, 8), (5, 8), (1_000, 8)]:
        pauses = {policy.delay(failures) for _ in range(20)}
        assert len(pauses) > 1
        assert all(full / 2 <= pause <= full for pause in pauses)
    assert all(20 <= policy.delay(1, 20) <= 25 for _ in range(20))


def test_an_unsafe_call_is_not_tried_again() -> None:
    error = make_error(S.UNAVAILABLE, "gone")
    attempts = Attempts(RetryPolicy(), timeout=None, safe=False)
    with pytest.raises(ms.Unavailable):
        attempts.delay_after(error)
    assert Attempts(RetryPolicy(), timeout=None, safe=True).delay_after(error) > 0
