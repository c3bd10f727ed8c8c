"""Lists of messages over the logs of sessions.

A key is a session. Its list is the messages of the log in their order, until a message is inserted
or the list is replaced: from then on the metadata of the session have the seqs of the list, as far
as ``through``; what is appended later follows. A change and the messages that it needs are one
transaction. Messages that are in no list any more are deleted after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

from google.protobuf.json_format import MessageToDict
from llama_index.core.base.llms.types import ChatMessage
from memorysidecar import ErrorReason, MemorySidecarError, NotFound, v1, where
from memorysidecar.adapters.attempts import attempt
from memorysidecar.adapters.messages import batches
from memorysidecar.adapters.names import path_of, session_name
from memorysidecar.adapters.plans import Call, Collect, Plan
from memorysidecar.adapters.records import (
    check_owner,
    deletion,
    large_payloads,
    look_up,
    owner_of,
    write,
)

from ._messages import FORMAT, chat_message_of, fields_of, payload_of
from ._runs import runs_of, seqs_of

T = TypeVar("T")

ENTRY = "llama-index"
"""Key of the metadata of a session under which the lists are."""
ACTIVE = "active"
ARCHIVED = "archived"
STATUSES = (ACTIVE, ARCHIVED)
ATTEMPTS = 50
MAX_RUNS = 8_000
"""Bytes of the lists in the metadata, which take 16,384."""
MAX_DELETED = 1_000
CHANGED = (
    ErrorReason.ETAG_MISMATCH,
    ErrorReason.LAST_SEQ_MISMATCH,
    ErrorReason.SESSION_NOT_FOUND,
    ErrorReason.SESSION_ALREADY_EXISTS,
)


@dataclass(frozen=True)
class Fresh:
    """A message to append. Each attempt gives it an id of its own: one that another writer stopped
    between two transactions has left messages in the log."""

    payload: bytes


Item = int | Fresh
"""A message that is stored, by its seq, or one to append."""


def fresh_in(lists: Mapping[str, Sequence[Item]]) -> list[Fresh]:
    """Gives the messages of lists that are to be appended."""
    return [one for items in lists.values() for one in items if isinstance(one, Fresh)]


@dataclass(frozen=True)
class Stored:
    """The messages of a key, as the server has them."""

    session: v1.Session | None = None
    messages: Mapping[int, v1.Message] = field(default_factory=dict)
    """All messages of LlamaIndex in the log, also those that are in no list."""
    lists: Mapping[str, list[int]] = field(default_factory=lambda: {one: [] for one in STATUSES})

    def messages_of(self, status: str | None) -> list[v1.Message]:
        """Gives the messages of a list, or of both, the older one first."""
        if status is not None:
            return [self.messages[seq] for seq in self.lists[status]]
        return [self.messages[seq] for one in reversed(STATUSES) for seq in self.lists[one]]

    def named(self, seqs: Iterable[int]) -> list[v1.Message]:
        """Gives the messages with these seqs that are still there."""
        return [self.messages[seq] for seq in seqs if seq in self.messages]

    @property
    def last_seq(self) -> int:
        return self.session.last_seq if self.session else 0

    def numbered(self, wanted: Mapping[str, Sequence[Item]]) -> dict[str, list[int]]:
        """Gives lists by the seqs that their messages will have."""
        numbers = iter(range(self.last_seq + 1, self.last_seq + 1 + len(fresh_in(wanted))))
        return {
            name: [next(numbers) if isinstance(one, Fresh) else one for one in items]
            for name, items in wanted.items()
        }


class Edit(NamedTuple):
    """A change of lists."""

    lists: Mapping[str, Sequence[Item]]
    """Those that are not named stay as they are. Messages that are in no list are deleted."""
    given: Sequence[int] = ()
    """Messages to give to the caller, as they were before the change."""


@dataclass(frozen=True)
class Lists:
    """The lists of one user, or of nobody."""

    root: str
    user_id: str | None
    attributes: Mapping[str, Any]
    """Of the sessions, as ``create_session`` takes them."""

    def __post_init__(self) -> None:
        check_owner(self.user_id)

    def log_of(self, key: str) -> str:
        """Gives the session that has the messages of a key."""
        return session_name(self.root, self.user_id, key)

    def keys(self, *, only_filled: bool = False) -> Plan[list[str]]:
        """Gives the keys, in the order of their creation, perhaps only those with messages."""
        sessions = yield Collect(self._list_sessions)
        if only_filled:
            sessions = [one for one in sessions if one.log_totals.message_count > 0]
        found = [(self._entry_of(one).get("key"), one.session_id) for one in sessions]
        return [key for key, name in found if isinstance(key, str) and self.log_of(key) == name]

    def read(self, key: str) -> Plan[list[ChatMessage]]:
        """Gives the messages of a key."""
        return (yield from self.read_chosen(key, lambda stored: stored.messages_of(ACTIVE)))

    def read_chosen(
        self, key: str, choose: Callable[[Stored], Sequence[v1.Message]]
    ) -> Plan[list[ChatMessage]]:
        """Gives some of the messages of a key."""
        stored = yield from self.stored(key)
        return (yield from self._read(key, choose(stored)))

    def window(self, key: str) -> Plan[v1.GetWindowResponse | None]:
        """Gives the window of a session; None if there is no session."""
        try:
            window: v1.GetWindowResponse = yield Call(partial(_get_window, self.log_of(key)))
        except NotFound:
            return None
        return window

    def fitting(self, key: str) -> Plan[list[ChatMessage]]:
        """Gives the messages of a key that are in the window, in the order of the list."""
        request = Call(partial(_get_window, self.log_of(key)))
        state = yield from self._of_one_state(key, request)
        if state is None:
            return []
        session, window = state
        found = {one.seq: one for one in window.messages if FORMAT.is_own(one)}
        lists = _lists_of(self._entry_of(session), found)
        return (yield from self._read(key, [found[seq] for seq in lists[ACTIVE]]))

    def append(self, key: str, messages: Sequence[ChatMessage]) -> Plan[None]:
        """Appends messages. Those of one batch are one transaction."""
        fresh = fresh_of(messages)
        for batch in batches((one, one.payload) for one in fresh):
            yield from self._append(key, [one for one, _ in batch], create_session=True)

    def change(self, key: str, edit: Callable[[Stored], Edit | None]) -> Plan[list[ChatMessage]]:
        """Changes lists in one transaction, and gives the messages that the edit names.

        :param edit: may be called again, when another writer was faster. None changes nothing.
        """

        def once() -> Plan[list[ChatMessage]]:
            stored = yield from self.stored(key)
            edited = edit(stored)
            if edited is None:
                return []
            read = yield from self._read(key, stored.named(edited.given))
            wanted: dict[str, Sequence[Item]] = {**stored.lists, **edited.lists}
            if sum(len(runs_of(seqs)) for seqs in stored.numbered(wanted).values()) > MAX_RUNS:
                wanted = yield from self._copied(key, stored, wanted)
            yield from self._store(key, stored, wanted)
            kept = {one for items in wanted.values() for one in items}
            left = [one for seq, one in stored.messages.items() if seq not in kept]
            yield from self._delete(key, left)
            return read

        return (yield from _repeat(once))

    def drop(self, key: str) -> Plan[list[ChatMessage] | None]:
        """Deletes the session of a key with its log; gives the messages, or None if there is no
        session. What another writer adds meanwhile is deleted, too."""
        stored = yield from self.stored(key)
        read = yield from self._read(key, stored.messages_of(None))
        name = self.log_of(key)
        answer = read if stored.session else None
        yield Call(lambda client: client.delete_session(name, allow_missing=True))
        path = self._large(key)
        left = yield Collect(lambda client: client.list_records(path, page_size=1_000))
        if left:
            # Large messages that came since are there, too.
            again = yield from self.stored(key)
            named = set(map(FORMAT.key_of, again.messages.values()))
            yield from write(deletion(path, one.key) for one in left if one.key not in named)
        return answer

    # Reads.

    def _session(self, key: str) -> Plan[v1.Session | None]:
        try:
            session: v1.Session = yield Call(lambda client: client.get_session(self.log_of(key)))
        except NotFound:
            return None
        return session

    def stored(self, key: str) -> Plan[Stored]:
        """Reads the lists of a key with their messages."""
        request = Collect(partial(_list_messages, self.log_of(key)))
        state = yield from self._of_one_state(key, request)
        if state is None:
            return Stored()
        session, listed = state
        # A message that came after the session was read is none of this state.
        known = (one for one in listed if one.seq <= session.last_seq)
        found = {one.seq: one for one in known if FORMAT.is_own(one)}
        return Stored(session, found, _lists_of(self._entry_of(session), found))

    def _of_one_state(
        self, key: str, request: Call | Collect
    ) -> Plan[tuple[v1.Session, Any] | None]:
        """Reads a session before and after an answer about it: lists that changed meanwhile do not
        fit the answer. None if there is no session."""
        session = yield from self._session(key)
        while session is not None:
            try:
                answer = yield request
            except NotFound:
                return None
            again = yield from self._session(key)
            if again is not None and self._entry_of(again) == self._entry_of(session):
                return session, answer
            session = again
        return None

    def _read(self, key: str, messages: Sequence[v1.Message]) -> Plan[list[ChatMessage]]:
        payloads = yield from self._payloads(key, messages)
        return [chat_message_of(payload) for payload in payloads]

    def _payloads(self, key: str, messages: Sequence[v1.Message]) -> Plan[list[bytes]]:
        path, keys = self._large(key), list(map(FORMAT.key_of, messages))
        records = yield from look_up([(path, one) for one in keys if one is not None])
        found = iter(records)
        payloads = []
        for message, name in zip(messages, keys, strict=True):
            if name is None:
                payloads.append(message.provider_payload.data)
                continue
            record = next(found)
            if record is not None:
                payloads.append(record.value)
            elif (yield from self._exists(key, message)):
                raise LookupError(f"the record of message {name} of {key!r} is missing")
        return payloads

    def _exists(self, key: str, message: v1.Message) -> Plan[bool]:
        """Tells whether a message has not been deleted meanwhile."""
        name, log = message.message_id, self.log_of(key)
        try:
            yield Call(lambda client: client.get_message(log, name))
        except NotFound:
            return False
        return True

    def _entry_of(self, session: v1.Session) -> dict[str, Any]:
        entry = MessageToDict(session.metadata).get(ENTRY)
        return entry if isinstance(entry, dict) and entry.get("root") == self.root else {}

    def _list_sessions(self, client: Any) -> Any:
        wanted: dict[str, Any] = {"metadata": [where(f"{ENTRY}.root", equals=self.root)]}
        if self.user_id is None:
            wanted["session_id_prefix"] = session_name(self.root, None, "")[:-1]
        else:
            wanted["user_id"] = self.user_id
        return client.list_sessions(filter=wanted, order="oldest_first", page_size=1_000)

    # Writes.

    def _append(self, key: str, fresh: Sequence[Fresh], **options: Any) -> Plan[Any]:
        name, path, owner = self.log_of(key), self._large(key), owner_of(self.user_id)
        payloads = [(uuid4().hex, one.payload) for one in fresh]
        kept = yield from large_payloads(path, payloads, name, owner)
        options = {"session": self._attributes(key), "record_operations": kept, **options}
        messages = [fields_of(payload, one) for one, payload in payloads]
        return (yield from attempt(kept, lambda client: client.append(name, messages, **options)))

    def _store(self, key: str, stored: Stored, wanted: Mapping[str, Sequence[Item]]) -> Plan[None]:
        session, last = stored.session, stored.last_seq
        fresh, lists = fresh_in(wanted), stored.numbered(wanted)
        if lists == stored.lists and session is not None:
            return
        if not fresh:
            final = self._attributes(key, session, last, lists)
            yield Call(partial(_put_session, self.log_of(key), session, final))
            return
        etag = session.etag if session else ""
        parts = [[one for one, _ in part] for part in batches((one, one.payload) for one in fresh)]
        for number, part in enumerate(parts, 1):
            # Messages before the last part are in no list yet; what others append after it is.
            listed = lists if number == len(parts) else stored.lists
            attributes = self._attributes(key, session, last + len(part), listed)
            answer = yield from self._append(
                key,
                part,
                expected_last_seq=last,
                create_session=session is None and number == 1,
                session={**attributes, "etag": etag},
                session_update_mask=["metadata"],
            )
            last, etag = last + len(part), answer.session_etag

    def _delete(self, key: str, messages: Sequence[v1.Message]) -> Plan[None]:
        log, path = self.log_of(key), self._large(key)
        for start in range(0, len(messages), MAX_DELETED):
            part = messages[start : start + MAX_DELETED]
            try:
                yield Call(partial(_delete_messages, log, [one.message_id for one in part]))
            except NotFound:
                pass  # The session has been deleted meanwhile.
            large = [name for one in part if (name := FORMAT.key_of(one)) is not None]
            yield from write(deletion(path, name) for name in large)

    def _copied(
        self, key: str, stored: Stored, wanted: Mapping[str, Sequence[Item]]
    ) -> Plan[dict[str, Sequence[Item]]]:
        """Has all messages appended again, where their order takes too much room."""
        copied: dict[str, Sequence[Item]] = {}
        for name, items in wanted.items():
            kept = [one for one in items if not isinstance(one, Fresh)]
            payloads = yield from self._payloads(key, [stored.messages[seq] for seq in kept])
            copies = dict(zip(kept, map(Fresh, payloads), strict=True))
            copied[name] = [one if isinstance(one, Fresh) else copies[one] for one in items]
        return copied

    def _attributes(
        self,
        key: str,
        session: v1.Session | None = None,
        through: int = 0,
        lists: Mapping[str, Sequence[int]] | None = None,
    ) -> dict[str, Any]:
        entry: dict[str, Any] = {"root": self.root, "key": key}
        if lists is not None:
            entry["through"] = through
            entry.update({name: runs_of(seqs) for name, seqs in lists.items()})
        own = self.attributes.get("metadata") or {}
        metadata = own if session is None else MessageToDict(session.metadata)
        given = {} if session is not None else {**self.attributes, **owner_of(self.user_id)}
        return {**given, "metadata": {**metadata, ENTRY: entry}}

    def _large(self, key: str) -> list[str]:
        return path_of(self.root, "messages", self.user_id, key)


def _repeat(once: Callable[[], Plan[T]]) -> Plan[T]:
    """Does what needs the state of a key, again when another writer was faster."""
    for _ in range(ATTEMPTS - 1):
        try:
            return (yield from once())
        except MemorySidecarError as error:
            if error.reason not in CHANGED:
                raise
    return (yield from once())


def _lists_of(entry: Mapping[str, Any], found: Mapping[int, v1.Message]) -> dict[str, list[int]]:
    through = int(entry.get("through", 0))
    lists = {
        name: [seq for seq in seqs_of(entry.get(name, "")) if seq in found] for name in STATUSES
    }
    lists[ACTIVE] += [seq for seq in sorted(found) if seq > through]
    return lists


def fresh_of(messages: Iterable[ChatMessage]) -> list[Fresh]:
    """Writes messages that are to be appended."""
    return [Fresh(payload_of(one)) for one in messages]


def _get_window(log: str, client: Any) -> Any:
    return client.window(log)


def _list_messages(log: str, client: Any) -> Any:
    return client.list_messages(log, page_size=1_000)


def _put_session(
    log: str, session: v1.Session | None, attributes: Mapping[str, Any], client: Any
) -> Any:
    if session is None:
        return client.create_session(log, **attributes)
    return client.update_session(log, etag=session.etag, **attributes)


def _delete_messages(log: str, ids: Sequence[str], client: Any) -> Any:
    return client.batch_delete_messages(log, ids, allow_missing=True)
