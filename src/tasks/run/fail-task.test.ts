import { afterEach, describe, expect, test } from "vitest";
import { outputOf } from "../../../test/support/hooks/hooks.ts";
import {
  type EffectScene,
  isDue,
  lines,
  openPolicy,
  sceneOf,
  summarizing,
} from "../../../test/support/services/effect-scene.ts";
import { EVENT_TYPE } from "../../events/rules/event.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { SummarySpec } from "../../window/policy/summary-spec.ts";

const scenes: EffectScene[] = [];

afterEach(async () => {
  for (const made of scenes.splice(0)) await made.stop();
});

async function scene(
  spec: Partial<SummarySpec> = {},
  settings: Parameters<typeof sceneOf>[1] = {},
): Promise<EffectScene> {
  const made = await sceneOf(openPolicy([summarizing(spec)]), settings);
  scenes.push(made);
  return made;
}

/** Fails a task for good. */
async function kill(s: EffectScene): Promise<void> {
  expect(await s.fail(await s.take(), { permanent: true })).toMatchObject({ state: "dead" });
}

const FIVE = ["m1", "m2", "m3", "m4", "m5"];

describe("an attempt that failed", () => {
  test("is told, and the task rests longer each time", async () => {
    const s = await scene();
    await s.append(lines(5));
    const before = await s.session();
    for (const [index, wait] of [1_000, 2_000, 4_000].entries()) {
      const task = await s.take();
      s.services.advance(50);
      const dueMs = s.services.nowMs() + wait;
      expect(await s.fail(task)).toMatchObject({ kind: "failed", state: "ready", dueMs });
      expect(await s.eventTypes()).toEqual([EVENT_TYPE.summaryFailed]);
      const event = (await s.services.allEvents()).at(-1);
      expect(event?.detail).toMatchObject({
        ...{ stage: "old", hook: "workers", reason: "hook-error" },
        ...{ failedAttempts: index + 1, durationMs: 50, retryMs: dueMs },
      });
      expect(await isDue(s)).toBe(false);
      s.services.advance(wait);
    }
    const { head } = await s.session();
    expect(head.updateMs).toBe(before.head.updateMs);
    expect(head.revision).toBeGreaterThan(before.head.revision);
  });

  test("does not count when it is no fault of the task", async () => {
    const s = await scene({}, { maxAttempts: 1 });
    await s.append(lines(5));
    const task = await s.take();
    const { hour, reservedTokens } = task.lease;
    expect(reservedTokens).toBeGreaterThan(0);
    expect(await s.fail(task, { reason: "unreachable", counts: false })).toMatchObject({
      state: "ready",
    });
    expect((await s.tasks())[0]).toMatchObject({ failedAttempts: 0, callCount: 1 });
    // A hook that nobody could ask took nothing.
    expect(await s.context.store.readUsage("default", "workers", hour)).toEqual({
      calls: 1,
      tokens: 0,
    });
  });

  test("waits as long as the hook asks for", async () => {
    const s = await scene();
    await s.append(lines(5));
    const dueMs = s.services.nowMs() + 90_000;
    expect(await s.fail(await s.take(), { retryDelayMs: 90_000 })).toMatchObject({ dueMs });
  });

  test("is the last one after a day, whether attempts count or not", async () => {
    const s = await scene();
    await s.append(lines(5));
    s.services.advance(86_400_000);
    const failed = await s.fail(await s.take(), { reason: "unreachable", counts: false });
    expect(failed).toMatchObject({ state: "dead" });
  });

  test("is the last one when the hook refuses", async () => {
    const s = await scene();
    await s.append(lines(5));
    expect(await s.fail(await s.take(), { reason: "refused" })).toMatchObject({ state: "dead" });
  });
});

describe("a task that is given up", () => {
  test("keeps its messages in the window, with the reason", async () => {
    const s = await scene({}, { maxAttempts: 2 });
    await s.append(lines(5));
    await s.fail(await s.take());
    s.services.advance(10_000);
    await s.fail(await s.take());
    expect(await s.texts()).toEqual(FIVE);
    expect((await s.tasks())[0]).toMatchObject({
      ...{ state: "dead", failedAttempts: 2, callCount: 2, dueMs: 0, lease: undefined },
      deadMs: s.services.nowMs(),
    });
    expect(await s.eventTypes()).toEqual([EVENT_TYPE.summaryFailed, EVENT_TYPE.taskDead]);
    const [failed, dead] = (await s.services.allEvents()).slice(-2);
    expect(failed?.detail).not.toHaveProperty("retryMs");
    expect(dead?.detail).toMatchObject({
      ...{ effect: "keep", failedAttempts: 2, callCount: 2, durationMs: 10_000 },
      ranges: [{ first: 1, last: 3 }],
    });
  });

  test("drops its messages when the stage says so, and they stay in the log", async () => {
    const s = await scene({ onFailure: "drop" });
    await s.append(lines(5));
    await kill(s);
    expect(await s.texts()).toEqual(["m4", "m5"]);
    expect((await s.session()).head.log.messageCount).toBe(5);
    expect(await s.eventTypes()).toEqual([
      EVENT_TYPE.summaryFailed,
      EVENT_TYPE.messagesTrimmed,
      EVENT_TYPE.taskDead,
    ]);
    const trim = (await s.services.allEvents()).at(-2)?.detail;
    expect(trim).toMatchObject({ trim: { stage: "old", reason: "summary-failed" } });
    expect((await s.tasks()).map(({ state }) => state)).toEqual(["dead"]);
    expect(await s.summaries()).toEqual([]);
  });

  test("gets a placeholder when the stage says so, whatever it costs", async () => {
    const s = await scene({ onFailure: "placeholder" });
    await s.append(lines(5, 1, { tokenCount: 1 }));
    await kill(s);
    expect(await s.texts()).toEqual(["Summary of 3 messages.", "m4", "m5"]);
    expect(await s.eventTypes()).toEqual([
      EVENT_TYPE.summaryFailed,
      EVENT_TYPE.messagesTrimmed,
      EVENT_TYPE.summarySet,
      EVENT_TYPE.taskDead,
    ]);
    expect((await s.summaries())[0]).toMatchObject({
      ...{ placeholder: true, version: 1, callCount: 1 },
      sources: { messageCount: 3, tokenCount: 3 },
    });
    // The next ones are not made to wait: nothing was left behind.
    await s.append(lines(2, 6, { tokenCount: 1 }));
    const live = (await s.tasks()).filter(({ state }) => state !== "dead");
    expect(live[0]?.summarize.sources).toMatchObject({ messageCount: 3 });
    await kill(s);
    expect((await s.texts())[0]).toBe("Summary of 3 messages.");
    expect((await s.summaries())[1]?.sources).toEqual({ messageCount: 5, tokenCount: 5 });
  });

  test("counts no request among the messages that a placeholder stands for", async () => {
    const s = await scene({ onFailure: "placeholder", shape: "exchange" });
    await s.append(lines(5, 1, { tokenCount: 50 }));
    await s.make(outputOf("Talked", { requestText: "Wants it" }));
    await s.append(lines(1, 6, { tokenCount: 50 }));
    await kill(s);
    expect((await s.texts())[0]).toBe("[Compacted Context Summary]\nSummary of 2 messages.");
  });

  test("of messages that left at once: a placeholder is joined, or nothing is said", async () => {
    const joined = await scene({ keep: "append", leave: "at-once", onFailure: "placeholder" });
    await joined.append(lines(3));
    await kill(joined);
    expect((await joined.session()).fields.summary?.text).toBe("Summary of 1 messages.");
    const dropped = await scene({ keep: "append", leave: "at-once" });
    await dropped.append(lines(3));
    await kill(dropped);
    expect((await dropped.session()).fields.summary).toBeUndefined();
    expect(await dropped.eventTypes()).toEqual([EVENT_TYPE.summaryFailed, EVENT_TYPE.taskDead]);
    const dead = (await dropped.services.allEvents()).at(-1)?.detail;
    expect(dead).toMatchObject({ effect: "drop" });
  });

  test("lets the next of its stage go on", async () => {
    const s = await scene({ keep: "append", leave: "at-once" });
    await s.append(lines(3));
    const first = await s.take();
    await s.append(lines(1, 4));
    expect((await s.tasks()).map(({ state }) => state)).toEqual(["leased", "waiting"]);
    await s.fail(first, { permanent: true });
    expect((await s.tasks()).map(({ state }) => state)).toEqual(["dead", "ready"]);
    await s.make("of m2");
    expect((await s.summaries())[0]).toMatchObject({ ranges: [{ first: 2, last: 2 }] });
  });

  test("is tried again by its stage after ten minutes, and then by a new task", async () => {
    const s = await scene();
    await s.append(lines(5));
    await kill(s);
    s.services.advance(599_999);
    await s.append(lines(1, 6));
    expect((await s.tasks()).map(({ state }) => state)).toEqual(["dead"]);
    s.services.advance(1);
    await s.append(lines(1, 7));
    const tasks = await s.tasks();
    expect(tasks.map(({ state }) => state)).toEqual(["ready"]);
    expect(tasks[0]?.summarize.ranges).toEqual([{ first: 1, last: 5 }]);
  });

  test("is left alone as long by reads, however often they come", async () => {
    const s = await sceneOf(openPolicy([summarizing({}, { on: "read" })]));
    scenes.push(s);
    await s.append(lines(5));
    await s.texts();
    await kill(s);
    s.services.advance(599_999);
    await s.texts();
    expect((await s.tasks()).map(({ state }) => state)).toEqual(["dead"]);
    s.services.advance(1);
    await s.texts();
    expect((await s.tasks()).map(({ state }) => state)).toEqual(["ready"]);
  });

  test("is the newest of 100 dead ones", async () => {
    const s = await scene({ keep: "append", leave: "at-once" });
    await s.append(lines(2));
    for (let i = 0; i < LIMITS.deadTasks + 3; i++) {
      await s.append(lines(1, 3 + i));
      await kill(s);
      s.services.advance(1);
    }
    const tasks = await s.tasks();
    expect(tasks).toHaveLength(LIMITS.deadTasks);
    expect(tasks[0]?.summarize.ranges).toEqual([{ first: 4, last: 4 }]);
  });
});

describe("a chain of density that breaks off", () => {
  test("has its draft as the summary", async () => {
    const s = await scene({ flow: "density" });
    await s.append(lines(5));
    await s.make(outputOf("S1", { missingEntities: ["A"], inputTokens: 4, outputTokens: 2 }));
    await kill(s);
    expect(await s.texts()).toEqual(["S1", "m4", "m5"]);
    expect((await s.summaries())[0]).toMatchObject({
      ...{ text: "S1", inputTokens: 4, outputTokens: 2, callCount: 2, placeholder: false },
    });
    expect(await s.eventTypes()).toEqual([
      EVENT_TYPE.summaryFailed,
      EVENT_TYPE.messagesTrimmed,
      EVENT_TYPE.summarySet,
    ]);
    expect(await s.tasks()).toEqual([]);
  });

  test("has it no more when its messages have changed meanwhile", async () => {
    const s = await scene({ flow: "density", keep: "replace" });
    await s.append(lines(5));
    await s.make(outputOf("S1", { missingEntities: ["A"] }));
    const task = await s.take();
    await s.setSummary("by hand");
    await s.fail(task, { permanent: true });
    expect((await s.session()).fields.summary?.text).toBe("by hand");
    expect(await s.eventTypes()).toEqual([
      EVENT_TYPE.summaryFailed,
      EVENT_TYPE.summarySuperseded,
      EVENT_TYPE.summaryRequested,
    ]);
    expect((await s.texts()).slice(1)).toEqual(FIVE);
  });
});

test("the last attempt of a bad result gives the task up", async () => {
  const s = await scene({ onFailure: "drop" }, { maxAttempts: 1 });
  await s.append(lines(5));
  const result = await s.make("");
  expect(result).toMatchObject({ kind: "failed", reason: "empty-output", state: "dead" });
  expect(await s.texts()).toEqual(["m4", "m5"]);
});
