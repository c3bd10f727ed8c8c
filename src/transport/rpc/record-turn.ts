import { takeIds } from "../../domain/id-list.ts";
import {
  type RecordTurnRequest,
  RecordTurnResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { memoryIdRoom } from "../convert/remember.ts";
import { fromNamespace } from "../convert/session.ts";
import { fromTimestamp } from "../convert/time.ts";
import { toSeqRange, toTotals } from "../convert/window.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkRecordTurn } from "../validate/memory-query-requests.ts";

/** RecordTurn. */
export const recordTurn: UnaryRpc<RecordTurnRequest> = {
  validate: checkRecordTurn,
  handle: ({ services }, call, { turnTime, expectedLastSeq, ...request }) =>
    services.memories.recordTurn(call, {
      namespace: fromNamespace(request.namespace),
      sessionId: request.sessionId,
      userText: request.userText,
      assistantText: request.assistantText,
      turnMs: turnTime === undefined ? undefined : fromTimestamp(turnTime),
      expectedLastSeq: expectedLastSeq === undefined ? undefined : Number(expectedLastSeq),
      encode: (result) => {
        const room = memoryIdRoom();
        return encodeWire(RecordTurnResponse, {
          messageIds: [...result.messageIds],
          seqs: toSeqRange(result.seqs),
          episodeId: result.episodeId,
          promotedIds: takeIds(result.promotedIds, room),
          evictedIds: takeIds(result.evictedIds, room),
          window: toTotals(result.window),
          revision: BigInt(result.revision),
        });
      },
    }),
};
