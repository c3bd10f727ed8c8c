// The answer to an append.

import { takeIds } from "../../domain/id-list.ts";
import { AppendMessagesResponse } from "../../gen/memorysidecar/v1/session_service.ts";
import type { AppendResult } from "../../service/api.ts";
import { encodeWire } from "../fast-writer.ts";
import { memoryIdRoom } from "./remember.ts";
import { toStageRuns, toTotals, toTrim } from "./window.ts";

/** Gives the wire form of what an append did. */
export function encodeAppendAnswer(result: AppendResult): Uint8Array {
  const { given } = result;
  const room = memoryIdRoom();
  return encodeWire(AppendMessagesResponse, {
    messages: result.messages.map(({ messageId, seq, tokenCount }) => ({
      messageId,
      seq: BigInt(seq),
      tokenCount: Math.floor(tokenCount),
    })),
    revision: BigInt(result.revision),
    trims: result.trims.map(toTrim),
    windowTotals: toTotals(result.window),
    lastSeq: BigInt(result.lastSeq),
    stageRuns: toStageRuns(result.runs),
    overLimit: result.overLimit,
    promotedMemoryIds: given === undefined ? [] : takeIds(given.promotedIds, room),
    evictedMemoryIds: given === undefined ? [] : takeIds(given.evictedIds, room),
    episodeMemoryId: given?.episodeId ?? "",
  });
}
