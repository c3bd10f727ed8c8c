// Sessions between the wire and the domain.

import { sessionTotals } from "../core/window-view.ts";
import type * as wire from "../gen/memorysidecar/v1/session.ts";
import type { SessionFilter } from "../gen/memorysidecar/v1/session.ts";
import * as summaryWire from "../gen/memorysidecar/v1/summary.ts";
import { type Encodable, encodeWire } from "../grpc/fast-writer.ts";
import { changedPaths } from "../grpc/mask.ts";
import { fromDuration, fromTimestamp, toDuration, toTimestamp } from "../grpc/time.ts";
import type { Etags } from "../kit/etag.ts";
import { fromMemoryPolicy, toMemoryPolicy } from "../memory/policy-wire.ts";
import { fromConditions } from "../recall/filter-wire.ts";
import { flattenMetadata } from "../recall/indexed-wire.ts";
import { passesAll } from "../recall/rules/item-tests.ts";
import type { Summary } from "../summary/rules/summary.ts";
import { fromPolicyChoice, toPolicy, toPolicyChoice } from "../window/policy-wire.ts";
import { presetMemoryPolicy } from "../window/preset-wire.ts";
import { toSeqRange, toTotals } from "../window/wire.ts";
import type { ListSessionsInput, SessionInput } from "./api.ts";
import { SESSION_MASK } from "./checks.ts";
import { readSpeech } from "./detail-wire.ts";
import {
  expireMs,
  SETTING_PATHS,
  SETTINGS,
  type Session,
  type SessionPath,
  type StageMark,
  type WindowInsert,
} from "./rules/session.ts";

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
  { policy }: wire.Session,
  input: SessionInput,
  mask: readonly string[] | undefined,
): readonly SessionPath[] {
  const set = SETTINGS.filter((setting) => input[setting] !== undefined);
  const paths = changedPaths(mask, SESSION_MASK.changeable, (path) =>
    set.some((setting) => SETTING_PATHS[setting] === path),
  );
  const brings = presetMemoryPolicy(policy) !== undefined;
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

// Filters of sessions, from the wire to the domain.

/** The part of a list of sessions that its filter decides. */
type Filtered = Omit<
  ListSessionsInput,
  "namespace" | "by" | "order" | "after" | "limit" | "includeTotal"
>;

/** Gives what a filter asks for; what is unset asks for nothing. */
export function fromSessionFilter(filter: SessionFilter | undefined): Filtered {
  if (filter === undefined) return {};
  const { userId, agentId, labels, sessionIdPrefix } = filter;
  const conditions = fromConditions(filter.metadata);
  const { createTimeFrom, createTimeBefore, updateTimeFrom, updateTimeBefore } = filter;
  return {
    ...(userId === undefined ? {} : { userId }),
    ...(agentId === undefined ? {} : { agentId }),
    ...(labels.size === 0 ? {} : { labels }),
    ...(createTimeFrom === undefined ? {} : { createdFromMs: fromTimestamp(createTimeFrom) }),
    ...(createTimeBefore === undefined ? {} : { createdBeforeMs: fromTimestamp(createTimeBefore) }),
    ...(updateTimeFrom === undefined ? {} : { updatedFromMs: fromTimestamp(updateTimeFrom) }),
    ...(updateTimeBefore === undefined ? {} : { updatedBeforeMs: fromTimestamp(updateTimeBefore) }),
    ...(sessionIdPrefix === undefined ? {} : { sessionIdPrefix }),
    ...(conditions.length === 0
      ? {}
      : {
          where: ({ fields: { labels, metadata } }) =>
            passesAll({ labels, metadata: flattenMetadata(metadata) }, conditions),
        }),
  };
}
