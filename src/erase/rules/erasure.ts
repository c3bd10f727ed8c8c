// Erasures: the subject, the receipt, and the marks by which records are recognized as the
// subject's.

import { sha256Hex } from "../../kit/text.ts";
import type { Owner } from "../../session/rules/session.ts";

/** Whose data, or which, an erasure is about. */
export type ErasureSubject =
  | { readonly kind: "user"; readonly userId: string }
  | { readonly kind: "agent"; readonly agentId: string }
  | { readonly kind: "session"; readonly sessionId: string }
  | { readonly kind: "document"; readonly collectionId: string; readonly documentId: string }
  | {
      readonly kind: "messages";
      readonly sessionId: string;
      readonly messageIds: readonly string[];
    };

/** Kinds of records, in the order of their public numbers, which begin with 1. */
export const ERASED_KINDS = [
  "session",
  "message",
  "summary",
  "task",
  "memory",
  "memory-version",
  "document",
  "answer",
  "record",
] as const;
export type ErasedKind = (typeof ERASED_KINDS)[number];

/** Numbers of records by kind; unset for none. */
export type ErasedCounts = Readonly<Partial<Record<ErasedKind, number>>>;

/** The steps of an erasure, in their order. */
export const ERASURE_STEPS = [
  "sessions",
  "forks",
  "messages",
  "memories",
  "documents",
  "records",
  "answers",
  "purge",
] as const;
export type ErasureStep = (typeof ERASURE_STEPS)[number];

/** The remainders of an erasure in the namespace. */
export interface ErasureLeft {
  /** Forks that belong to somebody else, and the ids of the first ones. */
  readonly forks: number;
  readonly forkIds: readonly string[];
  /** Summaries that a caller wrote without naming messages. */
  readonly callerSummaries: number;
  /**
   * Summaries that stand for messages which were deleted before, where one of the messages named is
   * not known; unset for none.
   */
  readonly uncertainSummaries?: number;
  /** Records that name a session which is gone, of an owner that is not known; unset for none. */
  readonly unknown?: ErasedCounts;
}

export const NOTHING_LEFT: ErasureLeft = { forks: 0, forkIds: [], callerSummaries: 0 };

/** The part of an erasure that is needed only while it is under way. */
export interface ErasureWork {
  readonly subject: ErasureSubject;
  readonly step: ErasureStep;
  /** The owner of the session that the subject names, once it is known. */
  readonly owner?: Owner;
}

/** An erasure under way, or its receipt. */
export interface Erasure {
  /** A ULID: ids sort by the time they were made. Empty for a dry run. */
  readonly erasureId: string;
  readonly subjectDigest: string;
  /**
   * Undefined once all steps are done: a receipt names no subject. The erasure is under way until
   * the journal is clear, too.
   */
  readonly work: ErasureWork | undefined;
  readonly counts: ErasedCounts;
  readonly left: ErasureLeft;
  readonly createMs: number;
  /** 0 while it is under way. */
  readonly doneMs: number;
}

/** A new erasure. */
export function newErasure(
  namespace: string,
  subject: ErasureSubject,
  { erasureId, nowMs }: { readonly erasureId: string; readonly nowMs: number },
): Erasure {
  return {
    erasureId,
    subjectDigest: subjectDigest(namespace, subject),
    work: { subject, step: ERASURE_STEPS[0] },
    counts: {},
    left: NOTHING_LEFT,
    createMs: nowMs,
    doneMs: 0,
  };
}

/** Whether nothing of the subject is left, not even in the journal. */
export function isDone({ doneMs }: Erasure): boolean {
  return doneMs !== 0;
}

/** The digest by which whoever knows a subject recognizes its receipt. */
export function subjectDigest(namespace: string, subject: ErasureSubject): string {
  const { kind, ...ids } = subject;
  const all: readonly (string | readonly string[])[] = Object.values(ids);
  return sha256Hex([namespace, kind, ...all.flat()].join("\0"));
}

/** An erasure with more records counted. */
export function withCounts(erasure: Erasure, more: ErasedCounts): Erasure {
  const counts = { ...erasure.counts };
  for (const kind of ERASED_KINDS) {
    const count = (counts[kind] ?? 0) + (more[kind] ?? 0);
    if (count > 0) counts[kind] = count;
  }
  return { ...erasure, counts };
}

// Marks. An erasure notes what it has erased, because later steps find what was derived by the
// names alone: the sessions are gone by then. Answers name in the same way what they are about.

/** The marks of sessions, messages by id and by seq, and versions of summaries. */
export const mark = {
  session: (sessionId: string) => `session ${sessionId}`,
  user: (userId: string) => `user ${userId}`,
  agent: (agentId: string) => `agent ${agentId}`,
  message: (messageId: string) => `message ${messageId}`,
  seq: (sessionId: string, seq: number) => `seq ${seq} ${sessionId}`,
  summary: (sessionId: string, version: number) => `summary ${version} ${sessionId}`,
} as const;

/** The marks of what an answer is about. */
export function marksOf({
  userId,
  agentId,
  sessionId,
}: Owner & { readonly sessionId: string }): readonly string[] {
  return [
    ...(userId === "" ? [] : [mark.user(userId)]),
    ...(agentId === "" ? [] : [mark.agent(agentId)]),
    ...(sessionId === "" ? [] : [mark.session(sessionId)]),
  ];
}
