import fc from "fast-check";
import { expect, test } from "vitest";
import { testSeed } from "../../../test/support/kit/random.ts";
import { sampleTask } from "../../../test/support/store/tasks.ts";
import { backoffMs } from "./breaker.ts";
import {
  dead,
  extended,
  failed,
  isLastFailure,
  leased,
  leaseEnded,
  mayTake,
  readyAgain,
  released,
  untaken,
} from "./lifecycle.ts";
import type { Task } from "./task.ts";

const seed = testSeed("lives of tasks");
const MAX_ATTEMPTS = 2;
const LEASE_MS = 10_000;

const step = fc.record({
  kind: fc.constantFrom(
    ...["take", "take", "take", "fail", "fail", "fail", "wait", "wait", "wait"],
    ...["extend", "give-back", "untake", "retry"],
  ),
  ms: fc.nat({ max: 400_000 }),
  counts: fc.boolean(),
  random: fc.double({ min: 0, max: 1, noNaN: true }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface World {
  nowMs: number;
  tokens: number;
}

/** One step by the rules of those who move tasks; the task itself when the step is not allowed. */
function move(task: Task, { kind, ms, counts, random }: Step, world: World): Task {
  const { nowMs } = world;
  if (kind === "wait") world.nowMs += ms;
  if (kind === "take" && mayTake(task, nowMs)) {
    world.tokens += 1;
    const lease = { worker: "w", priorVersion: 0, reservedTokens: 1, hour: 0 };
    return leased(task, { ...lease, token: String(world.tokens), nowMs, leaseMs: LEASE_MS });
  }
  if (kind === "retry" && task.state === "dead") return readyAgain(task, nowMs);
  if (task.state !== "leased") return task;
  if (kind === "give-back") return released(task, nowMs);
  if (kind === "untake") return untaken(task, nowMs);
  if (kind === "extend" && !leaseEnded(task, nowMs)) return extended(task, nowMs + LEASE_MS);
  if (kind !== "fail") return task;
  const failure = { reason: "timeout", message: "", atMs: nowMs } as const;
  if (isLastFailure(task, { counts, maxAttempts: MAX_ATTEMPTS, nowMs })) {
    return dead(task, failure, counts);
  }
  return failed(task, failure, { dueMs: nowMs + backoffMs(task.failedAttempts, random), counts });
}

test("a task is in one state at a time, and has no more attempts than it may", () => {
  const reached = new Set<string>();
  fc.assert(
    fc.property(fc.array(step, { minLength: 40, maxLength: 120 }), (steps) => {
      const world: World = { nowMs: 0, tokens: 0 };
      let task = sampleTask();
      for (const one of steps) {
        const before = task;
        task = move(task, one, world);
        reached.add(task.state);
        expect(task.lease !== undefined).toBe(task.state === "leased");
        expect(task.state === "leased" && mayTake(task, world.nowMs)).toBe(false);
        expect(task.deadMs > 0 || task.state !== "dead" || world.nowMs === 0).toBe(true);
        expect(task.failedAttempts).toBeLessThanOrEqual(MAX_ATTEMPTS);
        expect(task.failedAttempts < MAX_ATTEMPTS || task.state === "dead").toBe(true);
        expect(task.callCount).toBeLessThanOrEqual(world.tokens);
        if (before.lease !== undefined && task.lease !== undefined) {
          expect(task.lease.token).toBe(before.lease.token);
        }
        expect(task.createMs).toBe(0);
        expect(task.summarize).toBe(before.summarize);
      }
    }),
    { seed, numRuns: 1_000 },
  );
  expect([...reached].sort()).toEqual(["dead", "leased", "ready"]);
});
