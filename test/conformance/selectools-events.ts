// selectools: what its observers hear, as the events of the server tell it.

import { type Event, EventType } from "../../clients/typescript/src/gen/memorysidecar/v1/event.ts";
import type { Summary } from "../../clients/typescript/src/gen/memorysidecar/v1/summary.ts";
import { type Trim, TrimReason } from "../../clients/typescript/src/gen/memorysidecar/v1/window.ts";
import { atLeast } from "./compare.ts";
import type { Rpc } from "./rpc.ts";
import { eventsOf, summariesOf } from "./session.ts";

const TYPES = [
  EventType.MESSAGES_TRIMMED,
  EventType.SUMMARY_REQUESTED,
  EventType.SUMMARY_SET,
] as const;

/** The stage that compresses what goes to the model; all others enforce limits. */
const COMPRESS = "compress";

/** The events of a session while they are read. */
interface Reading {
  /** The run of the agent when a request does not name one. */
  readonly run: string;
  readonly summaries: readonly Summary[];
  /** Run that asked for what a task makes. */
  readonly runs: Map<string, string>;
  readonly heard: object[];
}

interface OfChange {
  readonly trims: readonly Trim[];
  readonly events: readonly Event[];
}

/** The run of the agent: request ids begin with it. */
function runOf({ run }: Reading, { requestId }: Event): string {
  return requestId === "" ? run : (requestId.split("/")[0] ?? "");
}

function byChange(events: readonly Event[]): readonly OfChange[] {
  const changes = Map.groupBy(events, ({ revision }) => revision);
  return [...changes.values()].map((own) => ({
    events: own,
    trims: own.flatMap(({ detail }) =>
      detail?.$case === "messagesTrimmed" && detail.value.trim !== undefined
        ? [detail.value.trim]
        : [],
    ),
  }));
}

function hearTrim(reading: Reading, { trims, events }: OfChange): void {
  const [first] = events;
  const left = trims.filter(({ reason }) => reason !== TrimReason.SUMMARIZED);
  if (left.length === 0 || first === undefined) return;
  reading.heard.push(
    atLeast({
      event: "on_memory_trim",
      run_id: runOf(reading, first),
      messages_removed: left.reduce((sum, trim) => sum + trim.messageIds.length, 0),
      messages_remaining: Number(left.at(-1)?.afterTotals?.messageCount ?? 0),
      reason: "enforce_limits",
    }),
  );
}

function hearSummaries(reading: Reading, { trims, events }: OfChange): void {
  for (const { detail } of events) {
    if (detail?.$case !== "summarySet" || detail.value.taskId === "") continue;
    const { taskId, stage, version } = detail.value;
    const made = reading.summaries.find((summary) => summary.version === version);
    const run_id = reading.runs.get(taskId) ?? reading.run;
    if (stage !== COMPRESS) {
      const summary = made?.text ?? "";
      reading.heard.push(atLeast({ event: "on_memory_summarize", run_id, summary }));
      continue;
    }
    const [trim] = trims;
    // The server puts the summary there first, then takes out what it stands for.
    const before = (trim?.beforeTotals?.tokenCount ?? 0) - detail.value.tokenCount;
    reading.heard.push(
      atLeast({
        event: "on_prompt_compressed",
        run_id,
        before_tokens: before,
        after_tokens: trim?.afterTotals?.tokenCount ?? 0,
        messages_compressed: trim?.messageIds.length ?? 0,
      }),
    );
  }
}

/** A memory whose observers are asked. */
export interface Observed {
  readonly sessionId: string;
  /** The run of its agent when a request does not name one. */
  readonly run: string;
  /** The summaries that it had and has no more. */
  readonly erased: readonly Summary[];
}

/** Gives what the observers of a memory heard, oldest first. */
export async function observed(
  rpc: Rpc,
  { sessionId, run, erased }: Observed,
): Promise<readonly object[]> {
  const events = await eventsOf(rpc, sessionId, TYPES);
  const summaries = [...erased, ...(await summariesOf(rpc, sessionId))];
  const reading: Reading = { run, summaries, runs: new Map(), heard: [] };
  for (const change of byChange(events)) {
    for (const event of change.events) {
      if (event.detail?.$case !== "summaryRequested") continue;
      reading.runs.set(event.detail.value.taskId, runOf(reading, event));
    }
    hearTrim(reading, change);
    hearSummaries(reading, change);
  }
  return reading.heard;
}
