// The tables of tasks, of the usage of hooks, and of the history of summaries.

import { SummaryRecord as StoredSummary } from "../../gen/memorysidecar/storage/v1/records.ts";
import { QUARTERS } from "../../kit/token-quarters.ts";
import type { SummaryRecord, Trust } from "../../summary/rules/summary.ts";
import type { Task, TaskUsage } from "../../tasks/rules/task.ts";
import { DEFAULT_SUMMARY_SPEC } from "../../window/policy/summary-spec.ts";
import { sealIndex } from "../engine/envelope.ts";
import {
  aNumber,
  aText,
  bucket,
  defineTable,
  endedText,
  field,
  lastText,
  mapped,
  NOTHING,
  ONE_TEXT,
  record,
} from "../engine/table.ts";
import type { DueTask } from "../store.ts";
import { flatten, quartersOf, unflatten } from "./session-tables.ts";

/** A task with the number of its session. */
export interface TaskRow {
  readonly sessionNo: number;
  readonly task: Task;
}

const task = mapped(
  record({ sessionNo: field.number(1), text: field.text(2) }),
  ({ sessionNo, task }: TaskRow) => ({ sessionNo, text: JSON.stringify(task) }),
  ({ sessionNo, text }) => ({ sessionNo, task: parseTask(text) }),
);

// JSON leaves out what is undefined.
function parseTask(text: string): Task {
  const task = JSON.parse(text) as Task;
  return {
    ...task,
    lease: task.lease,
    lastFailure: task.lastFailure,
    summarize: {
      ...task.summarize,
      // Newer fields have their defaults.
      spec: { ...DEFAULT_SUMMARY_SPEC, ...task.summarize.spec },
      draft: task.summarize.draft,
    },
  };
}

export const TASK = defineTable(0x32, "task", [aText, aNumber], {
  erasedWith: "session",
  record: task,
});

/** By number alone; up to format 2. The next start moves them. */
export const OLD_TASK = defineTable(0x11, "task", [aNumber], {
  erasedWith: "session",
  record: task,
  bucket: bucket.table,
});

const LISTED = { erasedWith: "session", record: NOTHING, bucket: bucket.allButLast } as const;

/** The tasks of a namespace. */
export const TASK_IN = defineTable(0x12, "task of a namespace", [aText, aNumber], LISTED);

/** The tasks of a session. */
export const TASK_OF = defineTable(0x13, "task of a session", [aNumber, aNumber], LISTED);

/** Ready and leased tasks: hook, namespace, ms, task number. */
export const DUE = defineTable(0x14, "due task", [aText, endedText, aNumber, aNumber], {
  erasedWith: "session",
  record: NOTHING,
  bucket: bucket.firstText,
});

/**
 * The same tasks: hook, ms, task number, namespace. Up to format 2 without the namespace in the
 * key. One read goes over all hooks.
 */
export const DUE_AT = defineTable(0x15, "due task", [aText, aNumber, aNumber, lastText], {
  erasedWith: "session",
  record: ONE_TEXT,
  bucket: bucket.table,
});

/** The task that a key of `DUE` names. */
export function dueTaskOf(key: string): DueTask {
  const [, namespace, dueMs, taskNo] = DUE.parts(key);
  return { namespace, dueMs, taskNo };
}

/** The usage of a hook: hour, namespace, hook. */
export const USAGE = defineTable(0x16, "usage", [aNumber, aText, lastText], {
  erasedWith: "nothing",
  record: record<TaskUsage>({ calls: field.number(1), tokens: field.number(2) }),
  bucket: bucket.table,
});

function encodeSummary(key: string, summary: SummaryRecord): Buffer {
  const { tokenCount, sources } = summary;
  const record: StoredSummary = {
    version: BigInt(summary.version),
    text: summary.text,
    tokenCount: BigInt(Math.floor(tokenCount)),
    tokenQuarters: quartersOf(tokenCount),
    inPlace: summary.placement === "in-place",
    placedMessageId: summary.placedMessageId,
    ranges: flatten(summary.ranges).map(BigInt),
    added: flatten(summary.added).map(BigInt),
    sourceMessageCount: BigInt(sources.messageCount),
    sourceTokenCount: BigInt(Math.floor(sources.tokenCount)),
    sourceTokenQuarters: quartersOf(sources.tokenCount),
    sourceVersions: summary.sourceVersions.map(BigInt),
    level: summary.level,
    stage: summary.stage,
    hook: summary.hook,
    model: summary.model,
    taskId: summary.taskId,
    trust: summary.trust,
    inputTokens: BigInt(summary.inputTokens),
    outputTokens: BigInt(summary.outputTokens),
    callCount: BigInt(summary.callCount),
    durationMs: BigInt(summary.durationMs),
    placeholder: summary.placeholder,
    createMs: BigInt(summary.createMs),
    seq: summary.seq === undefined ? undefined : BigInt(summary.seq),
    endSeq: summary.endSeq === undefined ? undefined : BigInt(summary.endSeq),
  };
  return sealIndex(key, StoredSummary.encode(record).finish());
}

function decodeSummary(payload: Uint8Array): SummaryRecord {
  const record = StoredSummary.decode(payload);
  return {
    version: Number(record.version),
    text: record.text,
    tokenCount: Number(record.tokenCount) + record.tokenQuarters / QUARTERS,
    placement: record.inPlace ? "in-place" : "session",
    placedMessageId: record.placedMessageId,
    ranges: unflatten(record.ranges.map(Number)),
    added: unflatten(record.added.map(Number)),
    sources: {
      messageCount: Number(record.sourceMessageCount),
      tokenCount: Number(record.sourceTokenCount) + record.sourceTokenQuarters / QUARTERS,
    },
    sourceVersions: record.sourceVersions.map(Number),
    level: record.level,
    stage: record.stage,
    hook: record.hook,
    model: record.model,
    taskId: record.taskId,
    trust: record.trust as Trust,
    inputTokens: Number(record.inputTokens),
    outputTokens: Number(record.outputTokens),
    callCount: Number(record.callCount),
    durationMs: Number(record.durationMs),
    placeholder: record.placeholder,
    createMs: Number(record.createMs),
    ...(record.seq === undefined ? {} : { seq: Number(record.seq) }),
    ...(record.endSeq === undefined ? {} : { endSeq: Number(record.endSeq) }),
  };
}

/** By log number and version. */
export const SUMMARY = defineTable(0x17, "summary", [aNumber, aNumber], {
  record: { encode: encodeSummary, decode: decodeSummary },
  bucket: bucket.allButLast,
  under: "log",
});
