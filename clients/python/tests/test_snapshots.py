"""Snapshots: how they are cut into requests, sent again, and taken by the real server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import grpc
import pytest
from fake import FakeServer, Step, fail
from real import PATIENT, RealServer

import memorysidecar as ms
from memorysidecar import AsyncClient, Client, ErrorReason, v1
from memorysidecar._snapshot_parts import CHUNK_BYTES

S = grpc.StatusCode
Chunk = v1.SnapshotChunk
HEADER = Chunk(header=v1.SnapshotHeader(first_seq=1))
GONE = fail(S.UNAVAILABLE, "SHUTTING_DOWN", retry_delay=0)
FORGOTTEN = fail(S.NOT_FOUND, "UPLOAD_NOT_FOUND")


def messages(*sizes: int) -> Chunk:
    """A chunk of messages with texts of these sizes."""
    made = [v1.Message(text="x" * size) for size in sizes]
    return Chunk(messages=made)


def chunks(*answers: Chunk, then: Step | None = None) -> Step:
    """A step of an export."""

    def step(request: Any, context: grpc.ServicerContext) -> Iterator[v1.ExportSessionResponse]:
        yield from (v1.ExportSessionResponse(chunk=answer) for answer in answers)
        if then is not None:
            then(request, context)

    return step


def take(request: Any, context: grpc.ServicerContext) -> v1.ImportSessionResponse:
    """Takes a chunk of an import."""
    if not request.more:
        return v1.ImportSessionResponse(session=v1.Session(session_id="made"))
    return v1.ImportSessionResponse(upload_id="u1", next_chunk_index=request.chunk_index + 1)


def test_an_export_gives_chunks(fake: FakeServer, fake_client: Client) -> None:
    fake.script["ExportSession"] = [GONE, chunks(HEADER, messages(1))]
    assert list(fake_client.export_session("s", namespace="n")) == [HEADER, messages(1)]
    request = fake.requests("ExportSession")[1]
    assert (request.session_id, request.namespace) == ("s", "n")
    assert request.format == "native"


def test_an_export_that_breaks_is_not_begun_anew(fake: FakeServer, fake_client: Client) -> None:
    fake.script["ExportSession"] = [chunks(HEADER, then=GONE)]
    export = fake_client.export_session("s")
    assert next(export) == HEADER
    with pytest.raises(ms.Unavailable):
        next(export)
    assert len(fake.requests("ExportSession")) == 1
    fake.script["ExportSession"] = [fail(S.ABORTED, "SESSION_CHANGED")]
    with pytest.raises(ms.Aborted):
        list(fake_client.export_session("s"))


def test_an_export_has_a_deadline(fake: FakeServer, fake_client: Client) -> None:
    def hang(request: Any, context: grpc.ServicerContext) -> Iterator[v1.ExportSessionResponse]:
        while context.is_active():
            yield v1.ExportSessionResponse(chunk=HEADER)

    fake.script["ExportSession"] = [hang]
    with pytest.raises(ms.DeadlineExceeded):
        for _ in fake_client.export_session("s", timeout=0.2):
            pass


def test_a_document_is_put_together(fake: FakeServer, fake_client: Client) -> None:
    fake.script["ExportSession"] = [chunks(Chunk(document=b'{"a":'), Chunk(document=b"1}"))]
    assert fake_client.export_document("s", format="selectools") == b'{"a":1}'
    assert fake.requests("ExportSession")[0].format == "selectools"
    with pytest.raises(ValueError, match="native"):
        fake_client.export_document("s", format="native")
    with pytest.raises(ValueError, match="parquet"):
        fake_client.export_session("s", format="parquet")  # type: ignore[arg-type]


def test_a_snapshot_of_one_chunk_is_one_request(fake: FakeServer, fake_client: Client) -> None:
    fake.script["ImportSession"] = [take]
    chunk = Chunk(header=HEADER.header, messages=messages(1, 2).messages)
    made = fake_client.import_session([chunk], session_id="new", replace=True)
    assert made.session_id == "made"
    (request,) = fake.requests("ImportSession")
    assert (request.session_id, request.replace, request.more) == ("new", True, False)
    assert request.chunk == chunk
    assert request.request_id and not request.upload_id


def test_chunks_go_on_as_they_came(fake: FakeServer, fake_client: Client) -> None:
    fake.script["ImportSession"] = [take]
    source = [HEADER, messages(*[300_000] * 3), messages(1_040_000), messages(5)]
    fake_client.import_session(iter(source), request_id="r")
    requests = fake.requests("ImportSession")
    assert [one.chunk for one in requests] == source
    assert [one.chunk_index for one in requests] == [0, 1, 2, 3]
    assert [one.upload_id for one in requests] == ["", "u1", "u1", "u1"]
    assert [one.more for one in requests] == [True, True, True, False]
    assert {one.request_id for one in requests} == {"r"}


def test_a_document_is_cut(fake: FakeServer, fake_client: Client) -> None:
    fake.script["ImportSession"] = [take]
    whole = b'"' + b"x" * (2 * CHUNK_BYTES) + b'"'
    fake_client.import_session(whole, format="lauren")
    requests = fake.requests("ImportSession")
    assert b"".join(one.chunk.document for one in requests) == whole
    assert [len(one.chunk.document) for one in requests] == [CHUNK_BYTES, CHUNK_BYTES, 2]
    for document in ({"a": ["caf\u00e9"]}, '{"a": ["caf\u00e9"]}'):
        fake_client.import_session(document, format="lauren")
        assert json.loads(fake.requests("ImportSession")[-1].chunk.document) == {"a": ["caf\u00e9"]}
    fake_client.import_session([{"role": "user"}], format="definable")
    assert json.loads(fake.requests("ImportSession")[-1].chunk.document) == [{"role": "user"}]
    fake_client.import_session(iter([Chunk(document=b"[]")]), format="definable")
    assert fake.requests("ImportSession")[-1].chunk.document == b"[]"


def test_a_chunk_is_sent_again(fake: FakeServer, fake_client: Client) -> None:
    fake.script["ImportSession"] = [take, GONE, take]
    fake_client.import_session(iter([HEADER, messages(900_000, 900_000)]))
    requests = fake.requests("ImportSession")
    assert [one.chunk_index for one in requests] == [0, 1, 1]
    assert requests[1] == requests[2]


def test_an_upload_that_was_forgotten_starts_again(fake: FakeServer, fake_client: Client) -> None:
    snapshot = [HEADER, messages(900_000, 900_000)]
    fake.script["ImportSession"] = [take, FORGOTTEN, take]
    assert fake_client.import_session(snapshot).session_id == "made"
    requests = fake.requests("ImportSession")
    assert [one.chunk_index for one in requests] == [0, 1, 0, 1]
    assert len({one.request_id for one in requests}) == 1
    fake.script["ImportSession"] = [take, FORGOTTEN]
    with pytest.raises(ms.NotFound):
        fake_client.import_session(iter(snapshot))
    assert len(fake.requests("ImportSession")) == 6


def test_asyncio_exports_and_imports(fake: FakeServer) -> None:
    fake.script["ExportSession"] = [GONE, chunks(HEADER, messages(900_000, 900_000))]
    fake.script["ImportSession"] = [take]

    async def listed(source: list[Chunk]) -> AsyncIterator[Chunk]:
        for chunk in source:
            yield chunk

    async def main() -> None:
        async with AsyncClient(fake.path) as client:
            export = [chunk async for chunk in client.export_session("s")]
            assert len(export) == 2
            for snapshot in (export, iter(export), listed(export)):
                assert (await client.import_session(snapshot)).session_id == "made"
            assert len(fake.requests("ImportSession")) == 6
            streamed = client.export_session("s")
            assert (await client.import_session(streamed)).session_id == "made"
            fake.script["ExportSession"] = [chunks(HEADER, then=GONE)]
            with pytest.raises(ms.Unavailable):
                [chunk async for chunk in client.export_session("s")]
            fake.script["ExportSession"] = [chunks(Chunk(document=b"{"), Chunk(document=b"}"))]
            assert await client.export_document("s", format="marsys") == b"{}"
            fake.script["ImportSession"] = [take, FORGOTTEN, take]
            assert (await client.import_session(export)).session_id == "made"

    asyncio.run(main())


def test_a_session_goes_to_another_namespace_and_back(client: Client) -> None:
    text = "y" * 200_000
    client.create_session(session_id="s", policy=v1.Policy(name="all"))
    client.append("s", [f"{number} {text}" for number in range(12)])
    client.trim_session("s", keep_recent=4)
    made = client.import_session(client.export_session("s"), session_id="t")
    assert made.session_id == "t" and made.last_seq == 12
    assert [one.seq for one in client.window("t").messages] == [9, 10, 11, 12]
    assert next(iter(client.list_messages("t"))).text == f"0 {text}"
    kept = list(client.export_session("s"))
    assert len(kept) > 2
    with pytest.raises(ms.AlreadyExists):
        client.import_session(kept)
    assert client.import_session(kept, replace=True).session_id == "s"


class Restarting(list[Chunk]):
    """A snapshot that kills the server when it is half read for the first time."""

    server: RealServer
    calm = False

    def __iter__(self) -> Iterator[Chunk]:
        for number, chunk in enumerate(super().__iter__()):
            if number == len(self) - 1 and not self.calm:
                self.calm = True
                self.server.kill()
                self.server.start()
            yield chunk


def test_an_import_outlives_a_crash(own_server: RealServer) -> None:
    with Client(own_server.address, retry=PATIENT, timeout=60) as client:
        client.create_session(session_id="s", policy=v1.Policy(name="all"))
        client.append("s", ["z" * 700_000] * 4)
        snapshot = Restarting(client.export_session("s"))
        snapshot.server = own_server
        assert client.import_session(snapshot, session_id="t", request_id="once").last_seq == 4
        again = client.import_session(snapshot, session_id="t", request_id="once")
        assert snapshot.calm and again.log_totals.message_count == 4
        assert len(list(client.list_messages("t"))) == 4


@pytest.mark.parametrize("format", ["selectools", "lauren", "definable", "marsys"])
def test_documents_of_other_systems(client: Client, format: Any) -> None:
    client.append("s", ["hello", {"role": "assistant", "text": "hi"}], create_session=True)
    document = client.export_document("s", format=format)
    for source in (document, json.loads(document)):
        made = client.import_session(source, format=format)
        window = client.window(made.session_id)
        assert [one.text for one in window.messages] == ["hello", "hi"]
    with pytest.raises(ms.Invalid) as caught:
        client.import_session("{", format=format)
    assert caught.value.reason == ErrorReason.SNAPSHOT_INVALID


def test_asyncio_copies_a_session(server: RealServer, client: Client) -> None:
    client.append("s", "hello", create_session=True)

    async def main() -> None:
        async with AsyncClient(server.address, namespace=client.namespace) as other:
            made = await other.import_session(other.export_session("s"), session_id="t")
            assert made.last_seq == 1

    asyncio.run(main())
