// ListSummaries and ListSummarySources: the summaries that a session has had, and the messages of
// the log that each stands for.

import { existingSession } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import { currentVersions } from "../core/summary-records.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { sessionNotFound, summaryNotFound } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import type { SummaryPage } from "../store/store.ts";
import type { ListedSummary, ListSummariesInput, ListSummarySourcesInput } from "../tasks/api.ts";
import type { SeqRange } from "../window/rules/types.ts";

/** A page of summaries, and the version to go on after. */
type ListedPage = Omit<SummaryPage, "summaries"> & { readonly summaries: readonly ListedSummary[] };

/** Lists the summaries that a session has had. */
export async function listSummaries(
  context: ServiceContext,
  call: Call,
  input: ListSummariesInput,
): Promise<ListedPage> {
  checkLive(call.signal);
  const session = await existingSession(context, input);
  const current = currentVersions(session.fields);
  if (input.currentOnly) return await listCurrent(context, input, current);
  const { order, limit, after } = input;
  const page = await context.store.listSummaries(input, {
    ...{ order, limit, maxBytes: LIMITS.pageBytes },
    ...(after === undefined ? {} : { after }),
  });
  if (page === undefined) throw sessionNotFound(input.sessionId);
  const { summaries, ...rest } = page;
  return {
    ...rest,
    summaries: summaries.map((record) => ({ record, current: current.has(record.version) })),
  };
}

/** Summaries in use: few, but anywhere in the history. */
async function listCurrent(
  context: ServiceContext,
  input: ListSummariesInput,
  current: ReadonlySet<number>,
): Promise<ListedPage> {
  const { order, limit, after } = input;
  const sign = order === "asc" ? 1 : -1;
  const versions = [...current]
    .filter((version) => after === undefined || (version - after) * sign > 0)
    .sort((a, b) => (a - b) * sign);
  const summaries: ListedSummary[] = [];
  let bytes = 0;
  for (const [index, version] of versions.entries()) {
    const record = await context.store.readSummary(input, version);
    if (record === undefined) continue;
    bytes += Buffer.byteLength(record.text) + rangeBytes(record.ranges) + rangeBytes(record.added);
    const isFull = summaries.length >= limit || bytes > LIMITS.pageBytes;
    if (isFull && summaries.length > 0) return { summaries, next: versions[index - 1] };
    summaries.push({ record, current: true });
  }
  return { summaries, next: undefined };
}

/** Most bytes that a range takes in an answer. */
const RANGE_BYTES = 24;

function rangeBytes(ranges: readonly SeqRange[]): number {
  return ranges.length * RANGE_BYTES;
}

/** Lists the messages that a summary stands for, as they are now. */
export async function listSummarySources(
  context: ServiceContext,
  call: Call,
  input: ListSummarySourcesInput,
): Promise<{ readonly messages: readonly Uint8Array[]; readonly next: number | undefined }> {
  checkLive(call.signal);
  await existingSession(context, input);
  const record = await context.store.readSummary(input, input.version);
  if (record === undefined) throw summaryNotFound(input.version);
  const after = input.after ?? 0;
  const messages: Uint8Array[] = [];
  let bytes = 0;
  let seq = after;
  for (const range of record.ranges) {
    if (range.last <= after) continue;
    let next: number | undefined = Math.max(range.first, after + 1);
    while (next !== undefined) {
      const page = await context.store.listMessages(input, {
        ...{ firstSeq: next, lastSeq: range.last, order: "asc" },
        limit: input.limit - messages.length,
      });
      if (page === undefined) throw sessionNotFound(input.sessionId);
      for (const message of page.messages) {
        bytes += message.bytes.length;
        const isFull = bytes > LIMITS.pageBytes && messages.length > 0;
        if (isFull) return { messages, next: seq };
        messages.push(message.bytes);
        seq = message.seq;
      }
      next = page.next;
      if (messages.length < input.limit) {
        checkLive(call.signal);
        continue;
      }
      const isEnd = next === undefined && range === record.ranges.at(-1);
      return { messages, next: isEnd ? undefined : seq };
    }
  }
  return { messages, next: undefined };
}
