// Sessions between the wire and the domain.

import type { Etags } from "../../domain/etag.ts";
import { expireMs, type Session, type StageMark, type WindowInsert } from "../../domain/session.ts";
import type { Summary } from "../../domain/summaries/summary.ts";
import type * as wire from "../../gen/memorysidecar/v1/session.ts";
import * as summaryWire from "../../gen/memorysidecar/v1/summary.ts";
import type { SessionInput, SessionPath } from "../../service/api.ts";
import { sessionTotals } from "../../service/window-view.ts";
import { type Encodable, encodeWire } from "../fast-writer.ts";
import { changedPaths, SESSION_MASK } from "../validate/mask.ts";
import { readSpeech } from "./detail.ts";
import { fromMemoryPolicy, toMemoryPolicy } from "./memory-policy.ts";
import { fromPolicyChoice, toPolicy, toPolicyChoice } from "./policy.ts";
import { presetMemoryPolicy } from "./preset.ts";
import { fromDuration, toDuration, toTimestamp } from "./time.ts";
import { toSeqRange, toTotals } from "./window.ts";

/** The namespace that an empty one stands for. */
export const DEFAULT_NAMESPACE = "default";

/** Gives the namespace that a request names. */
export function fromNamespace(namespace: string): string {
  return namespace === "" ? DEFAULT_NAMESPACE : namespace;
}

/** Gives labels in the order of their keys. */
export function sortedLabels(labels: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (labels.size < 2) return labels;
  return new Map([...labels].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Gives what a caller may set of a session; what is empty is not set. */
export function fromSession(session: wire.Session): SessionInput {
  const { userId, agentId, labels, metadata, policy, ttl } = session;
  const memoryPolicy = session.memoryPolicy
    ? fromMemoryPolicy(session.memoryPolicy)
    : presetMemoryPolicy(policy);
  const chosen = policy && fromPolicyChoice(policy);
  const summaryText = session.summary?.text ?? "";
  return {
    ...(userId === "" ? {} : { userId }),
    ...(agentId === "" ? {} : { agentId }),
    ...(labels.size === 0 ? {} : { labels: sortedLabels(labels) }),
    // A copy of its own: what was decoded is a slice of a shared pool, which it would keep alive.
    ...(metadata.length === 0 ? {} : { metadata: new Uint8Array(metadata) }),
    ...(chosen === undefined ? {} : { policy: chosen }),
    ...(ttl === undefined ? {} : { ttlMs: fromDuration(ttl) }),
    ...(summaryText === "" ? {} : { summaryText }),
    ...(memoryPolicy === undefined ? {} : { memoryPolicy }),
  };
}

/** Gives the paths that an update changes: those of the mask, or all that are set. */
export function sessionPaths(
  session: wire.Session,
  mask: readonly string[] | undefined,
): readonly SessionPath[] {
  const brings = presetMemoryPolicy(session.policy) !== undefined;
  const paths = changedPaths(mask, SESSION_MASK, {
    user_id: session.userId !== "",
    agent_id: session.agentId !== "",
    labels: session.labels.size > 0,
    metadata: session.metadata.length > 0,
    policy: session.policy !== undefined,
    ttl: session.ttl !== undefined,
    memory_policy: session.memoryPolicy !== undefined,
  });
  const isBrought = brings && paths.includes("policy") && !paths.includes("memory_policy");
  return isBrought ? [...paths, "memory_policy"] : paths;
}

/** Turns the summary of a session into its public form. */
export function toSummary(summary: Summary): summaryWire.Summary {
  return {
    text: summary.text,
    tokenCount: summary.tokenCount,
    version: BigInt(summary.version),
    createTime: toTimestamp(summary.createMs),
    seqRanges: summary.ranges.map(toSeqRange),
    hook: summary.hook,
    trust: summary.trust,
    placement: summaryWire.SummaryPlacement.SESSION,
    placedMessageId: "",
    firstMessageTime: undefined,
    level: summary.level,
    stage: summary.stage,
    current: true,
    origin: undefined,
  };
}

/** Turns a session into its public form. */
export function toSession(session: Session, etags: Etags): wire.Session {
  const { fields, head } = session;
  const expire = expireMs(session);
  return {
    namespace: session.namespace,
    sessionId: session.sessionId,
    userId: fields.userId,
    agentId: fields.agentId,
    labels: new Map(fields.labels),
    metadata: Buffer.from(fields.metadata),
    policy: toPolicyChoice(fields.policy),
    effectivePolicy: toPolicy(fields.policy),
    ttl: fields.ttlMs === 0 ? undefined : toDuration(fields.ttlMs),
    expireTime: expire === undefined ? undefined : toTimestamp(expire),
    summary: fields.summary === undefined ? undefined : toSummary(fields.summary),
    lastSeq: BigInt(head.lastSeq),
    logTotals: toTotals(head.log),
    windowTotals: toTotals(sessionTotals(session)),
    forkedFrom:
      fields.forkedFrom === undefined
        ? undefined
        : { sessionId: fields.forkedFrom.sessionId, seq: BigInt(fields.forkedFrom.seq) },
    createTime: toTimestamp(fields.createMs),
    updateTime: toTimestamp(head.updateMs),
    revision: BigInt(head.revision),
    etag: etags.of(fields.etagRevision),
    placedSummaries: fields.inserts.filter(({ kind }) => kind === "summary").map(toPlacedSummary),
    stageStates: head.policyState.marks.map(toStageState),
    modelInputTokens: BigInt(head.policyState.modelInputTokens),
    memoryPolicy: fields.memoryPolicy && toMemoryPolicy(fields.memoryPolicy),
  };
}

/** Turns a text that stands in the window into its public form. */
export function toPlacedSummary(insert: WindowInsert): summaryWire.Summary {
  return {
    text: readSpeech(insert.bytes).text,
    tokenCount: Math.floor(insert.tokenCount),
    version: BigInt(insert.version),
    createTime: toTimestamp(insert.createMs),
    seqRanges: insert.ranges.map(toSeqRange),
    hook: insert.hook,
    trust: insert.trust,
    placement: summaryWire.SummaryPlacement.IN_PLACE,
    placedMessageId: insert.messageId,
    firstMessageTime: toTimestamp(insert.firstMs),
    level: insert.level,
    stage: insert.stage,
    current: true,
    origin: undefined,
  };
}

function toStageState(mark: StageMark): wire.StageState {
  return { stage: mark.stage, lastSeq: BigInt(mark.seq), windowTotals: toTotals(mark.window) };
}

/** The wire form of an answer whose first field is a session and that has nothing else. */
export function encodeSessionAnswer(
  type: Encodable<{ session: wire.Session | undefined }>,
  session: Session,
  etags: Etags,
): Uint8Array {
  return encodeWire(type, { session: toSession(session, etags) });
}
