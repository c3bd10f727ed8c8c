// Reads the state of a session and its summaries through the client.

import {
  type Event,
  type MemorySidecar,
  type SeqRange,
  SummaryLeave,
  TaskState,
} from "../../../clients/typescript/src/index.ts";
import type { Run, SeenFate, SummaryAccount } from "./summary-account.ts";

const PAGE = 1_000;

/** All items of the pages. */
export async function collect<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of pages) all.push(one);
  return all;
}

function runsFrom(ranges: readonly SeqRange[]): Run[] {
  return ranges.map(({ firstSeq, lastSeq }) => [Number(firstSeq), Number(lastSeq)]);
}

function fateOf({ detail }: Event): SeenFate | undefined {
  switch (detail?.$case) {
    case "summaryRequested": {
      const { taskId, joined } = detail.value;
      return joined ? undefined : { taskId, kind: "requested", version: 0 };
    }
    case "summarySet": {
      const { taskId, version } = detail.value;
      return taskId === "" ? undefined : { taskId, kind: "set", version: Number(version) };
    }
    case "summarySuperseded":
      return { taskId: detail.value.taskId, kind: "superseded", version: 0 };
    case "taskDead":
      return { taskId: detail.value.taskId, kind: "dead", version: 0 };
    default:
      return undefined;
  }
}

/** The events of a session, oldest first. */
export function eventsOf(client: MemorySidecar, sessionId: string): Promise<Event[]> {
  return collect(client.listEvents({ pageSize: PAGE, filter: { sessionId } }));
}

/** Reads a session, which must not change during the read. */
export async function readAccount(
  client: MemorySidecar,
  sessionId: string,
): Promise<SummaryAccount> {
  const { lastSeq } = await client.getSession(sessionId);
  const messages = await collect(client.listMessages(sessionId, { pageSize: PAGE }));
  const seqs = new Map(messages.map(({ messageId, seq }) => [messageId, Number(seq)]));
  const { messages: shown } = await client.window(sessionId);
  const versions = await collect(
    client.listSummaries(sessionId, { order: "oldest-first", pageSize: PAGE }),
  );
  const summaries: SummaryAccount["summaries"][number][] = [];
  for (const { version, current, ...rest } of versions) {
    const { placedMessageId, text, seqRanges, origin } = rest;
    const { taskId = "", placeholder = false, addedSeqRanges = [], sourceTotals } = origin ?? {};
    const listed = current
      ? await collect(client.listSummarySources(sessionId, version, { pageSize: PAGE }))
      : undefined;
    summaries.push({
      ...{ version: Number(version), current, placedMessageId, text, taskId, placeholder },
      runs: runsFrom(seqRanges),
      added: runsFrom(addedSeqRanges),
      sourceCount: sourceTotals?.messageCount ?? 0,
      listed: listed?.map(({ seq }) => Number(seq)),
    });
  }
  const tasks = await collect(client.listTasks({ sessionId, pageSize: PAGE }));
  const events = await eventsOf(client, sessionId);
  return {
    sessionId,
    lastSeq: Number(lastSeq),
    log: messages.map(({ seq }) => Number(seq)),
    window: shown.flatMap(({ messageId }) => seqs.get(messageId) ?? []),
    placed: shown.flatMap(({ messageId }) => (seqs.has(messageId) ? [] : [messageId])),
    summaries,
    tasks: tasks.map(({ taskId, state, work }) => ({
      taskId,
      isDead: state === TaskState.DEAD,
      leavesAtOnce:
        work?.$case === "summarize" && work.value.options?.leave === SummaryLeave.AT_ONCE,
      runs: runsFrom(work?.value.seqRanges ?? []),
    })),
    fates: events.flatMap((event) => fateOf(event) ?? []),
  };
}

/** Waits until a condition holds; on timeout throws its description. */
export async function eventually<T>(
  what: string,
  limitMs: number,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > endMs) throw new Error(`it did not come: ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
}

/** Waits until the session has no pending task. */
export async function drained(
  client: MemorySidecar,
  sessionId: string,
  limitMs = 60_000,
): Promise<void> {
  await eventually(`${sessionId} without tasks`, limitMs, async () => {
    const tasks = await collect(client.listTasks({ sessionId }));
    return tasks.every(({ state }) => state === TaskState.DEAD) ? true : undefined;
  });
}
