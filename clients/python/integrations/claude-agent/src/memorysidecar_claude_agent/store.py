"""The session store."""

from __future__ import annotations

import hashlib
import json
from typing import Any
from urllib.parse import quote, unquote

from claude_agent_sdk import (
    SessionKey,
    SessionStore,
    SessionStoreEntry,
    SessionStoreListEntry,
    SessionSummaryEntry,
    fold_session_summary,
)
from claude_agent_sdk.types import SessionListSubkeysKey
from memorysidecar import Aborted, AlreadyExists, AsyncClient, ErrorReason, NotFound, v1
from memorysidecar.adapters.messages import MAX_PAYLOAD_BYTES, batches
from memorysidecar.adapters.plans import Call, Plan, Runner
from memorysidecar.adapters.records import missing, read_again
from memorysidecar.errors import refuse_other_user

from ._entries import PARTED, PROVIDER, message_of, parted_message_of

ROOT = "claude-agent"
MAX_SESSION_ID_BYTES = 512
MAX_SEGMENT_BYTES = 255
PART_BYTES = 3 * 1024 * 1024

Batch = list[tuple[SessionStoreEntry, bytes]]


class SidecarSessionStore(SessionStore):
    """Keeps the transcripts of the Claude Agent SDK in Memory Sidecar.

    A transcript is a session of the server, and each entry a message of its log. An append, the
    summary of its session and the list of its subagents change in one transaction. An entry whose
    ``uuid`` the transcript has is not appended again.

    :param client: a client, which the store never closes, on the event loop of the SDK.
    :param attributes: of the sessions that the store creates, as ``create_session`` takes them:
        ``user_id``, ``agent_id``, ``policy``, ``labels``, ``ttl``. A transcript that belongs to
        another user than ``user_id`` is refused with ``AlreadyExists``.
    """

    def __init__(self, client: AsyncClient, **attributes: Any) -> None:
        self.client = client
        self._attributes = attributes
        self._user_id: str | None = attributes.get("user_id")

    async def append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        await self._check_user(key)
        for batch in batches((entry, json.dumps(entry).encode()) for entry in entries):
            await self._append(key, batch)

    async def load(self, key: SessionKey) -> list[SessionStoreEntry] | None:
        def read() -> Plan[list[SessionStoreEntry] | None]:
            found: list[SessionStoreEntry] | None = yield Call(lambda _: self._load(key))
            return found

        return await Runner(self.client).arun(read_again(read))

    async def list_sessions(self, project_key: str) -> list[SessionStoreListEntry]:
        records = self.client.list_records(_summaries(project_key), page_size=1000)
        return [
            {"session_id": _text_of(record.key), "mtime": _milliseconds(record)}
            async for record in records
        ]

    async def list_session_summaries(self, project_key: str) -> list[SessionSummaryEntry]:
        records = self.client.list_records(
            _summaries(project_key), include_values=True, page_size=1000
        )
        return [
            {
                "session_id": _text_of(record.key),
                "mtime": _milliseconds(record),
                "data": json.loads(record.value),
            }
            async for record in records
        ]

    async def delete(self, key: SessionKey) -> None:
        if key.get("subpath") is None:
            for subpath in await self.list_subkeys(key):
                await self.delete({**key, "subpath": subpath})
        await self.client.delete_session(session_id_of(key), allow_missing=True)
        more = True
        while more:
            more = (await self.client.delete_records(_parts(key), recursive=True)).more
        # Last, so that a delete that was interrupted is found and done again.
        path, name = _place(key)
        await self.client.delete_record(path, name, allow_missing=True)

    async def list_subkeys(self, key: SessionListSubkeysKey) -> list[str]:
        records = self.client.list_records(_subkeys(key), page_size=1000)
        return [_text_of(record.key) async for record in records]

    async def window(self, key: SessionKey) -> v1.GetWindowResponse:
        """Gets the window of a transcript: what fits the policy, with tool calls and their results
        whole, and the summary of what left it."""
        await self._check_user(key)
        return await self.client.window(session_id_of(key))

    async def _check_user(self, key: SessionKey) -> None:
        """Refuses the transcript of another user than the one that was given."""
        if not self._user_id:
            return
        try:
            session = await self.client.get_session(session_id_of(key))
        except NotFound:
            return
        refuse_other_user(session, self._user_id)

    async def _load(self, key: SessionKey) -> list[SessionStoreEntry] | None:
        entries: list[SessionStoreEntry] = []
        await self._check_user(key)
        try:
            async for message in self.client.list_messages(session_id_of(key), page_size=1000):
                # Other programs may append to the log.
                if message.provider_payload.provider in (PROVIDER, PARTED):
                    entries.append(json.loads(await self._payload(key, message)))
        except NotFound as error:
            if error.reason != ErrorReason.SESSION_NOT_FOUND:
                raise
            return None
        return entries

    async def _append(self, key: SessionKey, batch: Batch) -> None:
        messages = [await self._message(key, entry, payload) for entry, payload in batch]
        session_id = session_id_of(key)
        while True:
            operation = await self._index(key, [entry for entry, _ in batch])
            try:
                await self.client.append(
                    session_id,
                    messages,
                    on_existing="skip",
                    record_operations=[operation],
                )
                return
            except NotFound:
                # The first append to the transcript.
                metadata = {"claude_agent": {name: str(value) for name, value in key.items()}}
                await self.client.ensure_session(session_id, metadata=metadata, **self._attributes)
            except (Aborted, AlreadyExists):
                # Another writer has changed the summary meanwhile: fold again on top of it.
                continue

    async def _index(self, key: SessionKey, entries: list[SessionStoreEntry]) -> v1.RecordOperation:
        """Makes the operation that lists a transcript: the summary of a session, or the name of a
        subagent."""
        path, name = _place(key)
        owner = v1.MemoryScope(user_id=self._user_id) if self._user_id else None
        record = v1.NamedRecord(path=path, key=name, media_type="application/json", owner=owner)
        if key.get("subpath") is not None:
            return v1.RecordOperation(put=v1.RecordPut(record=record))
        before: SessionSummaryEntry | None = None
        demand = v1.RecordPrecondition(exists=False)
        try:
            stored = await self.client.get_record(path, name)
        except NotFound:
            pass
        else:
            demand = v1.RecordPrecondition(version=stored.version)
            before = {
                "session_id": key["session_id"],
                "mtime": _milliseconds(stored),
                "data": json.loads(stored.value),
            }
        record.value = json.dumps(fold_session_summary(before, key, entries)["data"]).encode()
        return v1.RecordOperation(put=v1.RecordPut(record=record, precondition=demand))

    async def _message(
        self, key: SessionKey, entry: SessionStoreEntry, payload: bytes
    ) -> dict[str, Any]:
        """Makes the message of an entry. One that is too large for a message is kept in records,
        which are there before the message that names them."""
        if len(payload) <= MAX_PAYLOAD_BYTES:
            return message_of(entry, payload)
        digest = hashlib.sha256(payload).hexdigest()
        path = [*_parts(key), digest]
        for index, start in enumerate(range(0, len(payload), PART_BYTES)):
            part = payload[start : start + PART_BYTES]
            await self.client.put_record(path, f"{index:06}", part, user_id=self._user_id)
        return parted_message_of(entry, digest)

    async def _payload(self, key: SessionKey, message: v1.Message) -> bytes:
        payload = message.provider_payload
        if payload.provider != PARTED:
            return payload.data
        digest = payload.data.decode()
        path = [*_parts(key), digest]
        records = self.client.list_records(path, include_values=True)
        found = b"".join([record.value async for record in records])
        if hashlib.sha256(found).hexdigest() != digest:
            problem = (
                f"the records of path {'/'.join(path)!r} are not the whole entry of message "
                f"{message.message_id!r}: delete the message, too"
            )
            raise missing(problem)
        return found


def session_id_of(key: SessionKey) -> str:
    """Names the session of the server that keeps a transcript."""
    names = [key["project_key"], key["session_id"], key.get("subpath") or ""]
    text = "/".join([ROOT, *(quote(name, safe="") for name in names if name)])
    if len(text) <= MAX_SESSION_ID_BYTES:
        return text
    return f"{ROOT}/{hashlib.sha256(text.encode()).hexdigest()}"


def _summaries(project_key: str) -> list[str]:
    return [ROOT, "sessions", _segment(project_key)]


def _subkeys(key: SessionListSubkeysKey | SessionKey) -> list[str]:
    return [ROOT, "subagents", _segment(key["project_key"]), _segment(key["session_id"])]


def _parts(key: SessionKey) -> list[str]:
    names = [key["project_key"], key["session_id"], key.get("subpath") or ""]
    return [ROOT, "entries", *map(_segment, names)]


def _place(key: SessionKey) -> tuple[list[str], str]:
    """Names the record that lists a transcript."""
    subpath = key.get("subpath")
    if subpath is None:
        return _summaries(key["project_key"]), _segment(key["session_id"])
    return _subkeys(key), _segment(subpath)


def _segment(text: str) -> str:
    """Makes a segment of a path; the mark at the front makes one of the empty text, too."""
    name = "_" + quote(text, safe=" /:@")
    if len(name) > MAX_SEGMENT_BYTES:
        raise ValueError(f"a key takes at most {MAX_SEGMENT_BYTES - 1} bytes, percent-encoded")
    return name


def _text_of(segment: str) -> str:
    return unquote(segment[1:])


def _milliseconds(record: v1.NamedRecord) -> int:
    return record.update_time.ToMilliseconds()
