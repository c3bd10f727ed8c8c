# Made from _async/client.py by make_sync.py; do not edit.
"""The client of Memory Sidecar."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, overload

from typing_extensions import Unpack

from .. import _fields as f
from .. import _memory_fields as m
from .. import _record_fields as n
from .. import v1
from .._forms import FormName, elements_of, form_bytes, form_of
from .._made import made
from .._watch_state import Listeners
from ..errors import AlreadyExists, MemorySidecarError, refuse_other_user
from .histories import HistoryMethods
from .memories import MemoryMethods
from .pager import Pager
from .recall import DocumentMethods, RecallMethods
from .records import RecordMethods
from .snapshots import SnapshotMethods
from .tasks import SummaryMethods, TaskMethods
from .turns import TurnMethods
from .watch import Watch
from .windows import WindowMethods


class Client(
    WindowMethods,
    HistoryMethods,
    SnapshotMethods,
    SummaryMethods,
    TaskMethods,
    RecallMethods,
    DocumentMethods,
    RecordMethods,
    MemoryMethods,
    TurnMethods,
):
    """One connection to a server. Safe to use from many threads; close it at the end.

    Methods are named after the rpcs, arguments after the fields of their requests. A method gives
    the answer of its rpc, or what the answer holds when that is a single resource. Every method
    also takes ``namespace`` and ``timeout``, every mutation ``request_id``. A failed call raises a
    ``MemorySidecarError``.
    """

    def create_session(self, session_id: str = "", **fields: Unpack[f.SessionChange]) -> v1.Session:
        """Creates a session. Without ``session_id`` the server makes one.

        :raises AlreadyExists: when there is one with this id; ``ensure_session`` takes it.
        """
        call, rest = f.split(fields)
        session = f.session_of({**rest, "session_id": session_id})
        request = made(v1.CreateSessionRequest, session=session)
        return self._unary(request, v1.CreateSessionResponse, call).session

    def ensure_session(self, session_id: str, **fields: Unpack[f.SessionChange]) -> v1.Session:
        """Gives the session with this id, which it creates with these fields if there is none. The
        fields do not change a session that exists; ``update_session`` does.

        :raises AlreadyExists: when the session exists and belongs to another user than ``user_id``.
        """
        try:
            return self.create_session(session_id, **fields)
        except AlreadyExists:
            read: f.ReadOptions = {}
            if "namespace" in fields:
                read["namespace"] = fields["namespace"]
            if "timeout" in fields:
                read["timeout"] = fields["timeout"]
            session = self.get_session(session_id, **read)
        refuse_other_user(session, fields.get("user_id"))
        return session

    def get_session(self, session_id: str, **call: Unpack[f.ReadOptions]) -> v1.Session:
        """Gets a session without its messages."""
        request = made(v1.GetSessionRequest, session_id=session_id)
        return self._unary(request, v1.GetSessionResponse, call).session

    def list_sessions(
        self,
        *,
        filter: v1.SessionFilter | f.Json | None = None,
        order: f.SessionOrder | None = None,
        page_size: int = 0,
        **call: Unpack[f.ReadOptions],
    ) -> Pager[v1.Session, v1.ListSessionsResponse]:
        """Lists the sessions of the namespace, the newest first."""
        request = made(
            v1.ListSessionsRequest,
            filter=f.filter_of(v1.SessionFilter, filter),
            order=f.order_of(v1.SessionOrder, order),
            page_size=page_size,
        )
        return self._pages(request, v1.ListSessionsResponse, "sessions", call)

    def count_sessions(
        self,
        *,
        filter: v1.SessionFilter | f.Json | None = None,
        **call: Unpack[f.ReadOptions],
    ) -> v1.ListTotal:
        """Counts the sessions that a list with this filter gives, up to a bound."""
        request = made(
            v1.ListSessionsRequest,
            filter=f.filter_of(v1.SessionFilter, filter),
            page_size=1,
            include_total=True,
        )
        return self._unary(request, v1.ListSessionsResponse, call).total

    def update_session(
        self,
        session_id: str,
        *,
        update_mask: Iterable[str] | None = None,
        etag: str = "",
        **fields: Unpack[f.SessionChange],
    ) -> v1.UpdateSessionResponse:
        """Changes the fields that are given; one given as None is cleared."""
        call, rest = f.split(fields)
        session = f.session_of({**rest, "session_id": session_id, "etag": etag})
        mask = f.mask_of(update_mask, rest)
        request = made(v1.UpdateSessionRequest, session=session, update_mask=mask)
        return self._unary(request, v1.UpdateSessionResponse, call)

    def delete_session(
        self,
        session_id: str,
        *,
        etag: str = "",
        allow_missing: bool = False,
        **call: Unpack[f.WriteOptions],
    ) -> v1.DeleteSessionResponse:
        """Deletes a session with its whole log, for good."""
        request = made(
            v1.DeleteSessionRequest, session_id=session_id, etag=etag, allow_missing=allow_missing
        )
        return self._unary(request, v1.DeleteSessionResponse, call)

    def fork_session(
        self,
        source_session_id: str,
        *,
        session_id: str = "",
        at_seq: int | None = None,
        **call: Unpack[f.WriteOptions],
    ) -> v1.Session:
        """Copies a session up to a seq into a new one, and gives the new one."""
        request = made(
            v1.ForkSessionRequest,
            source_session_id=source_session_id,
            session_id=session_id,
            at_seq=at_seq,
        )
        return self._unary(request, v1.ForkSessionResponse, call).session

    def reset_session(
        self,
        session_id: str,
        *,
        keep_system_messages: bool = False,
        keep_first_system_message: bool = False,
        keep_summary: bool = False,
        etag: str = "",
        **call: Unpack[f.WriteOptions],
    ) -> v1.ResetSessionResponse:
        """Empties a session, for good, and keeps what describes it."""
        request = made(
            v1.ResetSessionRequest,
            session_id=session_id,
            keep_system_messages=keep_system_messages,
            keep_first_system_message=keep_first_system_message,
            keep_summary=keep_summary,
            etag=etag,
        )
        return self._unary(request, v1.ResetSessionResponse, call)

    def append(
        self,
        session_id: str,
        messages: f.MessagesLike | Any = (),
        *,
        form: FormName | None = None,
        expected_last_seq: int | None = None,
        create_session: bool = False,
        turn_end: bool = False,
        model_input_tokens: int | None = None,
        tool_outcomes: Iterable[v1.ToolOutcome | f.Json] = (),
        record_operations: Iterable[v1.RecordOperation | f.Json] = (),
        on_existing: f.OnExisting | None = None,
        session: v1.Session | f.Json | None = None,
        session_update_mask: Iterable[str] | None = None,
        window: bool | f.WindowOptions | v1.WindowReply = False,
        context: bool | m.ContextOptions | v1.AssembleContextRequest = False,
        **call: Unpack[f.WriteOptions],
    ) -> v1.AppendMessagesResponse:
        """Appends one message or many, all or none. A text is what the user said; a mapping holds
        the fields of a message by their names. One call can be a whole turn: create or change the
        session, append, and answer with what goes to the model next.

        :param form: the messages are those of a model API: its dicts, the objects of its SDK, or
            a JSON text. Docs: messages.md.
        :param turn_end: the agent's turn ends with these messages, of which there may be none.
        :param model_input_tokens: what the model's input took, as the model said.
        :param tool_outcomes: how tools ended whose messages are not appended.
        :param record_operations: operations on records, as ``write_records`` takes them, done with
            the append in one transaction.
        :param on_existing: what to do with messages whose ids are already in the session:
            ``"fail"`` (the default), ``"skip"``, or ``"update"``. The answer says what became of
            each.
        :param session: the fields of the session that ``create_session`` creates, as
            ``create_session`` takes them, except ``summary``. They are not compared with those of
            a session that exists: the ``user_id`` of another user does not stop the append. An
            ``etag`` among them must be that of the session.
        :param session_update_mask: names the fields of ``session`` to change in one that exists,
            in the same transaction; empty for all that are set.
        :param window: answers with ``window``, as ``window()`` gives it; its options in place of
            True.
        :param context: answers with ``context``, as ``assemble_context()`` gives it; its arguments
            in place of True. When one of the two could not be made, the messages are stored, and
            ``window_error`` or ``context_error`` says why.
        """
        request = made(
            v1.AppendMessagesRequest,
            session_id=session_id,
            messages=f.messages_of(messages) if form is None else (),
            form=None if form is None else form_of(form),
            form_messages=b"" if form is None else form_bytes(messages, form),
            expected_last_seq=expected_last_seq,
            create_session=create_session,
            turn_end=turn_end,
            model_input_tokens=model_input_tokens,
            tool_outcomes=f.outcomes_of(tool_outcomes),
            record_operations=n.operations_of(record_operations),
            on_existing=f.on_existing_of(on_existing),
            session=f.attributes_of(session),
            session_update_mask=f.optional_mask(session_update_mask),
            window_reply=f.window_reply_of(window),
            context_reply=m.context_reply_of(context, session_id),
        )
        return self._unary(request, v1.AppendMessagesResponse, call)

    @overload
    def list_messages(
        self,
        session_id: str,
        *,
        form: FormName,
        filter: v1.MessageFilter | f.Json | None = None,
        order: f.MessageOrder | None = None,
        page_size: int = 0,
        **call: Unpack[f.ReadOptions],
    ) -> Pager[Any, v1.ListMessagesResponse]: ...

    @overload
    def list_messages(
        self,
        session_id: str,
        *,
        form: None = None,
        filter: v1.MessageFilter | f.Json | None = None,
        order: f.MessageOrder | None = None,
        page_size: int = 0,
        **call: Unpack[f.ReadOptions],
    ) -> Pager[v1.Message, v1.ListMessagesResponse]: ...

    def list_messages(
        self,
        session_id: str,
        *,
        form: FormName | None = None,
        filter: v1.MessageFilter | f.Json | None = None,
        order: f.MessageOrder | None = None,
        page_size: int = 0,
        **call: Unpack[f.ReadOptions],
    ) -> Pager[Any, v1.ListMessagesResponse]:
        """Lists the log of a session, the oldest first, in the window or not.

        :param form: gives the messages as a model API or LangChain takes them.
        """
        request = made(
            v1.ListMessagesRequest,
            session_id=session_id,
            filter=f.filter_of(v1.MessageFilter, filter),
            order=f.order_of(v1.MessageOrder, order),
            page_size=page_size,
            form=None if form is None else form_of(form),
        )
        if form is None:
            return self._pages(request, v1.ListMessagesResponse, "messages", call)
        return self._pages(
            request, v1.ListMessagesResponse, lambda page: elements_of(page.rendered, form), call
        )

    def count_messages(
        self,
        session_id: str,
        *,
        filter: v1.MessageFilter | f.Json | None = None,
        **call: Unpack[f.ReadOptions],
    ) -> v1.ListTotal:
        """Counts the messages that a list with this filter gives, up to a bound."""
        request = made(
            v1.ListMessagesRequest,
            session_id=session_id,
            filter=f.filter_of(v1.MessageFilter, filter),
            page_size=1,
            include_total=True,
        )
        return self._unary(request, v1.ListMessagesResponse, call).total

    def get_message(
        self, session_id: str, message_id: str, **call: Unpack[f.ReadOptions]
    ) -> v1.GetMessageResponse:
        """Gets one message and says whether it is in the window."""
        request = made(v1.GetMessageRequest, session_id=session_id, message_id=message_id)
        return self._unary(request, v1.GetMessageResponse, call)

    def update_message(
        self,
        session_id: str,
        message_id: str,
        *,
        update_mask: Iterable[str] | None = None,
        etag: str = "",
        **fields: Unpack[f.MessageChange],
    ) -> v1.UpdateMessageResponse:
        """Changes the fields that are given; one given as None is cleared."""
        call, rest = f.split(fields)
        message = made(v1.Message, **{**rest, "message_id": message_id, "etag": etag})
        mask = f.mask_of(update_mask, rest)
        request = made(
            v1.UpdateMessageRequest, session_id=session_id, message=message, update_mask=mask
        )
        return self._unary(request, v1.UpdateMessageResponse, call)

    def delete_message(
        self,
        session_id: str,
        message_id: str,
        *,
        etag: str = "",
        allow_missing: bool = False,
        **call: Unpack[f.WriteOptions],
    ) -> v1.DeleteMessageResponse:
        """Deletes a message from the log, for good."""
        request = made(
            v1.DeleteMessageRequest,
            session_id=session_id,
            message_id=message_id,
            etag=etag,
            allow_missing=allow_missing,
        )
        return self._unary(request, v1.DeleteMessageResponse, call)

    def watch(
        self,
        *,
        resume_token: str | None = None,
        position: f.Position | None = None,
        consumer_id: str | None = None,
        after_revision: int | None = None,
        filter: v1.EventFilter | f.Json | None = None,
        read_state: Callable[[], None] | None = None,
        reconnect_timeout: float | None = None,
        on_checkpoint: Callable[[str], None] | None = None,
        on_interrupt: Callable[[MemorySidecarError, int], None] | None = None,
        **call: Unpack[f.ReadOptions],
    ) -> Watch:
        """Watches the events of the namespace: after a token or a revision, from ``"now"`` (the
        default) or the ``"oldest"``, or after what a consumer has acknowledged. When it returns,
        the watch is on.

        :param read_state: reads the state that the events are applied to. With it the watch leaves
            no gap to that state: it opens, calls this, and only then gives what happened since it
            was opened. It is called at a start from ``"now"``, and again each time when the server
            refuses the place where the watch goes on, because its events are no longer kept or it
            is of another history of the store; the watch then starts anew from ``"now"``. Events
            of changes that the read has seen already come as well: applying them must change
            nothing. Without this the refusal is raised.
        :param reconnect_timeout: seconds after which a lost connection is given up. Default: never.
        :param on_checkpoint: called with the token of each answer without an event: the first one
            and checkpoints.
        :param on_interrupt: called when the connection was lost and will be made again, with the
            error and the number of failed attempts in a row.
        """
        request = f.watch_request(resume_token, position, consumer_id, after_revision, filter)
        listeners = Listeners(on_checkpoint, on_interrupt)
        return self._watch(request, reconnect_timeout, read_state, listeners, call)

    def list_events(
        self,
        *,
        resume_token: str | None = None,
        after_revision: int | None = None,
        filter: v1.EventFilter | f.Json | None = None,
        page_size: int = 0,
        **call: Unpack[f.ReadOptions],
    ) -> Pager[v1.Event, v1.ListEventsResponse]:
        """Lists the events that are kept, the oldest first: all, or those after a token or a
        revision."""
        f.at_most_one(resume_token=resume_token, after_revision=after_revision)
        request = made(
            v1.ListEventsRequest,
            resume_token=resume_token,
            after_revision=after_revision,
            filter=f.filter_of(v1.EventFilter, filter),
            page_size=page_size,
        )
        return self._pages(request, v1.ListEventsResponse, "events", call)

    def create_consumer(
        self,
        consumer_id: str,
        *,
        resume_token: str | None = None,
        position: f.Position | None = None,
        after_revision: int | None = None,
        **call: Unpack[f.WriteOptions],
    ) -> v1.Consumer:
        """Creates a consumer: a position in the stream that the server remembers."""
        f.at_most_one(resume_token=resume_token, position=position, after_revision=after_revision)
        request = made(
            v1.CreateConsumerRequest,
            consumer_id=consumer_id,
            resume_token=resume_token,
            position=f.position_of(position),
            after_revision=after_revision,
        )
        return self._unary(request, v1.CreateConsumerResponse, call).consumer

    def ensure_consumer(
        self,
        consumer_id: str,
        *,
        position: f.Position | None = None,
        **call: Unpack[f.WriteOptions],
    ) -> v1.Consumer:
        """Gives the consumer with this id, which it creates at this position if there is none:
        after the newest event unless ``"oldest"``. A consumer that exists keeps its position."""
        try:
            return self.create_consumer(consumer_id, position=position, **call)
        except AlreadyExists:
            read: f.ReadOptions = {}
            if "namespace" in call:
                read["namespace"] = call["namespace"]
            if "timeout" in call:
                read["timeout"] = call["timeout"]
            return self.get_consumer(consumer_id, **read)

    def get_consumer(self, consumer_id: str, **call: Unpack[f.ReadOptions]) -> v1.Consumer:
        """Gets a consumer with its position and how far it lies behind."""
        request = made(v1.GetConsumerRequest, consumer_id=consumer_id)
        return self._unary(request, v1.GetConsumerResponse, call).consumer

    def list_consumers(
        self, *, page_size: int = 0, **call: Unpack[f.ReadOptions]
    ) -> Pager[v1.Consumer, v1.ListConsumersResponse]:
        """Lists the consumers of the namespace."""
        request = made(v1.ListConsumersRequest, page_size=page_size)
        return self._pages(request, v1.ListConsumersResponse, "consumers", call)

    def delete_consumer(
        self, consumer_id: str, *, allow_missing: bool = False, **call: Unpack[f.WriteOptions]
    ) -> None:
        """Deletes a consumer."""
        request = made(
            v1.DeleteConsumerRequest, consumer_id=consumer_id, allow_missing=allow_missing
        )
        self._unary(request, v1.DeleteConsumerResponse, call)

    def ack_events(
        self, consumer_id: str, resume_token: str, **call: Unpack[f.ReadOptions]
    ) -> v1.Consumer:
        """Acknowledges everything up to a token for a consumer."""
        request = made(v1.AckEventsRequest, consumer_id=consumer_id, resume_token=resume_token)
        return self._unary(request, v1.AckEventsResponse, call).consumer

    def list_namespaces(
        self, *, page_size: int = 0, **call: Unpack[f.ReadOptions]
    ) -> Pager[v1.NamespaceInfo, v1.ListNamespacesResponse]:
        """Lists the namespaces that the client may use, by name."""
        request = made(v1.ListNamespacesRequest, page_size=page_size)
        return self._pages(request, v1.ListNamespacesResponse, "namespaces", call)

    def server_info(self, **call: Unpack[f.ReadOptions]) -> v1.GetServerInfoResponse:
        """Gets the version, the capabilities and the limits of the server."""
        return self._unary(v1.GetServerInfoRequest(), v1.GetServerInfoResponse, call)
