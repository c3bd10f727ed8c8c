"""The arguments of the methods for recall and documents, and how they become messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar, Union

from . import v1
from ._fields import Json, ids_of
from ._made import duration_of, made, told

DocumentLike = Union[str, "v1.Document", Json]
DocumentsLike = DocumentLike | Iterable[DocumentLike]
Vector = Union["v1.Embedding", Json, Sequence[float]]
Mode = Literal["hybrid", "lexical", "dense"]
Fusion = Literal["scores", "reciprocal_rank", "reciprocal-rank"]
Purpose = Literal["passage", "query"]
GroupOrder = Literal["count", "value"]
Group = Union[bool, int, "v1.GroupBySession", Json]
Scalar = str | float | bool | None

_ENUMS: dict[str, dict[str, Any]] = {
    "mode": {
        "hybrid": v1.RECALL_MODE_HYBRID,
        "lexical": v1.RECALL_MODE_LEXICAL,
        "dense": v1.RECALL_MODE_DENSE,
    },
    "fusion": {
        "scores": v1.FUSION_METHOD_SCORES,
        "reciprocal_rank": v1.FUSION_METHOD_RECIPROCAL_RANK,
    },
    "purpose": {
        "passage": v1.EMBEDDING_PURPOSE_PASSAGE,
        "query": v1.EMBEDDING_PURPOSE_QUERY,
    },
    "order": {
        "count": v1.ITEM_GROUP_ORDER_COUNT_DESC,
        "value": v1.ITEM_GROUP_ORDER_VALUE_ASC,
    },
    "filter.kinds": {
        "message": v1.RECALL_KIND_MESSAGE,
        "document": v1.RECALL_KIND_DOCUMENT,
        "memory": v1.RECALL_KIND_MEMORY,
    },
    "filter.memory_kinds": {
        "fact": v1.MEMORY_KIND_FACT,
        "preference": v1.MEMORY_KIND_PREFERENCE,
        "knowledge": v1.MEMORY_KIND_KNOWLEDGE,
        "entity": v1.MEMORY_KIND_ENTITY,
        "relation": v1.MEMORY_KIND_RELATION,
        "episode": v1.MEMORY_KIND_EPISODE,
        "summary": v1.MEMORY_KIND_SUMMARY,
    },
    "filter.roles": {
        "user": v1.ROLE_USER,
        "assistant": v1.ROLE_ASSISTANT,
        "system": v1.ROLE_SYSTEM,
        "tool": v1.ROLE_TOOL,
    },
    "filter.min_trust": {
        "low": v1.TRUST_LOW,
        "medium": v1.TRUST_MEDIUM,
        "high": v1.TRUST_HIGH,
    },
}

_PREFIXES = {
    "mode": "RECALL_MODE_",
    "fusion": "FUSION_METHOD_",
    "purpose": "EMBEDDING_PURPOSE_",
    "order": "ITEM_GROUP_ORDER_",
    "filter.kinds": "RECALL_KIND_",
    "filter.memory_kinds": "MEMORY_KIND_",
    "filter.roles": "ROLE_",
    "filter.min_trust": "TRUST_",
}

ScopeMatch = Literal["visible_to", "exact", "owned_by"]
_SCOPE_MATCHES: tuple[ScopeMatch, ...] = ("visible_to", "exact", "owned_by")

_Filter = TypeVar("_Filter", v1.RecallFilter, v1.DocumentFilter, v1.MemoryFilter)


def enum_of(what: str, value: Any) -> Any:
    """Gives a value of an enum by its short name or that of the contract, or as it is. A short
    name may have dashes."""
    if not isinstance(value, str):
        return value
    known = _ENUMS[what]
    short = value.removeprefix(_PREFIXES[what]).lower() if value.isupper() else value
    short = short.replace("-", "_")
    if short not in known:
        raise ValueError(f'the {what} is one of {", ".join(known)}, not "{value}"')
    return known[short]


def recall_filter_of(
    value: v1.RecallFilter | Json | None, viewer: v1.MemoryScope | None = None
) -> v1.RecallFilter | None:
    """Makes a filter of recall: a mapping holds its fields by their names, and its kinds, roles and
    trust may have their short names. Its scope is made of ``user_id``, ``agent_id``,
    ``session_id``, ``everyone`` and ``scope``, as that of a filter of memories.

    :param viewer: who looks, given beside the filter.
    """
    given = None if value is None else _recall_filter_of(value)
    if viewer is None:
        return given
    made = v1.RecallFilter()
    if given is not None:
        made.CopyFrom(given)
    if made.HasField("scope"):
        raise ValueError("say whose records in the filter or beside it, not in both")
    made.scope.visible_to.CopyFrom(viewer)
    return made


def _recall_filter_of(value: v1.RecallFilter | Json) -> v1.RecallFilter:
    if isinstance(value, v1.RecallFilter):
        return value
    fields = dict(value)
    take_scope(fields, "visible_to")
    for name in ("kinds", "roles", "memory_kinds"):
        given = fields.get(name)
        if given is not None:
            many = [given] if isinstance(given, (str, int)) else given
            fields[name] = [enum_of(f"filter.{name}", one) for one in many]
    fields["min_trust"] = enum_of("filter.min_trust", fields.get("min_trust"))
    return filter_of(v1.RecallFilter, fields)


def take_scope(fields: dict[str, Any], match: ScopeMatch) -> None:
    """Makes the scope of a filter of the fields that say whose records are meant.

    :param match: how they are compared where the fields do not say.
    """
    scope = scope_of(*(fields.pop(name, None) for name in ("user_id", "agent_id", "session_id")))
    everyone = bool(fields.pop("everyone", False))
    fields["scope"] = _scope_filter_of(scope, fields.get("scope"), everyone, match)


def _scope_filter_of(
    scope: v1.MemoryScope | None, given: Any, everyone: bool, match: ScopeMatch
) -> v1.ScopeFilter | None:
    if isinstance(given, v1.ScopeFilter):
        return given
    has_user = scope is not None and scope.HasField("user_id")
    if everyone and has_user:
        raise ValueError("give user_id or everyone, not both")
    if given is None and scope is None:
        return v1.ScopeFilter(everyone=v1.Everyone()) if everyone else None
    chosen = given or ("owned_by" if everyone else match)
    if chosen not in _SCOPE_MATCHES:
        raise ValueError(f'the scope is one of {", ".join(_SCOPE_MATCHES)}, not "{chosen}"')
    if chosen == "owned_by" and not has_user and not everyone:
        raise ValueError("the scope owned_by needs user_id, or everyone")
    made = v1.ScopeFilter()
    getattr(made, chosen).CopyFrom(scope or v1.MemoryScope())
    return made


def scope_of(
    user_id: str | None, agent_id: str | None, session_id: str | None = None
) -> v1.MemoryScope | None:
    """Makes a scope; None for that of everybody.

    :raises ValueError: for an empty member, which may be an id that the caller lost.
    """
    members = {"user_id": user_id, "agent_id": agent_id, "session_id": session_id}
    for name, member in members.items():
        if member == "":
            raise ValueError(f"{name} is empty: leave it out, or name one")
    return None if set(members.values()) == {None} else made(v1.MemoryScope, **members)


def document_filter_of(value: v1.DocumentFilter | Json | None) -> v1.DocumentFilter | None:
    """Makes a filter of documents: a mapping holds its fields by their names. Its scope is made as
    that of a filter of recall."""
    if value is None or isinstance(value, v1.DocumentFilter):
        return value
    return _document_filter_of(value, "visible_to")


def bound_document_filter_of(value: v1.DocumentFilter | Json) -> v1.DocumentFilter:
    """Makes a filter of documents to purge. One that names no user is an error unless it says
    everyone: the user may be one that the caller lost.

    :raises ValueError: for a filter that names no user and does not say everyone.
    """
    check_bound(value)
    if isinstance(value, v1.DocumentFilter):
        return value
    return _document_filter_of(value, "owned_by")


def check_bound(value: v1.MemoryFilter | v1.DocumentFilter | Json) -> None:
    """Refuses a filter that names no user and does not say everyone."""
    if isinstance(value, (v1.MemoryFilter, v1.DocumentFilter)):
        which = value.scope.WhichOneof("scope")
        is_bound = which is not None and (
            which == "everyone" or bool(getattr(value.scope, which).user_id)
        )
    else:
        is_bound = bool(value) and bool(value.get("user_id") or value.get("everyone"))
    if not is_bound:
        raise ValueError("the filter has no user_id: name the user, or say everyone")


def _document_filter_of(value: Json, match: ScopeMatch) -> v1.DocumentFilter:
    fields = dict(value)
    take_scope(fields, match)
    return filter_of(v1.DocumentFilter, fields)


def filter_of(kind: type[_Filter], fields: Json) -> _Filter:
    """Makes a filter of its fields; one that it does not have is an error."""
    known = kind.DESCRIPTOR.fields_by_name
    for name in fields:
        if name not in known:
            raise TypeError(f'the filter has no field "{name}", only {", ".join(known)}')
    return made(kind, **fields)


def document_of(value: DocumentLike) -> v1.Document:
    """Makes a document: a text alone is its content, a mapping holds fields by their names. Its
    ``embedding`` may be a list of numbers, its ``ttl`` seconds, its ``payload`` bytes or a JSON
    text."""
    if isinstance(value, v1.Document):
        return value
    if isinstance(value, str):
        return v1.Document(text=value)
    if not isinstance(value, Mapping):
        raise TypeError(
            f"a document is a text, a mapping of its fields, or a v1.Document, not {told(value)}"
        )
    fields = dict(value)
    if fields.get("embedding") is not None:
        fields["embedding"] = vector_of(fields["embedding"])
    if "ttl" in fields:
        fields["ttl"] = duration_of(fields["ttl"])
    if isinstance(fields.get("payload"), (str, bytes)):
        fields["payload"] = _payload_of(fields["payload"])
    return made(v1.Document, **fields)


def _payload_of(value: str | bytes) -> v1.DocumentPayload:
    if isinstance(value, bytes):
        return v1.DocumentPayload(data=value)
    return v1.DocumentPayload(data=value.encode(), media_type="application/json")


def documents_of(value: DocumentsLike, scope: v1.MemoryScope | None = None) -> list[v1.Document]:
    """Makes documents of one or many; those that name no scope get the one given."""
    if isinstance(value, (str, v1.Document, Mapping)) or not isinstance(value, Iterable):
        return [_scoped(document_of(value), scope)]
    return [_scoped(document_of(one), scope) for one in value]


def _scoped(document: v1.Document, scope: v1.MemoryScope | None) -> v1.Document:
    if scope is None or document.HasField("scope"):
        return document
    made = v1.Document()
    made.CopyFrom(document)
    made.scope.CopyFrom(scope)
    return made


def vector_of(value: Vector | None) -> v1.Embedding | None:
    """Makes a vector: a list of numbers has no model's name."""
    if value is None or isinstance(value, v1.Embedding):
        return value
    if isinstance(value, Mapping):
        return made(v1.Embedding, **value)
    return made(v1.Embedding, values=value)


def splitter_of(chunk_chars: int | None, overlap_chars: int | None) -> v1.TextSplitter | None:
    """Makes a splitter when one of its sizes is given."""
    if chunk_chars is None and overlap_chars is None:
        return None
    return v1.TextSplitter(chunk_chars=chunk_chars or 0, overlap_chars=overlap_chars)


def group_of(value: Group | None) -> v1.GroupBySession | None:
    """Makes the grouping by session: True, or the number of hits per session."""
    if value is None or value is False:
        return None
    if isinstance(value, v1.GroupBySession):
        return value
    if isinstance(value, Mapping):
        return made(v1.GroupBySession, **value)
    return v1.GroupBySession(hits_per_session=0 if value is True else value)


def rerank_of(value: bool | str | v1.Rerank | Json | None) -> v1.Rerank | None:
    """Makes the reranking: True for the server's default, or the name of a hook."""
    if value is None or value is False:
        return None
    if isinstance(value, (bool, str)):
        return v1.Rerank(hook="" if value is True else value)
    return made(v1.Rerank, **value) if isinstance(value, Mapping) else value


def texts_of(value: str | Iterable[str]) -> list[str]:
    """Makes a list of texts of one or many."""
    return [value] if isinstance(value, str) else ids_of(value)


_UNSET: Any = object()


def where(
    path: str,
    *,
    equals: Scalar = _UNSET,
    exists: bool | None = None,
    one_of: Iterable[Scalar] | None = None,
    at_least: float | str | None = None,
    at_most: float | str | None = None,
    below: float | str | None = None,
    starts_with: str | None = None,
    contains: str | None = None,
) -> v1.MetadataCondition:
    """Makes a condition on the metadata at a path, for the filters of lists and of recall.

    ``where("lang", equals="en")``, ``where("price", at_least=5, below=10)``,
    ``where("tags", one_of=["a", "b"])``, ``where("draft", exists=False)``,
    ``where("path", starts_with="docs/")``, ``where("day", at_least="2026-01", below="2026-02")``.
    Without a test, the value must exist.
    """
    ranged = any(end is not None for end in (at_least, at_most, below))
    given = [exists is not None, one_of is not None, ranged, equals is not _UNSET]
    given += [starts_with is not None, contains is not None]
    if sum(given) > 1:
        raise ValueError(
            "give one of equals, one_of, exists, starts_with, contains and a range, not several"
        )
    condition = v1.MetadataCondition(path=path)
    if one_of is not None:
        condition.one_of.extend(list(one_of))
    elif starts_with is not None:
        condition.starts_with = starts_with
    elif contains is not None:
        condition.contains = contains
    elif ranged:
        _set_range(condition, at_least, at_most, below)
    elif equals is not _UNSET:
        _set_value(condition, equals)
    else:
        condition.exists = exists is not False
    return condition


def where_label(
    key: str,
    *,
    equals: str | None = None,
    exists: bool | None = None,
    one_of: Iterable[str] | None = None,
    at_least: str | None = None,
    at_most: str | None = None,
    below: str | None = None,
    starts_with: str | None = None,
    contains: str | None = None,
) -> v1.MetadataCondition:
    """Makes a condition on a label, for the same filters as ``where`` and for trees of conditions.

    ``where_label("team", one_of=["red", "blue"])``, ``where_label("draft", exists=False)``.
    Without a test, the record must have the label.
    """
    ends = {"min": at_least, "max": at_most, "less_than": below}
    given: dict[str, Any] = {
        "equal_to": equals,
        "exists": exists,
        "one_of": None if one_of is None else v1.LabelValues(values=list(one_of)),
        "starts_with": starts_with,
        "contains": contains,
    }
    if any(end is not None for end in ends.values()):
        given["text_range"] = v1.TextRange(**ends)
    tests = {name: value for name, value in given.items() if value is not None}
    if len(tests) > 1:
        raise ValueError(
            "give one of equals, one_of, exists, starts_with, contains and a range, not several"
        )
    label = v1.LabelCondition(key=key, **(tests or {"exists": True}))
    return v1.MetadataCondition(label=label)


def all_of(*conditions: v1.MetadataCondition) -> v1.MetadataCondition:
    """Combines conditions, all of which must hold."""
    return v1.MetadataCondition(all_of=v1.MetadataConditions(conditions=conditions))


def any_of(*conditions: v1.MetadataCondition) -> v1.MetadataCondition:
    """Combines conditions, at least one of which must hold: ``any_of(where("lang", equals="en"),
    where("lang", exists=False))``."""
    return v1.MetadataCondition(any_of=v1.MetadataConditions(conditions=conditions))


def none_of(*conditions: v1.MetadataCondition) -> v1.MetadataCondition:
    """Combines conditions, none of which may hold."""
    return v1.MetadataCondition(none_of=v1.MetadataConditions(conditions=conditions))


def _set_range(condition: v1.MetadataCondition, at_least: Any, at_most: Any, below: Any) -> None:
    ends = {"min": at_least, "max": at_most, "less_than": below}
    given = {name: end for name, end in ends.items() if end is not None}
    if all(isinstance(end, str) for end in given.values()):
        condition.text_range.CopyFrom(v1.TextRange(**given))
    elif any(isinstance(end, str) for end in given.values()):
        raise TypeError("a range has numbers or texts, not both")
    else:
        condition.range.CopyFrom(v1.NumberRange(**given))


def _set_value(condition: v1.MetadataCondition, value: Scalar) -> None:
    if value is None:
        condition.equal_to.null_value = 0  # type: ignore[assignment]
    elif isinstance(value, bool):
        condition.equal_to.bool_value = value
    elif isinstance(value, str):
        condition.equal_to.string_value = value
    else:
        condition.equal_to.number_value = value
