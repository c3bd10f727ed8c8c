# Made from _async/memories.py by make_sync.py; do not edit.
"""The methods of the client for long-term memory."""

from __future__ import annotations

from collections.abc import Iterable

from typing_extensions import Unpack

from .. import _fields as f
from .. import _memory_fields as m
from .. import _recall_fields as r
from .. import v1
from .._made import Seconds, duration_of, made
from .calls import Calls
from .pager import Pager


class MemoryMethods(Calls):
    """Facts, preferences, entities, relations, episodes: remembered, changed, listed, forgotten."""

    def remember(
        self,
        memories: m.MemoriesLike,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        dedupe: m.Dedupe | None = None,
        conflict: m.Conflict | None = None,
        max_memories: int = 0,
        neutralize_prompt_markers: bool = False,
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
        request = made(
            v1.RememberRequest,
            memories=m.memories_of(memories, r.scope_of(user_id, agent_id, session_id)),
            dedupe=m.dedupe_of(dedupe),
            conflict=m.conflict_of(conflict),
            max_memories=max_memories,
            neutralize_prompt_markers=neutralize_prompt_markers,
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
        request = made(v1.GetMemoryRequest, memory_id=memory_id, as_of_time=as_of_time)
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

        :param filter: ``{"user_id": "ana", "kinds": ["fact"]}`` means what ana may see: her
            memories and shared ones. ``"scope"`` changes that: ``"owned_by"`` leaves shared ones
            out, ``"exact"`` means this scope alone. Without a user only shared ones are meant;
            ``{"everyone": True}`` means those of everybody.
        """
        request = made(
            v1.ListMemoriesRequest,
            filter=m.memory_filter_of(filter),
            as_of_time=as_of_time,
            order=m.choice("order", order),
            page_size=page_size,
        )
        return self._pages(request, v1.ListMemoriesResponse, "memories", call)

    def count_memories(
        self,
        *,
        filter: m.FilterLike | None = None,
        as_of_time: f.Time | None = None,
        **call: Unpack[f.ReadOptions],
    ) -> v1.ListTotal:
        """Counts the memories that a list with this filter gives, up to a bound."""
        request = made(
            v1.ListMemoriesRequest,
            filter=m.memory_filter_of(filter),
            as_of_time=as_of_time,
            page_size=1,
            include_total=True,
        )
        return self._unary(request, v1.ListMemoriesResponse, call).total

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
        request = made(
            v1.UpdateMemoryRequest,
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
        allow_missing: bool = False,
        **call: Unpack[f.WriteOptions],
    ) -> list[v1.Memory]:
        """Reinforces memories that were mentioned again: raises their confidence by ``amount``,
        0.1 by default."""
        request = made(
            v1.ReinforceMemoriesRequest,
            memory_ids=r.texts_of(memory_ids),
            amount=amount,
            allow_missing=allow_missing,
        )
        answer = self._unary(request, v1.ReinforceMemoriesResponse, call)
        return list(answer.memories)

    def decay_memories(
        self,
        *,
        filter: m.FilterLike,
        factor: float | None = None,
        delete_below: float | None = None,
        unseen_for: Seconds | None = None,
        page_token: str = "",
        **call: Unpack[f.WriteOptions],
    ) -> v1.DecayMemoriesResponse:
        """Lowers the confidence of memories, up to 1,000 of them: times 0.8 unless ``factor`` says
        otherwise. The ``next_page_token`` of the answer asks for the rest.

        :param filter: ``{"user_id": "ana"}`` means all memories of ana, without shared ones;
            ``{"everyone": True}`` means those of everybody.
        :raises ValueError: for a filter that names no user and does not say everyone.
        """
        request = made(
            v1.DecayMemoriesRequest,
            filter=m.bound_filter_of(filter),
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
        allow_missing: bool = False,
        **call: Unpack[f.WriteOptions],
    ) -> v1.ForgetMemoriesResponse:
        """Forgets memories with all their states, for good."""
        request = made(
            v1.ForgetMemoriesRequest,
            memory_ids=r.texts_of(memory_ids),
            etag=etag,
            allow_missing=allow_missing,
        )
        return self._unary(request, v1.ForgetMemoriesResponse, call)

    def purge_memories(
        self,
        filter: m.FilterLike,
        *,
        force: bool = False,
        **call: Unpack[f.WriteOptions],
    ) -> v1.PurgeMemoriesResponse:
        """Counts the memories of a filter, or with ``force`` forgets them, up to 1,000 with one
        call: call again while the answer says ``more``.

        :param filter: ``{"user_id": "ana"}`` means all memories of ana, without shared ones;
            ``{"everyone": True}`` means those of everybody.
        :raises ValueError: for a filter that names no user and does not say everyone.
        """
        request = made(v1.PurgeMemoriesRequest, filter=m.bound_filter_of(filter), force=force)
        return self._unary(request, v1.PurgeMemoriesResponse, call)

    def list_memory_versions(
        self,
        memory_id: str,
        *,
        page_size: int = 0,
        **call: Unpack[f.ReadOptions],
    ) -> Pager[v1.Memory, v1.ListMemoryVersionsResponse]:
        """Lists the states that a memory has had, the newest first."""
        request = made(v1.ListMemoryVersionsRequest, memory_id=memory_id, page_size=page_size)
        return self._pages(request, v1.ListMemoryVersionsResponse, "versions", call)

    def restore_memory_version(
        self,
        memory_id: str,
        version: int,
        *,
        etag: str = "",
        reason: str = "",
        **call: Unpack[f.WriteOptions],
    ) -> v1.Memory:
        """Brings a former state of a memory back, as a new one."""
        request = made(
            v1.RestoreMemoryVersionRequest,
            memory_id=memory_id,
            version=version,
            etag=etag,
            reason=reason,
        )
        return self._unary(request, v1.RestoreMemoryVersionResponse, call).memory

    def query_relations(
        self,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object_value: str | None = None,
        entity: str | None = None,
        filter: m.FilterLike | None = None,
        max_hops: int = 0,
        keywords: Iterable[str] = (),
        page_size: int = 0,
        page_token: str = "",
        **call: Unpack[f.ReadOptions],
    ) -> v1.QueryRelationsResponse:
        """Finds relations by a pattern, in which None fits anything, and up to 4 steps
        around them: one page of ``page_size``, 100 by default. ``entity`` finds those that touch it
        in either place."""
        request = made(
            v1.QueryRelationsRequest,
            filter=m.memory_filter_of(filter),
            subject=subject,
            predicate=predicate,
            object_value=object_value,
            entity=entity,
            max_hops=max_hops,
            keywords=f.ids_of(keywords),
            page_size=page_size,
            page_token=page_token,
        )
        return self._unary(request, v1.QueryRelationsResponse, call)

    def merge_entities(
        self,
        target_memory_id: str,
        source_memory_ids: str | Iterable[str],
        *,
        reason: str = "",
        **call: Unpack[f.WriteOptions],
    ) -> v1.Memory:
        """Makes one entity of several: the names of the others become its aliases."""
        request = made(
            v1.MergeEntitiesRequest,
            target_memory_id=target_memory_id,
            source_memory_ids=r.texts_of(source_memory_ids),
            reason=reason,
        )
        return self._unary(request, v1.MergeEntitiesResponse, call).entity
