// Goal: whoever asks gets what a worker brought, or hears in time that nobody does it; a task is
// gone when nobody waits; nothing grows without bound.

import { describe, expect, test } from "vitest";
import { pollHook } from "../../../test/support/hooks/hooks.ts";
import { type TestWorld, testWorld } from "../../../test/support/services/services.ts";
import { type DirectInput, HookFailure } from "../../hooks/port.ts";
import { AppError } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { LeasedDirect } from "../api.ts";
import { type DirectFailure, DirectTasks } from "./direct-tasks.ts";

const HOOK = pollHook("vectors", { maxAttempts: 2 });
const LEASE_MS = 10_000;
const BY = { worker: "w", leaseMs: LEASE_MS };
const QUERY: DirectInput = { kind: "embed", texts: ["q"], purpose: "query", dimensions: 2 };
const PASSAGES: DirectInput = { ...QUERY, texts: ["a", "b"], purpose: "passage" };
const ORDER: DirectInput = { kind: "rerank", query: "q", texts: ["a", "b"] };

interface Asked {
  readonly answer: Promise<Awaited<ReturnType<DirectTasks["ask"]>> | HookFailure>;
  readonly abort: () => void;
}

interface Scene {
  readonly world: TestWorld;
  readonly direct: DirectTasks;
  readonly heard: string[];
  ask(input: DirectInput, namespace?: string): Asked;
  /** Takes the first task that is ready. */
  take(namespace?: string): LeasedDirect;
  ready(namespace?: string): number;
}

function scene(): Scene {
  const world = testWorld(1_000_000);
  const direct = new DirectTasks(world);
  const heard: string[] = [];
  direct.listen({
    ready: (hook, namespace) => heard.push(`${hook} ${namespace}`),
    failed: (hook, reason) => heard.push(`${hook} ${reason}`),
  });
  const ready = (namespace = "n") => direct.ready([HOOK.name], namespace);
  return {
    ...{ world, direct, heard },
    ask: (input, namespace = "n") => {
      const stop = new AbortController();
      const call = { namespace, signal: stop.signal };
      const answer = direct.ask(HOOK, call, input).catch((error: unknown) => {
        if (error instanceof HookFailure) return error;
        throw error;
      });
      return { answer, abort: () => stop.abort() };
    },
    take: (namespace) => {
      const [id = ""] = ready(namespace);
      const taken = direct.take(id, BY);
      if (taken === undefined) throw new Error("there is no task");
      return taken;
    },
    ready: (namespace) => ready(namespace).length,
  };
}

const refOf = ({ direct: info, leaseToken }: LeasedDirect) => ({
  ...{ namespace: info.namespace, taskId: info.taskId, leaseToken },
});

function reasonOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError || error instanceof HookFailure) return error.reason;
    throw error;
  }
  return "none";
}

const vectors = (values: readonly number[][]) => ({ kind: "embed", answer: values }) as const;
const unit = vectors([[3, 4]]);
const GIVEN_BACK: DirectFailure = {
  ...{ reason: "worker", message: "no", permanent: false, retryDelayMs: undefined },
};

describe("a task that somebody waits for", () => {
  test("is taken with its texts, and its result goes to whoever waits", async () => {
    const { ask, take, direct, heard } = scene();
    const { answer } = ask(QUERY);
    expect(heard).toEqual(["vectors n"]);
    const taken = take();
    expect(taken.direct).toMatchObject({
      input: QUERY,
      callCount: 1,
      maxAttempts: 2,
      workerId: "w",
    });
    expect(taken.direct.leaseEndMs).toBe(1_000_000 + LEASE_MS);
    direct.complete(refOf(taken), unit);
    const result = await answer;
    expect(result).toEqual([Float32Array.of(0.6, 0.8)]);
    expect(direct.size).toBe(0);
    expect(reasonOf(() => direct.complete(refOf(taken), unit))).toBe("TASK_NOT_FOUND");
  });

  test("can be an order of texts", async () => {
    const { ask, take, direct } = scene();
    const { answer } = ask(ORDER);
    direct.complete(refOf(take()), { kind: "rerank", answer: [1, -2] });
    expect(await answer).toEqual([1, -2]);
  });

  test("goes to one worker, in its namespace, queries and orders first", () => {
    const { ask, direct, ready, take } = scene();
    for (const input of [PASSAGES, QUERY, ORDER]) ask(input);
    ask(QUERY, "other");
    expect(ready("other")).toBe(1);
    expect(direct.ready(["another"], "n")).toEqual([]);
    const kinds = [take(), take(), take()].map(({ direct: info }) => info.input);
    expect(kinds).toEqual([QUERY, ORDER, PASSAGES]);
    expect(ready()).toBe(0);
    const ids = new Set(kinds);
    expect(ids.size).toBe(3);
  });

  test("is gone when its caller is", async () => {
    const { ask, take, direct, ready } = scene();
    const { answer, abort } = ask(QUERY);
    const taken = take();
    abort();
    expect(await answer).toMatchObject({ reason: "timeout" });
    expect(direct.size).toBe(0);
    expect(reasonOf(() => direct.complete(refOf(taken), unit))).toBe("TASK_NOT_FOUND");
    expect(reasonOf(() => direct.extend(refOf(taken), 1))).toBe("TASK_NOT_FOUND");
    expect(ready()).toBe(0);
  });

  test("is refused to those without its lease, and to other namespaces", () => {
    const { ask, take, direct } = scene();
    ask(QUERY);
    const ref = refOf(take());
    const act = (fields: object) => reasonOf(() => direct.complete({ ...ref, ...fields }, unit));
    expect(act({ leaseToken: "x" })).toBe("LEASE_LOST");
    expect(act({ namespace: "other" })).toBe("TASK_NOT_FOUND");
    expect(act({ taskId: "call-0" })).toBe("TASK_NOT_FOUND");
    expect(act({})).toBe("none");
  });

  test("is offered again when nobody has begun", () => {
    const { ask, take, direct, ready } = scene();
    ask(QUERY);
    const taken = take();
    direct.giveBack(taken.direct.taskId, "another");
    expect(ready()).toBe(0);
    direct.giveBack(taken.direct.taskId, taken.leaseToken);
    expect(take().direct).toMatchObject({ callCount: 1, failedAttempts: 0 });
  });

  test("ends with the server", async () => {
    const { ask, direct } = scene();
    const { answer } = ask(QUERY);
    direct.close();
    expect(await answer).toMatchObject({ reason: "unreachable" });
    expect(await ask(QUERY).answer).toMatchObject({ reason: "unreachable" });
  });
});

describe("an attempt that fails", () => {
  test("when its lease ends is offered at once, and the late result is refused", async () => {
    const { ask, take, direct, world, heard } = scene();
    const { answer } = ask(QUERY);
    const first = take();
    world.advance(LEASE_MS);
    expect(reasonOf(() => direct.complete(refOf(first), unit))).toBe("LEASE_LOST");
    expect(heard).toEqual(["vectors n", "vectors timeout", "vectors n"]);
    const second = take();
    expect(second.direct).toMatchObject({ failedAttempts: 1, lastFailure: { reason: "timeout" } });
    world.advance(LEASE_MS);
    expect(await answer).toMatchObject({ reason: "timeout" });
    expect(direct.size).toBe(0);
  });

  test("does not come while the lease is extended", () => {
    const { ask, take, direct, world, heard } = scene();
    ask(QUERY);
    const ref = refOf(take());
    for (let turn = 0; turn < 5; turn++) {
      world.advance(LEASE_MS - 1);
      expect(direct.extend(ref, LEASE_MS)).toBe(world.nowMs() + LEASE_MS);
    }
    expect(heard).toEqual(["vectors n"]);
  });

  test("by a wrong result is tried again after a while, up to the attempts of the hook", async () => {
    const { ask, take, direct, ready, world } = scene();
    const { answer } = ask(PASSAGES);
    direct.attendance.saw(HOOK.name, "n");
    expect(reasonOf(() => direct.complete(refOf(take()), unit))).toBe("invalid-output");
    expect(ready()).toBe(0);
    world.advance(2_000);
    expect(ready()).toBe(1);
    const wrong = { kind: "rerank", answer: [1, 2] } as const;
    expect(reasonOf(() => direct.complete(refOf(take()), wrong))).toBe("invalid-output");
    expect(await answer).toMatchObject({ reason: "invalid-output" });
  });

  test.each([
    ["of another length", [[1, 2, 3]]],
    ["that is no number", [[1, Number.NaN]]],
    ["that is too large", [[1, 1e300]]],
    ["of another number", []],
  ])("has vectors %s", (_, values) => {
    const { ask, take, direct } = scene();
    ask(QUERY);
    expect(reasonOf(() => direct.complete(refOf(take()), vectors(values)))).toBe("invalid-output");
  });

  test.each([[[1]], [[1, Number.POSITIVE_INFINITY]]])("has the scores %s", (scores) => {
    const { ask, take, direct } = scene();
    ask(ORDER);
    const output = { kind: "rerank", answer: scores } as const;
    expect(reasonOf(() => direct.complete(refOf(take()), output))).toBe("invalid-output");
  });

  test("by FailTask waits as asked, and ends at once when it is for good", async () => {
    const { ask, take, direct, world, ready } = scene();
    const { answer } = ask(QUERY);
    direct.attendance.saw(HOOK.name, "n");
    const dueMs = direct.fail(refOf(take()), { ...GIVEN_BACK, retryDelayMs: 7_000 });
    expect(dueMs).toBe(world.nowMs() + 7_000);
    world.advance(6_999);
    expect(ready()).toBe(0);
    world.advance(1);
    const again = take();
    expect(again.direct.lastFailure).toMatchObject({ reason: "worker", message: "no" });
    expect(direct.fail(refOf(again), { ...GIVEN_BACK, permanent: true })).toBeUndefined();
    expect(await answer).toMatchObject({ reason: "refused" });
  });
});

describe("workers that are not there", () => {
  test("are waited for a second; then calls fail at once until one polls", async () => {
    const { ask, direct, world } = scene();
    const back: string[] = [];
    direct.attendance.onBack(HOOK.name, (namespace) => back.push(namespace));
    const first = ask(QUERY);
    const other = ask(QUERY, "other");
    direct.attendance.saw(HOOK.name, "other");
    world.advance(999);
    expect(direct.size).toBe(2);
    world.advance(1);
    expect(await first.answer).toMatchObject({ reason: "unreachable" });
    expect(direct.size).toBe(1);
    expect(await ask(QUERY).answer).toMatchObject({ reason: "unreachable" });
    direct.attendance.saw(HOOK.name, "n");
    direct.attendance.saw(HOOK.name, "n");
    expect(back).toEqual(["n"]);
    ask(QUERY);
    expect(direct.ready([HOOK.name], "n")).toHaveLength(1);
    world.advance(59_000);
    expect(await other.answer).toMatchObject({ reason: "unreachable" });
  });

  test("are told from busy ones: a minute is waited for those", async () => {
    const { ask, direct, world, take } = scene();
    ask(PASSAGES);
    const ref = refOf(take());
    const { answer } = ask(QUERY);
    for (let second = 0; second < 59; second++) {
      direct.extend(ref, LEASE_MS);
      world.advance(1_000);
    }
    expect(direct.ready([HOOK.name], "n")).toHaveLength(1);
    direct.extend(ref, LEASE_MS);
    world.advance(1_000);
    expect(await answer).toMatchObject({ reason: "unreachable" });
    expect(direct.attendance.isAway(HOOK.name, "n")).toBe(false);
  });
});

describe("tasks that wait", () => {
  test("are no more than their number", async () => {
    const { ask, direct } = scene();
    for (let count = 0; count < LIMITS.namespaceDirectTasks; count++) ask(QUERY);
    expect(await ask(QUERY).answer).toMatchObject({ reason: "busy", retryDelayMs: 1_000 });
    direct.close();
    expect(direct.size).toBe(0);
  });

  test("hold no more than their bytes", async () => {
    const { ask, take, direct } = scene();
    const large: DirectInput = {
      ...PASSAGES,
      texts: ["x".repeat(LIMITS.namespaceDirectTaskBytes / 2)],
    };
    ask(large);
    expect(await ask(large).answer).toMatchObject({ reason: "busy" });
    ask({ ...large, texts: ["x".repeat(LIMITS.namespaceDirectTaskBytes / 4)] });
    direct.complete(refOf(take()), unit);
    ask(large);
    expect(direct.size).toBe(2);
  });
});
