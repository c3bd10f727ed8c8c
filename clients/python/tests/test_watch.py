"""Watching: resume, order, no repeats, and how it ends."""

from __future__ import annotations

import asyncio
import threading
import time

import grpc
import pytest
from conftest import QUICK
from fake import FakeServer, Step, batch, checkpoint, end, event, fail, stream

import memorysidecar as ms
from memorysidecar import AsyncClient, Client, v1

S = grpc.StatusCode
GONE = fail(S.UNAVAILABLE, "SHUTTING_DOWN", retry_delay=0)
FULL = fail(S.UNAVAILABLE, "STREAM_LIMIT_REACHED", retry_delay=0.05)
EXPIRED = fail(S.OUT_OF_RANGE, "RESUME_TOKEN_EXPIRED", metadata={"oldest_revision": "42"})

# Three connections: the second one fails at once, the third one repeats an event and goes on.
BROKEN: list[Step] = [
    stream(checkpoint("0"), event(1), event(1, 1), event(2), then=GONE),
    FULL,
    stream(checkpoint("2.0"), event(2), event(3), checkpoint("9"), then=end),
    stream(checkpoint("9"), event(10)),
]


def test_a_watch_resumes_without_gap_or_repeat(fake: FakeServer, fake_client: Client) -> None:
    fake.script["WatchEvents"] = list(BROKEN)
    with fake_client.watch(position="oldest", filter={"session_id": "s"}) as watch:
        assert watch.resume_token == "0"
        places = []
        for one in watch:
            places.append((one.revision, one.index))
            if one.revision == 10:
                break
        assert watch.resume_token == "10.0"
    assert places == [(1, 0), (1, 1), (2, 0), (3, 0), (10, 0)]
    starts = fake.requests("WatchEvents")
    assert starts[0].position == v1.STREAM_POSITION_OLDEST
    assert [one.resume_token for one in starts] == ["", "2.0", "2.0", "9"]
    assert {one.filter.session_id for one in starts} == {"s"}


def test_asyncio_resumes_alike(fake: FakeServer) -> None:
    fake.script["WatchEvents"] = list(BROKEN)

    async def main() -> list[tuple[int, int]]:
        places = []
        async with AsyncClient(fake.path, retry=QUICK) as client:
            async for one in client.watch(position="oldest"):
                places.append((one.revision, one.index))
                if one.revision == 10:
                    break
        return places

    assert asyncio.run(main()) == [(1, 0), (1, 1), (2, 0), (3, 0), (10, 0)]
    assert [r.resume_token for r in fake.requests("WatchEvents")] == ["", "2.0", "2.0", "9"]


def test_a_watch_tells_of_checkpoints_and_lost_connections(
    fake: FakeServer, fake_client: Client
) -> None:
    fake.script["WatchEvents"] = list(BROKEN)
    tokens: list[str] = []
    lost: list[tuple[str, int]] = []
    with fake_client.watch(
        on_checkpoint=tokens.append,
        on_interrupt=lambda error, failures: lost.append((error.reason, failures)),
    ) as watch:
        for one in watch:
            if one.revision == 10:
                break
    assert tokens == ["0", "2.0", "9", "9"]
    assert lost == [("SHUTTING_DOWN", 1), ("STREAM_LIMIT_REACHED", 2), ("", 1)]


def test_asyncio_tells_alike(fake: FakeServer) -> None:
    fake.script["WatchEvents"] = list(BROKEN)
    tokens: list[str] = []
    lost: list[int] = []

    async def main() -> None:
        async with (
            AsyncClient(fake.path, retry=QUICK) as client,
            client.watch(
                on_checkpoint=tokens.append, on_interrupt=lambda _, failures: lost.append(failures)
            ) as watch,
        ):
            async for one in watch:
                if one.revision == 10:
                    break

    asyncio.run(main())
    assert tokens == ["0", "2.0", "9", "9"]
    assert lost == [1, 2, 1]


# Answers with several events; the second connection begins with two that came before.
BATCHES: list[Step] = [
    stream(checkpoint("0"), batch((1, 0), (1, 1), (2, 0)), then=GONE),
    stream(batch((1, 1), (2, 0), (3, 0), (4, 0)), then=GONE),
    stream(checkpoint("4.0"), event(5)),
]
BATCH_TOKENS = ["1.0", "1.1", "2.0", "3.0", "4.0", "5.0"]


def test_events_of_one_answer_are_given_one_by_one(fake: FakeServer, fake_client: Client) -> None:
    fake.script["WatchEvents"] = list(BATCHES)
    tokens = []
    with fake_client.watch() as watch:
        for one in watch:
            assert watch.resume_token == f"{one.revision}.{one.index}"
            tokens.append(watch.resume_token)
            if one.revision == 5:
                break
    assert tokens == BATCH_TOKENS
    assert [r.resume_token for r in fake.requests("WatchEvents")] == ["", "2.0", "4.0"]


def test_asyncio_gives_the_events_of_one_answer_one_by_one(fake: FakeServer) -> None:
    fake.script["WatchEvents"] = list(BATCHES)

    async def main() -> list[str]:
        tokens = []
        async with AsyncClient(fake.path, retry=QUICK) as client, client.watch() as watch:
            async for one in watch:
                assert watch.resume_token == f"{one.revision}.{one.index}"
                tokens.append(watch.resume_token)
                if one.revision == 5:
                    break
        return tokens

    assert asyncio.run(main()) == BATCH_TOKENS
    assert [r.resume_token for r in fake.requests("WatchEvents")] == ["", "2.0", "4.0"]


def test_a_watch_left_inside_an_answer_resumes_there(fake: FakeServer, fake_client: Client) -> None:
    fake.script["WatchEvents"] = [stream(batch((1, 0), (2, 0), (3, 0)))]
    with fake_client.watch() as watch:
        assert next(watch).revision == 1
        assert next(watch).revision == 2
        token = watch.resume_token
    assert token == "2.0"
    fake_client.watch(resume_token=token).close()
    assert fake.requests("WatchEvents")[-1].resume_token == "2.0"


def test_an_expired_token_is_told(fake: FakeServer, fake_client: Client) -> None:
    fake.script["WatchEvents"] = [stream(checkpoint("0"), event(1), then=GONE), EXPIRED]
    watch = fake_client.watch(resume_token="old")
    assert next(watch).revision == 1
    with pytest.raises(ms.ResumeTokenExpired) as caught:
        next(watch)
    assert caught.value.metadata["oldest_revision"] == "42"
    assert fake.requests("WatchEvents")[0].resume_token == "old"


FOREIGN = fail(S.INVALID_ARGUMENT, "RESUME_TOKEN_FOREIGN")
AHEAD = fail(S.OUT_OF_RANGE, "REVISION_NOT_REACHED")

# Refused in the middle; the connection is lost while the state is read; then another history,
# whose revisions begin again.
REFUSED: list[Step] = [
    stream(checkpoint("6.0"), event(7), then=GONE),
    EXPIRED,
    stream(checkpoint("20"), event(21), then=GONE),
    FOREIGN,
    GONE,
    stream(checkpoint("2"), event(3)),
]
REFUSED_STARTS = ["", "7.0", "", "21.0", "", ""]


def test_a_refused_watch_opens_from_now_then_reads_the_state(
    fake: FakeServer, fake_client: Client
) -> None:
    fake.script["WatchEvents"] = list(REFUSED)
    seen: list[object] = []

    def read_state() -> None:
        seen.append(len(fake.requests("WatchEvents")))

    with fake_client.watch(after_revision=6, read_state=read_state) as watch:
        for one in watch:
            seen.append(f"{one.revision}: {watch.resume_token}")
            if one.revision == 3:
                break
    assert seen == ["7: 7.0", 3, "21: 21.0", 6, "3: 3.0"]
    starts = fake.requests("WatchEvents")
    assert [one.resume_token for one in starts] == REFUSED_STARTS
    assert starts[0].after_revision == 6
    assert {one.position for one in (starts[2], *starts[4:])} == {v1.STREAM_POSITION_NOW}


def test_asyncio_recovers_alike(fake: FakeServer) -> None:
    fake.script["WatchEvents"] = list(REFUSED)
    seen: list[object] = []

    async def read_state() -> None:
        seen.append(len(fake.requests("WatchEvents")))

    async def main() -> None:
        async with AsyncClient(fake.path, retry=QUICK) as client:
            watch = client.watch(after_revision=6, read_state=read_state)
            async for one in watch:
                seen.append(f"{one.revision}: {watch.resume_token}")
                if one.revision == 3:
                    break

    asyncio.run(main())
    assert seen == ["7: 7.0", 3, "21: 21.0", 6, "3: 3.0"]
    assert [one.resume_token for one in fake.requests("WatchEvents")] == REFUSED_STARTS


def test_a_state_that_cannot_be_read_is_read_again(fake: FakeServer, fake_client: Client) -> None:
    fake.script["WatchEvents"] = [
        stream(checkpoint("4"), then=GONE),
        AHEAD,
        stream(checkpoint("5"), event(6)),
    ]
    faults: list[Exception] = [ms.Unavailable(S.UNAVAILABLE, "away"), LookupError("broken")]

    def read_state() -> None:
        if faults:
            raise faults.pop(0)

    watch = fake_client.watch(resume_token="3", read_state=read_state)
    with pytest.raises(LookupError, match="broken"):
        next(watch)
    assert watch.resume_token == ""
    assert next(watch).revision == 6
    assert [one.resume_token for one in fake.requests("WatchEvents")] == ["3", "4", "", ""]


def test_an_event_of_an_unknown_type_is_given_with_its_number(
    fake: FakeServer, fake_client: Client
) -> None:
    # Type 999, and a detail in a field that this client does not know.
    unknown = v1.Event.FromString(bytes([8, 7, 24, 0xE7, 7, 0xA2, 0x1F, 2, 8, 1]))
    streamed = v1.StreamedEvent(event=unknown, resume_token="7.0")
    told = v1.WatchEventsResponse(events=[streamed], resume_token="7.0")
    fake.script["WatchEvents"] = [stream(checkpoint("6"), told, then=GONE), stream(event(8))]
    with fake_client.watch() as watch:
        one = next(watch)
        assert (one.revision, one.type, one.WhichOneof("detail")) == (7, 999, None)
        assert next(watch).revision == 8
    assert fake.requests("WatchEvents")[-1].resume_token == "7.0"


def test_an_error_at_the_start_is_raised_by_watch(fake: FakeServer, fake_client: Client) -> None:
    fake.script["WatchEvents"] = [fail(S.NOT_FOUND, "CONSUMER_NOT_FOUND")]
    with pytest.raises(ms.NotFound):
        fake_client.watch(consumer_id="c")
    assert fake.requests("WatchEvents")[0].consumer_id == "c"
    assert len(fake.calls) == 1


def test_a_start_that_fails_for_a_moment_is_tried_again(
    fake: FakeServer, fake_client: Client
) -> None:
    fake.script["WatchEvents"] = [GONE, FULL, stream(checkpoint("5"))]
    assert fake_client.watch().resume_token == "5"
    starts = fake.requests("WatchEvents")
    assert [one.position for one in starts] == [v1.STREAM_POSITION_NOW] * 3


def test_a_server_that_stays_away_is_given_up(fake: FakeServer, fake_client: Client) -> None:
    fake.script["WatchEvents"] = [stream(checkpoint("0"), then=GONE), GONE]
    with pytest.raises(ms.Unavailable):
        next(fake_client.watch(reconnect_timeout=0.3))
    fake.script["WatchEvents"] = [GONE]
    with pytest.raises(ms.Unavailable):
        fake_client.watch(timeout=0.3)


def test_a_hanging_server_is_left(fake: FakeServer, fake_client: Client) -> None:
    fake.script["WatchEvents"] = [stream()]
    start = time.monotonic()
    with pytest.raises(ms.Unavailable, match="did not answer"):
        fake_client.watch(timeout=0.3)
    assert time.monotonic() - start < 2
    fake.script["WatchEvents"] = [
        stream(checkpoint("0"), then=GONE),
        stream(),
        stream(checkpoint("0"), event(1)),
    ]
    assert next(fake_client.watch(timeout=0.3)).revision == 1


def test_a_watch_that_is_on_outlasts_the_time_for_its_start(
    fake: FakeServer, fake_client: Client
) -> None:
    fake.script["WatchEvents"] = [stream(checkpoint("1"), then=GONE), stream(), stream(event(2))]
    with fake_client.watch(timeout=0.3) as watch:
        assert next(watch).revision == 2

    async def main() -> int:
        async with AsyncClient(fake.path, retry=QUICK) as client:
            watch = await client.watch(timeout=0.3).open()
            async with watch:
                return (await anext(watch)).revision

    fake.script["WatchEvents"] = [stream(checkpoint("1"), then=GONE), stream(), stream(event(2))]
    assert asyncio.run(main()) == 2


def test_another_thread_may_close_it(fake: FakeServer, fake_client: Client) -> None:
    fake.script["WatchEvents"] = [stream(checkpoint("0"), event(1))]
    watch = fake_client.watch()
    seen: list[int] = []
    thread = threading.Thread(target=lambda: seen.extend(one.revision for one in watch))
    thread.start()
    while not seen and watch.resume_token != "1.0":
        time.sleep(0.01)
    watch.close()
    thread.join(timeout=5)
    assert not thread.is_alive()
    assert seen == [1]
    assert list(watch) == []


def test_closing_the_client_ends_its_watches(fake: FakeServer) -> None:
    fake.script["WatchEvents"] = [stream(checkpoint("0"))]
    client = Client(fake.path)
    watch = client.watch()
    thread = threading.Thread(target=lambda: list(watch))
    thread.start()
    client.close()
    thread.join(timeout=5)
    assert not thread.is_alive()


def test_several_starts_are_refused(fake_client: Client) -> None:
    with pytest.raises(ValueError, match="not several"):
        fake_client.watch(resume_token="a", position="now")


def test_asyncio_goes_on_after_a_cancelled_step(fake: FakeServer) -> None:
    fake.script["WatchEvents"] = [
        stream(checkpoint("0"), event(1)),
        stream(checkpoint("1.0"), event(1), event(2)),
    ]

    async def main() -> None:
        async with AsyncClient(fake.path, retry=QUICK) as client, client.watch() as watch:
            assert (await anext(watch)).revision == 1
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(anext(watch), 0.2)
            assert (await anext(watch)).revision == 2

    asyncio.run(main())


def test_asyncio_ends_from_another_task(fake: FakeServer) -> None:
    fake.script["WatchEvents"] = [stream(checkpoint("0"), event(1))]

    async def main() -> None:
        async with AsyncClient(fake.path, retry=QUICK) as client:
            watch = client.watch()

            async def read() -> list[int]:
                return [one.revision async for one in watch]

            task = asyncio.create_task(read())
            while watch.resume_token != "1.0":
                await asyncio.sleep(0.01)
            await watch.close()
            assert await asyncio.wait_for(task, 5) == [1]

    asyncio.run(main())


def test_asyncio_tells_errors(fake: FakeServer) -> None:
    fake.script["WatchEvents"] = [EXPIRED]

    async def main() -> None:
        async with AsyncClient(fake.path, retry=QUICK) as client:
            with pytest.raises(ms.ResumeTokenExpired):
                await anext(client.watch())
            fake.script["WatchEvents"] = [stream()]
            with pytest.raises(ms.Unavailable, match="did not answer"):
                await client.watch(timeout=0.3).open()

    asyncio.run(main())
