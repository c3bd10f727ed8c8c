"""Rules by which a session feeds long-term memory, as callers write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Union

from . import v1
from ._made import made

MemoryPolicyLike = Union["v1.MemoryPolicy", Mapping[str, Any]]
PromotionLike = Union["v1.PromotionPolicy", Mapping[str, Any]]
EpisodesLike = Union["v1.EpisodePolicy", Mapping[str, Any]]
ExtractionLike = Union[str, "v1.ExtractionPolicy", Mapping[str, Any]]

_TARGETS: Final[dict[str, v1.ExtractionTarget]] = {
    "facts": v1.EXTRACTION_TARGET_FACTS,
    "entities": v1.EXTRACTION_TARGET_ENTITIES,
    "relations": v1.EXTRACTION_TARGET_RELATIONS,
}
_SELECTIONS: Final[dict[str, v1.PromotionSelection]] = {
    "user_statements": v1.PROMOTION_SELECTION_USER_STATEMENTS,
    "any_text": v1.PROMOTION_SELECTION_ANY_TEXT,
}
_TIMES: Final[dict[str, v1.ExtractionTime]] = {
    "turn_end": v1.EXTRACTION_TIME_TURN_END,
    "trim": v1.EXTRACTION_TIME_TRIM,
}


def _named(what: str, prefix: str, known: Mapping[str, Any], value: Any) -> Any:
    """A value of an enum by its short name or that of the contract, or as it is."""
    if not isinstance(value, str):
        return value
    short = value.removeprefix(prefix).lower() if value.isupper() else value
    if short not in known:
        raise ValueError(f'the {what} is one of {", ".join(known)}, not "{value}"')
    return known[short]


def extraction_of(value: ExtractionLike | None) -> v1.ExtractionPolicy | None:
    """Makes what says how to find things: a text is the name of a hook."""
    if value is None or isinstance(value, v1.ExtractionPolicy):
        return value
    if isinstance(value, str):
        return v1.ExtractionPolicy(hook=value)
    fields = dict(value)
    targets = fields.get("targets") or ()
    many = [targets] if isinstance(targets, str) else targets
    fields["targets"] = [_named("target", "EXTRACTION_TARGET_", _TARGETS, one) for one in many]
    fields["on"] = _named("time", "EXTRACTION_TIME_", _TIMES, fields.get("on"))
    return made(v1.ExtractionPolicy, **fields)


def _promotion_of(value: PromotionLike | None) -> v1.PromotionPolicy | None:
    if value is None or isinstance(value, v1.PromotionPolicy):
        return value
    selection = value.get("selection")
    named = _named("selection", "PROMOTION_SELECTION_", _SELECTIONS, selection)
    return made(v1.PromotionPolicy, **{**value, "selection": named})


def _episodes_of(value: EpisodesLike | None) -> v1.EpisodePolicy | None:
    if value is None or isinstance(value, v1.EpisodePolicy):
        return value
    return made(v1.EpisodePolicy, **value)


def memory_policy_of(value: MemoryPolicyLike) -> v1.MemoryPolicy:
    """Makes a policy of memory, whose parts may have short names. A part that is empty is set."""
    if isinstance(value, v1.MemoryPolicy):
        return value
    parts = {
        "promotion": _promotion_of(value.get("promotion")),
        "episodes": _episodes_of(value.get("episodes")),
        "extraction": extraction_of(value.get("extraction")),
    }
    return made(v1.MemoryPolicy, **{**value, **parts})
