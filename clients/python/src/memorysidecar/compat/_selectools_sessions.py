"""The session store of selectools, kept by a server."""

from __future__ import annotations

import itertools
import json
import time
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from typing import Any

from google.protobuf.json_format import MessageToDict
from selectools.memory import ConversationMemory as _ConversationMemory
from selectools.sessions import SessionMetadata, SessionSearchResult
from selectools.types import Message

from .. import v1
from .._retry import RetryPolicy
from ..client import Client
from ..errors import Aborted, AlreadyExists, ErrorReason, NotFound
from ._selectools_messages import message_of, window_policy, written_of
from ._shared import MESSAGES, batches, client_or_default, new_id, replace_since, sound

# Label of the sessions that a store saved, and the member of their metadata that says what the
# saved memory is.
_LABEL = "selectools.session"
_SAVED = "saved"
_STATE = "selectools_session"
_NAME_BYTES = 512
_TTL_SECONDS_MAX = 315_576_000
_PAGE = 1_000
_SNIPPET = 160
_SNIPPETS = 5
_LIMITS = ("max_messages", "max_tokens")
# Of a save that another one came between.
_AGAIN = RetryPolicy(max_attempts=50, initial_delay=0.02, max_delay=1)


# In the store, `list` is a method.
_Found = list[SessionSearchResult]


class SaveLostError(Exception):
    """Another save came between the calls of this one."""


class SessionStore:
    """A SessionStore of selectools: each saved memory is a session of the server, and each of its
    messages is there once. Those that left the memory stay in the log, and so do those of other
    programs that the memory was saved without.

    :param default_ttl: seconds that a session lives after it was saved. Default: for ever.
    """

    def __init__(self, default_ttl: int | None = None, *, client: Client | None = None) -> None:
        self._client = client_or_default(client)
        self._default_ttl = default_ttl

    def save(
        self, session_id: str, memory: _ConversationMemory, namespace: str | None = None
    ) -> None:
        """Stores a memory in the place of the saved one. Only messages that the saved one lacks
        are written, unless another program added some that this memory lacks: behind those it is
        written whole. Of two saves at once, the one that ends last stores all of its memory. A
        save that others come between 50 times raises the error of its last attempt."""
        name = _session_name(session_id, namespace)
        for lost in itertools.count(1):
            try:
                self._save(name, memory)
                return
            except (Aborted, AlreadyExists, NotFound, SaveLostError) as error:
                is_final = getattr(error, "reason", "") == ErrorReason.HOOK_FAILED
                if is_final or lost == _AGAIN.max_attempts:
                    raise
                # Another save or deletion came in between. A random delay lets one of them end.
                time.sleep(_AGAIN.delay(lost))

    def _save(self, name: str, memory: _ConversationMemory) -> None:
        session = self._session(name)
        change = _Change(self._client, name, session, memory.to_dict(), self._default_ttl)
        client: Any = getattr(memory, "_client", None)
        if client is self._client and getattr(memory, "session_id", None) == name:
            change.name_alone()
        else:
            change.write()

    def _session(self, name: str) -> v1.Session | None:
        try:
            return self._client.get_session(name)
        except NotFound:
            return None

    def _is_over(self, state: dict[str, Any]) -> bool:
        age: float = time.time() - state["updated_at"]
        return self._default_ttl is not None and age > self._default_ttl

    def _forget(self, session: v1.Session) -> None:
        """Deletes a session whose time is over, unless it was saved again."""
        with suppress(Aborted):
            name, etag = session.session_id, session.etag
            self._client.delete_session(name, etag=etag, allow_missing=True)

    def load(self, session_id: str, namespace: str | None = None) -> _ConversationMemory | None:
        """Gives the saved memory, as an object of its own; None for none. A session that another
        program went on with has its messages too."""
        return self._load(_session_name(session_id, namespace))

    def _load(self, name: str) -> _ConversationMemory | None:
        while True:
            session = self._session(name)
            state = _state_of(session)
            if session is None or state is None:
                return None
            if self._is_over(state):
                self._forget(session)
                return None
            messages = self._messages(name, state)
            again = self._session(name)
            # A save in between may have changed the messages.
            if again is not None and again.revision == session.revision:
                limits = {key: state[key] for key in _LIMITS}
                summary = session.summary.text or None
                whole = {**limits, "messages": messages, "summary": summary}
                return _ConversationMemory.from_dict(whole)

    def _messages(self, name: str, state: dict[str, Any]) -> list[dict[str, Any]]:
        chosen = {"first_seq": state["first_seq"]}
        try:
            found = self._client.list_messages(name, filter=chosen, page_size=_PAGE)
            return [message_of(one).to_dict() for one in found]
        except NotFound:
            return []

    def _all(self) -> Iterator[tuple[v1.Session, dict[str, Any]]]:
        """The saved sessions, those too whose time is over."""
        chosen = {"labels": {_LABEL: _SAVED}}
        for session in self._client.list_sessions(filter=chosen, page_size=_PAGE):
            state = _state_of(session)
            if state is not None:
                yield session, state

    def list(self) -> list[SessionMetadata]:
        """Describes all saved sessions by their names, which are ``namespace:session`` for those
        of a namespace. Deletes those whose time is over."""
        found = list(self._all())
        for session, state in found:
            if self._is_over(state):
                self._forget(session)
        return [
            SessionMetadata(
                session_id=session.session_id,
                message_count=state["message_count"],
                created_at=state["created_at"],
                updated_at=state["updated_at"],
            )
            for session, state in found
            if not self._is_over(state)
        ]

    def delete(self, session_id: str, namespace: str | None = None) -> bool:
        """Deletes a saved session with its whole log, for good. Tells if there was one."""
        name = _session_name(session_id, namespace)
        if _state_of(self._session(name)) is None:
            return False
        self._client.delete_session(name, allow_missing=True)
        return True

    def exists(self, session_id: str, namespace: str | None = None) -> bool:
        """Tells if a session is saved, and its time is not over."""
        state = _state_of(self._session(_session_name(session_id, namespace)))
        return state is not None and not self._is_over(state)

    def branch(self, source_id: str, new_id: str, namespace: str | None = None) -> None:
        """Saves a session under another id too."""
        memory = self.load(source_id, namespace=namespace)
        if memory is None:
            raise ValueError(f"Session {source_id!r} not found")
        self.save(new_id, memory, namespace=namespace)

    def search(self, query: str, namespace: str | None = None, limit: int = 5) -> _Found:
        """Finds sessions by the words of a query in what users and models said, those with most
        of them first. Reads every saved session; Recall has an index.

        :param namespace: only its sessions, whose ids are given without it.
        """
        terms = query.lower().split()
        if not terms or limit <= 0:
            return []
        prefix = f"{namespace}:" if namespace is not None else ""
        results = []
        for session, state in self._all():
            name = session.session_id
            if not name.startswith(prefix) or self._is_over(state):
                continue
            score, snippets = _matches(self._messages(name, state), terms)
            if score > 0:
                found = SessionSearchResult(name.removeprefix(prefix), score, snippets)
                results.append(found)
        results.sort(key=lambda one: (-one.score, one.session_id))
        return results[:limit]


class _Change:
    """The change of a session to what a memory is."""

    def __init__(
        self,
        client: Client,
        name: str,
        session: v1.Session | None,
        document: dict[str, Any],
        ttl: int | None,
    ) -> None:
        self._client, self._name, self._session = client, name, session
        self._before = _state_of(session)
        self._last_seq = 0 if session is None else session.last_seq
        self._messages: list[dict[str, Any]] = _plain(document["messages"])
        self._summary = sound(document["summary"] or "")
        self._ttl = ttl
        now = time.time()
        before = self._before or {}
        self._state = {
            "session": name,
            "save": new_id(),
            "max_messages": document["max_messages"],
            "max_tokens": document["max_tokens"],
            "message_count": len(self._messages),
            "created_at": before.get("created_at", now),
            "updated_at": now,
            "ttl": ttl,
            "last_seq": self._last_seq,
        }

    def _etag(self) -> str:
        return "" if self._session is None else self._session.etag

    def _fields(self, first_seq: int) -> dict[str, Any]:
        """The fields of the session that change: other metadata and labels stay."""
        session, before = self._session, self._before
        state = json.dumps({**self._state, "first_seq": first_seq})
        metadata = {} if session is None else MessageToDict(session.metadata)
        labels = {} if session is None else dict(session.labels)
        fields: dict[str, Any] = {
            "metadata": {**metadata, _STATE: state},
            "labels": {**labels, _LABEL: _SAVED},
        }
        limits = [self._state[one] for one in _LIMITS]
        if session is None or (before and [before[one] for one in _LIMITS] != limits):
            fields["policy"] = window_policy(*limits)
        if self._ttl is not None:
            fields["ttl"] = timedelta(seconds=min(max(self._ttl, 1), _TTL_SECONDS_MAX))
        elif before is not None and before["ttl"] is not None:
            fields["ttl"] = None
        return fields

    def _update(self, first_seq: int) -> None:
        fields = self._fields(first_seq)
        if self._session is None:
            self._client.create_session(self._name, **fields)
        else:
            self._client.update_session(self._name, etag=self._etag(), **fields)

    def name_alone(self) -> None:
        """Saves a memory whose messages are those of the session already."""
        if self._before is not None:
            # It applies its limits itself.
            self._before = {**self._before, **{key: self._state[key] for key in _LIMITS}}
        self._update(next((one.seq for one in self._window()), self._last_seq + 1))

    def _window(self) -> list[v1.Message]:
        if self._session is None:
            return []
        return [one for one in self._client.window(self._name).messages if one.seq > 0]

    def _stored(self) -> list[v1.Message]:
        """The messages of the saved memory; of a session that no store saved, its window."""
        if self._before is None:
            return self._window()
        chosen = {"first_seq": self._before["first_seq"]}
        return list(self._client.list_messages(self._name, filter=chosen, page_size=_PAGE))

    def write(self) -> None:
        """Makes the session hold the memory."""
        stored = self._stored()
        have, wanted = _plain([message_of(one).to_dict() for one in stored]), self._messages
        # Most often messages left the memory at its head, and others came.
        kept = next(n for n in range(len(have), -1, -1) if have[len(have) - n :] == wanted[:n])
        first_seq = stored[len(stored) - kept].seq if kept else self._last_seq + 1
        if self._before is not None:
            same = _common(have, wanted)
            # Nothing is erased that came after the last save: no memory had it.
            is_known = bool(stored) and stored[-1].seq <= self._known()
            if have and not wanted:
                self._empty(is_known)
            elif same > kept and is_known:
                # It has others at its end.
                some = next(batches(_written(wanted[same:])), [])
                since, newest = stored[same].seq, self._last_seq
                replace_since(self._client, self._name, since, newest, some, newest)
                self._go_on(newest + len(some))
                kept, first_seq = same + len(some), stored[0].seq
        self._append(wanted[kept:], first_seq)
        if self._summary != (self._session.summary.text if self._session else ""):
            self._client.set_summary(self._name, self._summary)
            if _token_of(self._client.get_session(self._name)) != self._state["save"]:
                raise SaveLostError

    def _known(self) -> int:
        """The newest seq that a save wrote or took over. What has a later one came from others."""
        return 0 if self._before is None else int(self._before.get("last_seq", 0))

    def _empty(self, is_known: bool) -> None:
        """Empties the log up to the last save."""
        if is_known:
            self._client.reset_session(self._name, etag=self._etag())
        else:
            log = self._client.list_messages(self._name, page_size=_PAGE)
            ids = [one.message_id for one in log if one.seq <= self._known()]
            for start in range(0, len(ids), MESSAGES):
                self._client.batch_delete_messages(
                    self._name,
                    ids[start : start + MESSAGES],
                    allow_missing=True,
                    expected_last_seq=self._last_seq,
                )
        self._go_on(self._last_seq)

    def _go_on(self, last_seq: int) -> None:
        """Reads the session again after a change of this save, which left it with this seq."""
        self._session = self._client.get_session(self._name)
        self._last_seq = last_seq
        if self._session.last_seq != last_seq or _state_of(self._session) != self._before:
            raise SaveLostError

    def _append(self, wanted: list[dict[str, Any]], first_seq: int) -> None:
        """Appends messages. The first call names them as the memory, in its transaction. A call at
        the end counts those of the later ones as written: until then they may be of others."""
        self._state["last_seq"] = self._last_seq
        if not wanted:
            self._update(first_seq)
            return
        whole = list(batches(_written(wanted)))
        self._state["last_seq"] += len(whole[0])
        fields = self._fields(first_seq)
        etag = {"etag": self._etag()}
        last_seq = self._last_seq
        for some in whole:
            answer = self._client.append(
                self._name,
                some,
                create_session=True,
                session={**fields, **etag},
                session_update_mask=list(fields),
                expected_last_seq=last_seq,
            )
            fields, etag, last_seq = {}, {}, answer.last_seq
        if len(whole) > 1:
            self._session = self._client.get_session(self._name)
            if _token_of(self._session) != self._state["save"]:
                raise SaveLostError
            self._state["last_seq"] = last_seq
            self._update(first_seq)


def _session_name(session_id: str, namespace: str | None) -> str:
    """The name of a session on the server, which is that in the lists of selectools."""
    if not session_id:
        raise ValueError("session_id must not be empty")
    name = f"{namespace}:{session_id}" if namespace else session_id
    has_control = any(unicodedata.category(char) in ("Cc", "Cs") for char in name)
    if has_control or len(name.encode()) > _NAME_BYTES:
        raise ValueError(
            f"Invalid session_id: it and the namespace must have at most {_NAME_BYTES} bytes "
            f"together, and no control characters: {name!r}"
        )
    return name


def _state_of(session: v1.Session | None) -> dict[str, Any] | None:
    """State of the memory that was saved as a session; None for other sessions, among them forks
    of a saved one."""
    if session is None or session.labels.get(_LABEL) != _SAVED:
        return None
    text = MessageToDict(session.metadata).get(_STATE)
    state: dict[str, Any] = json.loads(text) if isinstance(text, str) else {}
    return state if state.get("session") == session.session_id else None


def _token_of(session: v1.Session) -> str | None:
    """Names the save that was the last one."""
    state = _state_of(session)
    return None if state is None else state["save"]


def _plain(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages as they come back from a store."""
    plain: list[dict[str, Any]] = json.loads(json.dumps(messages, default=str))
    return plain


def _written(messages: list[dict[str, Any]]) -> list[v1.Message]:
    return [written_of(Message.from_dict(one)) for one in messages]


def _common(some: list[Any], others: list[Any]) -> int:
    pairs = zip(some, others, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _matches(messages: list[dict[str, Any]], terms: list[str]) -> tuple[float, list[str]]:
    """Counts terms in what users and models said, and quotes the first messages that have one."""
    score = 0
    snippets: list[str] = []
    for message in messages:
        content = message["content"] or ""
        found = sum(content.lower().count(term) for term in terms)
        if found == 0 or message["role"] not in ("user", "assistant"):
            continue
        score += found
        if len(snippets) < _SNIPPETS:
            snippets.append(_snippet(content, terms))
    return float(score), snippets


def _snippet(content: str, terms: list[str]) -> str:
    """The part of a content around the first term in it."""
    if len(content) <= _SNIPPET:
        return content
    places = [content.lower().find(term) for term in terms]
    first = min((place for place in places if place >= 0), default=0)
    start = max(0, first - _SNIPPET // 4)
    end = start + _SNIPPET - len("......")
    return ("..." if start > 0 else "") + content[start:end] + ("..." if end < len(content) else "")
