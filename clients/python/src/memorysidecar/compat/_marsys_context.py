"""The context that MARSYS compacts, over a session of the server.

A compaction takes messages out of the context, cuts others and makes new ones. The log of the
session keeps what was said, as it was said. A record of the session keeps what the context shows
in its stead, and where.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from marsys.agents.memory import Message

from .. import v1
from .._recall_fields import scope_of
from .._record_fields import demand_of
from ..adapters.attempts import put_all
from ..adapters.plans import Runner
from ..adapters.records import get_whole
from ..client import Client
from ..errors import Aborted, AlreadyExists, NotFound
from ._marsys_messages import ServerMessages, written_of
from ._shared import new_id, sound

# Path of the records that keep contexts, by sessions.
_CONTEXTS = "marsys contexts"
_SUMMARY_BYTES = 65_536
_FIELDS = ("role", "content", "name", "tool_calls", "tool_call_id", "reasoning_details")
# The messages of the window as they are stored: no stage, and no summary of the session.
STORED = v1.Policy(
    tool_pairing=v1.TOOL_PAIRING_LOOSE,
    summary_view=v1.SummaryView(show=v1.SUMMARY_SHOW_NONE),
)


class Placed(dict[str, Any]):
    """A message as MARSYS compacts it, which knows its place in the context."""

    def __init__(self, message: dict[str, Any], place: int) -> None:
        super().__init__(message)
        self.place = place
        # MARSYS changes some messages that it gives to a model.
        self._before = dict(message)

    def copy(self) -> Placed:
        """Copies the message: the copy has the place too."""
        other = Placed(self._before, self.place)
        other.clear()
        other.update(self)
        return other

    @property
    def is_changed(self) -> bool:
        """Tells if the message is another than before."""
        return dict(self) != self._before


@dataclasses.dataclass
class _Context:
    """The content of a record: the messages up to a seq, in order, and the text that was placed."""

    # Time at which the session was created: another of that name has another context.
    session: str = ""
    seq: int = 0
    summary: str = ""
    # Each has an id. One with fields is not, or not as such, in the log.
    entries: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    version: int = 0


class ContextMessages(ServerMessages):
    """A list of messages that is the context of a session: its log less what was compacted."""

    def __init__(self, session_id: str, client: Client | None) -> None:
        # MARSYS says what leaves the context.
        super().__init__(session_id, STORED, client)
        self._context = _Context()
        # The context as it was when a compaction began, as entries and as its record, and the
        # places of its objects, of which some may occur twice.
        self._begun: tuple[list[dict[str, Any]], _Context] = ([], self._context)
        self._places: dict[int, list[int]] = {}

    def _read(self) -> list[v1.Message]:
        """The context, read again only if the session has changed."""
        try:
            session = self.client.get_session(self.session_id)
            if session.revision != self._revision:
                window = self.client.window(self.session_id, policy=STORED)
                self._context = self._kept(session)
                self._stored = self._arranged(list(window.messages))
                self._revision = window.revision
        except NotFound:
            self._stored, self._revision, self._context = [], -1, _Context()
        return self._stored

    def _kept(self, session: v1.Session) -> _Context:
        made = session.create_time.ToJsonString()
        record = Runner(self.client).run(get_whole(([_CONTEXTS], self.session_id)))
        if record is None:
            return _Context(made)
        kept = _Context(**json.loads(record.value), version=record.version)
        return kept if kept.session == made else _Context(made, version=record.version)

    def _arranged(self, window: list[v1.Message]) -> list[v1.Message]:
        """The messages of the window as the context shows them."""
        context = self._context
        left = {one.message_id: one for one in window}
        shown = []
        for entry in context.entries:
            stored = left.pop(entry["id"], None)
            if "fields" in entry and (stored is not None or entry["is_made"]):
                written = written_of(self._object(entry), self.counter)
                written.message_id = entry["id"]
                written.seq = 0 if stored is None else stored.seq
                shown.append(written)
            elif stored is not None:
                shown.append(stored)
        # A summary of others stands for the oldest messages.
        placed = [one for one in left.values() if one.seq == 0 and one.text != context.summary]
        return [*placed, *shown, *(one for one in left.values() if one.seq > context.seq)]

    def _object(self, entry: dict[str, Any]) -> Message:
        known = self._objects.get(entry["id"])
        if known is None:
            known = self._objects[entry["id"]] = Message(message_id=entry["id"], **entry["fields"])
        return known

    def _now(self) -> tuple[list[dict[str, Any]], _Context]:
        """The context as it is now: as entries of a record, and up to its newest message."""
        stored = self._read()
        kept = {entry["id"]: entry for entry in self._context.entries}
        newest = max([self._context.seq, *(one.seq for one in stored)])
        entries = [kept.get(one.message_id, {"id": one.message_id}) for one in stored]
        return entries, dataclasses.replace(self._context, seq=newest)

    def begin(self) -> None:
        """Notes the context that a compaction begins with: places are places in it."""
        self._begun = self._now()
        self._places = {}
        for place, message in enumerate(self.message(stored) for stored in self._stored):
            self._places.setdefault(id(message), []).append(place)

    def place_of(self, message: Message) -> int:
        """Gives the place of a message, each once; -1 for one that came since."""
        places = self._places.get(id(message))
        return places.pop(0) if places else -1

    def compact(self, wanted: list[dict[str, Any]]) -> None:
        """Makes these messages the context that a compaction began with. Those that know their
        place were messages of it. If another process was first, its context stays."""
        entries, begun = self._begun
        whole: list[dict[str, Any]] = []
        texts = []
        for one in wanted:
            if isinstance(one, Placed) and one.place < 0:
                # It follows in any case.
                continue
            if isinstance(one, Placed) and not one.is_changed:
                whole.append(entries[one.place])
                continue
            fields = _fields_of(one)
            if isinstance(one, Placed):
                old = entries[one.place]
                whole.append({"is_made": False, **old, "fields": fields})
            else:
                whole.append({"id": new_id(), "is_made": True, "fields": fields})
                texts.append(one["content"])
        said = "\n\n".join(text for text in texts if isinstance(text, str))
        text = sound(said).encode()[:_SUMMARY_BYTES].decode("utf-8", "ignore")
        self._write(whole, begun, text)

    def _write(self, entries: list[dict[str, Any]], old: _Context, text: str = "") -> bool:
        """Keeps a context in the place of the one it was made of, and takes out of the window what
        is not in it. Tells if it did: another process may have been first."""
        context = _Context(old.session, old.seq, text or old.summary, entries)
        value = dataclasses.asdict(context)
        del value["version"]
        user_id = self.client.get_session(self.session_id).user_id
        record = v1.NamedRecord(
            path=[_CONTEXTS],
            key=self.session_id,
            value=json.dumps(value, default=str).encode(),
            owner=scope_of(user_id or None, None, self.session_id),
        )
        demand = demand_of(old.version or None, None if old.version else False)
        put = v1.RecordPut(record=record, precondition=demand)
        try:
            Runner(self.client).run(put_all([v1.RecordOperation(put=put)]))
        except (Aborted, AlreadyExists):
            self._revision = -1
            return False
        self._objects = {
            entry["id"]: self._objects[entry["id"]]
            for entry in entries
            if "fields" not in entry and entry["id"] in self._objects
        }
        self._let_go(context, text)
        self._revision = -1
        return True

    def _let_go(self, context: _Context, text: str) -> None:
        """Takes messages out of the window; they stay in the log. A text takes their place."""
        ids = {entry["id"] for entry in context.entries}
        has_made = any(entry.get("is_made") for entry in context.entries)
        while True:
            window = self.client.window(self.session_id, policy=STORED).messages
            gone = [
                one.message_id
                for one in window
                if one.message_id not in ids
                and one.seq <= context.seq
                and (one.seq > 0 or text or not has_made)
            ]
            if not gone:
                return
            try:
                if text:
                    self.client.set_summary(
                        self.session_id, text, replaced_message_ids=gone, in_place=True
                    )
                else:
                    summary = self.client.get_session(self.session_id).summary
                    self.client.set_summary(
                        self.session_id,
                        summary.text,
                        replaced_message_ids=gone,
                        expected_version=summary.version,
                    )
                return
            except (Aborted, NotFound):
                # In between one of them was deleted, or another summary was made.
                continue

    def __setitem__(self, index: Any, value: Any) -> None:
        stored = self._read()[index]
        if stored.seq > 0:
            self._replace(stored, value)
            self._change(stored.message_id, {"id": stored.message_id})
            self._objects[stored.message_id] = value
            return
        others = {one.message_id for one in self._stored} - {stored.message_id}
        made_id = new_id() if value.message_id in others else value.message_id
        fields = _fields_of(value.to_llm_dict())
        entry = {"id": made_id, "is_made": True, "fields": fields}
        if not self._change(stored.message_id, entry):
            raise IndexError("the message left the context: another process took it out")
        self._objects[made_id] = value

    def _change(self, message_id: str, *instead: dict[str, Any]) -> bool:
        """Gives an entry of the context another one in its place, or none. Tells if it was there
        to be changed, however often others change the context in between."""
        while True:
            entries, old = self._now()
            ids = [entry["id"] for entry in entries]
            if message_id not in ids:
                return False
            place = ids.index(message_id)
            changed = [*entries[:place], *instead, *entries[place + 1 :]]
            if changed == entries or self._write(changed, old):
                return True

    def __delitem__(self, index: Any) -> None:
        stored = self._read()[index]
        if stored.seq > 0:
            self._delete(stored.message_id)
        else:
            self._change(stored.message_id)

    def clear(self) -> None:
        """Deletes all messages, for good."""
        super().clear()
        self.client.delete_record(_CONTEXTS, self.session_id, allow_missing=True)
        self._revision = -1


def _fields_of(message: dict[str, Any]) -> dict[str, Any]:
    """The fields of a message that MARSYS makes of one for a model."""
    return {name: message[name] for name in _FIELDS if message.get(name) is not None}
