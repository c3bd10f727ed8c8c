// Makes tasks for what stages have wait in the window, one at a time for each stage.

import { LIMITS } from "../../domain/limits.ts";
import { crowdMerge, levelMerge } from "../../domain/summaries/hierarchy.ts";
import { type Part, partsOf, takeParts } from "../../domain/summaries/inputs.ts";
import type { SummaryKeep } from "../../domain/summaries/spec.ts";
import { isLive } from "../../domain/tasks/task.ts";
import { containsSeq } from "../../domain/window/ranges.ts";
import type { WindowEntry } from "../../domain/window/types.ts";
import { isInLog } from "../window-view.ts";
import {
  type Asking,
  deadOf,
  enoughFor,
  hasSummary,
  liveOf,
  type Making,
  make,
  tell,
} from "./making.ts";

/** A stage whose messages are kept is tried again so long after its task was given up. */
const RETRY_DEAD_MS = 600_000;

/** So many summaries of one stage stand in a window before the oldest become one. */
export const CROWD = LIMITS.placedSummaries / 2;
/** So many of all stages together before those of each become fewer. */
const CROWD_OF_ALL = (LIMITS.placedSummaries * 3) / 4;

/** Makes a task for what waits in the window. */
export function sendWaiting(making: Making, asking: Asking): void {
  const { stage } = asking;
  const [live] = liveOf(making, stage.name);
  if (live !== undefined) {
    tell(making, asking, live);
    return;
  }
  const entries = mergeEntries(making, asking) ?? waitingEntries(making, asking);
  if (entries === undefined) return;
  for (const task of deadOf(making.tasks.values(), stage.name)) {
    making.tasks.delete(task.taskNo);
    making.put.delete(task.taskNo);
    making.removed.add(task.taskNo);
  }
  tell(making, asking, make(making, asking, entries));
}

/** Whether a task of the stage was given up lately, with its messages left where they were. */
function restsAfterDead(making: Making, stage: string): boolean {
  const { nowMs } = making.input;
  return deadOf(making.tasks.values(), stage).some(
    ({ deadMs, summarize }) =>
      summarize.spec.onFailure === "keep" && nowMs - deadMs < RETRY_DEAD_MS,
  );
}

function isPlaced(keep: SummaryKeep): boolean {
  return keep === "hierarchical" || keep === "in-place";
}

/** How many summaries stand in the window, of whatever stage. */
function placedCount({ input }: Making): number {
  return input.session.fields.inserts.filter(({ kind }) => kind === "summary").length;
}

/** Summaries of the stage that become one. */
function mergeEntries(making: Making, { stage, spec }: Asking): readonly WindowEntry[] | undefined {
  const { inserts } = making.input.session.fields;
  const { fanIn, keep } = spec;
  const level = keep === "hierarchical" ? levelMerge(inserts, stage.name, fanIn) : undefined;
  const crowd = placedCount(making) < CROWD_OF_ALL ? CROWD : fanIn;
  const merge =
    level ?? (isPlaced(keep) ? crowdMerge(inserts, stage.name, { fanIn, crowd }) : undefined);
  // Any change may make a merge, so that one that fails rests whatever the occasion of the stage.
  if (merge === undefined || restsAfterDead(making, stage.name)) return undefined;
  const chosen = new Set(merge.inserts.map(({ position }) => position));
  const entries = making.input.before.filter(({ seq }) => chosen.has(seq));
  const isTaken = takenBy(making);
  return entries.length === chosen.size && !entries.some(isTaken) ? entries : undefined;
}

/** The oldest of what waits for the stage, as much as one task holds. */
function waitingEntries(
  making: Making,
  { stage, spec, limits, run }: Asking,
): readonly WindowEntry[] | undefined {
  if (run === undefined || run.awaitsSummary.length === 0) return undefined;
  // Appends and reads come all the time: each would ask a hook again that cannot do it.
  const isOften = stage.on === "append" || stage.on === "read";
  if (isOften && restsAfterDead(making, stage.name)) return undefined;
  const isOwn = (entry: WindowEntry): boolean => {
    const insert = making.inserts.get(entry.seq);
    return insert !== undefined && insert.kind !== "result" && insert.stage === stage.name;
  };
  const stays = staysIn(making);
  const isTaken = takenBy(making);
  const free = run.awaitsSummary.filter(
    (entry) => stays(entry) && !isTaken(entry) && !(spec.keep === "hierarchical" && isOwn(entry)),
  );
  const standing = making.input.session.fields.inserts;
  const isWhole = (part: Part): boolean => hasSummary(part, making.inserts, standing);
  const parts = partsOf(free, making.groupOf).filter(isWhole);
  const taken = takeParts(parts, limits, enoughFor(spec, making.inserts));
  const isFull = isPlaced(spec.keep) && placedCount(making) >= LIMITS.placedSummaries;
  // A hook would be asked for what has no place: the messages wait until there is one.
  if (isFull && !taken?.some(({ seq }) => making.inserts.get(seq)?.kind === "summary")) return;
  return taken;
}

/** What a later stage of the same change took out of the window waits for nothing. */
function staysIn({ input }: Making): (entry: WindowEntry) => boolean {
  const { head, fields } = input.session;
  const made = new Set(fields.inserts.map(({ position }) => position));
  return ({ seq }) => made.has(seq) || containsSeq(head.windowRanges, seq);
}

/** What a live task has, with the rest of its groups: that goes when the task is done. */
function takenBy({ tasks, input, groupOf }: Making): (entry: WindowEntry) => boolean {
  const live = [...tasks.values()].filter(isLive);
  if (live.length === 0) return () => false;
  const made = new Set(live.flatMap((task) => task.summarize.made.map((one) => one.messageId)));
  const isTaken = (entry: WindowEntry): boolean =>
    isInLog(entry)
      ? live.some((task) => containsSeq(task.summarize.ranges, entry.seq))
      : made.has(entry.messageId);
  const groups = new Set(input.before.filter(isTaken).map(groupOf));
  groups.delete(undefined);
  return (entry) => isTaken(entry) || groups.has(groupOf(entry));
}
