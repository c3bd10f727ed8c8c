// The wire form of events.

import { EVENT_TYPE, type Event, type EventDetail } from "../../domain/event.ts";
import * as wire from "../../gen/memorysidecar/v1/event.ts";
import { Slab } from "../../lib/slab.ts";
import { encodeWire } from "../fast-writer.ts";
import { toTimestamp } from "./time.ts";
import { toSeqRange, toTotals, toTrim } from "./window.ts";

const DELETE_REASONS = {
  request: wire.SessionDeleteReason.REQUEST,
  expired: wire.SessionDeleteReason.EXPIRED,
} as const;

// The newest events stay in memory for watchers, and go in the order in which they came.
const slab = new Slab(65_536);

/** Turns an event into its stored and public wire form. */
export function encodeEvent(event: Event): Uint8Array {
  const message: wire.Event = {
    revision: BigInt(event.revision),
    index: event.index,
    type: event.detail.type,
    namespace: event.namespace,
    sessionId: event.sessionId,
    userId: event.userId,
    agentId: event.agentId,
    createTime: toTimestamp(event.createMs),
    requestId: event.requestId,
    continued: event.continued,
    detail: toDetail(event.detail),
  };
  return encodeWire(wire.Event, message, slab);
}

function toDetail(detail: EventDetail): wire.Event["detail"] {
  switch (detail.type) {
    case EVENT_TYPE.sessionCreated:
      return { $case: "sessionCreated", value: {} };
    case EVENT_TYPE.sessionUpdated:
      return { $case: "sessionUpdated", value: { paths: [...detail.paths] } };
    case EVENT_TYPE.sessionDeleted: {
      const reason = DELETE_REASONS[detail.reason];
      return { $case: "sessionDeleted", value: { reason, log: toTotals(detail.log) } };
    }
    case EVENT_TYPE.sessionForked: {
      const origin = { sessionId: detail.origin.sessionId, seq: BigInt(detail.origin.seq) };
      const value = { origin, log: toTotals(detail.log), window: toTotals(detail.window) };
      return { $case: "sessionForked", value };
    }
    case EVENT_TYPE.sessionReset: {
      const value = { deleted: toTotals(detail.deleted), kept: toTotals(detail.kept) };
      return { $case: "sessionReset", value };
    }
    case EVENT_TYPE.messagesAppended:
      return {
        $case: "messagesAppended",
        value: {
          messageIds: [...detail.messageIds],
          seqs: toSeqRange(detail.seqs),
          appended: toTotals(detail.appended),
          window: toTotals(detail.window),
        },
      };
    case EVENT_TYPE.messagesTrimmed:
      return { $case: "messagesTrimmed", value: { trim: toTrim(detail.trim) } };
    case EVENT_TYPE.messageUpdated:
      return {
        $case: "messageUpdated",
        value: {
          messageId: detail.messageId,
          seq: BigInt(detail.seq),
          paths: [...detail.paths],
          tokenCount: detail.tokenCount,
        },
      };
    case EVENT_TYPE.messageDeleted:
      return {
        $case: "messageDeleted",
        value: {
          messageId: detail.messageId,
          seq: BigInt(detail.seq),
          tokenCount: detail.tokenCount,
          wasInWindow: detail.wasInWindow,
        },
      };
  }
}
