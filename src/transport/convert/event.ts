// The wire form of events.

import { EVENT_TYPE, type Event, type EventDetail } from "../../domain/event.ts";
import { LIMITS } from "../../domain/limits.ts";
import { rangesOf } from "../../domain/window/ranges.ts";
import * as wire from "../../gen/memorysidecar/v1/event.ts";
import { SessionDeleteReason } from "../../gen/memorysidecar/v1/event.ts";
import { Slab } from "../../lib/slab.ts";
import { encodeWire } from "../fast-writer.ts";
import { isDocumentDetail, toDocumentDetail } from "./event-document.ts";
import { isMemoryDetail, toMemoryDetail } from "./event-memory.ts";
import { isSummaryDetail, toSummaryDetail } from "./event-summary.ts";
import { toTimestamp } from "./time.ts";
import { toSeqRange, toTotals, toTrim, toWarning } from "./window.ts";

const DELETE_REASONS = {
  request: SessionDeleteReason.REQUEST,
  expired: SessionDeleteReason.EXPIRED,
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
      return { $case: "sessionDeleted", value: { reason, logTotals: toTotals(detail.log) } };
    }
    case EVENT_TYPE.sessionForked: {
      const origin = { sessionId: detail.origin.sessionId, seq: BigInt(detail.origin.seq) };
      const value = {
        origin,
        logTotals: toTotals(detail.log),
        windowTotals: toTotals(detail.window),
      };
      return { $case: "sessionForked", value };
    }
    case EVENT_TYPE.sessionReset: {
      const value = {
        deletedTotals: toTotals(detail.deleted),
        keptTotals: toTotals(detail.kept),
      };
      return { $case: "sessionReset", value };
    }
    case EVENT_TYPE.messagesAppended:
      return {
        $case: "messagesAppended",
        value: {
          messageIds: [...detail.messageIds],
          seqRange: toSeqRange(detail.seqs),
          appendedTotals: toTotals(detail.appended),
          windowTotals: toTotals(detail.window),
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
          tokenCount: Math.floor(detail.tokenCount),
        },
      };
    case EVENT_TYPE.messageDeleted:
      return {
        $case: "messageDeleted",
        value: {
          messageId: detail.messageId,
          seq: BigInt(detail.seq),
          tokenCount: Math.floor(detail.tokenCount),
          wasInWindow: detail.wasInWindow,
        },
      };
    default:
      if (isDocumentDetail(detail)) return toDocumentDetail(detail);
      if (isMemoryDetail(detail)) return toMemoryDetail(detail);
      return isSummaryDetail(detail) ? toSummaryDetail(detail) : toWindowDetail(detail);
  }
}

type WindowDetail = Extract<
  EventDetail,
  {
    type:
      | typeof EVENT_TYPE.messagesRestored
      | typeof EVENT_TYPE.toolResultsFilled
      | typeof EVENT_TYPE.sessionImported
      | typeof EVENT_TYPE.policyWarned
      | typeof EVENT_TYPE.turnEnded;
  }
>;

function toWindowDetail(detail: WindowDetail): wire.Event["detail"] {
  switch (detail.type) {
    case EVENT_TYPE.messagesRestored:
      return {
        $case: "messagesRestored",
        value: {
          messageIds: detail.restored.map((entry) => entry.messageId),
          seqRanges: rangesOf(detail.restored).map(toSeqRange),
          restoredTotals: toTotals(detail.total),
          windowTotals: toTotals(detail.window),
        },
      };
    case EVENT_TYPE.toolResultsFilled: {
      const toolCallIds = detail.toolCallIds.slice(0, LIMITS.filledCallIds);
      return {
        $case: "toolResultsFilled",
        value: { toolCallIds, windowTotals: toTotals(detail.window) },
      };
    }
    case EVENT_TYPE.sessionImported: {
      const { log, window } = detail;
      const value = {
        format: detail.format,
        logTotals: toTotals(log),
        windowTotals: toTotals(window),
      };
      return { $case: "sessionImported", value };
    }
    case EVENT_TYPE.policyWarned:
      return { $case: "policyWarned", value: { warning: toWarning(detail.warning) } };
    case EVENT_TYPE.turnEnded:
      return { $case: "turnEnded", value: { windowTotals: toTotals(detail.window) } };
  }
}
