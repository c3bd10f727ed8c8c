"""The types of arguments, and how they become messages of the contract."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, Union, cast

from google.protobuf import timestamp_pb2
from google.protobuf.field_mask_pb2 import FieldMask
from typing_extensions import TypedDict

from . import v1
from ._forms import FormName, form_of
from ._made import Seconds, duration_of, made, refuse_unknown, told
from ._memory_policy import MemoryPolicyLike, memory_policy_of
from ._policy_fields import TokenRuleName, token_rule_of

Json = Mapping[str, Any]
Time = datetime.datetime | timestamp_pb2.Timestamp
MessageLike = str | v1.Message | Json
MessagesLike = MessageLike | Iterable[MessageLike]
# An enum of the contract is no class when the program runs, hence the quotes.
Position = Union[Literal["now", "oldest"], "v1.StreamPosition"]
PolicyLike = v1.Policy | v1.Preset | v1.PolicyChoice | Json
Policies = PolicyLike | Iterable[PolicyLike]
Range = Union["v1.SeqRange", tuple[int, int]]
TokenRule = Union["v1.TokenRule", TokenRuleName]
OrderName = Literal["newest_first", "oldest_first"]
SessionOrder = Union[
    "v1.SessionOrder", OrderName, Literal["newest_update_first", "oldest_update_first"]
]
MessageOrder = Union["v1.MessageOrder", OrderName]
SummaryOrder = Union["v1.SummaryOrder", OrderName]
Source = Union[Literal["window", "log"], "v1.PreviewSource"]
OnExisting = Union[Literal["fail", "skip", "update"], "v1.OnExistingMessage"]


class ReadOptions(TypedDict, total=False):
    """Options of every call besides its own arguments."""

    namespace: str
    """The namespace. Default: the one of the client."""
    timeout: float | None
    """Seconds for the call with all its retries, None for no limit. Default: that of the client."""


class WriteOptions(ReadOptions, total=False):
    """Options of every mutation besides its own arguments."""

    request_id: str
    """Names the attempt, so that a repeat is safe. Default: a new one for each call."""


class SessionChange(WriteOptions, total=False):
    """The fields of a session that can be changed. None clears a field."""

    user_id: str | None
    agent_id: str | None
    labels: Mapping[str, str] | None
    metadata: Json | None
    policy: PolicyLike | None
    ttl: Seconds | None
    summary: str | v1.Summary | Json | None
    memory_policy: MemoryPolicyLike | None


class WindowOptions(TypedDict, total=False):
    """The options of the window that an append answers with."""

    policy: PolicyLike | None
    newest: int | None
    read_only: bool
    form: FormName | None
    """Gives the messages as a model API takes them: read them with ``rendered_in``."""


class MessageChange(WriteOptions, total=False):
    """The fields of a message that can be changed. None clears a field."""

    name: str | None
    text: str | None
    parts: Sequence[v1.ContentPart | Json] | None
    tool_calls: Sequence[v1.ToolCall | Json] | None
    agent_calls: Sequence[v1.AgentCall | Json] | None
    tool_call_id: str | None
    tool_error: bool | None
    structured_data: Json | None
    structured_json: bytes | None
    provider_role: str | None
    provider_payload: v1.ProviderPayload | Json | None
    metadata: Json | None
    labels: Mapping[str, str] | None
    token_count: int | None
    sent_time: Time | None


OPTIONS: Final = ("namespace", "timeout", "request_id")
_POSITIONS: Final = {"now": v1.STREAM_POSITION_NOW, "oldest": v1.STREAM_POSITION_OLDEST}
_SOURCES: Final = {"window": v1.PREVIEW_SOURCE_WINDOW, "log": v1.PREVIEW_SOURCE_LOG}
_ROLES: Final = ("user", "assistant", "system", "tool")
_OF_APIS: Final = 'messages of a model API need form=, such as form="openai_chat"'
_HINTS_OF_MESSAGES: Final = {"content": f'it is "text"; {_OF_APIS}'}
_HINTS_OF_TOOL_CALLS: Final = {"id": f'it is "tool_call_id"; {_OF_APIS}'}


def split(arguments: Mapping[str, Any]) -> tuple[WriteOptions, dict[str, Any]]:
    """Parts the options of a call from the fields of a message."""
    call = {key: value for key, value in arguments.items() if key in OPTIONS}
    fields = {key: value for key, value in arguments.items() if key not in OPTIONS}
    return cast(WriteOptions, call), fields


def session_of(fields: dict[str, Any]) -> v1.Session:
    """Makes a session; a summary may be given as its text, a policy as a policy or a preset, a
    policy of memory with short names."""
    refuse_unknown("session", v1.Session, fields)
    if fields.get("policy") is not None:
        fields = {**fields, "policy": policy_choice_of(fields["policy"])}
    if isinstance(fields.get("summary"), str):
        fields = {**fields, "summary": {"text": fields["summary"]}}
    if fields.get("memory_policy") is not None:
        fields = {**fields, "memory_policy": memory_policy_of(fields["memory_policy"])}
    if fields.get("ttl") is not None:
        fields = {**fields, "ttl": duration_of(fields["ttl"], "ttl")}
    return made(v1.Session, **fields)


def message_of(value: MessageLike) -> v1.Message:
    """Makes a message: a text is what the user said, a mapping holds fields by their names."""
    if isinstance(value, v1.Message):
        return value
    if isinstance(value, str):
        return v1.Message(role=v1.ROLE_USER, text=value)
    if not isinstance(value, Mapping):
        raise TypeError(
            f"a message is a text, a mapping of its fields, or a v1.Message, not {told(value)}"
        )
    fields = dict(value)
    role = fields.get("role")
    if isinstance(role, str) and not role.startswith("ROLE_"):
        if role not in _ROLES:
            raise ValueError(
                f'the role is one of {", ".join(_ROLES)}, not "{role}"; provider_role keeps a'
                " role that a provider has beside these"
            )
        fields["role"] = f"ROLE_{role.upper()}"
    for call in fields.get("tool_calls") or ():
        if isinstance(call, Mapping):
            refuse_unknown("tool call", v1.ToolCall, call, _HINTS_OF_TOOL_CALLS)
    refuse_unknown("message", v1.Message, fields, _HINTS_OF_MESSAGES)
    return made(v1.Message, **fields)


def messages_of(value: MessagesLike) -> list[v1.Message]:
    """Makes messages of one or many."""
    if isinstance(value, (str, v1.Message, Mapping)) or not isinstance(value, Iterable):
        return [message_of(value)]
    return [message_of(one) for one in value]


def mask_of(paths: Iterable[str] | None, fields: Mapping[str, Any]) -> FieldMask | None:
    """Gives the mask of an update: the paths given, else the names of the fields given, so that a
    field given as None is cleared."""
    names = list(fields) if paths is None else list(paths)
    return FieldMask(paths=names) if names else None


def optional_mask(paths: Iterable[str] | None) -> FieldMask | None:
    """Makes a mask where an empty one says something else than none."""
    return None if paths is None else FieldMask(paths=ids_of(paths))


_ORDERS: Final[dict[Any, dict[str, Any]]] = {
    v1.SessionOrder: {
        "newest_first": v1.SESSION_ORDER_CREATE_TIME_DESC,
        "oldest_first": v1.SESSION_ORDER_CREATE_TIME_ASC,
        "newest_update_first": v1.SESSION_ORDER_UPDATE_TIME_DESC,
        "oldest_update_first": v1.SESSION_ORDER_UPDATE_TIME_ASC,
    },
    v1.MessageOrder: {
        "newest_first": v1.MESSAGE_ORDER_SEQ_DESC,
        "oldest_first": v1.MESSAGE_ORDER_SEQ_ASC,
    },
    v1.SummaryOrder: {
        "newest_first": v1.SUMMARY_ORDER_VERSION_DESC,
        "oldest_first": v1.SUMMARY_ORDER_VERSION_ASC,
    },
}


def order_of(kind: Any, value: Any) -> Any:
    """Gives a value of an enum of orders by its short name."""
    if not isinstance(value, str):
        return value
    known = _ORDERS[kind]
    if value not in known:
        raise ValueError(f'the order is one of {", ".join(known)}, not "{value}"')
    return known[value]


def filter_of(kind: Any, value: Any) -> Any:
    """Makes a filter of a mapping of its fields."""
    if not isinstance(value, Mapping):
        return value
    refuse_unknown("filter", kind, value)
    return made(kind, **value)


def position_of(value: Position | None) -> v1.StreamPosition | None:
    """Gives a position of the stream."""
    if not isinstance(value, str):
        return value
    if value not in _POSITIONS:
        raise ValueError(f'the position is "now" or "oldest", not "{value}"')
    return _POSITIONS[value]


def outcomes_of(values: Iterable[v1.ToolOutcome | Json]) -> list[v1.ToolOutcome]:
    """Makes outcomes of tools."""
    return [made(v1.ToolOutcome, **one) if isinstance(one, Mapping) else one for one in values]


def policy_choice_of(value: PolicyLike | None) -> v1.PolicyChoice | None:
    """Makes the choice of a policy: of a policy that is written out, or of a preset."""
    match value:
        case None | v1.PolicyChoice():
            return value
        case v1.Preset():
            return v1.PolicyChoice(preset=value)
        case v1.Policy():
            return v1.PolicyChoice(policy=value)
    if not isinstance(value, Mapping):
        given = f'"{value}"' if isinstance(value, str) else told(value)
        raise TypeError(
            f"a policy is a v1.Policy, a v1.Preset or a mapping of their fields, not {given}:"
            " functions of memorysidecar.policy make one, such as policy.sliding_window()"
        )
    if "preset" in value or "policy" in value:
        return made(v1.PolicyChoice, **value)
    return v1.PolicyChoice(policy=made(v1.Policy, **value))


def token_rule_or_preset(rule: TokenRule | None, preset: str) -> v1.TokenRule | None:
    """Gives the token rule: the one that is given, if by its short name, or that of a preset that
    is named."""
    if isinstance(rule, str):
        return token_rule_of(rule)
    return v1.TOKEN_RULE_PRESET if rule is None and preset else rule


def window_reply_of(
    value: bool | WindowOptions | v1.WindowReply,
) -> v1.WindowReply | None:
    """Makes the question for a window that comes with an append; None for no window."""
    if isinstance(value, v1.WindowReply):
        return value
    if isinstance(value, bool):
        return v1.WindowReply() if value else None
    refuse_unknown("window reply", v1.WindowReply, value)
    return v1.WindowReply(
        policy=policy_choice_of(value.get("policy")),
        newest=value.get("newest"),
        read_only=value.get("read_only", False),
        form=None if (form := value.get("form")) is None else form_of(form),
    )


def attributes_of(value: Json | v1.Session | None) -> v1.Session | None:
    """Makes the session that an append creates or changes."""
    if value is None or isinstance(value, v1.Session):
        return value
    return session_of(dict(value))


def policies_of(value: Policies | None) -> list[v1.PolicyChoice]:
    """Makes choices of policies of one, of many, or of none."""
    if value is None:
        return []
    is_one = isinstance(value, (v1.Policy, v1.Preset, v1.PolicyChoice, Mapping))
    found = cast("Iterable[PolicyLike]", [value] if is_one else value)
    return [choice for one in found if (choice := policy_choice_of(one)) is not None]


def ranges_of(values: Iterable[Range]) -> list[v1.SeqRange]:
    """Makes runs of seqs: a pair is the first and the last."""
    return [
        one if isinstance(one, v1.SeqRange) else v1.SeqRange(first_seq=one[0], last_seq=one[1])
        for one in values
    ]


def ids_of(values: Iterable[str]) -> list[str]:
    """Makes a list of ids. A single text would be taken for its letters."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        given = "a text" if isinstance(values, str) else told(values)
        raise TypeError(f"give a list of ids, not {given}")
    return list(values)


_ON_EXISTING = {
    "fail": v1.ON_EXISTING_MESSAGE_FAIL,
    "skip": v1.ON_EXISTING_MESSAGE_SKIP,
    "update": v1.ON_EXISTING_MESSAGE_UPDATE,
}


def on_existing_of(value: OnExisting | None) -> v1.OnExistingMessage | None:
    """Gives what becomes of messages that exist."""
    if not isinstance(value, str):
        return value
    if value not in _ON_EXISTING:
        raise ValueError(f'on_existing is "fail", "skip" or "update", not "{value}"')
    return _ON_EXISTING[value]


def source_of(value: Source | None) -> v1.PreviewSource | None:
    """Gives what a preview looks at."""
    if not isinstance(value, str):
        return value
    if value not in _SOURCES:
        raise ValueError(f'the source is "window" or "log", not "{value}"')
    return _SOURCES[value]


def one_of(**choices: Any) -> None:
    """Checks that one of several arguments was given, and no more."""
    given = [name for name, value in choices.items() if value is not None]
    if len(given) != 1:
        found = f"not {' and '.join(given)}" if given else "which all are missing"
        raise ValueError(f"give one of {', '.join(choices)}, {found}")


def at_most_one(**choices: Any) -> bool:
    """Tells whether one of several arguments was given; more than one is an error."""
    given = [name for name, value in choices.items() if value is not None]
    if len(given) > 1:
        raise ValueError(f"give one of {', '.join(choices)}, not several")
    return bool(given)


def watch_request(
    resume_token: str | None,
    position: Position | None,
    consumer_id: str | None,
    after_revision: int | None,
    filter: v1.EventFilter | Json | None,
) -> v1.WatchEventsRequest:
    """Makes the request of a watch. Without a start it watches from now."""
    given = at_most_one(
        resume_token=resume_token,
        position=position,
        consumer_id=consumer_id,
        after_revision=after_revision,
    )
    return v1.WatchEventsRequest(
        resume_token=resume_token,
        position=position_of(position if given else "now"),
        consumer_id=consumer_id,
        after_revision=after_revision,
        filter=filter_of(v1.EventFilter, filter),
    )
