// Goal: whatever hooks, workers and the store do, every task ends once the faults do, and every
// message that left a window is in exactly one summary.

import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { pollHook, scriptedHook } from "../../../test/support/hooks/hooks.ts";
import { testSeed } from "../../../test/support/kit/random.ts";
import {
  eventually,
  type RunnerScene,
  someTurns,
  startRunnerScene,
  summaryPolicy,
} from "../../../test/support/services/runner-scene.ts";
import { storeWith } from "../../../test/support/services/services.ts";
import { HookFailure } from "../../hooks/port.ts";
import { storeFull } from "../../kit/errors.ts";
import type { SummarySpec } from "../../window/policy/summary-spec.ts";
import { isLive, type Task } from "../rules/task.ts";

const seed = testSeed("faults of hooks");
const RUNS = 25;
const SECOND = 1_000;
const SESSIONS = ["a", "b", "c"];
const MODES: readonly Partial<SummarySpec>[] = [
  { keep: "in-place" },
  { keep: "append" },
  { keep: "append", leave: "at-once", onFailure: "placeholder" },
  { keep: "replace" },
];

let scene: RunnerScene | undefined;
afterEach(() => scene?.stop());

const FAULTS = {
  none: "a text",
  down: new HookFailure("unreachable", "It is down."),
  busy: new HookFailure("busy", "Later.", 3 * SECOND),
  error: new HookFailure("hook-error", "No."),
  late: new HookFailure("timeout", "Late."),
  empty: "",
  thrown: new TypeError("a fault of the hook itself"),
} as const;

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("say"), at: fc.nat({ max: 2 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("wait"), at: fc.nat({ max: 40 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("fault"), at: fc.nat({ max: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("full"), at: fc.nat({ max: 1 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("poll"), at: fc.nat({ max: 2 }) }) },
);
interface Step {
  readonly kind: string;
  readonly at: number;
}

/** Each fault meets tasks of hooks and of workers at least once, whatever the seed. */
const EVERY_FAULT = Object.keys(FAULTS).map((_, at): [Step[]] => {
  const rounds = Array.from({ length: 10 }, (_, round): Step[] => [
    { kind: "say", at: 0 },
    { kind: "say", at: 2 },
    { kind: "fault", at: round % 2 === 0 ? at : 0 },
    { kind: "poll", at: 0 },
    { kind: "wait", at: 20 },
  ]);
  return [rounds.flat()];
});

async function play(steps: readonly Step[], spec: Partial<SummarySpec>): Promise<void> {
  let isFull = false;
  let answer: string | Error = FAULTS.none;
  const hook = scriptedHook("h", [() => answer], { concurrency: 2, maxAttempts: 1_000 });
  const one = await startRunnerScene([hook, pollHook("workers", { maxAttempts: 1_000 })], {
    wrapStore: (store) =>
      storeWith(store, {
        changeTask: async (change, decide) => {
          if (isFull && change.allowWhenFull !== true) throw storeFull(1, 2);
          return await store.changeTask(change, decide);
        },
        changeSession: async (change, decide) => {
          if (isFull && change.allowWhenFull !== true) throw storeFull(1, 2);
          return await store.changeSession(change, decide);
        },
      }),
  });
  scene = one;
  for (const sessionId of SESSIONS) {
    await one.open(sessionId, summaryPolicy(sessionId === "c" ? "workers" : "h", spec));
  }
  const said = new Map(SESSIONS.map((sessionId) => [sessionId, 0]));
  for (const { kind, at } of steps) {
    if (kind === "say" && !isFull) {
      const sessionId = SESSIONS[at] ?? "a";
      await one.say(sessionId, 2);
      said.set(sessionId, (said.get(sessionId) ?? 0) + 2);
    }
    if (kind === "wait") await one.pass(at * SECOND);
    if (kind === "fault") answer = Object.values(FAULTS)[at] ?? FAULTS.none;
    if (kind === "full") isFull = at === 1;
    // A worker that takes tasks and dies.
    if (kind === "poll" && !isFull)
      await one.poll("workers", { maxTasks: 16, leaseMs: 5 * SECOND });
    await someTurns(5);
  }
  answer = FAULTS.none;
  isFull = false;
  const live = async (): Promise<readonly Task[]> => (await one.tasks()).filter(isLive);
  for (let round = 0; round < 60 && (await live()).length > 0; round++) {
    for (const task of await one.poll("workers", { maxTasks: 16 })) {
      await one.complete(task, "a text").catch(() => {});
    }
    await one.pass(12 * SECOND);
  }
  await eventually("all is done", async () => (await live()).length === 0);
  for (const name of ["h", "workers"]) {
    for (const reason of (await one.info(name)).failures.keys()) reached.add(`${name} ${reason}`);
  }
  for (const [sessionId, count] of said) await expectCovered(one, sessionId, count);
  await one.stop();
  scene = undefined;
}

/** The failures that stories came to. */
const reached = new Set<string>();

/** Every message is in the window, or came into a summary once. */
async function expectCovered(one: RunnerScene, sessionId: string, count: number): Promise<void> {
  const ref = { namespace: "default", sessionId };
  const window = await one.store.readWindow(ref);
  const seqs = window?.window.map(({ seq }) => seq) ?? [];
  for (const { added } of await one.history(sessionId)) {
    for (const { first, last } of added) for (let seq = first; seq <= last; seq++) seqs.push(seq);
  }
  expect(seqs.sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
}

test(`every task ends once the faults do, in ${RUNS} random stories for each mode`, async () => {
  for (const spec of MODES) {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 50 }), (steps) =>
        play(steps, spec),
      ),
      { seed, numRuns: RUNS + EVERY_FAULT.length, examples: EVERY_FAULT },
    );
  }
  expect([...reached].sort()).toEqual([
    ...["h busy", "h empty-output", "h hook-error", "h timeout", "h unreachable"],
    "workers timeout",
  ]);
}, 120_000);
