// Messages of an append as they are stored.

import { requestInvalid } from "../domain/errors.ts";
import { makeMessageId } from "../domain/ids.ts";
import { LIMITS } from "../domain/limits.ts";
import type { TokenRule } from "../domain/policy.ts";
import type { NewMessage } from "../storage/store.ts";
import type { Codec, MessageDraft } from "./api.ts";

/** The random bytes in one id that the server makes. */
export const RANDOM_BYTES = 10;

/** What the messages of an append share. */
export interface EncodeAll {
  readonly codec: Codec;
  readonly drafts: readonly MessageDraft[];
  /** What each draft costs. */
  readonly counts: readonly number[];
  readonly rule: TokenRule;
  /** Bytes for the ids that the server makes, RANDOM_BYTES each. */
  readonly random: Uint8Array;
  readonly writer: string;
  readonly nowMs: number;
  /** The newest seq before the append. */
  readonly lastSeq: number;
  readonly etag: string;
}

/** Encodes the messages of an append. Throws REQUEST_INVALID when one is too large. */
export function encodeAll(all: EncodeAll): readonly NewMessage[] {
  let unnamed = 0;
  return all.drafts.map((draft, index) => {
    const seq = all.lastSeq + 1 + index;
    let { messageId } = draft;
    if (messageId === "") {
      const start = unnamed * RANDOM_BYTES;
      messageId = makeMessageId(seq, all.random.subarray(start, start + RANDOM_BYTES));
      unnamed += 1;
    }
    return encodeOne(all, draft, { index, seq, messageId });
  });
}

function encodeOne(
  all: EncodeAll,
  draft: MessageDraft,
  at: { index: number; seq: number; messageId: string },
): NewMessage {
  const { messageId, seq } = at;
  const tokenCount = all.counts[at.index] ?? 0;
  const bytes = all.codec.encodeMessage(draft, {
    messageId,
    seq,
    tokenCount,
    tokenRule: draft.tokenCount === undefined ? all.rule : "given",
    writer: all.writer,
    createMs: all.nowMs,
    updateMs: all.nowMs,
    etag: all.etag,
  });
  checkMessageSize(bytes, `messages[${at.index}]`);
  return {
    seq,
    messageId,
    role: draft.role,
    callIds: draft.callIds,
    answers: draft.answers,
    isResult: draft.isResult,
    tokenCount,
    createMs: all.nowMs,
    byteCount: bytes.length,
    bytes,
  };
}

/** Refuses a message whose wire form is too large. */
export function checkMessageSize(bytes: Uint8Array, field: string): void {
  if (bytes.length <= LIMITS.messageBytes) return;
  const description = `takes ${bytes.length} bytes as stored; at most ${LIMITS.messageBytes} are allowed`;
  throw requestInvalid([{ field, description }]);
}
