"""Messages in the forms of model APIs: what ``form=`` takes and gives."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeVar, cast

from . import v1
from ._langchain import elements_of_messages, messages_of_elements

FormName = Literal["openai_chat", "openai_responses", "anthropic", "gemini", "langchain"]
Element = dict[str, Any]
R = TypeVar("R")
Prompt = TypeVar("Prompt", v1.GetWindowResponse, v1.AssembleContextResponse)

_FORMS: Final[Mapping[str, v1.MessageForm]] = {
    "openai_chat": v1.MESSAGE_FORM_OPENAI_CHAT,
    "openai_responses": v1.MESSAGE_FORM_OPENAI_RESPONSES,
    "anthropic": v1.MESSAGE_FORM_ANTHROPIC,
    "gemini": v1.MESSAGE_FORM_GEMINI,
    # The messages of LangChain travel as elements of Chat Completions.
    "langchain": v1.MESSAGE_FORM_OPENAI_CHAT,
}


@dataclass(frozen=True)
class Rendered(Generic[R]):
    """Messages in the form of a model API, ready for its call."""

    messages: list[Any]
    """The messages, items or contents, as dicts; with the form ``langchain``, messages of
    LangChain."""
    system: Any
    """The system prompt, for forms that have it apart: ``system`` of Anthropic,
    ``system_instruction`` of Gemini. None when there is none."""
    notes: list[v1.FormNote]
    """Differences between the messages and the form. At most 100."""
    total_note_count: int
    """Number of differences."""
    response: R
    """The whole answer of the server."""


def form_of(name: FormName) -> v1.MessageForm:
    """Gives a form by its name."""
    if name not in _FORMS:
        raise ValueError(f'the form is one of {", ".join(_FORMS)}, not "{name}"')
    return _FORMS[name]


def elements_of(value: v1.RenderedMessages, form: FormName | None) -> list[Any]:
    """Gives the elements of messages in a form."""
    elements = cast("list[Element]", json.loads(value.messages))
    return messages_of_elements(elements) if form == "langchain" else elements


def rendered(value: v1.RenderedMessages, response: R, form: FormName | None = None) -> Rendered[R]:
    """Makes Python data of messages in a form."""
    system = json.loads(value.system) if value.system else None
    notes = list(value.notes)
    return Rendered(elements_of(value, form), system, notes, value.total_note_count, response)


def rendered_in(response: Prompt, form: FormName | None = None) -> Rendered[Prompt]:
    """Gives the messages of a window or a context that was asked for in a form, such as that of an
    append.

    :param form: the form, if it is ``langchain``; others need not be named.
    """
    return rendered(response.rendered, response, form)


def rendered_previews(
    response: v1.PreviewPolicyResponse, form: FormName | None = None
) -> list[Rendered[v1.PolicyPreview]]:
    """Gives the windows of a preview that was asked for in a form, one for each policy.

    :param form: the form, if it is ``langchain``; others need not be named.
    """
    pairs = zip(response.rendered, response.previews, strict=False)
    return [rendered(one, preview, form) for one, preview in pairs]


def form_bytes(messages: Any, form: FormName) -> bytes:
    """Makes JSON of elements: one or many, as mappings or as the objects of an SDK. A text, or
    bytes, is JSON already; for LangChain a text is what the user says."""
    if form == "langchain":
        messages = elements_of_messages(messages)
    if isinstance(messages, bytes):
        return messages
    if isinstance(messages, str):
        return messages.encode()
    is_many = isinstance(messages, Iterable) and not isinstance(messages, Mapping)
    # A model of pydantic is an iterable of its fields.
    if not is_many or hasattr(messages, "model_dump"):
        messages = [messages]
    text = json.dumps(list(messages), default=_plain, ensure_ascii=False, separators=(",", ":"))
    return text.encode()


def _plain(value: Any) -> Any:
    """Makes plain data of an object of an SDK."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    raise TypeError(f"messages in a form are JSON: {type(value).__qualname__} is not")
