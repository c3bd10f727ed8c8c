"""Messages of LangChain, as elements of Chat Completions and back.

LangChain's own conversion makes the elements. If it cannot make an equal message from an element,
the element also carries the message as LangChain stores it, under the key ``langchain``. The server
gives an element back as it came, so the message comes back equal. An element that the server
rewrote, such as a shortened one, has no such key; LangChain then makes a message from the element.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

KEY: Final = "langchain"

_PARTS: Final = frozenset(("text", "image_url", "file", "input_audio", "refusal"))
"""Parts that Chat Completions know. Others, such as the reasoning of a model, are only under the
key."""


def _core() -> Any:
    try:
        return importlib.import_module("langchain_core.messages")
    except ImportError as error:
        raise TypeError('form="langchain" needs the package langchain-core') from error


def elements_of_messages(messages: Any) -> list[dict[str, Any]]:
    """Makes elements of messages: one, or several, as LangChain takes them for a model."""
    core = _core()
    is_one = isinstance(messages, (str, Mapping, core.BaseMessage))
    given = [messages] if is_one or not isinstance(messages, Iterable) else messages
    return [_element(core, one) for one in core.convert_to_messages(given)]


def _element(core: Any, message: Any) -> dict[str, Any]:
    element = _plain(core, message)
    if _same(core, element, message):
        return element
    [stored] = core.messages_to_dict([message])
    data = stored["data"]
    if data["content"] == element["content"]:
        del data["content"]
    return {**element, KEY: stored}


def _plain(core: Any, message: Any) -> dict[str, Any]:
    try:
        element = cast("dict[str, Any]", core.convert_to_openai_messages(message))
    except ValueError:
        # A block of a provider that LangChain does not convert.
        texts = core.convert_to_openai_messages(message.model_copy(update={"content": ""}))
        element = {**texts, "content": str(message.text)}
    content = element.get("content", "")
    if isinstance(content, list):
        content = [part for part in content if part.get("type") in _PARTS]
    return {**element, "content": content}


def _same(core: Any, element: dict[str, Any], message: Any) -> bool:
    return bool(core.convert_to_messages([element])[0] == message)


def messages_of_elements(elements: list[dict[str, Any]]) -> list[Any]:
    """Makes messages of elements."""
    core = _core()
    return [_message(core, dict(one)) for one in elements]


def _message(core: Any, element: dict[str, Any]) -> Any:
    stored = element.pop(KEY, None)
    if stored is None:
        return core.convert_to_messages([{**element, "content": element.get("content") or ""}])[0]
    data = {"content": element["content"], **stored["data"]}
    return core.messages_from_dict([{**stored, "data": data}])[0]
