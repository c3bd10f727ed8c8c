// Records of tasks, of what hooks took, and of the history of summaries, to bytes and back.

import { DEFAULT_SUMMARY_SPEC } from "../../domain/summaries/spec.ts";
import type { SummaryRecord, Trust } from "../../domain/summaries/summary.ts";
import type { Task, TaskUsage } from "../../domain/tasks/task.ts";
import { SummaryRecord as StoredSummary } from "../../gen/memorysidecar/storage/v1/records.ts";
import { ENVELOPE_BYTES, writeEnvelope } from "./envelope.ts";
import { indexSlab, sealIndex } from "./slab.ts";
import { flatten, QUARTERS, quartersOf, unflatten, WireReader, WireWriter } from "./wire.ts";

const writer = new WireWriter();

function finish(key: string): Buffer {
  writeEnvelope(key, writer.buffer, writer.position);
  const record = indexSlab.take(writer.position);
  writer.buffer.copy(record, 0, 0, writer.position);
  return record;
}

/** A task with the number of its session. */
export interface TaskRow {
  readonly sessionNo: number;
  readonly task: Task;
}

export function encodeTask(key: string, { sessionNo, task }: TaskRow): Buffer {
  writer.reset(ENVELOPE_BYTES);
  writer.number(1, sessionNo);
  writer.string(2, JSON.stringify(task));
  return finish(key);
}

export function decodeTask(payload: Uint8Array): TaskRow {
  const reader = new WireReader(payload);
  let sessionNo = 0;
  let text = "";
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 8) {
      sessionNo = reader.varint();
    } else if (tag === 18) {
      text = reader.string();
    } else {
      reader.unknown(tag);
    }
  }
  return { sessionNo, task: parseTask(text) };
}

// JSON leaves out what is undefined.
function parseTask(text: string): Task {
  const task = JSON.parse(text) as Task;
  return {
    ...task,
    lease: task.lease,
    lastFailure: task.lastFailure,
    summarize: {
      ...task.summarize,
      // What came later has its default.
      spec: { ...DEFAULT_SUMMARY_SPEC, ...task.summarize.spec },
      draft: task.summarize.draft,
    },
  };
}

export function encodeUsage(key: string, usage: TaskUsage): Buffer {
  writer.reset(ENVELOPE_BYTES);
  writer.number(1, usage.calls);
  writer.number(2, usage.tokens);
  return finish(key);
}

export function decodeUsage(payload: Uint8Array): TaskUsage {
  const reader = new WireReader(payload);
  let calls = 0;
  let tokens = 0;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 8) {
      calls = reader.varint();
    } else if (tag === 16) {
      tokens = reader.varint();
    } else {
      reader.unknown(tag);
    }
  }
  return { calls, tokens };
}

export function encodeSummary(key: string, summary: SummaryRecord): Buffer {
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

export function decodeSummary(payload: Uint8Array): SummaryRecord {
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
