# Made from _async/windows.py by make_sync.py; do not edit.
"""The methods of the client for windows: what goes to the model, and what decides it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, overload

from typing_extensions import Unpack

from .. import _fields as f
from .. import v1
from .._forms import FormName, Rendered, form_of, rendered
from .._made import made
from .._policy_fields import OnName, UnitName, on_of, unit_of
from .calls import Calls


class WindowMethods(Calls):
    """Windows, policies, and summaries."""

    @overload
    def window(
        self,
        session_id: str,
        *,
        form: FormName,
        policy: f.PolicyLike | None = None,
        as_of_seq: int | None = None,
        newest: int | None = None,
        read_only: bool = False,
        **call: Unpack[f.ReadOptions],
    ) -> Rendered[v1.GetWindowResponse]: ...

    @overload
    def window(
        self,
        session_id: str,
        *,
        form: None = None,
        policy: f.PolicyLike | None = None,
        as_of_seq: int | None = None,
        newest: int | None = None,
        read_only: bool = False,
        **call: Unpack[f.ReadOptions],
    ) -> v1.GetWindowResponse: ...

    def window(
        self,
        session_id: str,
        *,
        form: FormName | None = None,
        policy: f.PolicyLike | None = None,
        as_of_seq: int | None = None,
        newest: int | None = None,
        read_only: bool = False,
        **call: Unpack[f.ReadOptions],
    ) -> v1.GetWindowResponse | Rendered[v1.GetWindowResponse]:
        """Gets the messages that go to the model, and what is left out.

        :param form: gives the messages as a model API takes them, as dicts: ``messages`` and, for
            Anthropic and Gemini, ``system`` of the answer. Docs: messages.md.
        :param read_only: stages on read only shape the answer; none changes the stored window.
        """
        request = made(
            v1.GetWindowRequest,
            session_id=session_id,
            policy=f.policy_choice_of(policy),
            as_of_seq=as_of_seq,
            newest=newest,
            read_only=read_only,
            form=None if form is None else form_of(form),
        )
        answer = self._unary(request, v1.GetWindowResponse, call)
        return answer if form is None else rendered(answer.rendered, answer, form)

    def preview_policy(
        self,
        session_id: str,
        policies: f.Policies | None = None,
        *,
        form: FormName | None = None,
        occasions: Iterable[OnName | v1.StageOn] = (),
        source: f.Source | None = None,
        model_input_tokens: int | None = None,
        tool_outcomes: Iterable[v1.ToolOutcome | f.Json] = (),
        **call: Unpack[f.ReadOptions],
    ) -> v1.PreviewPolicyResponse:
        """Reports, message by message, what one or several policies would trim now and why. Changes
        nothing. Without a policy, uses the session's own.

        :param form: gives, beside the reports, the windows as a model API takes them: read them
            with ``rendered_previews``.
        """
        request = made(
            v1.PreviewPolicyRequest,
            session_id=session_id,
            policies=f.policies_of(policies),
            occasions=[on_of(one) for one in occasions],
            source=f.source_of(source),
            model_input_tokens=model_input_tokens,
            tool_outcomes=f.outcomes_of(tool_outcomes),
            form=None if form is None else form_of(form),
        )
        return self._unary(request, v1.PreviewPolicyResponse, call)

    def list_policy_presets(self, **call: Unpack[f.ReadOptions]) -> list[v1.PolicyPreset]:
        """Lists the policies that can be had by name, with their options."""
        request = v1.ListPolicyPresetsRequest()
        pages = self._pages(request, v1.ListPolicyPresetsResponse, "presets", call)
        return list(pages)

    def trim_session(
        self,
        session_id: str,
        *,
        max_tokens: int | None = None,
        max_messages: int | None = None,
        keep_recent: int | None = None,
        run_policy: Literal[True] | None = None,
        unit: UnitName | v1.WindowUnit | None = None,
        discard: bool = False,
        etag: str = "",
        **call: Unpack[f.WriteOptions],
    ) -> v1.TrimSessionResponse:
        """Trims the stored window now: to tokens, to messages, to the newest units, or as the
        stages on request of the session's policy say. Give one of these four."""
        f.one_of(
            max_tokens=max_tokens,
            max_messages=max_messages,
            keep_recent=keep_recent,
            run_policy=run_policy,
        )
        request = made(
            v1.TrimSessionRequest,
            session_id=session_id,
            max_tokens=max_tokens,
            max_messages=max_messages,
            keep_recent=keep_recent,
            run_policy=None if run_policy is None else v1.RunPolicy(),
            unit=unit_of(unit),
            discard=discard,
            etag=etag,
        )
        return self._unary(request, v1.TrimSessionResponse, call)

    def restore_messages(
        self,
        session_id: str,
        message_ids: Iterable[str] = (),
        *,
        seq_ranges: Iterable[f.Range] = (),
        **call: Unpack[f.WriteOptions],
    ) -> v1.RestoreMessagesResponse:
        """Brings messages of the log back into the window, by their ids or by runs of seqs."""
        request = made(
            v1.RestoreMessagesRequest,
            session_id=session_id,
            message_ids=f.ids_of(message_ids),
            seq_ranges=f.ranges_of(seq_ranges),
        )
        return self._unary(request, v1.RestoreMessagesResponse, call)

    def list_summary_inputs(
        self,
        session_id: str,
        *,
        keep_recent: int | None = None,
        stage: str | None = None,
        **call: Unpack[f.ReadOptions],
    ) -> list[v1.Message]:
        """Lists the messages that a summary should replace: all but the newest, or what a stage of
        the session's policy would remove. Give one of the two."""
        f.one_of(keep_recent=keep_recent, stage=stage)
        request = made(
            v1.ListSummaryInputsRequest, session_id=session_id, keep_recent=keep_recent, stage=stage
        )
        pages = self._pages(request, v1.ListSummaryInputsResponse, "messages", call)
        return list(pages)

    def set_summary(
        self,
        session_id: str,
        text: str,
        *,
        replaced_message_ids: Iterable[str] = (),
        in_place: bool = False,
        expected_version: int | None = None,
        **call: Unpack[f.WriteOptions],
    ) -> v1.SetSummaryResponse:
        """Sets the text that stands for messages, which leave the window with it.

        :param in_place: puts the text into the window, in the place of the first of them.
        :param expected_version: of the summary as it is; 0 for none yet.
        """
        placement = v1.SUMMARY_PLACEMENT_IN_PLACE if in_place else v1.SUMMARY_PLACEMENT_UNSPECIFIED
        request = made(
            v1.SetSummaryRequest,
            session_id=session_id,
            text=text,
            replaced_message_ids=f.ids_of(replaced_message_ids),
            placement=placement,
            expected_version=expected_version,
        )
        return self._unary(request, v1.SetSummaryResponse, call)

    def fill_tool_results(
        self,
        session_id: str,
        *,
        text: str = "",
        newest_only: bool = False,
        **call: Unpack[f.WriteOptions],
    ) -> v1.FillToolResultsResponse:
        """Answers every tool call of the window that has no result."""
        request = made(
            v1.FillToolResultsRequest, session_id=session_id, text=text, newest_only=newest_only
        )
        return self._unary(request, v1.FillToolResultsResponse, call)
