// A session as it is made.

import { DEFAULT_POLICY } from "../domain/policy.ts";
import { EMPTY_POLICY_STATE, type Session, type SessionRef } from "../domain/session.ts";
import type { SessionInput } from "./api.ts";

const NO_LABELS: ReadonlyMap<string, string> = new Map();
const NO_METADATA = new Uint8Array(0);

/** A new session without messages; what the input does not set gets its default. */
export function newSession(
  ref: SessionRef,
  input: SessionInput,
  stamp: { readonly nowMs: number; readonly revision: number },
): Session {
  return {
    namespace: ref.namespace,
    sessionId: ref.sessionId,
    fields: {
      userId: input.userId ?? "",
      agentId: input.agentId ?? "",
      labels: input.labels ?? NO_LABELS,
      metadata: input.metadata ?? NO_METADATA,
      policy: input.policy ?? DEFAULT_POLICY,
      ttlMs: input.ttlMs ?? 0,
      summary: undefined,
      summaryVersion: 0,
      inserts: [],
      memoryPolicy: input.memoryPolicy,
      forkedFrom: undefined,
      createMs: stamp.nowMs,
      etagRevision: stamp.revision,
    },
    head: {
      lastSeq: 0,
      firstSeq: 1,
      log: { messageCount: 0, tokenCount: 0 },
      window: { messageCount: 0, tokenCount: 0, byteCount: 0 },
      windowRanges: [],
      policyState: EMPTY_POLICY_STATE,
      updateMs: stamp.nowMs,
      revision: stamp.revision,
    },
  };
}
