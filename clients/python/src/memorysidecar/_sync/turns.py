# Made from _async/turns.py by make_sync.py; do not edit.
"""The methods of the client for turns, what is found in them, and contexts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import overload

from typing_extensions import Unpack

from .. import _fields as f
from .. import _memory_fields as m
from .. import _recall_fields as r
from .. import v1
from .._forms import FormName, Rendered, rendered
from .._made import made
from .calls import Calls


class TurnMethods(Calls):
    """Turns, what is found in them, and the context that is made of it all."""

    def record_turn(
        self,
        session_id: str,
        user_text: str = "",
        assistant_text: str = "",
        *,
        turn_time: f.Time | None = None,
        expected_last_seq: int | None = None,
        create_session: bool = False,
        **call: Unpack[f.WriteOptions],
    ) -> v1.AppendMessagesResponse:
        """Appends what was said in a turn and ends it: an append with ``turn_end``. The memory
        policy of the session says what is remembered of it."""
        said = {"user": user_text, "assistant": assistant_text}
        messages = [
            {"role": role, "text": text, "sent_time": turn_time}
            for role, text in said.items()
            if text
        ]
        if not messages:
            raise ValueError("a turn needs a user_text or an assistant_text")
        request = made(
            v1.AppendMessagesRequest,
            session_id=session_id,
            messages=f.messages_of(messages),
            expected_last_seq=expected_last_seq,
            create_session=create_session,
            turn_end=True,
        )
        return self._unary(request, v1.AppendMessagesResponse, call)

    def consolidate_session(
        self, session_id: str, **call: Unpack[f.WriteOptions]
    ) -> v1.ConsolidateSessionResponse:
        """Promotes now: makes memories of important messages of the window."""
        request = made(v1.ConsolidateSessionRequest, session_id=session_id)
        return self._unary(request, v1.ConsolidateSessionResponse, call)

    def extract_memories(
        self,
        session_id: str = "",
        *,
        text: str = "",
        first_seq: int = 0,
        last_seq: int = 0,
        user_id: str | None = None,
        agent_id: str | None = None,
        extraction: v1.ExtractionPolicy | f.Json | str | None = None,
        preview: bool = False,
        importance_rules: Iterable[v1.ImportanceRule | f.Json] = (),
        **call: Unpack[f.WriteOptions],
    ) -> v1.ExtractMemoriesResponse:
        """Finds facts, entities and relations in messages of a session, the newest 10 by default,
        or in a text.

        :param user_id: whom memories from ``text`` belong to, with ``agent_id``. Default:
            everybody shares them.
        :param extraction: the name of a hook, or all that an ``ExtractionPolicy`` holds. Default:
            that of the session, else the rules of the server.
        :param preview: remembers nothing, and also gives ``scores``: how important the messages or
            the text are by rules.
        :param importance_rules: the rules of these scores. Default: those of the session, else
            those of the server.
        """
        request = made(
            v1.ExtractMemoriesRequest,
            session_id=session_id,
            first_seq=first_seq,
            last_seq=last_seq,
            text=text,
            scope=r.scope_of(user_id, agent_id),
            extraction=m.extraction_of(extraction),
            preview=preview,
            importance_rules=m.rules_of(importance_rules),
        )
        return self._unary(request, v1.ExtractMemoriesResponse, call)

    @overload
    def assemble_context(
        self, session_id: str = "", *, form: FormName, **options: Unpack[m.ContextCall]
    ) -> Rendered[v1.AssembleContextResponse]: ...

    @overload
    def assemble_context(
        self, session_id: str = "", *, form: None = None, **options: Unpack[m.ContextCall]
    ) -> v1.AssembleContextResponse: ...

    def assemble_context(
        self,
        session_id: str = "",
        *,
        form: FormName | None = None,
        query: str = "",
        user_id: str | None = None,
        agent_id: str | None = None,
        max_tokens: int = 0,
        token_rule: f.TokenRule | None = None,
        model: str = "",
        custom_token_rule: v1.CustomTokenRule | f.Json | None = None,
        token_preset: str = "",
        sections: Iterable[m.SectionLike] = (),
        profile: m.Profile = "",
        exclude_conversation: bool = False,
        compaction_threshold: float | None = None,
        min_relevance: float | None = None,
        min_best_relevance: float | None = None,
        collection_ids: Iterable[str] = (),
        weights: v1.RecallWeights | f.Json | None = None,
        reference_time: f.Time | None = None,
        fence: bool | None = None,
        blocks: Iterable[m.BlockLike] = (),
        **call: Unpack[f.ReadOptions],
    ) -> v1.AssembleContextResponse | Rendered[v1.AssembleContextResponse]:
        """Makes the context of a prompt within ``max_tokens``, 4,000 by default. ``text`` of the
        answer is ready for a system prompt.

        :param form: gives the whole prompt as a model API takes it, the window and the text in it:
            ``messages`` and, for Anthropic and Gemini, ``system`` of the answer. Then
            ``max_tokens`` limits all of it. Docs: messages.md.
        :param user_id: who looks, with ``agent_id`` and the session. Default for both: those of the
            session.
        :param sections: what is in it, for example ``["long_term", {"kind": "episodes", "share":
            0.2}]``. Default: those of the profile.
        :param min_relevance: leaves out less relevant messages, documents and memories, 0 to 1.
            Default 0.05.
        :param min_best_relevance: leaves out all recalled messages, or documents, when even the
            best is less relevant. Default 0.25.
        :param collection_ids: collections whose documents are considered, with all below them.
            Default: all.
        :param exclude_conversation: for callers that send the window as messages beside it.
        :param fence: whether the content stands between marks that say that it is data. Default: as
            the profile does.
        :param blocks: sections with a text and a place of their own, for example ``[{"name":
            "facts", "place": "system", "sections": ["long_term"], "fence": "facts"}]``. See
            docs/messages.md.
        """
        options: m.ContextOptions = {
            "query": query,
            "user_id": user_id,
            "agent_id": agent_id,
            "max_tokens": max_tokens,
            "token_rule": token_rule,
            "model": model,
            "custom_token_rule": custom_token_rule,
            "token_preset": token_preset,
            "sections": sections,
            "profile": profile,
            "exclude_conversation": exclude_conversation,
            "compaction_threshold": compaction_threshold,
            "min_relevance": min_relevance,
            "min_best_relevance": min_best_relevance,
            "collection_ids": list(collection_ids),
            "weights": weights,
            "reference_time": reference_time,
            "fence": fence,
            "blocks": blocks,
            "form": form,
        }
        request = m.context_request_of(options, session_id)
        request.session_id = session_id
        answer = self._unary(request, v1.AssembleContextResponse, call)
        return answer if form is None else rendered(answer.rendered, answer, form)
