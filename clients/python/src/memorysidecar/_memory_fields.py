"""The arguments of the methods for long-term memory, and how they become messages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Union

from typing_extensions import TypedDict

from . import v1
from ._fields import Json, ReadOptions, Time, TokenRule, WriteOptions, token_rule_or_preset
from ._forms import FormName, form_of
from ._made import Seconds, duration_of, made, refuse_unknown, told
from ._memory_policy import extraction_of as extraction_of
from ._recall_fields import ScopeMatch, check_bound, enum_of, filter_of, scope_of, take_scope

MemoryLike = Union[str, "v1.Memory", Json]
MemoriesLike = MemoryLike | Sequence[MemoryLike]
FilterLike = Union["v1.MemoryFilter", Json]
Dedupe = Union[bool, Literal["same_text", "similar", "none"], "v1.DedupeRule", Json]
Conflict = Union[Literal["keep_both", "supersede", "merge", "ask_hook"], "v1.ConflictRule", Json]
Order = Union[
    Literal[
        "oldest", "newest", "oldest_first", "newest_first", "importance", "confidence", "last_seen"
    ],
    "v1.MemoryOrder",
]
Profile = Literal["", "default", "selectools", "lauren", "definable"] | str
SectionLike = Union[str, "v1.ContextSection", Json]
BlockLike = Union["v1.ContextBlock", Json]


class ContextParts(TypedDict, total=False):
    """Parts and limits of a context."""

    query: str
    user_id: str | None
    agent_id: str | None
    max_tokens: int
    token_rule: TokenRule | None
    model: str
    custom_token_rule: v1.CustomTokenRule | Json | None
    token_preset: str
    sections: Iterable[SectionLike]
    profile: Profile
    exclude_conversation: bool
    compaction_threshold: float | None
    min_relevance: float | None
    min_best_relevance: float | None
    collection_ids: list[str]
    weights: v1.RecallWeights | Json | None
    reference_time: Time | None
    fence: bool | None
    blocks: Iterable[BlockLike]


class ContextOptions(ContextParts, total=False):
    """The arguments of ``assemble_context``, for the context that an append answers with."""

    form: FormName | None
    """Gives the whole prompt as a model API takes it: read it with ``rendered_in``."""


class ContextCall(ContextParts, ReadOptions, total=False):
    """The arguments of ``assemble_context`` beside the session and the form."""


class MemoryChange(WriteOptions, total=False):
    """The fields of a memory that can be changed. None clears a field."""

    text: str | None
    entity: v1.Entity | Json | None
    relation: v1.Relation | Json | None
    episode: v1.Episode | Json | None
    key: str | None
    category: str | None
    topics: Iterable[str] | None
    importance: float | None
    confidence: float | None
    trust: str | v1.Trust | None
    persistent: bool | None
    labels: Mapping[str, str] | None
    metadata: Json | None
    valid_from_time: Time | None
    valid_until_time: Time | None
    ttl: Seconds | None
    last_seen_time: Time | None


_SAID = (
    "append what was said to a session with a memory policy that extracts, or give it to"
    " extract_memories"
)


def _short(prefix: str, *names: str) -> dict[str, Any]:
    return {name: getattr(v1, f"{prefix}{name.upper()}") for name in names}


_ENUMS: dict[str, tuple[str, dict[str, Any]]] = {
    "kind": (
        "MEMORY_KIND_",
        _short(
            "MEMORY_KIND_",
            *("fact", "preference", "knowledge", "entity", "relation", "episode", "summary"),
        ),
    ),
    "state": ("MEMORY_STATE_", _short("MEMORY_STATE_", "active", "superseded")),
    "origin": (
        "MEMORY_ORIGIN_",
        _short("MEMORY_ORIGIN_", "caller", "promotion", "extraction", "turn"),
    ),
    "dedupe": ("DEDUPE_MODE_", _short("DEDUPE_MODE_", "same_text", "similar", "none")),
    "conflict": (
        "CONFLICT_MODE_",
        _short("CONFLICT_MODE_", "keep_both", "supersede", "merge", "ask_hook"),
    ),
    "order": (
        "MEMORY_ORDER_",
        {
            "oldest": v1.MEMORY_ORDER_CREATE_TIME_ASC,
            "newest": v1.MEMORY_ORDER_CREATE_TIME_DESC,
            "oldest_first": v1.MEMORY_ORDER_CREATE_TIME_ASC,
            "newest_first": v1.MEMORY_ORDER_CREATE_TIME_DESC,
            "importance": v1.MEMORY_ORDER_IMPORTANCE_DESC,
            "confidence": v1.MEMORY_ORDER_CONFIDENCE_DESC,
            "last_seen": v1.MEMORY_ORDER_LAST_SEEN_TIME_DESC,
        },
    ),
    "section": (
        "CONTEXT_SECTION_KIND_",
        _short(
            "CONTEXT_SECTION_KIND_",
            *("summary", "long_term", "entities", "relations", "episodes"),
            *("recalled_messages", "documents", "conversation", "daily_log"),
        ),
    ),
    "place": (
        "CONTEXT_PLACE_",
        _short("CONTEXT_PLACE_", "system", "user_message", "tool_result"),
    ),
}


def choice(what: str, value: Any) -> Any:
    """Gives a value of an enum by its short name or that of the contract, or as it is."""
    if not isinstance(value, str):
        return value
    prefix, known = _ENUMS[what]
    short = value.removeprefix(prefix).lower() if value.isupper() else value
    short = short.replace("-", "_")
    if short not in known:
        raise ValueError(f'the {what} is one of {", ".join(known)}, not "{value}"')
    return known[short]


def fence_of(value: bool | v1.ContextFence | None) -> v1.ContextFence | None:
    """Makes the fencing of a context; None means that of the profile."""
    if isinstance(value, bool):
        return v1.CONTEXT_FENCE_ON if value else v1.CONTEXT_FENCE_OFF
    return value


def memory_of(value: MemoryLike, scope: v1.MemoryScope | None = None) -> v1.Memory:
    """Makes a memory: a text alone is a fact, a mapping holds fields by their names, where kind and
    trust may have their short names and a ttl may be seconds. What names no scope gets the one
    given."""
    if isinstance(value, v1.Memory):
        memory = v1.Memory()
        memory.CopyFrom(value)
    elif isinstance(value, str):
        memory = v1.Memory(text=value)
    else:
        fields = _fields_of(value)
        fields["kind"] = choice("kind", fields.get("kind"))
        fields["trust"] = enum_of("filter.min_trust", fields.get("trust"))
        fields["ttl"] = duration_of(fields.get("ttl"))
        for name in ("entity", "relation", "episode"):
            if "kind" in fields and fields["kind"] is None and fields.get(name) is not None:
                fields["kind"] = choice("kind", name)
        memory = made(v1.Memory, **fields)
    if scope is not None and not (memory.user_id or memory.agent_id or memory.session_id):
        for field, member in scope.ListFields():
            setattr(memory, field.name, member)
    return memory


def _fields_of(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(
            f"a memory is a text, a mapping of its fields, or a v1.Memory, not {told(value)}"
        )
    refuse_unknown("memory", v1.Memory, value, dict.fromkeys(("role", "content"), _SAID))
    return dict(value)


def memories_of(value: MemoriesLike, scope: v1.MemoryScope | None = None) -> list[v1.Memory]:
    """Makes memories of one or many."""
    if isinstance(value, (str, v1.Memory, Mapping)) or not isinstance(value, Iterable):
        return [memory_of(value, scope)]
    return [memory_of(one, scope) for one in value]


def memory_filter_of(value: FilterLike | None) -> v1.MemoryFilter | None:
    """Makes a filter of memories to read; None stays so."""
    return None if value is None else _filter_of(value, "visible_to")


def bound_filter_of(value: FilterLike) -> v1.MemoryFilter:
    """Makes a filter of memories to purge, decay or export. One that names no user is an error
    unless it says everyone: the user may be one that the caller lost.

    :raises ValueError: for a filter that names no user and does not say everyone.
    """
    check_bound(value)
    return _filter_of(value, "owned_by")


def _filter_of(value: FilterLike, match: ScopeMatch) -> v1.MemoryFilter:
    """Makes a filter of memories: a mapping holds its fields by their names; kinds, states, origin
    and trust may have their short names. Its scope is made of ``user_id``, ``agent_id``,
    ``session_id``, ``everyone`` and ``scope``, the way they are compared.

    :param match: how they are compared where the mapping does not say.
    """
    if isinstance(value, v1.MemoryFilter):
        return value
    fields = dict(value)
    take_scope(fields, match)
    for name, what in (("kinds", "kind"), ("states", "state")):
        given = fields.get(name)
        if given is not None:
            many = [given] if isinstance(given, (str, int)) else given
            fields[name] = [choice(what, one) for one in many]
    fields["origin"] = choice("origin", fields.get("origin"))
    fields["min_trust"] = enum_of("filter.min_trust", fields.get("min_trust"))
    return filter_of(v1.MemoryFilter, fields)


def dedupe_of(value: Dedupe | None) -> v1.DedupeRule | None:
    """Makes a rule of what is known: False takes everything for new, True is the default."""
    if value is None or isinstance(value, v1.DedupeRule):
        return value
    if isinstance(value, bool):
        return None if value else v1.DedupeRule(mode=choice("dedupe", "none"))
    if isinstance(value, str):
        return v1.DedupeRule(mode=choice("dedupe", value))
    fields = dict(value)
    return made(v1.DedupeRule, **{**fields, "mode": choice("dedupe", fields.get("mode"))})


def conflict_of(value: Conflict | None) -> v1.ConflictRule | None:
    """Makes a rule of what happens to contradictions."""
    if value is None or isinstance(value, v1.ConflictRule):
        return value
    if isinstance(value, str):
        return v1.ConflictRule(mode=choice("conflict", value))
    fields = dict(value)
    return made(v1.ConflictRule, **{**fields, "mode": choice("conflict", fields.get("mode"))})


def changed_memory(memory_id: str, etag: str, fields: dict[str, Any]) -> v1.Memory:
    """Makes the memory of an update."""
    ttl, trust = duration_of(fields.get("ttl")), enum_of("filter.min_trust", fields.get("trust"))
    fields = {**fields, "ttl": ttl, "trust": trust}
    return made(v1.Memory, memory_id=memory_id, etag=etag, **fields)


def rules_of(values: Iterable[v1.ImportanceRule | Json]) -> list[v1.ImportanceRule]:
    """Makes rules of importance."""
    return [made(v1.ImportanceRule, **one) if isinstance(one, Mapping) else one for one in values]


def sections_of(values: Iterable[SectionLike]) -> list[v1.ContextSection]:
    """Makes sections of a context: a text is the kind of one."""
    found: list[v1.ContextSection] = []
    for one in values:
        if isinstance(one, v1.ContextSection):
            found.append(one)
        elif isinstance(one, str):
            found.append(v1.ContextSection(kind=choice("section", one)))
        else:
            fields = dict(one)
            fields["kind"] = choice("section", fields.get("kind"))
            found.append(made(v1.ContextSection, **fields))
    return found


def blocks_of(values: Iterable[BlockLike]) -> list[v1.ContextBlock]:
    """Makes blocks of a context: mappings hold their fields by name. Short names stand for places
    and sections; a fence is the name of a tag, or the lines before and after the block."""
    found: list[v1.ContextBlock] = []
    for one in values:
        if isinstance(one, v1.ContextBlock):
            found.append(one)
            continue
        fields = dict(one)
        sections = fields.get("sections", ())
        many = [sections] if isinstance(sections, (str, int)) else sections
        arguments = fields.get("tool_arguments")
        if isinstance(arguments, Mapping):
            fields["tool_arguments"] = json.dumps(arguments, ensure_ascii=False)
        fields["place"] = choice("place", fields.get("place"))
        fields["sections"] = [choice("section", section) for section in many]
        fields["fence"] = _block_fence_of(fields.get("fence"))
        found.append(made(v1.ContextBlock, **fields))
    return found


def _block_fence_of(value: Any) -> v1.BlockFence | None:
    if value is None or isinstance(value, v1.BlockFence):
        return value
    if isinstance(value, str):
        return v1.BlockFence(tag=value)
    if isinstance(value, Mapping):
        return made(v1.BlockFence, **value)
    before, behind = value
    return v1.BlockFence(lines=v1.FenceLines(open=before, close=behind))


def viewer_of(user_id: str | None, agent_id: str | None, session_id: str) -> v1.MemoryScope | None:
    """Makes the scope of who looks; None where it is that of the session."""
    if user_id is None and agent_id is None:
        return None
    return scope_of(user_id, agent_id, session_id or None)


def context_request_of(
    options: ContextOptions | v1.AssembleContextRequest, session_id: str
) -> v1.AssembleContextRequest:
    """Makes the request of a context for those who look from a session, which it does not name."""
    if isinstance(options, v1.AssembleContextRequest):
        return options
    known = ContextOptions.__annotations__
    for name in options:
        if name not in known:
            raise ValueError(f'a context has no option "{name}": it has {", ".join(known)}')
    fields: dict[str, Any] = dict(options)
    scope = viewer_of(fields.pop("user_id", None), fields.pop("agent_id", None), session_id)
    rule, preset = fields.pop("token_rule", None), fields.get("token_preset", "")
    sections, fence = fields.pop("sections", ()), fields.pop("fence", None)
    form, blocks = fields.pop("form", None), fields.pop("blocks", ())
    return made(
        v1.AssembleContextRequest,
        scope=scope,
        token_rule=token_rule_or_preset(rule, preset),
        sections=sections_of(sections),
        fence=fence_of(fence),
        blocks=blocks_of(blocks),
        form=None if form is None else form_of(form),
        **fields,
    )


def context_reply_of(
    value: bool | ContextOptions | v1.AssembleContextRequest, session_id: str
) -> v1.AssembleContextRequest | None:
    """Makes the question for a context that comes with an append; None for no context."""
    if isinstance(value, bool):
        return v1.AssembleContextRequest() if value else None
    return context_request_of(value, session_id)
