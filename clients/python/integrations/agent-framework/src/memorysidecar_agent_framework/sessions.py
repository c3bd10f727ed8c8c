"""The store of sessions. It is experimental in the framework, which warns of that."""

from __future__ import annotations

import json

from agent_framework import AgentSession, SessionStore
from memorysidecar import AsyncClient, v1
from memorysidecar.adapters.names import MAX_KEY_BYTES, path_of, segment
from memorysidecar.adapters.plans import Runner
from memorysidecar.adapters.records import check_owner, get_whole, owner_of, write

from .history import ROOT


class SidecarSessionStore(SessionStore):
    """Keeps sessions with their states in Memory Sidecar: each is a record.

    A session is acknowledged once it is on disk, and replaces the stored one as a whole.

    :param client: a client, which the store never closes, on the event loop of the agent.
    :param application_id: keeps the sessions of applications apart.
    :param user_id: whose the sessions are: users never share one, and
        ``erase_subject(user_id=...)`` erases them. Default: nobody's.
    :param root: first part of the names of records.
    """

    def __init__(
        self,
        client: AsyncClient,
        *,
        application_id: str,
        user_id: str | None = None,
        root: str = ROOT,
    ) -> None:
        super().__init__()
        if not application_id:
            raise ValueError("application_id must not be empty: it keeps applications apart")
        check_owner(user_id)
        self.client = client
        self.user_id = user_id
        self._path = path_of(root, "sessions", user_id, application_id)

    async def get(self, session_id: str) -> AgentSession | None:
        self.validate_session_id(session_id)
        found = await Runner(self.client).arun(get_whole((self._path, _key_of(session_id))))
        return None if found is None else AgentSession.from_dict(json.loads(found.value))

    async def set(self, session_id: str, session: AgentSession) -> None:
        self.validate_session_id(session_id)
        # Numbers that JSON does not have are refused, not stored as something that is no JSON.
        value = json.dumps(session.to_dict(), ensure_ascii=False, allow_nan=False).encode()
        record = v1.NamedRecord(
            path=self._path,
            key=_key_of(session_id),
            value=value,
            media_type="application/json",
            owner=v1.MemoryScope(**owner_of(self.user_id)),
        )
        put = v1.RecordOperation(put=v1.RecordPut(record=record))
        await Runner(self.client).arun(write([put]))

    async def delete(self, session_id: str) -> None:
        self.validate_session_id(session_id)
        await self.client.delete_record(self._path, _key_of(session_id), allow_missing=True)


def _key_of(session_id: str) -> str:
    return segment(session_id, MAX_KEY_BYTES)
