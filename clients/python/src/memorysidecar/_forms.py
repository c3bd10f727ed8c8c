"""Messages in the forms of model APIs: what ``form=`` takes and gives."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeVar, cast, overload

from . import v1
from ._langchain import elements_of_messages, messages_of_elements
from .errors import reply_error

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
    if not value.messages:
        raise ValueError(
            "There are no rendered messages: the reply was not requested in a form. If an append"
            " failed to make it, context_error or window_error of its answer says why."
        )
    elements = cast("list[Element]", json.loads(value.messages))
    return messages_of_elements(elements) if form == "langchain" else elements


def rendered(value: v1.RenderedMessages, response: R, form: FormName | None = None) -> Rendered[R]:
    """Makes Python data of messages in a form."""
    elements = elements_of(value, form)
    system = json.loads(value.system) if value.system else None
    return Rendered(elements, system, list(value.notes), value.total_note_count, response)


@overload
def rendered_in(response: Prompt, form: FormName | None = None) -> Rendered[Prompt]: ...


@overload
def rendered_in(
    response: v1.AppendMessagesResponse, form: FormName | None = None
) -> Rendered[v1.GetWindowResponse | v1.AssembleContextResponse]: ...


def rendered_in(response: Any, form: FormName | None = None) -> Rendered[Any]:
    """Decodes the rendered messages of a window or context that was requested with ``form=``.

    :param response: the window or the context, or the whole answer of the append that came with
        one of them. Of that answer, a reply that failed is raised.
    :param form: the form, if it is ``langchain``; others need not be named.
    :raises MemorySidecarError: when the append was stored and its window or context could not be
        made, with the reason of ``window_error`` or ``context_error``.
    :raises ValueError: when the reply was not requested in a form.
    """
    if isinstance(response, v1.AppendMessagesResponse):
        response = _reply_of(response)
    return rendered(response.rendered, response, form)


def _reply_of(
    answer: v1.AppendMessagesResponse,
) -> v1.GetWindowResponse | v1.AssembleContextResponse:
    """Gives the reply of an append that is in a form."""
    for name in ("context_error", "window_error"):
        if answer.HasField(name):
            raise reply_error(getattr(answer, name))
    if answer.window.HasField("rendered") and answer.context.HasField("rendered"):
        raise ValueError("the answer has a window and a context in a form: give one of the two")
    return answer.window if answer.window.HasField("rendered") else answer.context


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
