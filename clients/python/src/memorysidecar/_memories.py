"""The methods of the client for long-term memory."""

from __future__ import annotations

from collections.abc import Iterable

from typing_extensions import Unpack

from . import _fields as f
from . import _memory_fields as m
from . import _recall_fields as r
from . import v1
from ._pager import Pager
from ._sync import SyncCalls
from ._task_fields import Seconds, duration_of


class MemoryMethods(SyncCalls):
    """Facts, preferences, entities, relations, episodes: remembered, changed, listed, forgotten."""

    def remember(
        self,
        memories: m.MemoriesLike,
        *,
        user_id: str = "",
        agent_id: str = "",
        session_id: str = "",
        dedupe: m.Dedupe | None = None,
        conflict: m.Conflict | None = None,
        max_memories: int = 0,
        defang: bool = False,
        reason: str = "",
        **call: Unpack[f.WriteOptions],
    ) -> v1.RememberResponse:
        """Remembers one thing or many, all or none. A text alone is a fact; a mapping holds the
        fields of a memory by their names, its kind by a short one: ``{"kind": "preference",
        "text": "Ana likes tea", "key": "drink"}``.

        :param user_id: whom memories belong to that name no scope, with the two after it.
        :param dedupe: ``"same_text"`` (the default), ``"similar"`` or ``"none"``.
        :param conflict: what happens to memories with the same ``key``: ``"keep_both"`` (the
            default), ``"supersede"``, ``"merge"`` or ``"ask_hook"``.
        :param max_memories: how many of each tier the scope may then hold; the rest is evicted.
        """
        request = v1.RememberRequest(
            memories=m.memories_of(memories, m.scope_of(user_id, agent_id, session_id)),
            dedupe=m.dedupe_of(dedupe),
            conflict=m.conflict_of(conflict),
            max_memories=max_memories,
            defang=defang,
            reason=reason,
        )
        return self._unary(request, v1.RememberResponse, call)

    def get_memory(
        self,
        memory_id: str,
        *,
        as_of_time: f.Time | None = None,
        **call: Unpack[f.ReadOptions],
    ) -> v1.Memory:
        """Gets a memory, as it is or as it was known at a past time."""
        request = v1.GetMemoryRequest(memory_id=memory_id, as_of_time=as_of_time)
        return self._unary(request, v1.GetMemoryResponse, call).memory

    def list_memories(
        self,
        *,
        filter: m.FilterLike | None = None,
        as_of_time: f.Time | None = None,
        order: m.Order | None = None,
        page_size: int = 0,
        **call: Unpack[f.ReadOptions],
    ) -> Pager[v1.Memory, v1.ListMemoriesResponse]:
        """Lists memories, oldest first: those that are active now, or those that were known at a
        past time.

        :param filter: ``{"user_id": "ana", "kinds": ["fact"]}``.
        """
        request = v1.ListMemoriesRequest(
            filter=m.memory_filter_of(filter),
            as_of_time=as_of_time,
            order=m.choice("order", order),
            page_size=page_size,
        )
        return self._pages(request, v1.ListMemoriesResponse, "memories", call)

    def search_memories(
        self,
        query: str,
        *,
        filter: m.FilterLike | None = None,
        scoring: m.MemoryScoring | None = None,
        limit: int | None = None,
        min_score: float | None = None,
        reference_time: f.Time | None = None,
        episode_days: int = 0,
        **call: Unpack[f.ReadOptions],
    ) -> list[v1.MemoryMatch]:
        """Finds the memories that fit best, 10 by default. ``recall`` finds them too, together
        with messages and documents."""
        request = v1.SearchMemoriesRequest(
            query=query,
            filter=m.memory_filter_of(filter),
            scoring=m.choice("scoring", scoring),
            limit=limit,
            min_score=min_score,
            reference_time=reference_time,
            episode_days=episode_days,
        )
        answer = self._unary(request, v1.SearchMemoriesResponse, call)
        return list(answer.matches)

    def update_memory(
        self,
        memory_id: str,
        *,
        update_mask: Iterable[str] | None = None,
        etag: str = "",
        reason: str = "",
        **fields: Unpack[m.MemoryChange],
    ) -> v1.Memory:
        """Changes the fields that are given; one given as None is cleared. The state before is
        kept."""
        call, rest = f.split(fields)
        request = v1.UpdateMemoryRequest(
            memory=m.changed_memory(memory_id, etag, rest),
            update_mask=f.mask_of(update_mask, rest),
            reason=reason,
        )
        return self._unary(request, v1.UpdateMemoryResponse, call).memory

    def reinforce_memories(
        self,
        memory_ids: str | Iterable[str],
        *,
        amount: float | None = None,
        ignore_missing: bool = False,
        **call: Unpack[f.WriteOptions],
    ) -> list[v1.Memory]:
        """Says that memories were heard of again: they become surer, by 0.1 unless ``amount`` says
        otherwise."""
        request = v1.ReinforceMemoriesRequest(
            memory_ids=r.texts_of(memory_ids), amount=amount, ignore_missing=ignore_missing
        )
        answer = self._unary(request, v1.ReinforceMemoriesResponse, call)
        return list(answer.memories)

    def decay_memories(
        self,
        *,
        filter: m.FilterLike | None = None,
        factor: float | None = None,
        delete_below: float | None = None,
        unseen_for: Seconds | None = None,
        page_token: str = "",
        **call: Unpack[f.WriteOptions],
    ) -> v1.DecayMemoriesResponse:
        """Lowers the confidence of memories, up to 1,000 of them: times 0.8 unless ``factor`` says
        otherwise. The ``next_page_token`` of the answer asks for the rest."""
        request = v1.DecayMemoriesRequest(
            filter=m.memory_filter_of(filter) or v1.MemoryFilter(),
            factor=factor,
            delete_below=delete_below,
            unseen_for=duration_of(unseen_for),
            page_token=page_token,
        )
        return self._unary(request, v1.DecayMemoriesResponse, call)

    def forget_memories(
        self,
        memory_ids: str | Iterable[str],
        *,
        etag: str = "",
        **call: Unpack[f.WriteOptions],
    ) -> v1.ForgetMemoriesResponse:
        """Forgets memories with all their states, for good."""
        request = v1.ForgetMemoriesRequest(memory_ids=r.texts_of(memory_ids), etag=etag)
        return self._unary(request, v1.ForgetMemoriesResponse, call)

    def purge_memories(
        self,
        filter: m.FilterLike,
        *,
        force: bool = False,
        **call: Unpack[f.WriteOptions],
    ) -> v1.PurgeMemoriesResponse:
        """Counts the memories of a filter, or with ``force`` forgets them, up to 1,000 with one
        call: call again while the answer says ``more``."""
        request = v1.PurgeMemoriesRequest(filter=m.memory_filter_of(filter), force=force)
        return self._unary(request, v1.PurgeMemoriesResponse, call)

    def list_memory_revisions(
        self,
        memory_id: str,
        *,
        page_size: int = 0,
        **call: Unpack[f.ReadOptions],
    ) -> Pager[v1.Memory, v1.ListMemoryRevisionsResponse]:
        """Lists the states that a memory has had, the newest first."""
        request = v1.ListMemoryRevisionsRequest(memory_id=memory_id, page_size=page_size)
        return self._pages(request, v1.ListMemoryRevisionsResponse, "revisions", call)

    def restore_memory_revision(
        self,
        memory_id: str,
        revision_number: int,
        *,
        etag: str = "",
        reason: str = "",
        **call: Unpack[f.WriteOptions],
    ) -> v1.Memory:
        """Brings a former state of a memory back, as a new one."""
        request = v1.RestoreMemoryRevisionRequest(
            memory_id=memory_id, revision_number=revision_number, etag=etag, reason=reason
        )
        return self._unary(request, v1.RestoreMemoryRevisionResponse, call).memory

    def query_relations(
        self,
        *,
        subject: str = "",
        predicate: str = "",
        object: str = "",
        entity: str = "",
        filter: m.FilterLike | None = None,
        max_hops: int = 0,
        keywords: Iterable[str] = (),
        limit: int = 0,
        **call: Unpack[f.ReadOptions],
    ) -> v1.QueryRelationsResponse:
        """Finds relations by a pattern, in which an empty place fits anything, and up to 4 steps
        around them. ``entity`` finds those that touch it in either place."""
        request = v1.QueryRelationsRequest(
            filter=m.memory_filter_of(filter),
            subject=subject,
            predicate=predicate,
            object=object,
            entity=entity,
            max_hops=max_hops,
            keywords=f.ids_of(keywords),
            limit=limit,
        )
        return self._unary(request, v1.QueryRelationsResponse, call)

    def merge_entities(
        self,
        target_id: str,
        source_ids: str | Iterable[str],
        *,
        reason: str = "",
        **call: Unpack[f.WriteOptions],
    ) -> v1.Memory:
        """Makes one entity of several: the names of the others become its aliases."""
        request = v1.MergeEntitiesRequest(
            target_id=target_id, source_ids=r.texts_of(source_ids), reason=reason
        )
        return self._unary(request, v1.MergeEntitiesResponse, call).entity


class TurnMethods(SyncCalls):
    """Turns, what is found in them, and the context that is made of it all."""

    def record_turn(
        self,
        session_id: str,
        user_text: str = "",
        assistant_text: str = "",
        *,
        turn_time: f.Time | None = None,
        expected_last_seq: int | None = None,
        **call: Unpack[f.WriteOptions],
    ) -> v1.RecordTurnResponse:
        """Records a turn in the log and in long-term memory, as the ``memory_policy`` of the
        session says."""
        request = v1.RecordTurnRequest(
            session_id=session_id,
            user_text=user_text,
            assistant_text=assistant_text,
            turn_time=turn_time,
            expected_last_seq=expected_last_seq,
        )
        return self._unary(request, v1.RecordTurnResponse, call)

    def consolidate_session(
        self, session_id: str, **call: Unpack[f.WriteOptions]
    ) -> v1.ConsolidateSessionResponse:
        """Promotes important messages of the window to memories now."""
        request = v1.ConsolidateSessionRequest(session_id=session_id)
        return self._unary(request, v1.ConsolidateSessionResponse, call)

    def extract_memories(
        self,
        session_id: str = "",
        *,
        text: str = "",
        first_seq: int = 0,
        last_seq: int = 0,
        user_id: str = "",
        agent_id: str = "",
        extraction: v1.ExtractionPolicy | f.Json | str | None = None,
        preview: bool = False,
        **call: Unpack[f.WriteOptions],
    ) -> v1.ExtractMemoriesResponse:
        """Finds facts, entities and relations in messages of a session, the newest 10 by default,
        or in a text.

        :param extraction: the name of a hook, or all that an ``ExtractionPolicy`` holds. Default:
            that of the session, else the rules of the server.
        :param preview: remembers nothing.
        """
        request = v1.ExtractMemoriesRequest(
            session_id=session_id,
            first_seq=first_seq,
            last_seq=last_seq,
            text=text,
            user_id=user_id,
            agent_id=agent_id,
            extraction=m.extraction_of(extraction),
            preview=preview,
        )
        return self._unary(request, v1.ExtractMemoriesResponse, call)

    def score_importance(
        self,
        texts: str | Iterable[str],
        *,
        rules: Iterable[v1.ImportanceRule | f.Json] = (),
        **call: Unpack[f.ReadOptions],
    ) -> list[v1.ImportanceScore]:
        """Says how important texts are by rules, those of the server by default."""
        request = v1.ScoreImportanceRequest(texts=r.texts_of(texts), rules=m.rules_of(rules))
        answer = self._unary(request, v1.ScoreImportanceResponse, call)
        return list(answer.scores)

    def list_memory_jobs(
        self,
        *,
        session_id: str = "",
        state: str | v1.TaskState | None = None,
        page_size: int = 0,
        **call: Unpack[f.ReadOptions],
    ) -> Pager[v1.MemoryJob, v1.ListMemoryJobsResponse]:
        """Lists the work on memories that sessions wait for."""
        request = v1.ListMemoryJobsRequest(
            session_id=session_id, state=m.choice("job state", state), page_size=page_size
        )
        return self._pages(request, v1.ListMemoryJobsResponse, "jobs", call)

    def retry_memory_job(
        self,
        session_id: str,
        type: m.JobType,
        *,
        discard: bool = False,
        **call: Unpack[f.WriteOptions],
    ) -> v1.MemoryJob | None:
        """Tries a job (``"extract"`` or ``"score"``) of a session again now, or gives it up."""
        request = v1.RetryMemoryJobRequest(
            session_id=session_id, type=m.choice("type", type), discard=discard
        )
        answer = self._unary(request, v1.RetryMemoryJobResponse, call)
        return answer.job if answer.HasField("job") else None

    def assemble_context(
        self,
        session_id: str = "",
        *,
        query: str = "",
        user_id: str = "",
        agent_id: str = "",
        max_tokens: int = 0,
        token_rule: v1.TokenRule | None = None,
        model: str = "",
        custom_token_rule: v1.CustomTokenRule | f.Json | None = None,
        sections: Iterable[m.SectionLike] = (),
        profile: m.Profile | None = None,
        include_conversation: bool | None = None,
        compaction_threshold: float | None = None,
        min_relevance: float | None = None,
        weights: v1.RecallWeights | f.Json | None = None,
        reference_time: f.Time | None = None,
        fence: bool | None = None,
        **call: Unpack[f.ReadOptions],
    ) -> v1.AssembleContextResponse:
        """Makes the context of a prompt within ``max_tokens``, 4,000 by default. ``text`` of the
        answer is ready for a system prompt.

        :param sections: what is in it, for example ``["long_term", {"kind": "episodes", "share":
            0.2}]``. Default: those of the profile.
        :param include_conversation: False for who sends the window as messages beside it.
        """
        request = v1.AssembleContextRequest(
            session_id=session_id,
            user_id=user_id,
            agent_id=agent_id,
            query=query,
            max_tokens=max_tokens,
            token_rule=token_rule,
            model=model,
            custom_token_rule=custom_token_rule,
            sections=m.sections_of(sections),
            profile=m.choice("profile", profile),
            include_conversation=include_conversation,
            compaction_threshold=compaction_threshold,
            min_relevance=min_relevance,
            weights=weights,
            reference_time=reference_time,
            fence=fence,
        )
        return self._unary(request, v1.AssembleContextResponse, call)
