// Messages, events, fields and heads for tests of the storage. What a message holds does not matter
// to an engine, so that here it is a line of JSON with the facts in it.

import { EVENT_TYPE, type EventType } from "../../../src/events/rules/event.ts";
import {
  DEFAULT_SETTINGS,
  EMPTY_POLICY_STATE,
  type SessionFields,
  type SessionHead,
  type SessionRef,
  type WindowInsert,
} from "../../../src/session/rules/session.ts";
import type { NewEvent, NewMessage, ReadFacts, StoredReply } from "../../../src/store/store.ts";
import { type SummaryRecord, TRUST } from "../../../src/summary/rules/summary.ts";
import {
  SERVER_WORKER,
  type SummarizeWork,
  type Task,
  type TaskLease,
} from "../../../src/tasks/rules/task.ts";
import { DEFAULT_SUMMARY_SPEC } from "../../../src/window/policy/summary-spec.ts";
import { ROLE, type SeqRange, type WindowFacts } from "../../../src/window/rules/types.ts";

/** The time at which tests start. */
export const START_MS = 1_700_000_000_000;

/** Parts of a message; everything has a default. */
export interface MessageParts extends Partial<WindowFacts> {
  readonly seq: number;
  /** Makes two messages with the same facts differ. */
  readonly text?: string;
}

/** A message with bytes that `readFacts` understands. The id defaults to one made of the seq. */
export function newMessage(parts: MessageParts): NewMessage {
  const facts: WindowFacts = {
    messageId: parts.messageId ?? `m${parts.seq}`,
    role: parts.role ?? ROLE.user,
    callIds: parts.callIds ?? [],
    answers: parts.answers ?? [],
    isResult: parts.isResult ?? parts.role === ROLE.tool,
    tokenCount: parts.tokenCount ?? 10,
    createMs: parts.createMs ?? START_MS,
  };
  const bytes = Buffer.from(JSON.stringify({ ...facts, text: parts.text ?? `text ${parts.seq}` }));
  return { ...facts, seq: parts.seq, byteCount: bytes.length, bytes: new Uint8Array(bytes) };
}

/** Reads the facts of a message that `newMessage` made. */
export const readFacts: ReadFacts = (bytes) => {
  const facts = JSON.parse(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(),
  ) as WindowFacts;
  const { messageId, role, callIds, answers, isResult, tokenCount, createMs } = facts;
  return { messageId, role, callIds, answers, isResult, tokenCount, createMs };
};

/** The text of a message that `newMessage` made. */
export function textOf(bytes: Uint8Array): string {
  return (JSON.parse(Buffer.from(bytes).toString()) as { readonly text: string }).text;
}

/** An event of a session. The body says only what is given. */
export function newEvent(
  ref: SessionRef,
  parts: Partial<Omit<NewEvent, "namespace" | "sessionId">> = {},
): NewEvent {
  const type: EventType = parts.type ?? EVENT_TYPE.sessionUpdated;
  return {
    namespace: ref.namespace,
    sessionId: ref.sessionId,
    type,
    userId: parts.userId ?? "",
    createMs: parts.createMs ?? START_MS,
    body: parts.body ?? Uint8Array.from(Buffer.from(`event ${type} of ${ref.sessionId}`)),
  };
}

/** Fields of a session; what is not given is empty. */
export function newFields(parts: Partial<SessionFields> = {}): SessionFields {
  return {
    ...DEFAULT_SETTINGS,
    summary: undefined,
    summaryVersion: 0,
    inserts: [],
    forkedFrom: undefined,
    createMs: START_MS,
    etagRevision: 1,
    ...parts,
  };
}

/** A placed summary before a seq. */
export function newInsert(
  parts: Partial<WindowInsert> & { readonly position: number },
): WindowInsert {
  const { position, tokenCount = 3.5, messageId = `insert-${position}` } = parts;
  const { bytes } = newMessage({ seq: 0, messageId, role: ROLE.system, tokenCount });
  return {
    kind: "summary",
    messageId,
    tokenCount,
    bytes,
    ranges: [{ first: 1, last: Math.ceil(position) }],
    firstMs: START_MS,
    createMs: START_MS,
    version: 0,
    hook: "",
    stage: "",
    level: (parts.kind ?? "summary") === "summary" ? 1 : 0,
    trust: TRUST.medium,
    ...parts,
  };
}

/** Parts of a task; everything but its number and its session has a default. */
export type TaskParts = Partial<Omit<Task, "summarize">> &
  Pick<Task, "taskNo" | "sessionId"> & { readonly work?: Partial<SummarizeWork> };

/** A task, ready from the start on. */
export function newTask({ work = {}, ...parts }: TaskParts): Task {
  const ranges = [{ first: 1, last: 2 }];
  return {
    namespace: "default",
    type: "summarize",
    hook: "hook",
    stage: "stage",
    state: "ready",
    dueMs: START_MS,
    generation: 1,
    failedAttempts: 0,
    callCount: 0,
    lease: undefined,
    lastFailure: undefined,
    createMs: START_MS,
    deadMs: 0,
    summarize: {
      spec: DEFAULT_SUMMARY_SPEC,
      ranges,
      made: [],
      sources: { messageCount: 2, tokenCount: 20.25 },
      triggers: [],
      loop: 1,
      draft: undefined,
      level: 1,
      inputTokens: 0,
      outputTokens: 0,
      ...work,
    },
    ...parts,
  };
}

/** A lease of the server. */
export function newLease(parts: Partial<TaskLease> = {}): TaskLease {
  return {
    token: "token",
    worker: SERVER_WORKER,
    startMs: START_MS,
    generation: 1,
    priorVersion: 0,
    reservedTokens: 100,
    hour: Math.floor(START_MS / 3_600_000),
    ...parts,
  };
}

/** A summary of the history, of the session and made by a hook. */
export function newSummary(
  parts: Partial<SummaryRecord> & { readonly version: number },
): SummaryRecord {
  return {
    text: `summary ${parts.version}`,
    tokenCount: 7.25,
    placement: "session",
    placedMessageId: "",
    ranges: [{ first: 1, last: 4 }],
    added: [{ first: 3, last: 4 }],
    sources: { messageCount: 4, tokenCount: 40.5 },
    sourceVersions: [],
    level: 1,
    stage: "stage",
    hook: "hook",
    model: "model",
    taskId: "task-00000000001",
    trust: TRUST.low,
    inputTokens: 50,
    outputTokens: 9,
    callCount: 1,
    durationMs: 1_200,
    placeholder: false,
    createMs: START_MS,
    ...parts,
  };
}

/** The head of a session without messages; what is not given is empty. */
export function newHead(parts: Partial<SessionHead> = {}): SessionHead {
  return {
    lastSeq: 0,
    firstSeq: 1,
    log: { messageCount: 0, tokenCount: 0 },
    window: { messageCount: 0, tokenCount: 0, byteCount: 0 },
    windowRanges: [],
    policyState: EMPTY_POLICY_STATE,
    updateMs: START_MS,
    revision: 1,
    ...parts,
  };
}

/** An answer to remember. */
export function newReply(text: string, createMs = START_MS): StoredReply {
  const digest = Buffer.from(`digest of ${text}`).toString("latin1");
  return { method: "Test", digest, bytes: Uint8Array.from(Buffer.from(text)), createMs };
}

/** Totals of a list of messages. */
export function totalsOf(messages: readonly { tokenCount: number; byteCount: number }[]): {
  readonly messageCount: number;
  readonly tokenCount: number;
  readonly byteCount: number;
} {
  return {
    messageCount: messages.length,
    tokenCount: messages.reduce((sum, message) => sum + message.tokenCount, 0),
    byteCount: messages.reduce((sum, message) => sum + message.byteCount, 0),
  };
}

/** Rising seqs as runs. */
export function rangesOf(seqs: readonly number[]): readonly SeqRange[] {
  const ranges: SeqRange[] = [];
  for (const seq of seqs) {
    const last = ranges.at(-1);
    if (last?.last === seq - 1) ranges[ranges.length - 1] = { first: last.first, last: seq };
    else ranges.push({ first: seq, last: seq });
  }
  return ranges;
}

/** The seqs of runs, one by one. */
export function seqsOf(ranges: readonly SeqRange[]): readonly number[] {
  return ranges.flatMap(({ first, last }) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index),
  );
}
