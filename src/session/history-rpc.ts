// The rpcs on several messages of a log at once.

import type { UnaryRpc } from "../edge/rpc.ts";
import {
  type BatchDeleteMessagesRequest,
  BatchDeleteMessagesResponse,
  type BatchGetMessagesRequest,
  BatchGetMessagesResponse,
  type DeleteFoundMessagesRequest,
  DeleteFoundMessagesResponse,
  type FindMessagesRequest,
  FindMessagesResponse,
  type PopMessagesRequest,
  PopMessagesResponse,
  type ReplaceMessagesRequest,
  ReplaceMessagesResponse,
} from "../gen/memorysidecar/v1/history.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { numberPosition, pageLimit } from "../grpc/page-token.ts";
import { digestOfPage } from "../grpc/request-digest.ts";
import { spliceField, spliceMessages } from "../grpc/splice.ts";
import type { FoundPlace, StoredMessage } from "../store/store.ts";
import { checkNamed } from "../window/checks.ts";
import { fromSeqRange, toTotals, toWindowChange } from "../window/wire.ts";
import { checkBatchDeleteMessages, checkReplaceMessages, checkSessionFilter } from "./checks.ts";
import { fromMessages } from "./form-wire.ts";
import { encodeFound, toAppended, toDraft } from "./message-wire.ts";
import { fromSessionFilter } from "./wire.ts";

const MESSAGES_FIELD = 1;
const PAGE_SIZE_DEFAULT = 1_000;

/** BatchGetMessages. */
export const batchGetMessages: UnaryRpc<BatchGetMessagesRequest> = {
  validate: checkNamed,
  cancelable: true,
  handle: async ({ services, pageTokens }, call, request) => {
    const { messageIds, namespace, pageToken, sessionId } = request;
    const { messages, missing, next } = await services.sessions.batchGetMessages(call, {
      ...{ namespace, sessionId, messageIds },
      ranges: request.seqRanges.map(fromSeqRange),
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
      ...pageTokens.read(call, pageToken, (at) => ({ startSeq: numberPosition(at) })),
    });
    const rest = encodeWire(BatchGetMessagesResponse, {
      messages: [],
      missingMessageIds: pageToken === "" ? [...missing] : [],
      nextPageToken: pageTokens.make(call, next),
    });
    return spliceMessages(MESSAGES_FIELD, messages.map(bytesOf), rest);
  },
};

/** FindMessages. */
export const findMessages: UnaryRpc<FindMessagesRequest> = {
  validate: checkSessionFilter,
  cancelable: true,
  handle: async ({ services, pageTokens }, call, request) => {
    const { pageToken } = request;
    const { messages, next } = await services.sessions.findMessages(call, {
      namespace: request.namespace,
      ...fromSessionFilter(request.filter),
      messageIds: [...new Set(request.messageIds)],
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
      ...pageTokens.read(call, pageToken, (at) => ({ start: placeOf(at) })),
    });
    const position = next && `${next.sessionNo} ${next.seq}`;
    const rest = encodeWire(FindMessagesResponse, {
      messages: [],
      nextPageToken: pageTokens.make(call, position),
    });
    return spliceField(MESSAGES_FIELD, messages.map(encodeFound), rest);
  },
};

function bytesOf({ bytes }: StoredMessage): Uint8Array {
  return bytes;
}

function placeOf(position: string): FoundPlace {
  const [sessionNo = "", seq = ""] = position.split(" ");
  return { sessionNo: numberPosition(sessionNo), seq: numberPosition(seq) };
}

/** BatchDeleteMessages. */
export const batchDeleteMessages: UnaryRpc<BatchDeleteMessagesRequest> = {
  validate: checkBatchDeleteMessages,
  handle: ({ services }, call, request) => {
    const { expectedLastSeq, messageIds, namespace, sessionId } = request;
    return services.sessions.batchDeleteMessages(call, {
      ...{ namespace, sessionId, messageIds },
      ranges: request.seqRanges.map(fromSeqRange),
      allowMissing: request.allowMissing,
      ...(expectedLastSeq === undefined ? {} : { expectedLastSeq: Number(expectedLastSeq) }),
      encode: ({ messages, ...change }) =>
        encodeWire(BatchDeleteMessagesResponse, {
          ...toWindowChange(change),
          deletedCount: messages.length,
        }),
    });
  },
};

/** DeleteFoundMessages. Searching many sessions takes a while: it stops when the call has ended. */
export const deleteFoundMessages: UnaryRpc<DeleteFoundMessagesRequest> = {
  validate: checkSessionFilter,
  cancelable: true,
  handle: ({ services, pageTokens }, call, request) => {
    const { pageToken } = request;
    const page = { ...call, digest: digestOfPage(call.digest, pageToken) };
    return services.sessions.deleteFoundMessages(page, {
      namespace: request.namespace,
      ...fromSessionFilter(request.filter),
      messageIds: [...new Set(request.messageIds)],
      ...pageTokens.read(call, pageToken, (at) => ({ start: placeOf(at) })),
      encode: ({ messages, next }) =>
        encodeWire(DeleteFoundMessagesResponse, {
          messages: messages.map(({ seq, revision, ...names }) => ({
            ...{ ...names, seq: BigInt(seq), revision: BigInt(revision) },
          })),
          nextPageToken: pageTokens.make(call, next && `${next.sessionNo} ${next.seq}`),
        }),
    });
  },
};

/** PopMessages. */
export const popMessages: UnaryRpc<PopMessagesRequest> = {
  handle: ({ services }, call, request) => {
    const { count, expectedLastSeq, namespace, sessionId } = request;
    return services.sessions.popMessages(call, {
      ...{ namespace, sessionId, count },
      ...(expectedLastSeq === undefined ? {} : { expectedLastSeq: Number(expectedLastSeq) }),
      encode: ({ messages, ...change }) => {
        const rest = encodeWire(PopMessagesResponse, {
          ...toWindowChange(change),
          messages: [],
        });
        return spliceMessages(MESSAGES_FIELD, messages.map(bytesOf), rest);
      },
    });
  },
};

/** ReplaceMessages. While others write to the session, it looks for its messages again. */
export const replaceMessages: UnaryRpc<ReplaceMessagesRequest> = {
  validate: checkReplaceMessages,
  cancelable: true,
  handle: ({ services }, call, request) => {
    const { expectedLastSeq, namespace, sessionId, target } = request;
    const { messages, wanted } = fromMessages(request, 0);
    return services.sessions.replaceMessages(call, {
      ...{ namespace, sessionId },
      drafts: messages.map(toDraft),
      wantedCalls: wanted,
      fromSeq: target?.$case === "fromSeq" ? Number(target.value) : undefined,
      keepCommonPrefix: request.keepCommonPrefix,
      createSession: request.createSession,
      ...(expectedLastSeq === undefined ? {} : { expectedLastSeq: Number(expectedLastSeq) }),
      encode: (result) =>
        encodeWire(ReplaceMessagesResponse, {
          ...toWindowChange(result),
          messages: result.messages.map(toAppended),
          deletedTotals: toTotals(result.deleted),
          lastSeq: BigInt(result.lastSeq),
        }),
    });
  },
};
