// Messages of an append as they are stored.

import type { Codec, MessageDraft, MessageStamp } from "../../core/codec.ts";
import { requestInvalid } from "../../kit/errors.ts";
import { makeMessageId } from "../../kit/ids.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { NewMessage } from "../../store/store.ts";
import type { TokenRule } from "../../window/policy/policy.ts";

/** The random bytes in one id that the server makes. */
export const RANDOM_BYTES = 10;

/** Common fields of the messages of an append. */
export interface EncodeAll {
  readonly codec: Codec;
  readonly drafts: readonly MessageDraft[];
  /** Places of the drafts in the request; none when they are all of it. */
  readonly places: readonly number[];
  /** Token counts of the drafts. */
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
  const stamp: MessageStamp = {
    messageId,
    seq,
    tokenCount: all.counts[at.index] ?? 0,
    tokenRule: draft.tokenCount === undefined ? all.rule : "given",
    writer: all.writer,
    createMs: all.nowMs,
    updateMs: all.nowMs,
    etag: all.etag,
  };
  return encodeNew(all.codec, draft, stamp, `messages[${all.places[at.index] ?? at.index}]`);
}

/** A message as stored. Throws REQUEST_INVALID when it is too large. */
export function encodeNew(
  codec: Codec,
  draft: MessageDraft,
  stamp: MessageStamp,
  field: string,
): NewMessage {
  const bytes = codec.encodeMessage(draft, stamp);
  checkMessageSize(bytes, field);
  const { seq, messageId, tokenCount, createMs } = stamp;
  return {
    seq,
    messageId,
    role: draft.role,
    callIds: draft.callIds,
    answers: draft.answers,
    isResult: draft.isResult,
    tokenCount,
    createMs,
    byteCount: bytes.length,
    bytes,
  };
}

function checkMessageSize(bytes: Uint8Array, field: string): void {
  if (bytes.length <= LIMITS.messageBytes) return;
  const description = `takes ${bytes.length} bytes as stored; at most ${LIMITS.messageBytes} are allowed`;
  throw requestInvalid([{ field, description }]);
}
