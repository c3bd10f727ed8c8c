import { fromSignals, toListTotal } from "../core/wire.ts";
import type { RpcContext, UnaryRpc } from "../edge/rpc.ts";
import type { MessageSessions } from "../gen/memorysidecar/v1/history.ts";
import {
  MessageForm,
  MessageOrder,
  OnExistingMessage,
  type RenderedMessages,
} from "../gen/memorysidecar/v1/message.ts";
import { Policy } from "../gen/memorysidecar/v1/policy.ts";
import type { Session } from "../gen/memorysidecar/v1/session.ts";
import {
  type AppendMessagesRequest,
  type CountTokensRequest,
  CountTokensResponse,
  type DeleteMessageRequest,
  DeleteMessageResponse,
  type FillToolResultsRequest,
  FillToolResultsResponse,
  type GetMessageRequest,
  GetMessageResponse,
  type ListMessagesRequest,
  ListMessagesResponse,
  type RestoreMessagesRequest,
  RestoreMessagesResponse,
  type UpdateMessageRequest,
  UpdateMessageResponse,
} from "../gen/memorysidecar/v1/session_service.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { numberPosition, pageLimit } from "../grpc/page-token.ts";
import { spliceField, spliceMessages } from "../grpc/splice.ts";
import type { Call } from "../kit/call.ts";
import { AppError } from "../kit/errors.ts";
import { checkCountTokens } from "../recall/checks.ts";
import { fromOperation } from "../records/wire.ts";
import type { StoredMessage } from "../store/store.ts";
import { checkNamed } from "../window/checks.ts";
import { fromPolicy, fromPolicyChoice } from "../window/policy-wire.ts";
import { asksForReply, checkReplies, withReplies } from "../window/reply-rpc.ts";
import type { Role } from "../window/rules/types.ts";
import { toTokenRule } from "../window/token-rule-wire.ts";
import { fromSeqRange, toTotals, toWindowChange } from "../window/wire.ts";
import type { AppendInput, AttributesInput, OnExisting } from "./api.ts";
import {
  checkAppendMessages,
  checkListMessages,
  checkUpdateMessage,
  requiredMessage,
} from "./checks.ts";
import { fromMessages, toRendered } from "./form-wire.ts";
import type { ListMessagesInput } from "./log/list-messages.ts";
import type { SeveralPlace } from "./log/list-several.ts";
import { messageTest } from "./message-filter-wire.ts";
import { encodeAppendAnswer, encodeFound, messagePaths, toDraft } from "./message-wire.ts";
import { fromSession, fromSessionFilter, sessionPaths } from "./wire.ts";

const ON_EXISTING: Readonly<Record<number, OnExisting>> = {
  [OnExistingMessage.SKIP]: "skip",
  [OnExistingMessage.UPDATE]: "update",
};

/** AppendMessages. Only the reading of a context takes long enough to be stopped. */
export const appendMessages: UnaryRpc<AppendMessagesRequest> = {
  validate: (request, v) => {
    checkAppendMessages(request, v);
    checkReplies(request, v);
  },
  cancelable: ({ contextReply }) => contextReply !== undefined,
  handle: async (context, call, request, tell) => {
    const answer = await context.services.sessions.appendMessages(
      call,
      fromAppend(request, context),
    );
    if (!asksForReply(request)) return answer;
    return await withReplies(context, call, { request, answer, tell });
  },
};

function fromAppend(
  request: AppendMessagesRequest,
  { etags }: Pick<RpcContext, "etags">,
): AppendInput {
  const { expectedLastSeq, session, sessionUpdateMask, windowReply } = request;
  const { messages, wanted } = fromMessages(request, 1);
  const replyPolicy = windowReply?.policy && fromPolicyChoice(windowReply.policy);
  return {
    namespace: request.namespace,
    sessionId: request.sessionId,
    drafts: messages.map(toDraft),
    wantedCalls: wanted,
    createSession: request.createSession,
    turnEnd: request.turnEnd,
    ...fromSignals(request),
    onExisting: ON_EXISTING[request.onExisting] ?? "fail",
    ...(expectedLastSeq === undefined ? {} : { expectedLastSeq: Number(expectedLastSeq) }),
    recordOperations: request.recordOperations.map(fromOperation),
    ...(session === undefined ? {} : { attributes: fromAttributes(session, sessionUpdateMask) }),
    ...(replyPolicy === undefined ? {} : { replyPolicy }),
    encode: (result) => encodeAppendAnswer(result, etags),
  };
}

/** Gives the attributes of an append. Without a mask they are for a new session only. */
function fromAttributes(session: Session, mask: readonly string[] | undefined): AttributesInput {
  const input = fromSession(session);
  const paths = mask === undefined ? [] : sessionPaths(session, input, mask);
  return { input, paths, etag: session.etag };
}

const MESSAGE_FIELD = 1;

/** GetMessage. */
export const getMessage: UnaryRpc<GetMessageRequest> = {
  handle: async ({ services }, call, { namespace, sessionId, messageId }) => {
    const ref = { namespace, sessionId, messageId };
    const { message, inWindow } = await services.sessions.getMessage(call, ref);
    const rest = encodeWire(GetMessageResponse, { message: undefined, inWindow });
    return spliceMessages(MESSAGE_FIELD, [message.bytes], rest);
  },
};

const PAGE_SIZE_DEFAULT = 100;
const MESSAGES_FIELD = 1;

/** ListMessages. */
export const listMessages: UnaryRpc<ListMessagesRequest> = {
  validate: checkListMessages,
  cancelable: true,
  handle: (context, call, request) =>
    request.sessions === undefined
      ? listOne(context, call, request)
      : listSeveral(context, call, request, request.sessions),
};

/** The part of a list of messages that does not name sessions, or the page. */
function listOf(request: ListMessagesRequest): Omit<ListMessagesInput, "sessionId" | "startSeq"> {
  const { filter } = request;
  const roles = filter?.roles ?? [];
  const where = messageTest(filter);
  return {
    namespace: request.namespace,
    ...(roles.length === 0 ? {} : { roles: new Set(roles as Role[]) }),
    firstSeq: Number(filter?.firstSeq ?? 0),
    lastSeq: Number(filter?.lastSeq ?? 0),
    messageIds: filter?.messageIds ?? [],
    ...(where === undefined ? {} : { where }),
    includeTotal: request.includeTotal,
    order: request.order === MessageOrder.SEQ_DESC ? "desc" : "asc",
    limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
  };
}

async function listOne(
  { services, pageTokens }: RpcContext,
  call: Call,
  request: ListMessagesRequest,
): Promise<Uint8Array> {
  const { pageToken, sessionId } = request;
  const input: ListMessagesInput = {
    ...listOf(request),
    sessionId,
    ...pageTokens.read(call, pageToken, (at) => ({ startSeq: numberPosition(at) })),
  };
  const { messages, next, total: counted } = await services.sessions.listMessages(call, input);
  const total = counted && toListTotal(counted);
  const empty = { messages: [], rendered: undefined, total, foundMessages: [] };
  if (request.form !== MessageForm.UNSPECIFIED) {
    const { rendered, next: after } = renderedPage(request.form, messages, next);
    const nextPageToken = pageTokens.make(call, after);
    return encodeWire(ListMessagesResponse, { ...empty, nextPageToken, rendered });
  }
  return spliceMessages(
    MESSAGES_FIELD,
    messages.map((message) => message.bytes),
    encodeWire(ListMessagesResponse, { ...empty, nextPageToken: pageTokens.make(call, next) }),
  );
}

const FOUND_MESSAGES_FIELD = 5;

async function listSeveral(
  { services, pageTokens }: RpcContext,
  call: Call,
  request: ListMessagesRequest,
  { sessionIds, filter }: MessageSessions,
): Promise<Uint8Array> {
  const { pageToken } = request;
  const sessions =
    filter === undefined ? { ids: sessionIds } : { filter: fromSessionFilter(filter) };
  const { messages, next, total } = await services.sessions.listSeveral(call, {
    ...listOf(request),
    sessions,
    ...pageTokens.read(call, pageToken, (at) => ({ start: placeOf(at) })),
  });
  const position = next && `${next.no} ${next.seq} ${next.mark}`;
  const rest = encodeWire(ListMessagesResponse, {
    ...{ messages: [], rendered: undefined, total: total && toListTotal(total) },
    nextPageToken: pageTokens.make(call, position),
    foundMessages: [],
  });
  return spliceField(FOUND_MESSAGES_FIELD, messages.map(encodeFound), rest);
}

function placeOf(position: string): SeveralPlace {
  const [no = "", seq = "", mark = ""] = position.split(" ");
  return { no: numberPosition(no), seq: numberPosition(seq), mark: numberPosition(mark) };
}

/** A page in a form: as many of the messages as fit an answer. */
function renderedPage(
  form: MessageForm,
  messages: readonly StoredMessage[],
  next: number | undefined,
): { readonly rendered: RenderedMessages | undefined; readonly next: number | undefined } {
  for (let count = messages.length; ; count = Math.ceil(count / 2)) {
    const stored = messages.slice(0, count).map(({ bytes }) => bytes);
    try {
      const rendered = toRendered(form, stored, "log");
      return { rendered, next: messages[count]?.seq ?? next };
    } catch (error) {
      const isTooLarge = error instanceof AppError && error.reason === "WINDOW_FULL";
      if (!isTooLarge || count <= 1) throw error;
    }
  }
}

const UPDATED_MESSAGE_FIELD = 1;

/** UpdateMessage. */
export const updateMessage: UnaryRpc<UpdateMessageRequest> = {
  validate: checkUpdateMessage,
  handle: ({ services }, call, request) => {
    const message = requiredMessage(request);
    return services.sessions.updateMessage(call, {
      namespace: request.namespace,
      sessionId: request.sessionId,
      messageId: message.messageId,
      draft: toDraft(message),
      paths: messagePaths(message, request.updateMask),
      etag: message.etag,
      encode: (result) => {
        const change = toWindowChange(result);
        const rest = encodeWire(UpdateMessageResponse, { ...change, message: undefined });
        return spliceMessages(UPDATED_MESSAGE_FIELD, [result.message], rest);
      },
    });
  },
};

/** DeleteMessage. */
export const deleteMessage: UnaryRpc<DeleteMessageRequest> = {
  handle: ({ services }, call, { namespace, sessionId, messageId, etag, allowMissing }) =>
    services.sessions.deleteMessage(call, {
      ...{ namespace, sessionId, messageId, etag, allowMissing },
      encode: (result) => encodeWire(DeleteMessageResponse, toWindowChange(result)),
    }),
};

/** RestoreMessages. */
export const restoreMessages: UnaryRpc<RestoreMessagesRequest> = {
  validate: checkNamed,
  cancelable: true,
  handle: ({ services }, call, { namespace, sessionId, messageIds, seqRanges }) =>
    services.sessions.restoreMessages(call, {
      ...{ namespace, sessionId, messageIds },
      ranges: seqRanges.map(fromSeqRange),
      encode: (result) =>
        encodeWire(RestoreMessagesResponse, {
          revision: BigInt(result.revision),
          messageIds: [...result.messageIds],
          windowTotals: toTotals(result.window),
        }),
    }),
};

const FILLED_MESSAGES_FIELD = 2;

/** FillToolResults. */
export const fillToolResults: UnaryRpc<FillToolResultsRequest> = {
  handle: ({ services }, call, { namespace, sessionId, text, newestOnly }) =>
    services.sessions.fillToolResults(call, {
      ...{ namespace, sessionId, text, newestOnly },
      encode: ({ revision, messages, window }) => {
        const rest = encodeWire(FillToolResultsResponse, {
          revision: BigInt(revision),
          messages: [],
          windowTotals: toTotals(window),
        });
        return spliceMessages(FILLED_MESSAGES_FIELD, messages, rest);
      },
    }),
};

const EMPTY = new Uint8Array(0);

/** CountTokens. */
export const countTokens: UnaryRpc<CountTokensRequest> = {
  validate: checkCountTokens,
  cancelable: true,
  handle: async ({ services }, call, request) => {
    const { texts, messages, namespace: _, ...rule } = request;
    const policy = { ...Policy.decode(EMPTY), ...rule };
    const counted = await services.recall.countTokens(call, {
      texts,
      drafts: messages.map(toDraft),
      policy: fromPolicy(policy),
    });
    const counts = [...counted.texts, ...counted.messages];
    return encodeWire(CountTokensResponse, {
      textTokenCounts: counted.texts.map(Math.floor),
      messageTokenCounts: counted.messages.map(Math.floor),
      // As in any total, quarters of tokens count together.
      totalTokenCount: BigInt(Math.floor(counts.reduce((sum, count) => sum + count, 0))),
      ...toTokenRule(counted.rule),
    });
  },
};
