"""The session service."""

from __future__ import annotations

import json
import time
from operator import methodcaller
from typing import Any, NamedTuple
from urllib.parse import quote
from uuid import uuid4

from google.adk.errors import StaleSessionError
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.adk.sessions import Session, State
from google.adk.sessions._session_util import extract_json_safe_state_delta
from google.adk.sessions.base_session_service import (
    BaseSessionService,
    GetSessionConfig,
    ListSessionsResponse,
)
from memorysidecar import AsyncClient, MemorySidecarError, NotFound, v1
from memorysidecar.adapters.attempts import OVERTAKEN, attempt
from memorysidecar.adapters.plans import Runner
from memorysidecar.adapters.records import get_whole, large_payloads, with_payloads

from ._events import (
    FORMAT,
    event_of,
    message_of,
    payload_of,
    timestamp_of,
)
from ._names import segment, text_of

ROOT = "adk"
MAX_SESSION_ID_BYTES = 512

Place = tuple[list[str], str]
"""Path and key of a record."""


class Kept(NamedTuple):
    """A record of states as the server has it; without an etag if there is none."""

    place: Place
    etag: str
    value: dict[str, Any]


class SidecarSessionService(BaseSessionService):
    """Keeps the sessions of the Agent Development Kit in Memory Sidecar.

    Each event is a message of a session's log; the states of the session, the user and the app are
    records. An event and the states that it changes are one transaction. A session that another
    writer has changed meanwhile is refused with ``StaleSessionError``.

    :param client: a client, which the service never closes, on the event loop of the runner.
    :param root: first part of the names of sessions and records. Services with the same root share
        their sessions.
    :param attributes: of the sessions that the service creates, as ``create_session`` of the client
        takes them: ``policy``, ``labels``, ``memory_policy``.
    """

    def __init__(self, client: AsyncClient, *, root: str = ROOT, **attributes: Any) -> None:
        self.client = client
        self.root = root
        self._attributes = attributes

    async def create_session(
        self,
        *,
        app_name: str,
        user_id: str,
        state: dict[str, Any] | None = None,
        session_id: str | None = None,
    ) -> Session:
        name = (session_id or "").strip() or str(uuid4())
        deltas = extract_json_safe_state_delta(state or {})
        while True:
            kept = await self._states(app_name, user_id, name)
            if kept["session"].etag:
                raise AlreadyExistsError(f"Session with id {name} already exists.")
            value = {
                "session_id": self._log_id(app_name, user_id, name),
                "state": deltas["session"],
                "last_update_time": time.time(),
            }
            operations = [self._put(kept["session"], value, user_id)]
            operations += self._scoped_puts(kept, deltas, user_id)
            outcomes = await self._write(operations)
            if outcomes is not None:
                scopes = {scope: {**kept[scope].value, **deltas[scope]} for scope in SCOPES}
                return _session(app_name, user_id, name, value, scopes, outcomes[0].etag)

    async def get_session(
        self,
        *,
        app_name: str,
        user_id: str,
        session_id: str,
        config: GetSessionConfig | None = None,
    ) -> Session | None:
        name = session_id.strip()
        while True:
            kept = await self._states(app_name, user_id, name) if name else {}
            if not kept or not kept["session"].etag:
                return None
            events = await self._events(kept["session"], config or GetSessionConfig())
            # The events and the states of one moment: no event came between the two reads.
            again = await self._states(app_name, user_id, name)
            if again["session"].etag == kept["session"].etag:
                scopes = {scope: again[scope].value for scope in SCOPES}
                value, etag = again["session"].value, again["session"].etag
                session = _session(app_name, user_id, name, value, scopes, etag)
                session.events = events
                return session

    async def list_sessions(
        self, *, app_name: str, user_id: str | None = None
    ) -> ListSessionsResponse:
        path = [self.root, "sessions", segment(app_name)]
        if user_id is not None:
            path.append(segment(user_id))
        found = self.client.list_records(path, recursive=True, include_values=True, page_size=1000)
        records = [record async for record in found]
        users: dict[str, dict[str, Any]] = {}
        app: dict[str, Any] = {}
        sessions = []
        for record in records:
            user = text_of(record.path[-1])
            if user not in users:
                kept = await self._states(app_name, user, "")
                users[user], app = kept["user"].value, kept["app"].value
            scopes = {"app": app, "user": users[user]}
            value = json.loads(record.value)
            name = text_of(record.key)
            sessions.append(_session(app_name, user, name, value, scopes, record.etag))
        sessions.sort(key=lambda one: (one.last_update_time, one.user_id, one.id))
        return ListSessionsResponse(sessions=sessions)

    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        name = session_id.strip()
        if not name:
            return
        kept = (await self._states(app_name, user_id, name))["session"]
        if not kept.etag:
            return
        # The log goes before the record that names it, so that a deletion that was interrupted is
        # found and done again, and once more after it, for an event that came between the two.
        await self._delete_log(kept)
        await self.client.delete_record(*kept.place, allow_missing=True)
        await self._delete_log(kept)

    async def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, Any]:
        return (await self._states(app_name, user_id, ""))["user"].value

    async def append_event(self, session: Session, event: Event) -> Event:
        if event.partial:
            return event
        self._apply_temp_state(session, event)
        event = self._trim_temp_delta_state(event)
        deltas = extract_json_safe_state_delta(event.actions.state_delta)
        payload = payload_of(event)
        while True:
            kept = await self._states(session.app_name, session.user_id, session.id)
            own = kept["session"]
            if not own.etag:
                raise SessionNotFoundError(f"Session {session.id} not found.")
            if own.etag != session._storage_update_marker:
                raise StaleSessionError(
                    f"Session {session.id} has changed since it was read. Get it again."
                )
            value = {
                **own.value,
                "state": {**own.value["state"], **deltas["session"]},
                "last_update_time": event.timestamp,
            }
            operations = [self._put(own, value, session.user_id)]
            operations += self._scoped_puts(kept, deltas, session.user_id)
            etag = await self._append(session, own, event, payload, operations)
            if etag is not None:
                session._storage_update_marker = etag
                session.last_update_time = event.timestamp
                return self._commit_event_to_session(session, event)

    async def window(
        self, *, app_name: str, user_id: str, session_id: str
    ) -> v1.GetWindowResponse | None:
        """Gets the window of a session: what fits its policy, with tool calls and their results
        whole, and the summary of what left it. None if it has no events."""
        kept = (await self._states(app_name, user_id, session_id.strip()))["session"]
        try:
            return await self.client.window(kept.value["session_id"]) if kept.etag else None
        except NotFound:
            return None

    async def _append(
        self,
        session: Session,
        own: Kept,
        event: Event,
        payload: bytes,
        operations: list[v1.RecordOperation],
    ) -> str | None:
        """Appends an event, with the states that it changes. Gives the new etag of the session;
        None if another writer came first."""
        log_id = own.value["session_id"]
        owner = {"user_id": session.user_id}
        runner, path = Runner(self.client), self._large(log_id)
        kept = await runner.arun(large_payloads(path, [(event.id, payload)], log_id, owner))
        append = methodcaller(
            "append",
            log_id,
            message_of(event, payload),
            create_session=True,
            session={
                **self._attributes,
                "user_id": session.user_id,
                "agent_id": session.app_name,
                "metadata": {ROOT: {"session_id": session.id}},
            },
            record_operations=[*operations, *kept],
        )
        try:
            answer = await runner.arun(attempt(kept, append))
        except MemorySidecarError as error:
            if error.reason not in OVERTAKEN:
                raise
            return None
        etag: str = answer.record_outcomes[0].etag
        return etag

    async def _events(self, kept: Kept, config: GetSessionConfig) -> list[Event]:
        log_id = kept.value["session_id"]

        async def look(_: AsyncClient) -> tuple[list[str], list[v1.Message]]:
            return self._large(log_id), await self._messages(log_id, config)

        found = await Runner(self.client).arun(with_payloads(FORMAT, look))
        return [event_of(payload) for _, payload in found]

    async def _messages(self, log_id: str, config: GetSessionConfig) -> list[v1.Message]:
        found: list[v1.Message] = []
        count = config.num_recent_events
        if count == 0:
            return found
        size = min(count or 1_000, 1_000)
        try:
            messages = self.client.list_messages(log_id, order="newest_first", page_size=size)
            async for message in messages:
                # Other programs may append to the log.
                if not FORMAT.is_own(message):
                    continue
                if config.after_timestamp and timestamp_of(message) < config.after_timestamp:
                    continue
                found.append(message)
                if len(found) == count:
                    break
        except NotFound:
            return []
        return found[::-1]

    async def _states(self, app_name: str, user_id: str, session_id: str) -> dict[str, Kept]:
        """Gets the records of the app, the user and the session, of one moment."""
        app, user = segment(app_name), segment(user_id)
        places: dict[str, Place] = {
            "app": ([self.root, "apps"], app),
            "user": ([self.root, "users", app], user),
        }
        if session_id:
            places["session"] = ([self.root, "sessions", app, user], segment(session_id))
        found = await self.client.batch_get_records(list(places.values()))
        kept = {}
        for (scope, place), one in zip(places.items(), found, strict=True):
            record = one.record
            if one.value_omitted:
                whole = await Runner(self.client).arun(get_whole(place))
                record = whole or v1.NamedRecord()
            value = json.loads(record.value) if record.etag else {}
            kept[scope] = Kept(place, record.etag, value)
        return kept

    def _scoped_puts(
        self, kept: dict[str, Kept], deltas: dict[str, dict[str, Any]], user_id: str
    ) -> list[v1.RecordOperation]:
        owners = {"app": None, "user": user_id}
        return [
            self._put(kept[scope], {**kept[scope].value, **deltas[scope]}, owner)
            for scope, owner in owners.items()
            if deltas[scope]
        ]

    def _put(self, kept: Kept, value: dict[str, Any], user_id: str | None) -> v1.RecordOperation:
        path, key = kept.place
        record = v1.NamedRecord(
            path=path,
            key=key,
            value=json.dumps(value).encode(),
            media_type="application/json",
            owner=None if user_id is None else v1.MemoryScope(user_id=user_id),
            etag=kept.etag,
        )
        demand = None if kept.etag else v1.RecordPrecondition(exists=False)
        return v1.RecordOperation(put=v1.RecordPut(record=record, precondition=demand))

    async def _write(self, operations: list[v1.RecordOperation]) -> list[v1.RecordOutcome] | None:
        """Does operations in one transaction. None if another writer came first."""
        try:
            return list((await self.client.write_records(operations)).outcomes)
        except MemorySidecarError as error:
            if error.reason not in OVERTAKEN:
                raise
            return None

    async def _delete_log(self, kept: Kept) -> None:
        log_id = kept.value["session_id"]
        await self.client.delete_session(log_id, allow_missing=True)
        more = True
        while more:
            more = (await self.client.delete_records(self._large(log_id))).more

    def _large(self, log_id: str) -> list[str]:
        return [self.root, "events", log_id.rpartition("/")[2]]

    def _log_id(self, app_name: str, user_id: str, session_id: str) -> str:
        """Names a log. A session that is deleted and created again gets another one."""
        names = [quote(name, safe=" :@") for name in (app_name, user_id, session_id)]
        name = "/".join([self.root, *names, uuid4().hex])
        return name if len(name) <= MAX_SESSION_ID_BYTES else f"{self.root}/{uuid4().hex}"


SCOPES = ("app", "user")


def _session(
    app_name: str,
    user_id: str,
    session_id: str,
    value: dict[str, Any],
    scopes: dict[str, dict[str, Any]],
    etag: str,
) -> Session:
    state = dict(value["state"])
    state |= {State.APP_PREFIX + key: one for key, one in scopes["app"].items()}
    state |= {State.USER_PREFIX + key: one for key, one in scopes["user"].items()}
    session = Session(
        app_name=app_name,
        user_id=user_id,
        id=session_id,
        state=state,
        last_update_time=value["last_update_time"],
    )
    session._storage_update_marker = etag
    return session
