# Made from _async/histories.py by make_sync.py; do not edit.
"""The methods of the client for several messages of a log at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from typing_extensions import Unpack

from .. import _fields as f
from .. import v1
from .._forms import FormName, form_bytes, form_of
from .._made import made
from .calls import Calls
from .pager import Pager


def _sessions_of(
    session_ids: Iterable[str] | None, sessions: v1.SessionFilter | f.Json | None
) -> v1.MessageSessions:
    ids = None if session_ids is None else f.ids_of(session_ids)
    return made(v1.MessageSessions, session_ids=ids, filter=f.filter_of(v1.SessionFilter, sessions))


class HistoryMethods(Calls):
    """Messages of a log in batches."""

    def batch_get_messages(
        self,
        session_id: str,
        message_ids: Iterable[str] = (),
        *,
        seq_ranges: Iterable[f.Range] = (),
        **call: Unpack[f.ReadOptions],
    ) -> list[v1.Message]:
        """Gets messages of the log by their ids and by runs of seqs, the oldest first. Those that
        do not exist are left out."""
        request = made(
            v1.BatchGetMessagesRequest,
            session_id=session_id,
            message_ids=f.ids_of(message_ids),
            seq_ranges=f.ranges_of(seq_ranges),
        )
        pages = self._pages(request, v1.BatchGetMessagesResponse, "messages", call)
        return list(pages)

    def list_session_messages(
        self,
        session_ids: Iterable[str] | None = None,
        *,
        sessions: v1.SessionFilter | f.Json | None = None,
        filter: v1.MessageFilter | f.Json | None = None,
        order: f.MessageOrder | None = None,
        page_size: int = 0,
        **call: Unpack[f.ReadOptions],
    ) -> Pager[v1.FoundMessage, v1.ListMessagesResponse]:
        """Lists the messages of several sessions, one session after the other; each message comes
        with its session.

        :param session_ids: the sessions, in this order.
        :param sessions: or a filter of sessions, listed in the order of their creation; ``{}``
            means all.
        :param filter: of the messages.
        """
        request = made(
            v1.ListMessagesRequest,
            sessions=_sessions_of(session_ids, sessions),
            filter=f.filter_of(v1.MessageFilter, filter),
            order=f.order_of(v1.MessageOrder, order),
            page_size=page_size,
        )
        return self._pages(request, v1.ListMessagesResponse, "found_messages", call)

    def count_session_messages(
        self,
        session_ids: Iterable[str] | None = None,
        *,
        sessions: v1.SessionFilter | f.Json | None = None,
        filter: v1.MessageFilter | f.Json | None = None,
        **call: Unpack[f.ReadOptions],
    ) -> v1.ListTotal:
        """Counts the messages that ``list_session_messages`` would list, up to a bound."""
        request = made(
            v1.ListMessagesRequest,
            sessions=_sessions_of(session_ids, sessions),
            filter=f.filter_of(v1.MessageFilter, filter),
            page_size=1,
            include_total=True,
        )
        return self._unary(request, v1.ListMessagesResponse, call).total

    def find_messages(
        self,
        message_ids: Iterable[str],
        *,
        filter: v1.SessionFilter | f.Json | None = None,
        page_size: int = 0,
        **call: Unpack[f.ReadOptions],
    ) -> Pager[v1.FoundMessage, v1.FindMessagesResponse]:
        """Finds messages by their ids, without their sessions, the newest session first. An id may
        have messages in several sessions: stop when you have enough.

        :param filter: of the sessions to search.
        """
        request = made(
            v1.FindMessagesRequest,
            message_ids=f.ids_of(message_ids),
            filter=f.filter_of(v1.SessionFilter, filter),
            page_size=page_size,
        )
        return self._pages(request, v1.FindMessagesResponse, "messages", call)

    def batch_delete_messages(
        self,
        session_id: str,
        message_ids: Iterable[str] = (),
        *,
        seq_ranges: Iterable[f.Range] = (),
        allow_missing: bool = False,
        expected_last_seq: int | None = None,
        **call: Unpack[f.WriteOptions],
    ) -> v1.BatchDeleteMessagesResponse:
        """Deletes messages from the log, for good, by their ids and by runs of seqs: all or
        none."""
        request = made(
            v1.BatchDeleteMessagesRequest,
            session_id=session_id,
            message_ids=f.ids_of(message_ids),
            seq_ranges=f.ranges_of(seq_ranges),
            allow_missing=allow_missing,
            expected_last_seq=expected_last_seq,
        )
        return self._unary(request, v1.BatchDeleteMessagesResponse, call)

    def delete_found_messages(
        self,
        message_ids: Iterable[str],
        *,
        filter: v1.SessionFilter | f.Json | None = None,
        page_token: str = "",
        **call: Unpack[f.WriteOptions],
    ) -> v1.DeleteFoundMessagesResponse:
        """Deletes the messages with these ids, for good, in every session that has them. Each
        session has a transaction of its own, and the answer lists what was deleted. While it has a
        ``next_page_token`` there are sessions left to search: pass it to continue, unless you have
        deleted all that you expected.

        :param filter: of the sessions to search.
        """
        request = made(
            v1.DeleteFoundMessagesRequest,
            message_ids=f.ids_of(message_ids),
            filter=f.filter_of(v1.SessionFilter, filter),
            page_token=page_token,
        )
        return self._unary(request, v1.DeleteFoundMessagesResponse, call)

    def replace_messages(
        self,
        session_id: str,
        messages: f.MessagesLike | Any = (),
        *,
        form: FormName | None = None,
        from_seq: int | None = None,
        all: bool | None = None,
        keep_common_prefix: bool = False,
        expected_last_seq: int | None = None,
        create_session: bool = False,
        **call: Unpack[f.WriteOptions],
    ) -> v1.ReplaceMessagesResponse:
        """Replaces the messages from a seq on, or all of them, for good, by others: all or none.
        Give ``from_seq`` or ``all=True``.

        :param form: the messages are those of a model API, as ``append`` takes them.
        :param keep_common_prefix: messages at the start of both that are the same stay.
        """
        f.one_of(from_seq=from_seq, all=all or None)
        request = made(
            v1.ReplaceMessagesRequest,
            session_id=session_id,
            messages=f.messages_of(messages) if form is None else (),
            form=None if form is None else form_of(form),
            form_messages=b"" if form is None else form_bytes(messages, form),
            from_seq=from_seq,
            all=v1.AllMessages() if all else None,
            keep_common_prefix=keep_common_prefix,
            expected_last_seq=expected_last_seq,
            create_session=create_session,
        )
        return self._unary(request, v1.ReplaceMessagesResponse, call)

    def pop_messages(
        self,
        session_id: str,
        count: int = 1,
        *,
        expected_last_seq: int | None = None,
        **call: Unpack[f.WriteOptions],
    ) -> v1.PopMessagesResponse:
        """Removes the newest messages from the log, for good, and gives them, the oldest first."""
        request = made(
            v1.PopMessagesRequest,
            session_id=session_id,
            count=count,
            expected_last_seq=expected_last_seq,
        )
        return self._unary(request, v1.PopMessagesResponse, call)
