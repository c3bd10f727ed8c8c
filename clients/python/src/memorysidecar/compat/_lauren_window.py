"""The short-term memory of lauren-ai, over a session of the server and its window."""

from __future__ import annotations

import copy
import json
from base64 import b64decode
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Literal

import lauren_ai._memory as _theirs
from lauren_ai._memory import ShortTermMemory as _ShortTermMemory

from .. import policy, v1
from ..client import Client
from ..errors import NotFound
from ._messages import StoredMessages
from ._shared import (
    WINDOW_MESSAGES,
    batches,
    call_ids,
    client_or_default,
    kept_in,
    new_id,
    payload_of,
    replace_since,
    short,
    sound,
)

_SYSTEM = "lauren"
_TOKENS_MAX = 1_000_000_000
# Limits of the contract for the parts of a message and the calls of one.
_PARTS = 256
_CALLS = 128
_TOKENS = "chars_sum_4"
_ROLES = {
    "user": v1.ROLE_USER,
    "assistant": v1.ROLE_ASSISTANT,
    "system": v1.ROLE_SYSTEM,
    "tool": v1.ROLE_TOOL,
}
_ROLE_NAMES = {value: key for key, value in _ROLES.items()}
# The messages of the window as they are stored: no stage and no summary.
_STORED = v1.Policy(
    token_rule=v1.TOKEN_RULE_PRESET,
    token_preset=_TOKENS,
    tool_pairing=v1.TOOL_PAIRING_LOOSE,
    summary_view=v1.SummaryView(show=v1.SUMMARY_SHOW_NONE),
)
# Releases before 1.2 drop message by message, and those since 1.3.2 also cut contents.
_cut: Callable[[list[Any], int], list[Any]] | None = getattr(_theirs, "_enforce_char_budget", None)
_notice: str = getattr(_theirs, "_INTERRUPTED_CONTENT", "")
_has_boundary = hasattr(_ShortTermMemory, "_safe_keep_recent")
_era: Literal["A", "B", "C"] = "C" if _cut else "B" if _notice else "A"


class ServerBuffer(StoredMessages[Any]):
    """The buffer of a short-term memory: a list that is the stored window of a session.

    Messages that leave it at the head stay in the log of the session. Others that are taken out,
    and those that are replaced, are deleted for good.
    """

    def __init__(self, session_id: str, max_tokens: int, client: Client | None) -> None:
        super().__init__()
        self.session_id = session_id or new_id()
        self.client = client_or_default(client)
        self.policy = self.policy_of(max_tokens)
        self._revision = -1
        # The window as of that revision.
        self._stored: list[v1.Message] = []
        self._tokens = 0

    @staticmethod
    def policy_of(max_tokens: int) -> v1.Preset:
        """The profile of the installed release."""
        return policy.lauren(max_tokens=min(max(max_tokens, 0), _TOKENS_MAX), era=_era)

    def _session(self) -> v1.Session | None:
        try:
            return self.client.get_session(self.session_id)
        except NotFound:
            return None

    def _read(self) -> list[v1.Message]:
        """The stored window, read again only if the session has changed."""
        session = self._session()
        if session is None:
            self._stored, self._tokens, self._revision = [], 0, -1
        elif session.revision != self._revision:
            window = self.client.window(self.session_id, policy=_STORED)
            self._stored, self._revision = list(window.messages), window.revision
            self._tokens = window.window_totals.token_count
        return self._stored

    @property
    def token_count(self) -> int:
        """The tokens of the stored window."""
        self._read()
        return self._tokens

    def _object_of(self, stored: v1.Message) -> Any:
        return _read(stored)

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Iterable) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __deepcopy__(self, memo: dict[int, Any]) -> list[Any]:
        """Copies the messages: a snapshot has no part in the session."""
        return copy.deepcopy(list(self), memo)

    def append(self, value: Any) -> None:
        """Adds a message, in one transaction."""
        self._append([value])

    def insert(self, index: int, value: Any) -> None:
        """Puts a message between others: those behind it are written anew."""
        whole = list(self)
        whole.insert(index, value)
        self.assign(whole)

    def __setitem__(self, index: Any, value: Any) -> None:
        whole = list(self)
        whole[index] = value
        self.assign(whole)

    def __delitem__(self, index: Any) -> None:
        found = self._read()[index]
        for stored in found if isinstance(found, list) else [found]:
            self.client.delete_message(self.session_id, stored.message_id, allow_missing=True)
            self._objects.pop(stored.message_id, None)

    def clear(self) -> None:
        """Deletes all messages, for good. The summary stays."""
        if self._session() is not None:
            self.client.reset_session(self.session_id, keep_summary=True)
        self._objects.clear()

    def assign(self, wanted: list[Any]) -> None:
        """Makes these the messages, with as few changes as possible."""
        if not wanted:
            self.clear()
            return
        stored = list(self._read())
        have = [self.message(one) for one in stored]
        same = 0
        while same < min(len(have), len(wanted)) and _are_same(have[same], wanted[same]):
            same += 1
        rest = wanted[same:]
        gone = _left_out(have[same:], rest)
        if not rest and same == len(have):
            return
        if gone is None or not gone or not rest or 0 in [stored[same + at].seq for at in gone]:
            self._write(stored, same, rest)
            return
        self.let_go([stored[same + at].message_id for at in gone])

    def _write(self, stored: list[v1.Message], same: int, rest: list[Any]) -> None:
        """Puts messages in the place of those from one on."""
        old = [one.seq for one in stored[same:] if one.seq > 0]
        if old and same == 0:
            self.clear()
        elif old:
            replace_since(self.client, self.session_id, old[0], max(one.seq for one in stored), [])
        self._append(rest)

    def _append(self, messages: list[Any]) -> None:
        given = iter(messages)
        for some in batches([_written(one) for one in messages]):
            answer = self.client.append(
                self.session_id,
                some,
                create_session=True,
                session={"policy": self.policy},
                session_update_mask=[],
            )
            for added in answer.messages:
                self._objects[added.message_id] = next(given)

    @property
    def summary(self) -> str:
        """The summary of what left the window."""
        session = self._session()
        return "" if session is None else session.summary.text

    @summary.setter
    def summary(self, text: str) -> None:
        if text:
            self.client.ensure_session(self.session_id, policy=self.policy)
        if text or self.summary:
            self.client.set_summary(self.session_id, sound(text))

    def view(self, wanted: v1.Preset | None = None) -> list[Any]:
        """Gives the messages that the server shows to a model, with answers for calls that the
        conversation left open; as the session says, or another policy."""
        try:
            window = self.client.window(self.session_id, policy=wanted).messages
        except NotFound:
            return []
        # A stage may have cut what the answer holds, and a system message may show the summary.
        whole: list[Any] = []
        exact = {stored.message_id: stored for stored in self._read()}
        filled: list[Any] | None = None
        for stored in window:
            if stored.tool_call_id and stored.seq == 0:
                if filled is None:
                    filled = []
                    whole.append({"role": "user", "content": filled})
                answered = {"type": "tool_result", "tool_use_id": stored.tool_call_id}
                filled.append({**answered, "content": _notice})
                continue
            filled = None
            if stored.message_id in exact:
                whole.append(self.message(exact[stored.message_id]))
        return whole

    def fit(self, max_tokens: int) -> None:
        """Removes the oldest turns from the window until it fits, and stores the answers for calls
        that the conversation left open. What is removed stays in the log."""
        count = len(self)
        if count == 0:
            return
        wanted = self.policy_of(max_tokens)
        window = self.client.window(self.session_id, policy=wanted)
        shown = sum(one.seq > 0 for one in window.messages)
        if shown < count:
            self.client.trim_session(self.session_id, max_messages=shown)
        self.assign(self.view(self.policy_of(_TOKENS_MAX)))

    def older(self, keep_recent: int) -> list[v1.Message]:
        """The messages that a summary should replace, so that these newest ones stay."""
        # For the releases that count messages alone, none to keep is all to keep.
        if self._session() is None or (keep_recent == 0 and not _has_boundary):
            return []
        kept = min(max(keep_recent, 0), WINDOW_MESSAGES)
        return list(self.client.list_summary_inputs(self.session_id, keep_recent=kept))

    def let_go(self, message_ids: list[str]) -> None:
        """Takes messages out of the window, as covered by the summary; they stay in the log."""
        if message_ids:
            text = self.summary
            self.client.set_summary(self.session_id, text, replaced_message_ids=message_ids)


class ShortTermMemory(_ShortTermMemory):  # type: ignore[misc]
    """A ShortTermMemory of lauren-ai whose messages and summary are a session of the server.

    :param session_id: the session to go on with, or to begin. Default: a new one.
    """

    def __init__(
        self, max_tokens: int = 40_000, *, session_id: str = "", client: Client | None = None
    ) -> None:
        self._server = ServerBuffer(session_id, max_tokens, client)
        # lauren-ai begins with an empty list; a session may have messages.
        self._is_made = False
        super().__init__(max_tokens)
        self._is_made = True
        if session_id:
            # It may exist, with the budget of another process.
            with suppress(NotFound):
                self._server.client.update_session(session_id, policy=self._server.policy)

    @property
    def session_id(self) -> str:
        """The session of the messages."""
        return self._server.session_id

    @property
    def _messages(self) -> ServerBuffer:
        return self._server

    @_messages.setter
    def _messages(self, value: Iterable[Any]) -> None:
        if self._is_made and value is not self._server:
            self._server.assign(list(value))

    @property
    def _summary(self) -> str | None:
        return self._server.summary or None

    @_summary.setter
    def _summary(self, text: str | None) -> None:
        if self._is_made:
            self._server.summary = text or ""

    @property
    def token_estimate(self) -> int:
        """The tokens of all messages, a quarter of their characters."""
        return self._server.token_count

    def messages(self) -> list[Any]:
        """Gives the messages that go to a model: those that fit the budget, as the server says.
        Contents that exceed it alone are cut as the installed release cuts them."""
        shown = self._server.view()
        budget = self._max_tokens * self._CHARS_PER_TOKEN
        return shown if _cut is None else _cut(shown, budget)

    def trim_to_fit(self, max_tokens: int) -> None:
        """Removes the oldest turns from the window until the rest fits. They stay in the log."""
        self._server.fit(max_tokens)

    def messages_to_summarize(self, keep_recent: int = 6) -> list[Any]:
        """Gives the messages that a summary should replace, the oldest first."""
        buffer = self._server
        return [buffer.message(stored) for stored in buffer.older(keep_recent)]

    def trim_to_recent(self, keep_recent: int = 6) -> None:
        """Removes all but the newest messages, and those of the system, from the window. They stay
        in the log."""
        buffer = self._server
        buffer.let_go([stored.message_id for stored in buffer.older(keep_recent)])


def _are_same(one: Any, other: Any) -> bool:
    return one is other or bool(one == other)


def _left_out(have: list[Any], wanted: list[Any]) -> list[int] | None:
    """The places of messages that are not wanted; None if others are wanted, or another order."""
    gone: list[int] = []
    at = 0
    for place, one in enumerate(have):
        if at < len(wanted) and _are_same(one, wanted[at]):
            at += 1
        else:
            gone.append(place)
    is_newest_kept = not gone or gone[-1] < len(have) - 1
    return gone if at == len(wanted) and is_newest_kept else None


def _field(message: Any, name: str) -> Any:
    return message.get(name) if isinstance(message, dict) else getattr(message, name, None)


def _plain(value: Any) -> str:
    """A value as the text whose length lauren-ai counts."""
    try:
        return json.dumps(value, default=str)
    except (TypeError, ValueError):
        return str(value)


def _text_of(block: Any) -> str:
    """The text of a block, as lauren-ai counts it."""
    if isinstance(block, str):
        return block
    if not isinstance(block, dict):
        return _plain(block)
    text = block.get("text") or block.get("content") or ""
    return text if isinstance(text, str) else _plain(block)


def _image(source: Any) -> v1.ContentPart | None:
    given = source if isinstance(source, dict) else {}
    if given.get("type") == "url" and given.get("url"):
        return v1.ContentPart(image=v1.Image(url=sound(given["url"])))
    try:
        data = b64decode(str(given.get("data") or ""), validate=True)
    except ValueError:
        data = b""
    kind = sound(given.get("media_type") or "")
    return v1.ContentPart(image=v1.Image(data=data, media_type=kind)) if data else None


def _parts(blocks: list[Any], role: Any) -> dict[int, v1.ContentPart]:
    """The blocks of a content as parts, by their places, without calls and thoughts."""
    parts: dict[int, v1.ContentPart | None] = {}
    answered: set[str] = set()
    for place, block in enumerate(blocks):
        data = block if isinstance(block, dict) else {}
        kind, text = data.get("type"), sound(_text_of(block))
        call_id = short(data.get("tool_use_id") or "")
        if kind == "tool_result" and role == v1.ROLE_USER and call_id and call_id not in answered:
            answered.add(call_id)
            error = data.get("is_error") is True
            result = v1.ToolResult(tool_call_id=call_id, text=text, error=error)
            parts[place] = v1.ContentPart(tool_result=result)
        elif text:
            parts[place] = v1.ContentPart(text=text)
        elif kind == "image":
            parts[place] = _image(data.get("source"))
    return {place: part for place, part in parts.items() if part is not None}


def _calls(message: Any) -> list[v1.ToolCall]:
    """The calls of an assistant, in the form of OpenAI or as blocks."""
    content = _field(message, "content")
    blocks = content if isinstance(content, list) else []
    used = [one for one in blocks if isinstance(one, dict) and one.get("type") == "tool_use"]
    given = _field(message, "tool_calls") or []
    calls: list[tuple[Any, Any, Any]] = []
    for call in given if isinstance(given, list) else []:
        function = _field(call, "function") or call
        name, arguments = _field(function, "name"), _field(function, "arguments")
        calls.append((_field(call, "id") or _field(call, "tool_use_id"), name, arguments))
    calls.extend((one.get("id"), one.get("name"), one.get("input")) for one in used)
    ids = call_ids([one[0] for one in calls])
    return [
        v1.ToolCall(
            tool_call_id=call_id,
            name=short(name or "") or "unnamed",
            arguments=sound(given if isinstance(given, str) else _plain(given)),
        )
        for call_id, (_, name, given) in zip(ids[:_CALLS], calls, strict=False)
    ]


def _written(message: Any) -> v1.Message:
    """A message for the server, which counts and pairs it as lauren-ai does. What the contract has
    no field for goes along."""
    role = _ROLES.get(str(_field(message, "role")), v1.ROLE_USER)
    content = _field(message, "content")
    written = v1.Message(role=role)
    thought = _field(message, "reasoning_content") if role == v1.ROLE_ASSISTANT else None
    # The releases that know reasoning are those that cut.
    has_thought = _cut is not None and isinstance(thought, str)
    parts: dict[int, v1.ContentPart] = {}
    if isinstance(content, list) or (has_thought and isinstance(content, str)):
        parts = _parts(content if isinstance(content, list) else [content], role)
    if has_thought:
        parts[_PARTS] = v1.ContentPart(reasoning=v1.Reasoning(text=sound(thought)))
    if 0 < len(parts) <= _PARTS:
        written.parts.extend(parts.values())
    elif isinstance(content, list):
        parts = {}
        written.text = "".join(sound(_text_of(block)) for block in content)
    elif content is not None:
        written.text = sound(content if isinstance(content, str) else _plain(content))
    elif not isinstance(message, dict) or "content" in message:
        # lauren-ai counts it as "null".
        written.token_count = 1
    if role == v1.ROLE_ASSISTANT:
        written.tool_calls.extend(_calls(message))
    if role == v1.ROLE_TOOL and _field(message, "tool_call_id"):
        written.tool_call_id = short(_field(message, "tool_call_id"))
    if _plain(_read(written)) != _plain(message):
        written.provider_payload.CopyFrom(payload_of(_SYSTEM, _rest(message, written, parts)))
    return written


def _rest(message: Any, written: v1.Message, parts: dict[int, v1.ContentPart]) -> dict[str, Any]:
    """A message without the texts that the server has as such, and their places."""
    if not isinstance(message, dict):
        return {"message": message}
    content = message.get("content")
    if isinstance(content, str) and content == written.text:
        return {"message": {**message, "content": ""}, "text": True}
    if not isinstance(content, list):
        return {"message": message}
    blocks, moved = list(content), []
    for at, (place, part) in enumerate(parts.items()):
        block = blocks[place] if place < len(blocks) else None
        for name in ("text", "content"):
            if isinstance(block, dict) and block.get(name) == (part.text or part.tool_result.text):
                blocks[place] = {**block, name: ""}
                moved.append([place, name, at])
                break
    return {"message": {**message, "content": blocks}, "moved": moved}


def _whole(rest: dict[str, Any], stored: v1.Message) -> Any:
    """The message of which ``_rest`` was kept."""
    message = rest["message"]
    if rest.get("text"):
        message["content"] = stored.text
    for place, name, at in rest.get("moved", []):
        part = stored.parts[at]
        message["content"][place][name] = part.text or part.tool_result.text
    return message


def _read(stored: v1.Message) -> Any:
    """A message of the server, which may be one that lauren-ai did not write."""
    kept = kept_in(_SYSTEM, stored)
    if kept is not None:
        return _whole(kept, stored)
    role = _ROLE_NAMES[stored.role]
    if stored.role == v1.ROLE_TOOL and stored.tool_call_id:
        return {"role": "user", "content": [_answer(stored.tool_call_id, stored)]}
    if not stored.parts and not stored.tool_calls:
        return {"role": role, "content": stored.text}
    blocks = [{"type": "text", "text": stored.text}] if stored.text else []
    calls = list(stored.tool_calls)
    for part in stored.parts:
        if part.text:
            blocks.append({"type": "text", "text": part.text})
        elif part.HasField("tool_result"):
            blocks.append(_answer(part.tool_result.tool_call_id, part.tool_result))
        elif part.HasField("tool_call"):
            calls.append(part.tool_call)
    return {"role": role, "content": [*blocks, *map(_use, calls)]}


def _use(call: v1.ToolCall) -> dict[str, Any]:
    try:
        given = json.loads(call.arguments or "{}")
    except ValueError:
        given = call.arguments
    return {"type": "tool_use", "id": call.tool_call_id, "name": call.name, "input": given}


def _answer(call_id: str, result: Any) -> dict[str, Any]:
    text = result.text or "".join(part.text for part in result.parts)
    failed = result.error if isinstance(result, v1.ToolResult) else result.tool_error
    whole = {"type": "tool_result", "tool_use_id": call_id}
    return {**whole, "content": text, "is_error": failed}
