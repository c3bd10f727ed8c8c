// Builds the requests that need more than their fields put in place.

import {
  type AppendOptions,
  CONTEXT_REPLY_OPTIONS,
  type ContextReplyOptions,
  WINDOW_REPLY_OPTIONS,
  type WindowReplyOptions,
} from "./append-options.ts";
import { choice, conditions, onlyFields, onlyOptions, whole } from "./choice.ts";
import { type FormMessages, type FormName, toForm, toFormMessages } from "./forms.ts";
import { CreateConsumerRequest, ListEventsRequest } from "./gen/memorysidecar/v1/event_service.ts";
import {
  DeleteFoundMessagesRequest,
  FindMessagesRequest,
  type MessageSessions,
} from "./gen/memorysidecar/v1/history.ts";
import {
  type DeepPartial,
  type MessageFilter,
  MessageOrder,
  OnExistingMessage,
} from "./gen/memorysidecar/v1/message.ts";
import { PreviewSource, WindowUnit } from "./gen/memorysidecar/v1/policy.ts";
import { type SessionFilter, SessionOrder } from "./gen/memorysidecar/v1/session.ts";
import {
  AppendMessagesRequest,
  GetWindowRequest,
  ListMessagesRequest,
  ListSessionsRequest,
  ListSummaryInputsRequest,
  PreviewPolicyRequest,
  RestoreMessagesRequest,
  SetSummaryRequest,
  TrimSessionRequest,
  type WindowReply,
} from "./gen/memorysidecar/v1/session_service.ts";
import { SummaryPlacement } from "./gen/memorysidecar/v1/summary.ts";
import { contextRequest } from "./memory-requests.ts";
import { type MessageInput, toMessage, toRole, toSession } from "./message.ts";
import { toCondition } from "./metadata.ts";
import {
  type CountSessionsOptions,
  type CreateConsumerOptions,
  type DeleteFoundMessagesOptions,
  type FindMessagesOptions,
  type ListEventsOptions,
  type ListMessagesOptions,
  type ListSessionMessagesOptions,
  type ListSessionsOptions,
  type MessageFilterInput,
  type PreviewOptions,
  type RestoreOptions,
  SESSION_FILTER,
  type SeqInput,
  type SessionFilterInput,
  type SessionsInput,
  type SummaryChoice,
  type SummaryOptions,
  type ToolOutcomeInput,
  type TrimOptions,
  type TrimTarget,
  type WindowOptions,
} from "./options.ts";
import { type PolicyInput, toPolicyChoice } from "./policy.ts";
import { OCCASIONS, UNITS } from "./policy-names.ts";
import { operationOf } from "./record-inputs.ts";
import { toDate } from "./time.ts";
import { toEventFilter, toPlace, toStart } from "./watch.ts";

/** The session of a request. */
interface Target {
  readonly namespace: string;
  readonly sessionId: string;
}

/** The session of a change, with the request's id. */
interface Change extends Target {
  readonly requestId: string;
}

/** A seq that may be left out. */
export function optionalSeq(seq: SeqInput | undefined): number | undefined {
  return seq === undefined ? undefined : whole(seq);
}

function time(date: Date | undefined) {
  return date && toDate(date);
}

const SESSION_ORDERS = {
  "oldest-first": SessionOrder.CREATE_TIME_ASC,
  "newest-first": SessionOrder.CREATE_TIME_DESC,
  "oldest-update-first": SessionOrder.UPDATE_TIME_ASC,
  "newest-update-first": SessionOrder.UPDATE_TIME_DESC,
} as const;

const MESSAGE_ORDERS = {
  "oldest-first": MessageOrder.SEQ_ASC,
  "newest-first": MessageOrder.SEQ_DESC,
} as const;

export function findMessagesRequest(
  namespace: string,
  messageIds: readonly string[],
  options: FindMessagesOptions,
  pageToken: string,
): FindMessagesRequest {
  const { pageSize = 0 } = options;
  return FindMessagesRequest.fromPartial({
    ...{ namespace, pageSize, pageToken },
    messageIds: [...messageIds],
    filter: sessionFilter(options),
  });
}

export function deleteFoundMessagesRequest(
  change: { readonly namespace: string; readonly requestId: string },
  messageIds: readonly string[],
  options: DeleteFoundMessagesOptions,
): DeleteFoundMessagesRequest {
  return DeleteFoundMessagesRequest.fromPartial({
    ...{ ...change, messageIds: [...messageIds], pageToken: options.pageToken ?? "" },
    filter: sessionFilter(options),
  });
}

export function listSessionsRequest(
  namespace: string,
  options: ListSessionsOptions,
  pageToken: string,
): ListSessionsRequest {
  const { pageSize = 0, order = "newest-first" } = options;
  return ListSessionsRequest.fromPartial({
    namespace,
    pageSize,
    pageToken,
    order: choice("order", SESSION_ORDERS, order),
    filter: sessionFilter(options),
  });
}

export function countSessionsRequest(
  namespace: string,
  options: CountSessionsOptions,
): ListSessionsRequest {
  return ListSessionsRequest.fromPartial({
    ...{ namespace, pageSize: 1, includeTotal: true },
    filter: sessionFilter(options),
  });
}

function sessionFilter(options: SessionFilterInput): DeepPartial<SessionFilter> {
  const { userId, agentId, sessionIdPrefix, labels = {}, metadata = [] } = options;
  return {
    ...conditions({ userId, agentId, sessionIdPrefix }),
    labels: { ...labels },
    metadata: metadata.map(toCondition),
    createTimeFrom: time(options.createTimeFrom),
    createTimeBefore: time(options.createTimeBefore),
    updateTimeFrom: time(options.updateTimeFrom),
    updateTimeBefore: time(options.updateTimeBefore),
  };
}

export function listMessagesRequest(
  target: { readonly namespace: string; readonly sessionId: string },
  options: ListMessagesOptions & { readonly form?: FormName },
  pageToken: string,
): ListMessagesRequest {
  const { pageSize = 0, order = "oldest-first" } = options;
  return ListMessagesRequest.fromPartial({
    ...target,
    pageSize,
    pageToken,
    order: choice("order", MESSAGE_ORDERS, order),
    filter: messageFilter(options),
    form: toForm(options.form),
  });
}

export function listSessionMessagesRequest(
  namespace: string,
  options: ListSessionMessagesOptions,
  pageToken: string,
): ListMessagesRequest {
  const request = listMessagesRequest({ namespace, sessionId: "" }, options, pageToken);
  return ListMessagesRequest.fromPartial({ ...request, sessions: messageSessions(options) });
}

export function countSessionMessagesRequest(
  namespace: string,
  options: SessionsInput & MessageFilterInput,
): ListMessagesRequest {
  const request = countMessagesRequest({ namespace, sessionId: "" }, options);
  return ListMessagesRequest.fromPartial({ ...request, sessions: messageSessions(options) });
}

function messageSessions({
  sessionIds = [],
  sessions,
}: SessionsInput): DeepPartial<MessageSessions> {
  if (sessions === undefined) return { sessionIds: [...sessionIds] };
  onlyFields("filter of sessions", sessions, SESSION_FILTER);
  return { sessionIds: [...sessionIds], filter: sessionFilter(sessions) };
}

export function countMessagesRequest(
  target: { readonly namespace: string; readonly sessionId: string },
  options: MessageFilterInput,
): ListMessagesRequest {
  const filter = messageFilter(options);
  return ListMessagesRequest.fromPartial({ ...target, pageSize: 1, includeTotal: true, filter });
}

function messageFilter(input: MessageFilterInput): DeepPartial<MessageFilter> {
  const { roles = [], firstSeq = 0, lastSeq = 0, labels = {}, metadata = [] } = input;
  const { names = [], calledTools = [], messageIds = [] } = input;
  return {
    ...{ roles: roles.map(toRole), firstSeq: whole(firstSeq), lastSeq: whole(lastSeq) },
    ...{ timeFrom: time(input.timeFrom), timeBefore: time(input.timeBefore) },
    ...{ labels: { ...labels }, metadata: metadata.map(toCondition) },
    ...{ names: [...names], calledTools: [...calledTools], messageIds: [...messageIds] },
  };
}

export function listEventsRequest(
  namespace: string,
  options: ListEventsOptions,
  pageToken: string,
): ListEventsRequest {
  const { from, filter, pageSize = 0 } = options;
  return ListEventsRequest.fromPartial({
    namespace,
    start: from && toPlace(from),
    pageSize,
    pageToken,
    filter: filter && toEventFilter(filter),
  });
}

export function windowRequest(
  target: { readonly namespace: string; readonly sessionId: string },
  options: WindowOptions & { readonly form?: FormName },
): GetWindowRequest {
  return GetWindowRequest.fromPartial({
    ...target,
    policy: options.policy && toPolicyChoice(options.policy),
    asOfSeq: optionalSeq(options.asOfSeq),
    newest: options.newest,
    readOnly: options.readOnly ?? false,
    form: toForm(options.form),
  });
}

export function appendRequest(
  target: Change,
  messages: MessageInput | readonly MessageInput[] | FormMessages,
  options: AppendOptions & { readonly form?: FormName },
): AppendMessagesRequest {
  const { createSession = false, form, turnEnd = false, modelInputTokens } = options;
  const { session, sessionUpdateMask, window = false, context = false } = options;
  const list = (Array.isArray(messages) ? messages : [messages]) as readonly MessageInput[];
  const given =
    form === undefined
      ? { messages: list.map(toMessage) }
      : { form: toForm(form), formMessages: toFormMessages(messages, form) };
  return AppendMessagesRequest.fromPartial({
    ...target,
    ...given,
    expectedLastSeq: optionalSeq(options.expectedLastSeq),
    createSession,
    turnEnd,
    modelInputTokens: optionalSeq(modelInputTokens),
    toolOutcomes: toOutcomes(options.toolOutcomes),
    recordOperations: (options.recordOperations ?? []).map(operationOf),
    onExisting: ON_EXISTING[options.onExisting ?? "fail"],
    session: session && toSession(session),
    sessionUpdateMask: sessionUpdateMask && [...sessionUpdateMask],
    windowReply: window === false ? undefined : toWindowReply(window === true ? {} : window),
    contextReply: context === false ? undefined : toContextReply(target.sessionId, context),
  });
}

function toWindowReply(options: WindowReplyOptions): DeepPartial<WindowReply> {
  onlyOptions("the window of append", options, WINDOW_REPLY_OPTIONS);
  const { policy, newest, readOnly = false, form } = options;
  return { policy: policy && toPolicyChoice(policy), newest, readOnly, form: toForm(form) };
}

/** The context of the session that is appended to, which the reply does not name. */
function toContextReply(sessionId: string, context: true | ContextReplyOptions) {
  const options = context === true ? {} : context;
  onlyOptions("the context of append", options, CONTEXT_REPLY_OPTIONS);
  return { ...contextRequest("", { ...options, sessionId }), sessionId: "" };
}

const ON_EXISTING = {
  fail: OnExistingMessage.UNSPECIFIED,
  skip: OnExistingMessage.SKIP,
  update: OnExistingMessage.UPDATE,
} as const;

function toOutcomes(outcomes: readonly ToolOutcomeInput[] = []): ToolOutcomeInput[] {
  for (const one of outcomes) onlyFields("tool outcome", one, { tool: true, error: true });
  return [...outcomes];
}

export function previewRequest(
  target: Target,
  policies: PolicyInput | readonly PolicyInput[],
  options: PreviewOptions,
): PreviewPolicyRequest {
  const { occasions = [], source = "window", modelInputTokens } = options;
  return PreviewPolicyRequest.fromPartial({
    ...target,
    policies: (Array.isArray(policies) ? policies : [policies as PolicyInput]).map(toPolicyChoice),
    occasions: occasions.map((name) => OCCASIONS[name]),
    source: source === "log" ? PreviewSource.LOG : PreviewSource.WINDOW,
    modelInputTokens: optionalSeq(modelInputTokens),
    toolOutcomes: toOutcomes(options.toolOutcomes),
    form: toForm(options.form),
  });
}

export function trimRequest(
  target: Change,
  goal: TrimTarget,
  options: TrimOptions,
): TrimSessionRequest {
  const { unit, discard = false, etag = "" } = options;
  return TrimSessionRequest.fromPartial({
    ...target,
    target: trimGoal(goal),
    unit: unit === undefined ? WindowUnit.UNSPECIFIED : UNITS[unit],
    discard,
    etag,
  });
}

const TRIM_TARGET = { maxTokens: true, maxMessages: true, keepRecent: true, runPolicy: true };

function trimGoal(goal: TrimTarget): TrimSessionRequest["target"] {
  onlyFields("target of trimSession", goal, TRIM_TARGET);
  if ("maxTokens" in goal) return { $case: "maxTokens", value: whole(goal.maxTokens) };
  if ("maxMessages" in goal) return { $case: "maxMessages", value: goal.maxMessages };
  if ("keepRecent" in goal) return { $case: "keepRecent", value: goal.keepRecent };
  return { $case: "runPolicy", value: {} };
}

export function restoreRequest(
  target: Change,
  messageIds: readonly string[],
  { seqRanges = [] }: RestoreOptions,
): RestoreMessagesRequest {
  return RestoreMessagesRequest.fromPartial({
    ...target,
    messageIds: [...messageIds],
    seqRanges: toSeqRanges(seqRanges),
  });
}

/** Makes runs of seqs of their first and their last ones. */
export function toSeqRanges(
  ranges: readonly (readonly [SeqInput, SeqInput])[] = [],
): { firstSeq: number; lastSeq: number }[] {
  return ranges.map(([first, last]) => ({ firstSeq: whole(first), lastSeq: whole(last) }));
}

export function summaryInputsRequest(
  target: Target,
  choice: SummaryChoice,
): ListSummaryInputsRequest {
  return ListSummaryInputsRequest.fromPartial({ ...target, choice: toSummaryChoice(choice) });
}

/** Makes a choice of the messages to summarize. */
export function toSummaryChoice(choice: SummaryChoice): ListSummaryInputsRequest["choice"] {
  onlyFields("choice of messages", choice, { keepRecent: true, stage: true });
  if ("stage" in choice) return { $case: "stage", value: choice.stage };
  return { $case: "keepRecent", value: choice.keepRecent };
}

export function summaryRequest(
  target: Change,
  text: string,
  options: SummaryOptions,
): SetSummaryRequest {
  const { replacedMessageIds = [], inPlace = false, expectedVersion } = options;
  return SetSummaryRequest.fromPartial({
    ...target,
    text,
    replacedMessageIds: [...replacedMessageIds],
    placement: inPlace ? SummaryPlacement.IN_PLACE : SummaryPlacement.SESSION,
    expectedVersion: optionalSeq(expectedVersion),
  });
}

export function createConsumerRequest(
  target: { readonly namespace: string; readonly consumerId: string; readonly requestId: string },
  options: CreateConsumerOptions,
): CreateConsumerRequest {
  const start = toStart(options.from ?? "now");
  return CreateConsumerRequest.fromPartial(
    start.$case === "consumerId" ? target : { ...target, start },
  );
}
