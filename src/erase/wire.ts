// Conversion of erasures between the domain and the wire.

import * as wire from "../gen/memorysidecar/v1/admin_service.ts";
import { toTimestamp } from "../grpc/time.ts";
import type { Receipt } from "./api.ts";
import { ERASED_KINDS, type Erasure, type ErasureSubject, isDone } from "./rules/erasure.ts";

// The kinds are in the order of their public numbers, which begin with 1.
const FIRST_KIND = 1;

/** The subject of a checked request. */
export function fromSubject({ subject }: wire.ErasureSubject): ErasureSubject {
  switch (subject?.$case) {
    case "userId":
      return { kind: "user", userId: subject.value };
    case "agentId":
      return { kind: "agent", agentId: subject.value };
    case "sessionId":
      return { kind: "session", sessionId: subject.value };
    case "document": {
      const { collectionId, documentId } = subject.value;
      return { kind: "document", collectionId, documentId };
    }
    case "messages": {
      const { sessionId, messageIds } = subject.value;
      return { kind: "messages", sessionId, messageIds: [...new Set(messageIds)] };
    }
    default:
      throw new Error("the request was not checked");
  }
}

/** The wire form of a receipt. */
export function toErasure({ erasure, eventsDropMs }: Receipt): wire.Erasure {
  const { createMs, doneMs, erasureId, subjectDigest } = erasure;
  return {
    erasureId,
    state: stateOf(erasure),
    subjectDigest,
    erased: ERASED_KINDS.flatMap((kind, at) => {
      const count = erasure.counts[kind] ?? 0;
      return count === 0 ? [] : [erasedCount(at, count)];
    }),
    left: leftBy(erasure, eventsDropMs),
    createTime: toTimestamp(createMs),
    endTime: doneMs === 0 ? undefined : toTimestamp(doneMs),
  };
}

function erasedCount(at: number, count: number): wire.ErasedCount {
  return { kind: (at + FIRST_KIND) as wire.ErasedKind, count: BigInt(count) };
}

function stateOf(erasure: Erasure): wire.ErasureState {
  if (erasure.erasureId === "") return wire.ErasureState.DRY_RUN;
  return isDone(erasure) ? wire.ErasureState.DONE : wire.ErasureState.RUNNING;
}

function leftBy({ left }: Erasure, eventsDropMs: number): wire.ErasureRemainder[] {
  const of = (
    reason: wire.ErasureRemainderReason,
    count = 0,
    sessionIds: readonly string[] = [],
  ): wire.ErasureRemainder => {
    const isDropped = reason === wire.ErasureRemainderReason.EVENTS;
    const dropTime = isDropped ? toTimestamp(eventsDropMs) : undefined;
    return { reason, count: BigInt(count), sessionIds: [...sessionIds], dropTime };
  };
  const { callerSummaries, forkIds, forks, uncertainSummaries = 0, unknown = {} } = left;
  const unknowns = ERASED_KINDS.reduce((sum, kind) => sum + (unknown[kind] ?? 0), 0);
  const reason = wire.ErasureRemainderReason;
  return [
    of(reason.EVENTS),
    ...(forks === 0 ? [] : [of(reason.OTHER_OWNER, forks, forkIds)]),
    ...(callerSummaries === 0 ? [] : [of(reason.CALLER_SUMMARY, callerSummaries)]),
    of(reason.FREE_PAGES),
    of(reason.COPIES),
    ...(unknowns === 0 ? [] : [of(reason.UNKNOWN_OWNER, unknowns)]),
    ...(uncertainSummaries === 0 ? [] : [of(reason.DELETED_MESSAGE, uncertainSummaries)]),
  ];
}
