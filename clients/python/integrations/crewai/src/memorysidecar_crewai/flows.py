"""The persistence of flows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from threading import Lock
from typing import Any

from crewai.flow.async_feedback.types import PendingFeedbackContext
from crewai.flow.persistence.base import FlowPersistence
from memorysidecar import Client, v1
from memorysidecar.adapters.attempts import attempt, upload_all
from memorysidecar.adapters.names import MAX_KEY_BYTES, path_of, segment
from memorysidecar.adapters.plans import Plan, Runner
from memorysidecar.adapters.records import MAX_RECORD_BYTES, check_owner, get_whole
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, model_validator

ROOT = "crewai"
STATES = "flows"
PENDING = "pending"


class SidecarFlowPersistence(FlowPersistence):
    """Keeps the states of flows in Memory Sidecar.

    The last state of each flow is a record, and so is the feedback that it waits for. A save is
    durable when it returns; a pause writes both in one transaction.

    :param client: a client, which the persistence never closes. Without one it connects to
        ``address``, ``namespace`` and ``token`` at its first use. A checkpoint keeps the address
        and the namespace, never the token.
    :param root: first part of the names of records. Those with the same root and owner share their
        flows.
    :param user_id: the user whom the states belong to. ``erase_subject(user_id=...)`` erases them.
    :param agent_id: the agent whom they belong to.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    persistence_type: str = Field(default="SidecarFlowPersistence")
    address: str = "127.0.0.1:50151"
    namespace: str = "default"
    root: str = ROOT
    user_id: str | None = None
    agent_id: str | None = None
    token: str | None = Field(default=None, exclude=True, repr=False)
    client: Client | None = Field(default=None, exclude=True, repr=False)
    _lock: Any = PrivateAttr(default_factory=Lock)

    def __init__(self, client: Client | None = None, /, **fields: Any) -> None:
        if client is not None:
            fields["client"] = client
        super().__init__(**fields)

    @model_validator(mode="after")
    def _check(self) -> SidecarFlowPersistence:
        check_owner(self.user_id, self.agent_id)
        if self.client is not None:
            self.address, self.namespace = self.client.address, self.client.namespace
        return self

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> SidecarFlowPersistence:
        """A copy of a flow keeps its states where the flow does."""
        return self

    def init_db(self) -> None:
        """Needs nothing: the server is ready."""

    def save_state(
        self, flow_uuid: str, method_name: str, state_data: dict[str, Any] | BaseModel
    ) -> None:
        state = {"method_name": method_name, "state": _plain(state_data)}
        self._put([(STATES, flow_uuid, state)])

    def load_state(self, flow_uuid: str) -> dict[str, Any] | None:
        kept = self._get(STATES, flow_uuid)
        return None if kept is None else kept["state"]

    def save_pending_feedback(
        self,
        flow_uuid: str,
        context: PendingFeedbackContext,
        state_data: dict[str, Any] | BaseModel,
    ) -> None:
        state = {"method_name": context.method_name, "state": _plain(state_data)}
        pending = {**state, "context": context.to_dict()}
        self._put([(STATES, flow_uuid, state), (PENDING, flow_uuid, pending)])

    def load_pending_feedback(
        self, flow_uuid: str
    ) -> tuple[dict[str, Any], PendingFeedbackContext] | None:
        kept = self._get(PENDING, flow_uuid)
        if kept is None:
            return None
        return kept["state"], PendingFeedbackContext.from_dict(kept["context"])

    def clear_pending_feedback(self, flow_uuid: str) -> None:
        self._connected.delete_record(*self._name(PENDING, flow_uuid), allow_missing=True)

    @property
    def _connected(self) -> Client:
        with self._lock:
            if self.client is None:
                self.client = Client(self.address, namespace=self.namespace, token=self.token)
            return self.client

    def _name(self, kind: str, flow_uuid: str) -> tuple[list[str], str]:
        path = path_of(self.root, kind, self.user_id, self.agent_id)
        return path, segment(flow_uuid, MAX_KEY_BYTES)

    def _put(self, values: Iterable[tuple[str, str, dict[str, Any]]]) -> None:
        Runner(self._connected).run(self._write(values))

    def _write(self, values: Iterable[tuple[str, str, dict[str, Any]]]) -> Plan[None]:
        """Writes records in one transaction. Large values are sent before."""
        owner = v1.MemoryScope(user_id=self.user_id, agent_id=self.agent_id)
        records, large, size = [], [], 0
        for kind, flow_uuid, value in values:
            data = json.dumps(value, default=_default).encode()
            path, key = self._name(kind, flow_uuid)
            record = v1.NamedRecord(path=path, key=key, media_type="application/json")
            if self.user_id or self.agent_id:
                record.owner.CopyFrom(owner)
            if size + len(data) > MAX_RECORD_BYTES:
                large.append((record, data))
            else:
                record.value = data
                size += len(data)
            records.append(record)
        sent = yield from upload_all([data for _, data in large], owner)
        for (record, _), one in zip(large, sent, strict=True):
            record.upload_id, record.value_crc32 = one
        operations = [v1.RecordOperation(put=v1.RecordPut(record=record)) for record in records]
        yield from attempt(operations, lambda client: client.write_records(operations))

    def _get(self, kind: str, flow_uuid: str) -> dict[str, Any] | None:
        record = Runner(self._connected).run(get_whole(self._name(kind, flow_uuid)))
        if record is None:
            return None
        kept: dict[str, Any] = json.loads(record.value)
        return kept


def _plain(state: Any) -> dict[str, Any]:
    if isinstance(state, dict):
        return state
    if not isinstance(state, BaseModel):
        raise ValueError(f"the state is a dict or a model of pydantic, not {type(state).__name__}")
    dumped: dict[str, Any] = _dump(state)
    return dumped


def _dump(model: BaseModel) -> Any:
    try:
        return model.model_dump(mode="json")
    except Exception:
        # A field has a type of its own, of which its text is kept.
        return model.model_dump(mode="python")


def _default(value: Any) -> Any:
    """Makes JSON of other types, as CrewAI's own persistence does."""
    if isinstance(value, BaseModel):
        return _dump(value)
    if isinstance(value, (set, tuple)):
        return list(value)
    return value.isoformat() if isinstance(value, date) else str(value)
