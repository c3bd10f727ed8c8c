// Native snapshots between the wire and the service. Messages go out as they are stored; what comes
// in is checked first, and what the server makes itself, it makes again.

import { SNAPSHOT_FORMATS } from "../../compat/forms.ts";
import { Message, Role } from "../../gen/memorysidecar/v1/message.ts";
import type { Session as WireSession } from "../../gen/memorysidecar/v1/session.ts";
import type { ImportSessionRequest } from "../../gen/memorysidecar/v1/session_service.ts";
import {
  SnapshotChunk,
  type SnapshotHeader,
  type SnapshotInsert,
} from "../../gen/memorysidecar/v1/snapshot.ts";
import type { Summary } from "../../gen/memorysidecar/v1/summary.ts";
import { requestMalformed } from "../../grpc/error-status.ts";
import { fromTimestamp } from "../../grpc/time.ts";
import { Violations } from "../../grpc/violations.ts";
import { requestInvalid, snapshotInvalid } from "../../kit/errors.ts";
import type { Etags } from "../../kit/etag.ts";
import { TRUST, type Trust } from "../../summary/rules/summary.ts";
import { DEFAULT_POLICY, type Policy } from "../../window/policy/policy.ts";
import { fractionOf } from "../../window/policy/token-rules.ts";
import { fromPolicy } from "../../window/policy-wire.ts";
import { type Role as DomainRole, ROLE } from "../../window/rules/types.ts";
import { messageTokenRule } from "../../window/token-rule-wire.ts";
import { fromSeqRange, toSeqRange } from "../../window/wire.ts";
import { encodeMade } from "../facts-wire.ts";
import { stampOf, toDraft } from "../message-wire.ts";
import { DEFAULT_SETTINGS, type Session, type WindowInsert } from "../rules/session.ts";
import { fromSession, toSession } from "../wire.ts";
import type { ChunkContent, ImportedMessage, ImportedSession } from "./api.ts";
import { checkHeader, checkImportedMessage, isRequest } from "./checks.ts";

const NO_CHUNK = SnapshotChunk.decode(new Uint8Array(0));

/** Gives the format of a checked request. */
export function fromFormat(name: string): string {
  return SNAPSHOT_FORMATS.includes(name) ? name : "native";
}

/** Gives the header of the snapshot of a session. */
export function toHeader(session: Session, etags: Etags): SnapshotHeader {
  const { fields, head } = session;
  const wire = toSession(session, etags);
  return {
    // Once is enough: twice might be more than a client takes in one answer.
    session: { ...wire, placedSummaries: wire.placedSummaries.map(withoutText) },
    firstSeq: BigInt(head.firstSeq),
    windowSeqRanges: head.windowRanges.map(toSeqRange),
    inserts: fields.inserts.map(toInsert),
    outcomes: head.policyState.outcomes.map(({ tool, error }) => ({ tool, error })),
    overLimitStages: [...head.policyState.overLimit],
    summaryVersion: BigInt(fields.summaryVersion),
    turnEndSeq: BigInt(head.policyState.turnEndSeq),
  };
}

function withoutText(summary: Summary): Summary {
  return { ...summary, text: "" };
}

function toInsert(insert: WindowInsert): SnapshotInsert {
  return {
    message: Message.decode(insert.bytes),
    afterSeq: BigInt(Math.floor(insert.position)),
    summary: insert.kind === "summary",
  };
}

/** Throws what was found as faults of the snapshot. */
function refuse(violations: Violations): void {
  if (violations.malformed) throw requestMalformed();
  const fault = violations.error();
  if (fault !== undefined) throw snapshotInvalid(fault.detail.violations ?? []);
}

/** Gives what a chunk of a request holds; the snapshot is checked when it is asked for. */
export function fromChunk(request: ImportSessionRequest): ChunkContent {
  const { document, header, messages } = request.chunk ?? NO_CHUNK;
  if (document.length > 0 || fromFormat(request.format) !== "native") {
    if (header === undefined && messages.length === 0) return { kind: "document", bytes: document };
    const description = "is not allowed with this format";
    const field = header === undefined ? "messages" : "header";
    throw requestInvalid([{ field: `chunk.${field}`, description }]);
  }
  return {
    kind: "native",
    header: header && (() => fromHeader(header)),
    messageCount: messages.length,
    message: (index) => fromMessage(messages[index], index),
  };
}

function fromMessage(message: Message | undefined, index: number): ImportedMessage {
  if (message === undefined) throw new Error("A chunk has fewer messages than it said.");
  const violations = new Violations();
  violations.enter("chunk");
  violations.enterItem("messages", index);
  checkImportedMessage(violations, message);
  refuse(violations);
  const draft = toDraft(message);
  const rule = messageTokenRule(message) ?? "given";
  const tokenCount = (message.tokenCount ?? 0) + fractionOf(draft.counted(), rule);
  return { draft, stamp: stampOf(message, tokenCount) };
}

function fromHeader(header: SnapshotHeader): ImportedSession {
  const violations = new Violations();
  violations.enter("chunk");
  violations.enter("header");
  checkHeader(violations, header);
  refuse(violations);
  const { session } = header;
  if (session === undefined) throw new Error("A header without a session was let through.");
  return {
    sessionId: session.sessionId,
    fields: fieldsOf(header, session),
    firstSeq: Number(header.firstSeq),
    lastSeq: Number(session.lastSeq),
    windowRanges: header.windowSeqRanges.map(fromSeqRange),
    policyState: stateOf(header, session),
    updateMs: timeOf(session.updateTime),
  };
}

function fieldsOf(header: SnapshotHeader, session: WireSession): ImportedSession["fields"] {
  const { summaryText: _text, ...settings } = fromSession(session);
  const { forkedFrom, summary } = session;
  return {
    ...DEFAULT_SETTINGS,
    ...settings,
    policy: policyOf(session, settings.policy),
    summary: summary && {
      text: summary.text,
      tokenCount: summary.tokenCount,
      version: Number(summary.version),
      createMs: timeOf(summary.createTime),
      ranges: summary.seqRanges.map(fromSeqRange),
      hook: summary.hook,
      stage: summary.stage,
      level: Math.max(1, summary.level),
      trust: trustOf(summary.trust),
    },
    summaryVersion: Number(header.summaryVersion) + unnumbered(session).length,
    inserts: insertsOf(header, session),
    forkedFrom: forkedFrom && { sessionId: forkedFrom.sessionId, seq: Number(forkedFrom.seq) },
    createMs: timeOf(session.createTime),
  };
}

/** The policy that was in force, which a preset of today need not give. */
function policyOf({ effectivePolicy }: WireSession, chosen = DEFAULT_POLICY): Policy {
  if (effectivePolicy === undefined) return chosen;
  const { preset } = chosen;
  return { ...fromPolicy(effectivePolicy), ...(preset === undefined ? {} : { preset }) };
}

function stateOf(header: SnapshotHeader, session: WireSession): ImportedSession["policyState"] {
  return {
    modelInputTokens: Number(session.modelInputTokens),
    outcomes: header.outcomes.map(({ tool, error }) => ({ tool, error })),
    marks: session.stageStates.map(({ stage, lastSeq, windowTotals: window }) => ({
      stage,
      seq: Number(lastSeq),
      window: {
        messageCount: Number(window?.messageCount ?? 0),
        tokenCount: Number(window?.tokenCount ?? 0),
      },
    })),
    overLimit: header.overLimitStages,
    turnEndSeq: Number(header.turnEndSeq),
  };
}

/** Placed summaries of servers that did not number them. */
function unnumbered(session: WireSession): readonly Summary[] {
  return session.placedSummaries.filter(({ version }) => version === 0n);
}

/** As a text that a caller set: whoever brings a snapshot may have written it. */
function trustOf(trust: number): Trust {
  return trust === TRUST.high || trust === TRUST.medium ? TRUST.medium : TRUST.low;
}

/** Several inserts behind the same message share the room up to the next one. */
function insertsOf(header: SnapshotHeader, session: WireSession): WindowInsert[] {
  const placed = new Map(
    session.placedSummaries.map((summary) => [summary.placedMessageId, summary]),
  );
  const { inserts, summaryVersion } = header;
  const numbers = new Map(
    unnumbered(session).map(({ placedMessageId }, index) => [
      placedMessageId,
      Number(summaryVersion) + index + 1,
    ]),
  );
  return inserts.map((insert, index) => {
    const { afterSeq } = insert;
    const group = inserts.filter((other) => other.afterSeq === afterSeq);
    const at = index - inserts.findIndex((other) => other.afterSeq === afterSeq);
    const position = Number(afterSeq) + (at + 1) / (group.length + 1);
    const asks = isRequest(insert);
    const next = inserts[index + 1];
    const shown = asks && next?.afterSeq === afterSeq ? next : insert;
    const id = shown?.summary ? (shown.message?.messageId ?? "") : "";
    const kind = asks ? "request" : insert.summary ? "summary" : "result";
    return insertOf(insert, { kind, position, summary: placed.get(id), number: numbers.get(id) });
  });
}

function insertOf(
  { message }: SnapshotInsert,
  known: {
    readonly kind: WindowInsert["kind"];
    readonly position: number;
    readonly summary: Summary | undefined;
    /** The number of a summary that came without one. */
    readonly number: number | undefined;
  },
): WindowInsert {
  if (message === undefined) throw new Error("An insert without a message was let through.");
  const { kind, summary } = known;
  const isSummary = kind === "summary";
  const { messageId, metadata, name, text, toolCallId } = message;
  const tokenCount = message.tokenCount ?? 0;
  const createMs = timeOf(message.createTime);
  const trust = trustOf(summary?.trust ?? TRUST.low);
  const role = roleOf(kind, message.role);
  const shown = { messageId, kind, tokenCount, createMs, trust } as const;
  return {
    ...shown,
    position: known.position,
    bytes: encodeMade({ ...shown, role, text, toolCallId, name, metadata }),
    ranges: isSummary ? (summary?.seqRanges.map(fromSeqRange) ?? []) : [],
    firstMs: isSummary ? timeOf(summary?.firstMessageTime) : 0,
    version: known.number ?? Number(summary?.version ?? 0n),
    hook: isSummary ? (summary?.hook ?? "") : "",
    stage: isSummary ? (summary?.stage ?? "") : "",
    level: isSummary ? Math.max(1, summary?.level ?? 0) : 0,
  };
}

function roleOf(kind: WindowInsert["kind"], role: Role): DomainRole {
  if (kind === "result") return ROLE.tool;
  if (kind === "request") return ROLE.user;
  return role === Role.ASSISTANT ? ROLE.assistant : ROLE.system;
}

function timeOf(time: Parameters<typeof fromTimestamp>[0] | undefined): number {
  return time === undefined ? 0 : fromTimestamp(time);
}
