"""Conversion of the arguments of recall to messages."""

from __future__ import annotations

from typing import Any

import pytest

from memorysidecar import all_of, any_of, none_of, v1, where, where_label
from memorysidecar._recall_fields import (
    document_filter_of,
    documents_of,
    enum_of,
    group_of,
    recall_filter_of,
)


def test_an_enum_has_its_short_name_and_that_of_the_contract() -> None:
    assert enum_of("mode", "dense") == v1.RECALL_MODE_DENSE
    assert enum_of("mode", "RECALL_MODE_DENSE") == v1.RECALL_MODE_DENSE
    assert enum_of("fusion", "FUSION_METHOD_RECIPROCAL_RANK") == v1.FUSION_METHOD_RECIPROCAL_RANK
    assert enum_of("mode", v1.RECALL_MODE_DENSE) == v1.RECALL_MODE_DENSE
    assert enum_of("mode", None) is None
    with pytest.raises(ValueError, match='one of hybrid, lexical, dense, not "lexicl"'):
        enum_of("mode", "lexicl")
    with pytest.raises(ValueError, match="the fusion is one of"):
        enum_of("fusion", "RECALL_MODE_DENSE")


def test_sessions_are_asked_for_in_any_form() -> None:
    three = v1.GroupBySession(hits_per_session=3)
    assert group_of(3) == group_of({"hits_per_session": 3}) == group_of(three) == three
    assert group_of(True) == v1.GroupBySession()
    assert group_of(None) is None
    assert group_of(False) is None


def test_the_words_of_an_enum_may_have_dashes() -> None:
    for name in ("reciprocal_rank", "reciprocal-rank"):
        assert enum_of("fusion", name) == v1.FUSION_METHOD_RECIPROCAL_RANK


def test_a_filter_has_short_names() -> None:
    whole = v1.RecallFilter(
        kinds=[v1.RECALL_KIND_MESSAGE, v1.RECALL_KIND_DOCUMENT],
        roles=[v1.ROLE_USER, v1.ROLE_TOOL],
        min_trust=v1.TRUST_LOW,
        session_ids=["s"],
    )
    short = {
        "kinds": ["message", "RECALL_KIND_DOCUMENT"],
        "roles": ["user", v1.ROLE_TOOL],
        "min_trust": "low",
        "session_ids": ["s"],
    }
    assert recall_filter_of(short) == whole
    assert recall_filter_of(whole) is whole
    assert recall_filter_of(None) is None
    assert recall_filter_of({}) == v1.RecallFilter()
    ada = v1.ScopeFilter(visible_to=v1.MemoryScope(user_id="ada"))
    assert recall_filter_of({"user_id": "ada"}) == v1.RecallFilter(scope=ada)
    every = v1.ScopeFilter(everyone=v1.Everyone())
    assert recall_filter_of({"everyone": True}) == v1.RecallFilter(scope=every)
    with pytest.raises(ValueError, match="owned_by needs user_id"):
        recall_filter_of({"scope": "owned_by", "agent_id": "a"})
    assert recall_filter_of({"roles": "user"}) == v1.RecallFilter(roles=[v1.ROLE_USER])
    assert document_filter_of({"source_document_id": "d"}) == v1.DocumentFilter(
        source_document_id="d"
    )
    assert document_filter_of({"user_id": "ada"}) == v1.DocumentFilter(
        scope=v1.ScopeFilter(visible_to=v1.MemoryScope(user_id="ada"))
    )
    assert document_filter_of({"everyone": True}) == v1.DocumentFilter(scope=every)
    assert document_filter_of(None) is None


def test_documents_that_name_no_scope_get_that_of_the_call() -> None:
    ada = v1.MemoryScope(user_id="ada")
    given = v1.Document(text="given")
    own = {"text": "own", "scope": {"user_id": "ben"}}
    scopes = [one.scope.user_id for one in documents_of(["text", given, own], ada)]
    assert scopes == ["ada", "ada", "ben"]
    assert not given.HasField("scope")
    assert not documents_of("text")[0].HasField("scope")


def test_conditions_make_trees() -> None:
    english = where("lang", equals="en")
    unsaid = none_of(where("lang", exists=True))
    tree = all_of(any_of(english, unsaid))
    inner = tree.all_of.conditions[0].any_of.conditions
    assert list(inner) == [english, unsaid]
    assert inner[1].none_of.conditions[0].exists
    assert document_filter_of({"metadata": [tree]}) == v1.DocumentFilter(metadata=[tree])


def test_a_wrong_filter_says_what_is_wrong() -> None:
    with pytest.raises(ValueError, match=r'filter\.roles is one of user, .*, not "usr"'):
        recall_filter_of({"roles": ["usr"]})
    with pytest.raises(ValueError, match=r'kinds is one of message, document, memory, not "user"'):
        recall_filter_of({"kinds": ["user"]})
    with pytest.raises(TypeError, match='no field "role", only kinds, session_ids, '):
        recall_filter_of({"role": "user"})
    with pytest.raises(TypeError, match='no field "roles", only labels, '):
        document_filter_of({"roles": ["user"]})


def test_labels_are_tested_like_texts() -> None:
    def label(**test: Any) -> v1.MetadataCondition:
        return v1.MetadataCondition(label=v1.LabelCondition(key="team", **test))

    assert where_label("team") == label(exists=True)
    assert where_label("team", exists=False) == label(exists=False)
    assert where_label("team", equals="") == label(equal_to="")
    assert where_label("team", one_of=["a", "b"]) == label(one_of=v1.LabelValues(values=["a", "b"]))
    assert where_label("team", starts_with="a") == label(starts_with="a")
    assert where_label("team", at_least="a", below="c") == label(
        text_range=v1.TextRange(min="a", less_than="c")
    )
    with pytest.raises(ValueError, match="give one of"):
        where_label("team", equals="a", contains="b")


def test_texts_are_tested_by_their_beginning_their_parts_and_in_ranges() -> None:
    assert where("p", starts_with="docs/") == v1.MetadataCondition(path="p", starts_with="docs/")
    assert where("p", contains="x") == v1.MetadataCondition(path="p", contains="x")
    days = v1.TextRange(min="2026-01", less_than="2026-02")
    assert where("day", at_least="2026-01", below="2026-02") == v1.MetadataCondition(
        path="day", text_range=days
    )
    numbers = v1.NumberRange(min=0, max=5)
    assert where("n", at_least=0, at_most=5) == v1.MetadataCondition(path="n", range=numbers)
    with pytest.raises(TypeError):
        where("n", at_least=0, below="5")
    with pytest.raises(ValueError, match="starts_with"):
        where("n", contains="a", starts_with="b")
