"""The repository of sessions."""

from __future__ import annotations

import json
from collections.abc import Callable
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from memorysidecar import Client, ErrorReason, MemorySidecarError, NotFound, v1
from memorysidecar.adapters.attempts import attempt, put_all
from memorysidecar.adapters.names import MAX_KEY_BYTES, path_of, segment, session_name
from memorysidecar.adapters.plans import Runner
from memorysidecar.adapters.records import (
    check_owner,
    deletion,
    get_whole,
    large_payloads,
    owner_of,
    with_payloads,
)
from strands.session import SessionRepository
from strands.types.exceptions import SessionException
from strands.types.session import (
    Session,
    SessionAgent,
    SessionMessage,
    SessionType,
    decode_bytes_values,
    encode_bytes_values,
)

from ._messages import FORMAT, fields_of, payload_of, session_message_of

if TYPE_CHECKING:
    from strands.multiagent.base import MultiAgentBase

ROOT = "strands"


class SidecarSessionRepository(SessionRepository):
    """Keeps the sessions of a ``RepositorySessionManager`` in Memory Sidecar.

    Each agent of a session has a session of the server, and each of its messages is one of that
    session's log, acknowledged once it is on disk. States of agents are records.

    :param client: a client, which the repository never closes.
    :param window: lets an agent begin with the messages that its window has, in place of all.
    :param root: first part of the names of sessions and records. Repositories with the same root
        and user share their sessions.
    :param user_id: whose the sessions are: users never share one, and
        ``erase_subject(user_id=...)`` erases them. Default: nobody's.
    :param attributes: of the sessions of the server, as ``create_session`` takes them: ``policy``,
        ``labels``. Their ``agent_id`` is that of Strands.
    """

    def __init__(
        self,
        client: Client,
        *,
        window: bool = False,
        root: str = ROOT,
        user_id: str | None = None,
        **attributes: Any,
    ) -> None:
        check_owner(user_id)
        self.client = client
        self._runner = Runner(client)
        self.user_id = user_id
        self.window = window
        self.root = root
        self._attributes = attributes

    def create_session(self, session: Session, **kwargs: Any) -> Session:
        put = self._put(self._sessions, session.session_id, session.to_dict(), exists=False)
        self._write(put, f"session {session.session_id} already exists")
        return session

    def read_session(self, session_id: str, **kwargs: Any) -> Session | None:
        found = self._read(self._sessions, session_id)
        if found is None:
            return None
        return Session.from_dict({**found, "session_type": SessionType(found["session_type"])})

    def delete_session(self, session_id: str, **kwargs: Any) -> None:
        """Deletes a session with its agents and their messages."""
        key = segment(session_id, MAX_KEY_BYTES)
        session = self._record(self._sessions, key)
        if session is None:
            raise SessionException(f"session {session_id} does not exist")
        while session is not None:
            self._delete_parts(session_id)
            # The session goes last: until then the deletion can be repeated.
            try:
                self.client.delete_record(
                    self._sessions, key, etag=session.etag, allow_missing=True
                )
                return
            except MemorySidecarError as error:
                if error.reason != ErrorReason.ETAG_MISMATCH:
                    raise
            # An agent has been created meanwhile.
            session = self._record(self._sessions, key)

    def create_agent(self, session_id: str, session_agent: SessionAgent, **kwargs: Any) -> None:
        agent_id = session_agent.agent_id
        missing = f"session {session_id} does not exist"
        if self.read_session(session_id) is None:
            raise SessionException(missing)
        own: dict[str, Any] = {**owner_of(self.user_id, agent_id)}
        log = self.log_of(session_id, agent_id)
        made = self.client.ensure_session(log, **own, **self._attributes)
        put = self._put(self._agents(session_id), agent_id, session_agent.to_dict(), exists=False)
        exists = f"agent {agent_id} already exists in session {session_id}"
        if self._write_in_session(session_id, put, exists):
            return
        # The session has been deleted meanwhile. A log that somebody uses again has a new etag.
        try:
            self.client.delete_session(log, etag=made.etag, allow_missing=True)
        except MemorySidecarError as error:
            if error.reason != ErrorReason.ETAG_MISMATCH:
                raise
        raise SessionException(missing)

    def read_agent(self, session_id: str, agent_id: str, **kwargs: Any) -> SessionAgent | None:
        found = self._read(self._agents(session_id), agent_id)
        return None if found is None else SessionAgent.from_dict(found)

    def update_agent(self, session_id: str, session_agent: SessionAgent, **kwargs: Any) -> None:
        agent_id = session_agent.agent_id
        previous = self.read_agent(session_id, agent_id)
        if previous is None:
            raise SessionException(f"agent {agent_id} does not exist in session {session_id}")
        session_agent.created_at = previous.created_at
        put = self._put(self._agents(session_id), agent_id, session_agent.to_dict(), exists=True)
        self._write(put, f"agent {agent_id} does not exist in session {session_id}")

    def create_message(
        self, session_id: str, agent_id: str, session_message: SessionMessage, **kwargs: Any
    ) -> None:
        payload = payload_of(session_message)
        message_id = str(session_message.message_id)
        kept = self._kept_in_record(session_id, agent_id, message_id, payload)
        try:
            self._append(
                session_id,
                agent_id,
                {"message_id": message_id, **fields_of(session_message, payload)},
                kept,
            )
        except MemorySidecarError as error:
            if error.reason == ErrorReason.MESSAGE_ALREADY_EXISTS:
                problem = f"message {message_id} already exists in session {session_id}"
            elif isinstance(error, NotFound):
                problem = f"agent {agent_id} does not exist in session {session_id}"
            else:
                raise
            raise SessionException(problem) from error

    def read_message(
        self, session_id: str, agent_id: str, message_id: int, **kwargs: Any
    ) -> SessionMessage | None:
        found = self._message(session_id, agent_id, message_id)
        return None if found is None else session_message_of(found[1])

    def update_message(
        self, session_id: str, agent_id: str, session_message: SessionMessage, **kwargs: Any
    ) -> None:
        message_id = session_message.message_id
        found = self._message(session_id, agent_id, message_id)
        if found is None:
            raise SessionException(f"message {message_id} does not exist in session {session_id}")
        stored, previous = found
        session_message.created_at = session_message_of(previous).created_at
        payload = payload_of(session_message)
        fields = fields_of(session_message, payload)
        fields.pop("role")
        for name in ("etag", "text", "parts", "tool_calls", "provider_payload", "token_count"):
            stored.ClearField(name)
        stored.MergeFrom(v1.Message(**fields))
        path = self._messages(session_id, agent_id)
        kept = self._kept_in_record(session_id, agent_id, str(message_id), payload)
        try:
            # Unlike UpdateMessage, this is one transaction with the record of a large message.
            self._append(
                session_id,
                agent_id,
                stored,
                kept or [deletion(path, str(message_id))],
                on_existing="update",
            )
        except NotFound as error:
            problem = f"agent {agent_id} does not exist in session {session_id}"
            raise SessionException(problem) from error

    def list_messages(
        self,
        session_id: str,
        agent_id: str,
        limit: int | None = None,
        offset: int = 0,
        **kwargs: Any,
    ) -> list[SessionMessage]:
        log = self.log_of(session_id, agent_id)
        wanted = None if limit is None else offset + limit

        def look(client: Client) -> list[v1.Message]:
            found: list[v1.Message] = []
            if self.window:
                messages = [*client.window(log).messages]
                found = [one for one in messages if FORMAT.is_own(one)]
                return [one for one in found if int(one.message_id) >= offset][:limit]
            for message in client.list_messages(log, page_size=min(wanted or 1000, 1000)):
                if len(found) == wanted:
                    break
                if FORMAT.is_own(message):
                    found.append(message)
            return found[offset:]

        found = self._with_payloads(session_id, agent_id, look)
        return [session_message_of(payload) for _, payload in found]

    def get_window(self, session_id: str, agent_id: str) -> v1.GetWindowResponse | None:
        """Gets the window of an agent: what fits its policy, with tool calls and their results
        whole, and the summary of what left it. None if nothing is stored."""
        try:
            return self.client.window(self.log_of(session_id, agent_id))
        except NotFound:
            return None

    def create_multi_agent(
        self, session_id: str, multi_agent: MultiAgentBase, **kwargs: Any
    ) -> None:
        put = self._put_multi_agent(session_id, multi_agent, None)
        if not self._write_in_session(session_id, put):
            raise SessionException(f"session {session_id} does not exist")

    def read_multi_agent(
        self, session_id: str, multi_agent_id: str, **kwargs: Any
    ) -> dict[str, Any] | None:
        return self._read(self._multi_agents(session_id), multi_agent_id)

    def update_multi_agent(
        self, session_id: str, multi_agent: MultiAgentBase, **kwargs: Any
    ) -> None:
        put = self._put_multi_agent(session_id, multi_agent, True)
        self._write(put, f"multi-agent {multi_agent.id} does not exist in session {session_id}")

    def log_of(self, session_id: str, agent_id: str) -> str:
        """Gives the session of the server that has the messages of an agent."""
        return session_name(self.root, self.user_id, session_id, agent_id)

    def _check_agent(self, session_id: str, agent_id: str) -> v1.RecordOperation:
        """Refuses a write when the agent does not exist."""
        agent = v1.RecordRef(path=self._agents(session_id), key=segment(agent_id, MAX_KEY_BYTES))
        exists = v1.RecordPrecondition(exists=True)
        return v1.RecordOperation(check=v1.RecordCheck(record=agent, precondition=exists))

    def _message(
        self, session_id: str, agent_id: str, message_id: int
    ) -> tuple[v1.Message, bytes] | None:
        """Gets a message with its payload."""
        log = self.log_of(session_id, agent_id)

        def look(client: Client) -> list[v1.Message]:
            found = client.get_message(log, str(message_id)).message
            return [found] if FORMAT.is_own(found) else []

        found = self._with_payloads(session_id, agent_id, look)
        return found[0] if found else None

    def _with_payloads(
        self, session_id: str, agent_id: str, look: Callable[[Client], list[v1.Message]]
    ) -> list[tuple[v1.Message, bytes]]:
        """Gets messages with their payloads; an empty list if the session does not exist."""
        path = self._messages(session_id, agent_id)

        def found(client: Client) -> tuple[list[str], list[v1.Message]]:
            try:
                return path, look(client)
            except NotFound:
                return path, []

        return self._runner.run(with_payloads(FORMAT, found))

    def _kept_in_record(
        self, session_id: str, agent_id: str, message_id: str, payload: bytes
    ) -> list[v1.RecordOperation]:
        """Sends a payload too large for a message; gives the operation that keeps it."""
        path, log = self._messages(session_id, agent_id), self.log_of(session_id, agent_id)
        owner = owner_of(self.user_id, agent_id)
        return self._runner.run(large_payloads(path, [(message_id, payload)], log, owner))

    def _append(
        self,
        session_id: str,
        agent_id: str,
        message: dict[str, Any] | v1.Message,
        kept: list[v1.RecordOperation],
        **options: Any,
    ) -> None:
        """Writes a message of an agent that exists, with what keeps its payload."""
        log = self.log_of(session_id, agent_id)
        operations = [self._check_agent(session_id, agent_id), *kept]
        options["record_operations"] = operations
        method = methodcaller("append", log, [message], **options)
        self._runner.run(attempt(operations, method))

    def _put_multi_agent(
        self, session_id: str, multi_agent: MultiAgentBase, exists: bool | None
    ) -> v1.RecordOperation:
        state = multi_agent.serialize_state()
        return self._put(self._multi_agents(session_id), multi_agent.id, state, exists=exists)

    def _put(
        self, path: list[str], name: str, value: dict[str, Any], *, exists: bool | None
    ) -> v1.RecordOperation:
        data = json.dumps(encode_bytes_values(value), ensure_ascii=False).encode()
        record = v1.NamedRecord(
            path=path,
            key=segment(name, MAX_KEY_BYTES),
            media_type="application/json",
            value=data,
            owner=v1.MemoryScope(**owner_of(self.user_id)),
        )
        demand = None if exists is None else v1.RecordPrecondition(exists=exists)
        return v1.RecordOperation(put=v1.RecordPut(record=record, precondition=demand))

    def _delete_parts(self, session_id: str) -> None:
        for record in self.client.list_records(self._agents(session_id)):
            found = self._record([*record.path], record.key)
            if found is None:
                # Somebody else deletes the session, too. The log went first.
                continue
            agent = json.loads(found.value)
            log = self.log_of(session_id, agent["agent_id"])
            self.client.delete_session(log, allow_missing=True)
        for part in ("messages", "agents", "multi_agents"):
            path = path_of(self.root, part, self.user_id, session_id)
            while self.client.delete_records(path, recursive=True).more:
                pass

    def _write_in_session(
        self, session_id: str, operation: v1.RecordOperation, problem: str = ""
    ) -> bool:
        """Writes a part of a session, and tells whether the session exists. The session is written
        again, as it is, so that a deletion under way sees that there is more to delete."""
        key = segment(session_id, MAX_KEY_BYTES)
        while (session := self._record(self._sessions, key)) is not None:
            again = v1.RecordOperation(put=v1.RecordPut(record=session))
            try:
                self._runner.run(put_all([again, operation]))
                return True
            except MemorySidecarError as error:
                if error.reason == ErrorReason.RECORD_ALREADY_EXISTS:
                    raise SessionException(problem) from error
                if error.reason not in (ErrorReason.ETAG_MISMATCH, ErrorReason.RECORD_NOT_FOUND):
                    raise
            # The session has changed meanwhile, or is gone: look again.
        return False

    def _write(self, operation: v1.RecordOperation, problem: str) -> None:
        try:
            self._runner.run(put_all([operation]))
        except MemorySidecarError as error:
            conflicts = (ErrorReason.RECORD_ALREADY_EXISTS, ErrorReason.RECORD_NOT_FOUND)
            if error.reason not in conflicts:
                raise
            raise SessionException(problem) from error

    def _read(self, path: list[str], name: str) -> dict[str, Any] | None:
        record = self._record(path, segment(name, MAX_KEY_BYTES))
        if record is None:
            return None
        found: dict[str, Any] = decode_bytes_values(json.loads(record.value))
        return found

    def _record(self, path: list[str], key: str) -> v1.NamedRecord | None:
        return self._runner.run(get_whole((path, key)))

    @property
    def _sessions(self) -> list[str]:
        return path_of(self.root, "sessions", self.user_id)

    def _agents(self, session_id: str) -> list[str]:
        return path_of(self.root, "agents", self.user_id, session_id)

    def _multi_agents(self, session_id: str) -> list[str]:
        return path_of(self.root, "multi_agents", self.user_id, session_id)

    def _messages(self, session_id: str, agent_id: str) -> list[str]:
        return path_of(self.root, "messages", self.user_id, session_id, agent_id)
