// The messages of a job that are done with one call of a hook.

import { LIMITS } from "../../domain/limits.ts";
import type { MemoryJob } from "../../domain/memories/job.ts";
import { rangesTo } from "../../domain/memories/job-changes.ts";
import type { SessionRef } from "../../domain/session.ts";
import type { SeqRange } from "../../domain/window/types.ts";
import type { StoredMessage } from "../../storage/store.ts";
import type { ServiceContext } from "../context.ts";
import { promotableOf, speechOf } from "./promotable.ts";

const PAGE = 100;

/** What one call is about. */
export interface JobBatch {
  /** Those that still exist and say something to the hook, by rising seq. */
  readonly messages: readonly StoredMessage[];
  /** What is done with them. Never empty. */
  readonly ranges: readonly SeqRange[];
}

/** The oldest messages of a job, as many as one call takes. */
export async function readBatch(
  context: ServiceContext,
  ref: SessionRef,
  job: MemoryJob,
): Promise<JobBatch> {
  const isScore = job.type === "score";
  const selection = isScore ? job.policy.promotion?.selection : undefined;
  const saysSomething = (message: StoredMessage): boolean =>
    selection === undefined
      ? speechOf(context, message) !== ""
      : promotableOf(context, message, selection) !== undefined;
  const max = isScore ? LIMITS.scoreHookTexts : LIMITS.extractMessages;
  const bytesMax = isScore ? LIMITS.scoreBytes : LIMITS.taskInputBytes;
  const messages: StoredMessage[] = [];
  let bytes = 0;
  for await (const message of messagesOf(context, ref, job.ranges)) {
    if (!saysSomething(message)) continue;
    bytes += message.bytes.length;
    const isFull = messages.length >= max || (bytes > bytesMax && messages.length > 0);
    if (isFull) return { messages, ranges: rangesTo(job.ranges, message.seq - 1) };
    messages.push(message);
  }
  return { messages, ranges: job.ranges };
}

async function* messagesOf(
  { store }: ServiceContext,
  ref: SessionRef,
  ranges: readonly SeqRange[],
): AsyncGenerator<StoredMessage> {
  for (const { first, last } of ranges) {
    for (let next: number | undefined = first; next !== undefined && next <= last; ) {
      const query = { firstSeq: next, lastSeq: last, order: "asc", limit: PAGE } as const;
      const page = await store.listMessages(ref, query);
      yield* page?.messages ?? [];
      next = page?.next;
    }
  }
}
