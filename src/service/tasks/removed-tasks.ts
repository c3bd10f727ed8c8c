// Makes tasks for what stages took out of the window at once: everything that left is in a task.

import { LIMITS } from "../../domain/limits.ts";
import type { PolicyStage } from "../../domain/policy.ts";
import { countFitting, partsOf, splitParts } from "../../domain/summaries/inputs.ts";
import type { Task } from "../../domain/tasks/task.ts";
import { mergeRanges } from "../../domain/window/merge-ranges.ts";
import { containsSeq } from "../../domain/window/ranges.ts";
import type { SeqRange, Trim, WindowEntry } from "../../domain/window/types.ts";
import { isInLog } from "../window-view.ts";
import { standingRanges } from "./apply-summary.ts";
import { type Asking, liveOf, type Making, make, save, tell } from "./making.ts";
import { contentOf, joinedEvent } from "./new-task.ts";

/**
 * The messages that one change takes out of a window make so many tasks at most, about: beyond that
 * tasks are larger than their hook would have them, and what it gets of each message is cut.
 */
const TASKS_OF_CHANGE = 100;

const BYTES_PER_TOKEN = 4;

/** So many tokens in one task at least keep the tasks of a change within their number. */
export function spreadOver(trims: readonly Trim[]): number {
  let tokens = 0;
  for (const { removed } of trims) for (const entry of removed) tokens += entry.tokenCount;
  return Math.ceil(tokens / TASKS_OF_CHANGE);
}

/** Makes tasks for what a stage took out of the window. */
export function sendRemoved(making: Making, asked: Asking, spread: number): void {
  const { stage } = asked;
  const isCrowded = liveOf(making, stage.name).length >= LIMITS.stageTasks;
  // When nobody does them, tasks must not become more and more: every change reads them all.
  const tokens = isCrowded ? Number.POSITIVE_INFINITY : asked.limits.tokens;
  const asking = { ...asked, limits: { ...asked.limits, tokens } };
  const removed = making.input.trims
    .flatMap((trim) => (isOf(trim, stage) ? trim.removed : []))
    .filter(isNew(making, stage));
  if (removed.length > 0) {
    const entries = [...removed].sort((a, b) => a.seq - b.seq);
    const parts = partsOf(entries, making.groupOf);
    const left = parts.slice(join(making, asking, parts));
    const limits = { ...asking.limits, tokens: Math.max(asking.limits.tokens, spread) };
    for (const list of splitParts(left, limits)) make(making, asking, list);
  }
  tell(making, asking, liveOf(making, stage.name)[0]);
}

/**
 * What was restored and leaves again is not asked for twice: it has its summary, or a task that is
 * still to be done.
 */
function isNew(making: Making, { name }: PolicyStage): (entry: WindowEntry) => boolean {
  let asked: readonly SeqRange[] = standingRanges(making.input.session.fields, { own: true });
  for (const { summarize } of liveOf(making, name)) asked = mergeRanges(asked, summarize.ranges);
  return (entry) => !isInLog(entry) || !containsSeq(asked, entry.seq);
}

function isOf(trim: Trim, stage: PolicyStage): boolean {
  return (
    trim.stage === stage.name && trim.reason !== "summarized" && trim.reason !== "summary-failed"
  );
}

/** Adds the first parts to a task that nobody has begun; gives how many it took. */
function join(making: Making, asking: Asking, parts: readonly (readonly WindowEntry[])[]): number {
  // The last to be done: one that is made anew has a higher number than those that wait behind it.
  const live = liveOf(making, asking.stage.name);
  const task = live.findLast(({ state }) => state === "waiting") ?? live.at(-1);
  if (task === undefined || !isOpen(task, asking)) return 0;
  const { limits, run } = asking;
  const { sources, made } = task.summarize;
  const left = {
    tokens: limits.tokens - sources.tokenCount,
    messages: limits.messages - sources.messageCount - made.length,
    // What its messages take is not known any more; they are cut when they turn out to be more.
    bytes: limits.bytes - sources.tokenCount * BYTES_PER_TOKEN,
  };
  const count = countFitting(parts, left);
  if (count === 0) return 0;
  const added = contentOf(parts.slice(0, count).flat(), making.inserts);
  const joined = {
    ...task,
    generation: task.generation + 1,
    summarize: {
      ...task.summarize,
      ranges: mergeRanges(task.summarize.ranges, added.ranges),
      made: [...made, ...added.made],
      sources: {
        messageCount: sources.messageCount + added.sources.messageCount,
        tokenCount: sources.tokenCount + added.sources.tokenCount,
      },
      level: Math.max(task.summarize.level, added.level),
    },
  };
  save(making, joined);
  making.events.push(joinedEvent(joined, { ...added, triggers: run?.triggers ?? [] }));
  return count;
}

/** Whether more messages may be added to a task. */
function isOpen(task: Task, { hook }: Asking): boolean {
  const { state, failedAttempts, summarize } = task;
  if (task.hook !== hook || (state !== "ready" && state !== "waiting")) return false;
  // One that fails may fail for its messages: what comes later must not fail with them.
  return failedAttempts === 0 && summarize.draft === undefined;
}
