import { afterEach, describe, expect, test } from "vitest";
import { hooksOf, MANUAL_HOOKS, outputOf, pollHook } from "../../test/support/hooks/hooks.ts";
import {
  type EffectScene,
  isDue,
  lines,
  openPolicy,
  SESSION,
  sceneOf,
  specOf,
  summarizing,
} from "../../test/support/services/effect-scene.ts";
import { dropOldest } from "../../test/support/window/policies.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";
import { LIMITS } from "../kit/limits.ts";
import { taskIdOf } from "../tasks/rules/task.ts";
import type { Policy, PolicyStage } from "../window/policy/policy.ts";
import type { SummarySpec } from "../window/policy/summary-spec.ts";
import { ROLE } from "../window/rules/types.ts";
import { checkHooks } from "./hand-over.ts";

const scenes: EffectScene[] = [];

afterEach(async () => {
  for (const made of scenes.splice(0)) await made.stop();
});

async function sceneWith(
  policy: Policy,
  settings: Parameters<typeof sceneOf>[1] = {},
): Promise<EffectScene> {
  const made = await sceneOf(policy, settings);
  scenes.push(made);
  return made;
}

const scene = (
  spec: Partial<SummarySpec> = {},
  settings: Parameters<typeof sceneOf>[1] = {},
  stage: Partial<PolicyStage> = {},
): Promise<EffectScene> => sceneWith(openPolicy([summarizing(spec, stage)]), settings);

const rangesOf = async (s: EffectScene) =>
  (await s.tasks()).map(({ summarize }) => summarize.ranges);
const statesOf = async (s: EffectScene) => (await s.tasks()).map(({ state }) => state);

describe("hooks of a policy", () => {
  const check = (stage: Partial<PolicyStage>, hooks = hooksOf([pollHook("w")], "w")) => {
    checkHooks({ hooks }, openPolicy([summarizing({}, stage)]));
  };

  test("are there, or by hand", () => {
    for (const hook of ["w", "", "builtin", "manual"]) {
      expect(() => check({ summarize: specOf({ hook }) })).not.toThrow();
    }
    expect(() => check({ summarize: specOf({ hook: "" }) }, MANUAL_HOOKS)).not.toThrow();
    expect(() => checkHooks({ hooks: MANUAL_HOOKS }, undefined)).not.toThrow();
  });

  test("that are not there are named", () => {
    const none = (metadata: object) =>
      expect.objectContaining({
        reason: "HOOK_NOT_CONFIGURED",
        detail: expect.objectContaining({ metadata }),
      });
    expect(() => check({ summarize: specOf({ hook: "x" }) })).toThrow(none({ hook: "x" }));
  });
});

describe("a stage whose messages wait", () => {
  test("has one task at a time, and its run names it", async () => {
    const s = await scene();
    await s.append(lines(5));
    expect(await rangesOf(s)).toEqual([[{ first: 1, last: 3 }]]);
    expect(await s.eventTypes()).toEqual([
      EVENT_TYPE.messagesAppended,
      EVENT_TYPE.summaryRequested,
    ]);
    const [task] = await s.tasks();
    expect(task).toMatchObject({
      ...{ hook: "workers", stage: "old", state: "ready", generation: 1, callCount: 0 },
      summarize: { sources: { messageCount: 3, tokenCount: 30 }, loop: 1, level: 1, made: [] },
    });
    const answer = await s.services.append(SESSION.sessionId, lines(2, 6));
    const taskId = taskIdOf(task?.taskNo ?? 0);
    expect(answer.runs).toMatchObject([{ stage: "old", taskId }]);
    expect(await rangesOf(s)).toEqual([[{ first: 1, last: 3 }]]);
    const requested = (await s.services.allEvents()).find(
      ({ detail }) => detail.type === EVENT_TYPE.summaryRequested,
    );
    expect(requested?.detail).toMatchObject({ taskId, joined: false, triggers: [] });
  });

  test("tells what made it act", async () => {
    const anyOf = [{ kind: "message-count-over", limit: 4 }] as const;
    const s = await scene({}, {}, { anyOf });
    await s.append(lines(4));
    expect(await s.tasks()).toEqual([]);
    await s.append(lines(1, 5));
    const [task] = await s.tasks();
    expect(task?.summarize.triggers).toEqual([{ kind: "message-count-over", tool: "" }]);
  });

  test("by hand makes no task", async () => {
    const s = await scene({ hook: "manual" });
    const answer = await s.services.append(SESSION.sessionId, lines(5));
    expect(await s.tasks()).toEqual([]);
    expect(answer.runs[0]?.awaitsSummary).toHaveLength(3);
    expect(answer.runs[0]?.taskId).toBe("");
  });

  test("gives the oldest that a hook takes, and calls with their results", async () => {
    const s = await scene({}, { inputTokensMax: 25 });
    const call = { messageId: "c", role: ROLE.assistant, callIds: ["x", "y"], tokenCount: 10 };
    const result = (id: string) => ({
      ...{ messageId: `r${id}`, role: ROLE.tool, toolCallId: id, tokenCount: 10 },
    });
    await s.append([call, result("x"), result("y"), ...lines(4)]);
    expect(await rangesOf(s)).toEqual([[{ first: 1, last: 3 }]]);
    await s.make("x");
    // Then as many as fit.
    expect((await s.tasks())[0]?.summarize.sources.tokenCount).toBeLessThanOrEqual(25);
  });

  test("waits for a second message before it makes a summary of one short one", async () => {
    const s = await scene({ maxTokens: 16 });
    await s.append(lines(3));
    expect(await s.tasks()).toEqual([]);
    await s.append(lines(1, 4));
    expect(await rangesOf(s)).toEqual([[{ first: 1, last: 2 }]]);
    const long = await scene({ maxTokens: 16 });
    await long.append(lines(3, 1, { tokenCount: 17 }));
    expect(await rangesOf(long)).toEqual([[{ first: 1, last: 1 }]]);
    const beside = await scene({ keep: "append" });
    await beside.append(lines(3));
    expect(await rangesOf(beside)).toEqual([[{ first: 1, last: 1 }]]);
  });

  test("gives two messages when the first alone is of no use, whatever the hook takes", async () => {
    const s = await scene({ maxTokens: 512 }, { inputTokensMax: 15 });
    await s.append(lines(5));
    expect(await rangesOf(s)).toEqual([[{ first: 1, last: 2 }]]);
  });

  test("leaves what a task of another stage has", async () => {
    const second = summarizing({}, { name: "older", select: dropOldest({ maxMessages: 1 }) });
    const s = await sceneWith(openPolicy([summarizing(), second]));
    await s.append(lines(5));
    // One message is left for the second stage: not enough.
    expect(await rangesOf(s)).toEqual([[{ first: 1, last: 3 }]]);
    const task = await s.take();
    await s.append(lines(3, 6));
    expect(await rangesOf(s)).toEqual([[{ first: 1, last: 3 }], [{ first: 4, last: 7 }]]);
    await s.complete(task, "x");
    const made = (await s.tasks()).map(({ stage }) => stage);
    expect(made).toEqual(["older"]);
  });

  test("leaves what a later stage of the same change removes", async () => {
    const discard = summarizing(
      {},
      {
        name: "cut",
        removedTo: "log",
        summarize: undefined,
        select: dropOldest({ maxMessages: 4 }),
      },
    );
    const s = await sceneWith(openPolicy([summarizing(), discard]));
    await s.append(lines(6));
    expect(await rangesOf(s)).toEqual([[{ first: 3, last: 4 }]]);
  });

  test("tries again on its next occasion when that is rarer than appends", async () => {
    const s = await scene({}, {}, { on: "turn-end" });
    await s.append(lines(5), { turnEnd: true });
    await s.fail(await s.take(), { permanent: true });
    await s.append(lines(1, 6));
    expect(await statesOf(s)).toEqual(["dead"]);
    await s.append(lines(1, 7), { turnEnd: true });
    expect(await statesOf(s)).toEqual(["ready"]);
  });
});

describe("a stage whose messages leave at once", () => {
  const atOnce = { keep: "append", leave: "at-once" } as const;

  test("has a task for what left, after the trim", async () => {
    const s = await scene(atOnce);
    const answer = await s.services.append(SESSION.sessionId, lines(5));
    expect(await s.texts()).toEqual(["m4", "m5"]);
    expect(await rangesOf(s)).toEqual([[{ first: 1, last: 3 }]]);
    expect(await s.eventTypes()).toEqual([
      EVENT_TYPE.messagesAppended,
      EVENT_TYPE.messagesTrimmed,
      EVENT_TYPE.summaryRequested,
    ]);
    expect(answer.runs[0]?.awaitsSummary ?? []).toEqual([]);
  });

  test("adds to a task that nobody has begun, and says so", async () => {
    const s = await scene(atOnce);
    await s.append(lines(3));
    await s.append(lines(2, 4));
    const [task, ...others] = await s.tasks();
    expect(others).toEqual([]);
    expect(task).toMatchObject({
      generation: 2,
      summarize: { ranges: [{ first: 1, last: 3 }], sources: { messageCount: 3, tokenCount: 30 } },
    });
    const event = (await s.services.allEvents()).at(-1);
    expect(event?.detail).toMatchObject({
      ...{ joined: true, ranges: [{ first: 2, last: 3 }] },
      sources: { messageCount: 2, tokenCount: 20 },
    });
  });

  test("makes another behind one that is begun, failed, or full", async () => {
    const s = await scene(atOnce, { inputTokensMax: 20 });
    await s.append(lines(3));
    const first = await s.take();
    await s.append(lines(1, 4));
    expect(await statesOf(s)).toEqual(["leased", "waiting"]);
    await s.append(lines(2, 5));
    expect(await rangesOf(s)).toEqual([
      [{ first: 1, last: 1 }],
      [{ first: 2, last: 3 }],
      [{ first: 4, last: 4 }],
    ]);
    await s.fail(first);
    await s.complete(await afterRest(s), "one");
    expect(await statesOf(s)).toEqual(["ready", "waiting"]);
    const failing = await scene(atOnce);
    await failing.append(lines(3));
    await failing.fail(await failing.take());
    await failing.append(lines(1, 4));
    expect(await statesOf(failing)).toEqual(["ready", "waiting"]);
  });

  async function afterRest(s: EffectScene) {
    s.services.advance(10_000);
    return await s.take();
  }

  test("spreads a great many messages over no more tasks than one change can make", async () => {
    const s = await scene(atOnce, { inputTokensMax: 10 });
    await s.append(lines(1_000));
    const tasks = await s.tasks();
    expect(tasks.length).toBeGreaterThan(50);
    expect(tasks.length).toBeLessThan(256);
    const sum = tasks.reduce((total, task) => total + task.summarize.sources.messageCount, 0);
    expect(sum).toBe(998);
    expect(await statesOf(s)).toEqual(["ready", ...Array(tasks.length - 1).fill("waiting")]);
  });

  test("has its messages in few tasks when nobody does them, and all of them", async () => {
    const s = await scene(atOnce, { inputTokensMax: 10 });
    for (let i = 0; i < 300; i++) await s.append(lines(2, 1 + 2 * i));
    const tasks = await s.tasks();
    expect(tasks.length).toBeLessThanOrEqual(LIMITS.stageTasks + 2);
    const ranges = tasks.flatMap(({ summarize }) => summarize.ranges);
    const seqs = ranges.flatMap(({ first, last }) =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index),
    );
    expect(seqs).toEqual(Array.from({ length: 598 }, (_, index) => 1 + index));
    while (await isDue(s)) await s.make("x");
    expect((await s.session()).fields.summary?.ranges).toEqual([{ first: 1, last: 598 }]);
  });

  test("does not have messages summarized twice that come back and leave again", async () => {
    const s = await scene(atOnce);
    await s.append(lines(5));
    const task = await s.take();
    await s.services.sessions.restoreMessages(s.services.call("RestoreMessages"), {
      ...{ ...SESSION, messageIds: ["m1", "m2"], ranges: [], encode: () => new Uint8Array(0) },
    });
    await s.append(lines(1, 6));
    expect(await rangesOf(s)).toEqual([[{ first: 1, last: 3 }], [{ first: 4, last: 4 }]]);
    await s.complete(task, "m1 to m3");
    await s.make("m4");
    expect((await s.summaries()).at(-1)?.sources.messageCount).toBe(4);
  });

  test("has its tasks done in order", async () => {
    const s = await scene(atOnce, { inputTokensMax: 20 });
    await s.append(lines(8));
    const texts: string[] = [];
    while (await isDue(s)) {
      texts.push(`${texts.length}`);
      await s.make(texts.at(-1) ?? "");
    }
    expect((await s.session()).fields.summary?.text).toBe("0 1 2");
    expect((await s.summaries()).map(({ added }) => added)).toEqual([
      [{ first: 1, last: 2 }],
      [{ first: 3, last: 4 }],
      [{ first: 5, last: 6 }],
    ]);
  });
});

describe("a summary that is shown as an exchange", () => {
  const shape = { shape: "exchange", maxTokens: 16 } as const;
  const talked = outputOf("t".repeat(60), { requestText: "Wants it" });
  const pinned = {
    protections: { system: "none", pinFirst: 1, pinIds: [], minMessages: 1, lastUser: false },
  } as const;

  test("is given with its request, or neither of them", async () => {
    const stages = [summarizing(shape)];
    const s = await sceneWith(openPolicy(stages, pinned), { inputTokensMax: 215 });
    await s.append(lines(5, 1, { tokenCount: 100 }));
    await s.make(talked);
    await s.setPolicy(openPolicy(stages));
    const [request, summary] = (await s.session()).fields.inserts;
    expect([request?.kind, summary?.kind]).toEqual(["request", "summary"]);
    // The first message and the request alone would fit.
    expect((await s.tasks())[0]?.summarize).toMatchObject({ made: [{}, { version: 1 }] });
    const tight = await sceneWith(openPolicy(stages, pinned), { inputTokensMax: 110 });
    await tight.append(lines(3, 1, { tokenCount: 100 }));
    await tight.append(lines(2, 4, { tokenCount: 100 }));
    while (await isDue(tight)) await tight.make(talked);
    await tight.setPolicy(openPolicy(stages));
    expect((await tight.session()).fields.inserts.length).toBeGreaterThan(1);
    expect((await tight.tasks())[0]?.summarize).toMatchObject({
      ...{ ranges: [{ first: 1, last: 1 }], made: [] },
    });
  });

  test("is not merged while another task has it", async () => {
    const s = await sceneWith(
      openPolicy([summarizing({ ...shape, keep: "hierarchical", fanIn: 2 })]),
    );
    await s.append(lines(4, 1, { tokenCount: 100 }));
    await s.make(talked);
    await s.append(lines(3, 5, { tokenCount: 100 }));
    const second = await s.take();
    await s.services.summaries.compactSession(s.services.call("CompactSession"), {
      ...{ ...SESSION, choice: { kind: "keep-recent", keepRecent: 1 }, spec: undefined },
      ...{ waitMs: 0, encode: () => new Uint8Array(0) },
    });
    const compact = (await s.tasks()).find(({ stage }) => stage === "");
    expect(compact?.summarize.made).toMatchObject([{ version: 0 }, { version: 1 }]);
    await s.complete(second, talked);
    expect((await s.session()).fields.inserts).toHaveLength(4);
    expect((await s.tasks()).map(({ stage }) => stage)).toEqual([""]);
  });
});

describe("many summaries of one stage", () => {
  const guards = { pinFirst: 0, pinIds: [], minMessages: 1, lastUser: false } as const;

  test.each(["all", "leading", "none"] as const)(
    "are one when the stage takes it up, though system messages are protected: %s",
    async (system) => {
      const protections = { system, ...guards };
      const s = await sceneWith(openPolicy([summarizing({ maxTokens: 64 })], { protections }));
      for (let i = 0; i < 20; i++) {
        await s.append(lines(2, 1 + 2 * i, { tokenCount: 100 }));
        while (await isDue(s)) expect(await s.make(`${i}`)).toMatchObject({ kind: "done" });
        expect((await s.session()).fields.inserts.length).toBeLessThanOrEqual(1);
      }
      const [summary] = (await s.session()).fields.inserts;
      expect(summary).toMatchObject({ ranges: [{ first: 1, last: 38 }], version: 19 });
    },
  );

  test("become fewer before no more may be placed", async () => {
    // System messages are not seen, so that the stage never takes its own summaries.
    const protections = { system: "excluded", ...guards } as const;
    const policy = openPolicy([summarizing({ maxTokens: 64 })], { protections });
    const s = await sceneWith(policy);
    let most = 0;
    for (let i = 0; i < 80; i++) {
      await s.append(lines(2, 1 + 2 * i, { tokenCount: 100 }));
      while (await isDue(s)) expect(await s.make(`${i}`)).toMatchObject({ kind: "done" });
      most = Math.max(most, (await s.session()).fields.inserts.length);
    }
    expect(most).toBeLessThan(40);
    expect(most).toBeGreaterThan(20);
  });
});
