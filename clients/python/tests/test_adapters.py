"""The parts that integrations share."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterator
from typing import Any

import grpc
import pytest

from memorysidecar import AsyncClient, ErrorReason, RetryPolicy, v1
from memorysidecar.adapters import attempts, records
from memorysidecar.adapters.conditions import above
from memorysidecar.adapters.connect import connect
from memorysidecar.adapters.documents import DocumentRecords
from memorysidecar.adapters.messages import Format, calls_of, json_of, parts_of, results_of
from memorysidecar.adapters.narrowing import is_indexable
from memorysidecar.adapters.plans import Emit, Plan, Runner
from memorysidecar.adapters.records import get_whole, owner_of, with_payloads
from memorysidecar.errors import Aborted, MemorySidecarError, NotFound, make_error


def one() -> Plan[int]:
    yield from ()
    return 1


def test_an_object_of_an_async_client_is_made_on_its_loop() -> None:
    async def make() -> tuple[AsyncClient, Runner]:
        client = AsyncClient("127.0.0.1:1")
        return client, Runner(client)

    client, runner = asyncio.run(make())
    with pytest.raises(RuntimeError, match="make the object of an AsyncClient in a coroutine"):
        Runner(client)
    with pytest.raises(asyncio.InvalidStateError, match="another event loop than that of"):
        asyncio.run(runner.arun(one()))

    def items() -> Iterator[Any]:
        yield Emit(1)

    async def collect() -> list[Any]:
        return [item async for item in runner.aiterate(items())]  # type: ignore[arg-type]

    with pytest.raises(asyncio.InvalidStateError, match="another event loop than that of"):
        asyncio.run(collect())


def test_an_error_of_a_url_does_not_repeat_its_password() -> None:
    for url in (
        "http://ana:hunter2@host:1/n",
        "memorysidecar://ana:hunter2@host/n",
        "memorysidecar://ana:hunter2@host:1/n",
        "memorysidecar://host:hunter2/n",
    ):
        with pytest.raises(ValueError, match="memorysidecar://HOST:PORT/NAMESPACE") as caught:
            connect(url)
        assert "hunter2" not in str(caught.value)
    with connect("memorysidecar://host:1/notes") as client:
        assert client.namespace == "notes"


def test_a_limit_is_a_number_or_a_text() -> None:
    limit: Any = None
    with pytest.raises(ValueError, match="'year' is compared with a number or a text, not None"):
        above("year", limit)


def test_a_message_is_known_by_its_payload() -> None:
    form = Format("frame")
    for payload, key in ((b"x" * 458_752, None), (b"x" * 458_753, "m1")):
        message = v1.Message(provider_payload=form.payload_field(payload, "m1"))
        assert form.is_own(message)
        assert form.key_of(message) == key
        assert message.provider_payload.data == (payload if key is None else b"m1")
    for provider in ("", "other", "frame.other"):
        assert not form.is_own(v1.Message(provider_payload={"provider": provider}))


def test_calls_and_results_are_those_that_the_contract_takes() -> None:
    found = [("c", "f", {"a": 1}), ("c", "g", "{}"), ("", "f", 1), ("d", None, 1), (1, "f", 1)]
    assert calls_of(found, None) == [{"tool_call_id": "c", "name": "g", "arguments": "{}"}]
    [call] = calls_of([("c", "f", {"a": 1})], 3)
    assert call["arguments"] == ""
    results = results_of([("c", "long", True), ("\n", "no id", False)], 2)
    assert results == [{"tool_call_id": "c", "text": "lo", "error": True}]
    assert parts_of("", results) == [{"tool_result": results[0]}]
    assert parts_of("Yes.", []) == [{"text": "Yes."}]
    assert [json_of(one) for one in (None, "a", {"ä": 1})] == ["", "a", '{"ä": 1}']


def test_an_owner_has_the_ids_that_the_server_takes() -> None:
    assert owner_of(None) == {}
    assert owner_of("ana", "a") == {"user_id": "ana", "agent_id": "a"}
    assert owner_of("ana", "a" * 257) == owner_of("ana", "") == {"user_id": "ana"}


def test_documents_of_an_empty_owner_are_refused() -> None:
    with pytest.raises(ValueError, match="user_id must not be empty: leave it out for what all"):
        DocumentRecords("root", "collection", "model", user_id="")
    with pytest.raises(ValueError, match="agent_id must not be empty: leave it out for what all"):
        DocumentRecords("root", "collection", "model", agent_id="")


def test_metadata_are_measured_as_the_server_measures_them() -> None:
    assert is_indexable({f"k{number}": number for number in range(700)})
    assert not is_indexable({f"k{number}": number for number in range(900)})
    assert not is_indexable({"text": "ü" * 8_000})
    assert is_indexable({"text": "ü" * 7_900})


def aborted(reason: str) -> MemorySidecarError:
    return make_error(grpc.StatusCode.ABORTED, "no", reason=reason)


class Overtaken:
    """A client whose reads of a large value end with these errors, then with a record."""

    def __init__(self, *errors: MemorySidecarError) -> None:
        self.left = [*errors]
        self.times: list[float] = []

    def get_whole_record(self, path: Any, key: str) -> v1.NamedRecord:
        self.times.append(time.monotonic())
        if self.left:
            raise self.left.pop(0)
        return v1.NamedRecord(path=path, key=key)


class AsyncOvertaken(AsyncClient):
    """An asyncio client whose reads of a large value are those of the other."""

    def __init__(self, other: Overtaken) -> None:
        super().__init__("127.0.0.1:1")
        self.other = other

    async def get_whole_record(self, path: Any, key: str, **options: Any) -> v1.NamedRecord:
        return self.other.get_whole_record(path, key)


@pytest.mark.parametrize("is_async", [False, True])
def test_a_read_that_others_overtake_is_done_again_after_a_pause(is_async: bool) -> None:
    client: Any = Overtaken(*[aborted(ErrorReason.ETAG_MISMATCH)] * 3)

    async def read() -> Any:
        runner = Runner(AsyncOvertaken(client))
        reading = asyncio.ensure_future(runner.arun(get_whole((["path"], "key"))))
        # The loop has time for others while the read waits.
        turns = 0
        while not reading.done():
            turns += 1
            await asyncio.sleep(0)
        assert turns > 10
        return reading.result()

    found = asyncio.run(read()) if is_async else Runner(client).run(get_whole((["path"], "key")))
    assert found == v1.NamedRecord(path=["path"], key="key")
    pauses = [after - before for before, after in itertools.pairwise(client.times)]
    assert len(pauses) == 3
    assert min(pauses) >= 0.004


def test_a_read_that_others_always_overtake_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = RetryPolicy(max_attempts=5, initial_delay=0.001, max_delay=0.001)
    for module in (attempts, records):
        monkeypatch.setattr(module, "AGAIN", policy)
    client: Any = Overtaken(*[aborted(ErrorReason.ETAG_MISMATCH)] * 9)
    with pytest.raises(Aborted, match="faster 5 times in a row: read record 'key' again") as caught:
        Runner(client).run(get_whole((["path"], "key")))
    assert caught.value.reason == ErrorReason.ETAG_MISMATCH
    assert len(client.times) == 5


def test_a_read_that_is_aborted_for_another_reason_fails() -> None:
    client: Any = Overtaken(aborted(ErrorReason.HOOK_FAILED))
    with pytest.raises(Aborted, match="HOOK_FAILED"):
        Runner(client).run(get_whole((["path"], "key")))
    client = Overtaken(make_error(grpc.StatusCode.NOT_FOUND, "none"))
    assert Runner(client).run(get_whole((["path"], "key"))) is None


FORMAT = Format("f")


def kept(*payloads: bytes | str) -> list[v1.Message]:
    """Makes messages with these payloads; a text is the key of the record that keeps one."""
    return [
        v1.Message(
            message_id=f"m{number}",
            provider_payload=v1.ProviderPayload(
                provider=FORMAT.in_record if isinstance(one, str) else "f",
                data=one.encode() if isinstance(one, str) else one,
            ),
        )
        for number, one in enumerate(payloads)
    ]


class Changing:
    """A client whose messages are others at each look; a look may be an error."""

    def __init__(self, *looks: list[v1.Message] | MemorySidecarError, **records: bytes) -> None:
        self.looks = [*looks]
        self.records = records
        self.times: list[float] = []

    def look(self) -> Any:
        self.times.append(time.monotonic())
        found = self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]
        if isinstance(found, MemorySidecarError):
            raise found
        return ["path"], found

    async def look_async(self) -> Any:
        return self.look()

    def get_whole_record(self, path: Any, key: str) -> v1.NamedRecord:
        if key not in self.records:
            raise make_error(grpc.StatusCode.NOT_FOUND, "no record")
        return v1.NamedRecord(path=path, key=key, value=self.records[key])


def payloads_of(client: Any, *, is_async: bool) -> list[bytes]:
    async def read() -> list[Any]:
        plan = with_payloads(FORMAT, lambda _: client.look_async())
        return await Runner(AsyncOvertaken(client)).arun(plan)

    plan = with_payloads(FORMAT, lambda client: client.look())
    return [one for _, one in (asyncio.run(read()) if is_async else Runner(client).run(plan))]


@pytest.mark.parametrize("is_async", [False, True])
def test_messages_are_read_again_with_their_payloads(is_async: bool) -> None:
    none = make_error(grpc.StatusCode.NOT_FOUND, "no session")
    client = Changing(kept(b"0", "old"), none, kept(b"2", "new", "key"), new=b"n", key=b"k")
    assert payloads_of(client, is_async=is_async) == [b"2", b"n", b"k"]
    pauses = [after - before for before, after in itertools.pairwise(client.times)]
    assert len(pauses) == 2
    assert min(pauses) >= 0.004
    assert payloads_of(Changing([]), is_async=is_async) == []


@pytest.mark.parametrize("is_async", [False, True])
def test_a_payload_that_is_never_there_is_an_error(
    monkeypatch: pytest.MonkeyPatch, is_async: bool
) -> None:
    policy = RetryPolicy(max_attempts=5, initial_delay=0.001, max_delay=0.001)
    monkeypatch.setattr(records, "AGAIN", policy)
    client = Changing(kept(b"0", "key"))
    with pytest.raises(NotFound) as caught:
        payloads_of(client, is_async=is_async)
    assert caught.value.reason == ErrorReason.RECORD_NOT_FOUND
    assert caught.value.message == (
        "5 reads in a row have failed: record 'key' of path 'path' does not exist, but message "
        "'m1' has its payload there: delete the message, too"
    )
    assert len(client.times) == 5
    client = Changing(make_error(grpc.StatusCode.NOT_FOUND, "none", reason="SESSION_NOT_FOUND"))
    with pytest.raises(NotFound, match="SESSION_NOT_FOUND: 5 reads in a row have failed: none"):
        payloads_of(client, is_async=is_async)
    client = Changing(make_error(grpc.StatusCode.INTERNAL, "broken"))
    with pytest.raises(MemorySidecarError, match="broken"):
        payloads_of(client, is_async=is_async)
    assert len(client.times) == 1
