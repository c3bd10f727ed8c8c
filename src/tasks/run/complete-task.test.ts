import { afterEach, describe, expect, test } from "vitest";
import { outputOf } from "../../../test/support/hooks/hooks.ts";
import {
  type EffectScene,
  isDue,
  lines,
  openPolicy,
  SESSION,
  sceneOf,
  summarizing,
} from "../../../test/support/services/effect-scene.ts";
import { fromBytes } from "../../../test/support/services/json-codec.ts";
import { EVENT_TYPE } from "../../events/rules/event.ts";
import { TRUST } from "../../summary/rules/summary.ts";
import type { SummarySpec } from "../../window/policy/summary-spec.ts";
import { ROLE } from "../../window/rules/types.ts";

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

const reasonOf = async (promise: Promise<unknown>): Promise<unknown> =>
  await promise.then(
    () => "none",
    (error: unknown) => (error as { reason?: string }).reason,
  );

describe("a summary in place", () => {
  test("takes the place of its messages, and what it came from is in the history", async () => {
    const s = await scene({ prefix: "Sum: " });
    await s.append(lines(5));
    expect(await s.texts()).toEqual(["m1", "m2", "m3", "m4", "m5"]);
    const task = await s.take();
    s.services.advance(2_000);
    const result = await s.complete(task, outputOf("short", { inputTokens: 31, outputTokens: 7 }));
    expect(result).toMatchObject({ kind: "done", summaryVersion: 1 });
    expect(await s.texts()).toEqual(["Sum: short", "m4", "m5"]);
    expect(await s.tasks()).toEqual([]);
    const { fields, head } = await s.session();
    const [insert] = fields.inserts;
    expect(fields).toMatchObject({ summary: undefined, summaryVersion: 1 });
    expect(insert).toMatchObject({ kind: "summary", version: 1, hook: "workers", stage: "old" });
    expect(insert).toMatchObject({
      level: 1,
      trust: TRUST.medium,
      ranges: [{ first: 1, last: 3 }],
    });
    expect(head.windowRanges).toEqual([{ first: 4, last: 5 }]);
    expect(await s.summaries()).toEqual([
      {
        version: 1,
        text: "short",
        tokenCount: insert?.tokenCount,
        placement: "in-place",
        placedMessageId: insert?.messageId,
        ranges: [{ first: 1, last: 3 }],
        added: [{ first: 1, last: 3 }],
        sources: { messageCount: 3, tokenCount: 30 },
        sourceVersions: [],
        level: 1,
        stage: "old",
        hook: "workers",
        model: "",
        taskId: expect.stringMatching(/^task-/),
        trust: TRUST.medium,
        inputTokens: 31,
        outputTokens: 7,
        callCount: 1,
        durationMs: 2_000,
        placeholder: false,
        createMs: s.services.nowMs(),
      },
    ]);
    const { revision } = result as { revision: number };
    expect(await s.eventTypes(revision)).toEqual([
      EVENT_TYPE.messagesTrimmed,
      EVENT_TYPE.summarySet,
    ]);
  });

  test("summarizes earlier summaries among its messages with them", async () => {
    const s = await scene();
    await s.append(lines(5));
    await s.make("one");
    await s.append(lines(3, 6));
    const task = await s.take();
    expect(task.summarize).toMatchObject({ ranges: [{ first: 4, last: 6 }], level: 2 });
    expect(task.summarize.made).toMatchObject([{ version: 1 }]);
    await s.complete(task, "two");
    expect(await s.texts()).toEqual(["two", "m7", "m8"]);
    const [one, two] = await s.summaries();
    expect(one?.ranges).toEqual([{ first: 1, last: 3 }]);
    expect(two).toMatchObject({
      version: 2,
      ranges: [{ first: 1, last: 6 }],
      added: [{ first: 4, last: 6 }],
      sources: { messageCount: 6, tokenCount: 60 },
      sourceVersions: [1],
      level: 2,
    });
  });

  test("stands before the first of its messages, behind what is protected there", async () => {
    const policy = openPolicy([summarizing()], {
      protections: {
        ...{ system: "none", pinFirst: 1, pinIds: ["m3"], minMessages: 1, lastUser: false },
      },
    });
    const s = await sceneOf(policy);
    scenes.push(s);
    await s.append(lines(6));
    await s.make("short");
    expect(await s.texts()).toEqual(["m1", "short", "m3", "m6"]);
    const [insert] = (await s.session()).fields.inserts;
    expect(insert?.ranges).toEqual([
      { first: 2, last: 2 },
      { first: 4, last: 5 },
    ]);
  });

  test("is trusted as the least of its messages", async () => {
    const s = await scene();
    const call = { messageId: "c", role: ROLE.assistant, callIds: ["x"], tokenCount: 9 };
    const result = { messageId: "r", role: ROLE.tool, toolCallId: "x", tokenCount: 9 };
    await s.append([call, result, ...lines(4)]);
    await s.make("short");
    const [record] = await s.summaries();
    expect(record?.trust).toBe(TRUST.low);
    expect((await s.session()).fields.inserts[0]?.trust).toBe(TRUST.low);
  });

  test("is trusted as the least of what is known already", async () => {
    const select = {
      kind: "pin-middle-recent",
      pinFirst: 1,
      keepRecent: 2,
      minRemoved: 1,
    } as const;
    const s = await sceneOf(openPolicy([summarizing({}, { select })]));
    scenes.push(s);
    const call = { messageId: "c", role: ROLE.assistant, callIds: ["x"], tokenCount: 9 };
    await s.append([call, { messageId: "r", role: ROLE.tool, toolCallId: "x", tokenCount: 9 }]);
    await s.setSummary("what the tool said", ["c", "r"], true);
    await s.append(lines(4));
    const task = await s.take();
    expect(task.summarize.made).toEqual([]);
    await s.complete(task, outputOf("short"));
    expect((await s.session()).fields.inserts.map(({ trust }) => trust)).toEqual([
      TRUST.low,
      TRUST.low,
    ]);
  });

  test("is shown as an exchange: what was asked for, then the text with its sections", async () => {
    const s = await scene({ shape: "exchange" });
    await s.append(lines(5, 1, { tokenCount: 50 }));
    const output = outputOf("Talked", { requestText: "Wants it", facts: ["F1"] });
    await s.make(output);
    const text = "[Compacted Context Summary]\nTalked\n\n[Key Facts]\n- F1";
    expect(await s.texts()).toEqual(["[User Requests Summary]\nWants it", text, "m4", "m5"]);
    const { inserts } = (await s.session()).fields;
    expect(inserts).toMatchObject([
      { kind: "request", version: 1, level: 0, ranges: [] },
      { kind: "summary", version: 1, level: 1, ranges: [{ first: 1, last: 3 }] },
    ]);
    expect(inserts[0]?.messageId).toBe(`${inserts[1]?.messageId}-request`);
    expect(inserts.map(({ bytes }) => fromBytes<{ role: number }>(bytes).role)).toEqual([
      ROLE.user,
      ROLE.assistant,
    ]);
    expect((await s.summaries())[0]?.text).toBe(text);
    // Both go together into the next one.
    await s.append(lines(2, 6, { tokenCount: 50 }));
    const task = await s.take();
    expect(task.summarize.made.map(({ version }) => version)).toEqual([0, 1]);
    await s.complete(task, "Talked more");
    expect(await s.texts()).toEqual(["[Compacted Context Summary]\nTalked more", "m6", "m7"]);
    expect((await s.summaries())[1]).toMatchObject({
      sources: { messageCount: 5, tokenCount: 250 },
      sourceVersions: [1],
    });
  });

  test("makes the next task of what came meanwhile, in the same revision", async () => {
    const s = await scene();
    await s.append(lines(4));
    const task = await s.take();
    await s.append(lines(3, 5));
    expect(await s.tasks()).toHaveLength(1);
    const result = await s.complete(task, "one");
    expect(await s.texts()).toEqual(["one", "m3", "m4", "m5", "m6", "m7"]);
    const [next] = await s.tasks();
    expect(next?.summarize).toMatchObject({ ranges: [{ first: 3, last: 5 }] });
    expect(await s.eventTypes((result as { revision: number }).revision)).toEqual([
      EVENT_TYPE.messagesTrimmed,
      EVENT_TYPE.summarySet,
      EVENT_TYPE.summaryRequested,
    ]);
  });
});

describe("a summary beside the window", () => {
  test("is joined to the one before, of which the newest sentences stay", async () => {
    const s = await scene({ keep: "append", lastChars: 100 });
    await s.append(lines(3));
    await s.make("a".repeat(60));
    await s.append(lines(1, 4));
    await s.make("b".repeat(60));
    const { summary, inserts, summaryVersion } = (await s.session()).fields;
    expect(summary?.text).toBe(`… ${"b".repeat(60)}`);
    expect(summary).toMatchObject({ version: 2, hook: "workers", ranges: [{ first: 1, last: 2 }] });
    expect([inserts, summaryVersion]).toEqual([[], 2]);
    expect((await s.summaries())[1]).toMatchObject({
      placement: "session",
      added: [{ first: 2, last: 2 }],
      sources: { messageCount: 2, tokenCount: 20 },
      sourceVersions: [1],
      level: 1,
    });
  });

  test("takes the place of the one before", async () => {
    const s = await scene({ keep: "replace" });
    await s.append(lines(3));
    await s.make("first");
    await s.append(lines(1, 4));
    const task = await s.take();
    expect(task.lease.priorVersion).toBe(1);
    await s.complete(task, "second");
    expect((await s.session()).fields.summary?.text).toBe("second");
    expect((await s.summaries())[1]).toMatchObject({
      ranges: [{ first: 1, last: 2 }],
      sources: { messageCount: 2, tokenCount: 20 },
      sourceVersions: [1],
    });
  });

  test("may cost more than its messages, for these leave the window all the same", async () => {
    const s = await scene({ keep: "append" });
    await s.append(lines(3));
    expect(await s.make("x".repeat(400))).toMatchObject({ kind: "done" });
  });

  test("of messages that left at once stands for them", async () => {
    const s = await scene({ keep: "append", leave: "at-once" });
    await s.append([...lines(2), { messageId: "t", role: ROLE.tool, toolCallId: "?" }]);
    await s.append([...lines(1, 3), ...lines(1, 4, { role: ROLE.system })]);
    expect(await s.texts()).toEqual(["m3", "m4"]);
    const result = await s.make("said");
    expect(await s.eventTypes((result as { revision: number }).revision)).toEqual([
      EVENT_TYPE.summarySet,
    ]);
    expect((await s.summaries())[0]).toMatchObject({
      sources: { messageCount: 2, tokenCount: 20 },
      added: [{ first: 1, last: 2 }],
      trust: TRUST.medium,
    });
  });

  test("of a placed summary that left at once stands for what that stood for", async () => {
    const s = await scene({ keep: "append", leave: "at-once" });
    await s.append(lines(2));
    await s.services.sessions.setSummary(s.services.call("SetSummary"), {
      ...SESSION,
      text: "by hand",
      replacedMessageIds: ["m1"],
      placement: "in-place",
      encode: () => new Uint8Array(0),
    });
    await s.append(lines(2, 3));
    expect(await s.texts()).toEqual(["m3", "m4"]);
    const [task] = await s.tasks();
    expect(task?.summarize.made).toMatchObject([{ version: 1 }]);
    await s.make("all");
    expect((await s.summaries())[1]).toMatchObject({
      ranges: [{ first: 1, last: 2 }],
      added: [{ first: 2, last: 2 }],
      sources: { messageCount: 2, tokenCount: 20 },
      sourceVersions: [1],
      level: 2,
    });
  });
});

describe("summaries of summaries", () => {
  test("are made when there are enough of one level, and keep all sources", async () => {
    const s = await scene({ keep: "hierarchical", fanIn: 2 });
    await s.append(lines(4, 1, { tokenCount: 100 }));
    await s.make("one");
    await s.append(lines(4, 5, { tokenCount: 100 }));
    const second = await s.take();
    expect(second.summarize.made).toEqual([]);
    const result = await s.complete(second, "two");
    expect(await s.eventTypes((result as { revision: number }).revision)).toEqual([
      EVENT_TYPE.messagesTrimmed,
      EVENT_TYPE.summarySet,
      EVENT_TYPE.summaryRequested,
    ]);
    const merge = await s.take();
    expect(merge.summarize).toMatchObject({ ranges: [], level: 2 });
    expect(merge.summarize.made.map(({ version }) => version)).toEqual([1, 2]);
    await s.complete(merge, "t");
    expect((await s.summaries())[2]).toMatchObject({
      level: 2,
      added: [],
      ranges: [{ first: 1, last: 6 }],
      sources: { messageCount: 6, tokenCount: 600 },
      sourceVersions: [1, 2],
    });
    expect(await s.texts()).toEqual(["t", "m7", "m8"]);
  });
});

describe("a chain of density", () => {
  test("goes on while something is missing, and ends when nothing is", async () => {
    const s = await scene({ keep: "append", flow: "density", maxLoops: 5 });
    await s.append(lines(3));
    const first = await s.take();
    const one = outputOf("S1", { missingEntities: ["A"], inputTokens: 10, outputTokens: 2 });
    expect(await s.complete(first, one)).toMatchObject({ kind: "continues" });
    const second = await s.take();
    expect(second.summarize).toMatchObject({ loop: 2, draft: { text: "S1" }, inputTokens: 10 });
    const two = outputOf("S2", { inputTokens: 11, outputTokens: 3 });
    expect(await s.complete(second, two)).toMatchObject({ kind: "done" });
    expect((await s.summaries())[0]).toMatchObject({
      text: "S2",
      callCount: 2,
      inputTokens: 21,
      outputTokens: 5,
    });
  });

  test("ends with its last call", async () => {
    const s = await scene({ keep: "append", flow: "density", maxLoops: 2 });
    await s.append(lines(3));
    const missing = { missingEntities: ["A"] };
    expect(await s.make(outputOf("S1", missing))).toMatchObject({ kind: "continues" });
    expect(await s.make(outputOf("S2", missing))).toMatchObject({ kind: "done" });
    expect(await isDue(s)).toBe(false);
  });

  test("answers a repeat of a call that goes on", async () => {
    const s = await scene({ keep: "append", flow: "density" });
    await s.append(lines(3));
    const task = await s.take();
    const open = outputOf("S1", { missingEntities: ["A"] });
    const first = await s.complete(task, open, "r");
    expect(await s.complete(task, open, "r")).toEqual({
      kind: "replayed",
      bytes: (first as { bytes: Uint8Array }).bytes,
    });
    expect((await s.tasks())[0]?.summarize.loop).toBe(2);
  });
});

describe("a result", () => {
  test("is applied once: a second one finds no task, and a repeat its answer", async () => {
    const s = await scene();
    await s.append(lines(5));
    const task = await s.take();
    const done = await s.complete(task, "short", "r1");
    expect(await s.complete(task, "short", "r1")).toEqual({
      kind: "replayed",
      bytes: (done as { bytes: Uint8Array }).bytes,
    });
    expect(fromBytes((done as { bytes: Uint8Array }).bytes)).toMatchObject({ summaryVersion: 1 });
    expect(await reasonOf(s.complete(task, "short", "r2"))).toBe("TASK_NOT_FOUND");
    expect(await reasonOf(s.complete(task, "short"))).toBe("TASK_NOT_FOUND");
    expect(await s.summaries()).toHaveLength(1);
  });

  test("needs the lease", async () => {
    const s = await scene();
    await s.append(lines(5));
    const task = await s.take();
    const other = { ...task, lease: { ...task.lease, token: "other" } };
    expect(await reasonOf(s.complete(other, "short"))).toBe("LEASE_LOST");
    await s.fail(task);
    expect(await reasonOf(s.complete(task, "short"))).toBe("LEASE_LOST");
    const bad = { namespace: "default", taskId: "task-x", leaseToken: "t" };
    expect(await reasonOf(s.complete(bad, "short"))).toBe("TASK_NOT_FOUND");
    const foreign = { ...task, namespace: "other" };
    expect(await reasonOf(s.complete(foreign, "short"))).toBe("TASK_NOT_FOUND");
  });

  test("that is bad is a failed attempt, is not remembered, and changes nothing", async () => {
    const s = await scene({ maxTokens: 16 });
    await s.append(lines(5));
    const bad: readonly (readonly [string, string])[] = [
      [" \n", "empty-output"],
      ["x".repeat(200), "output-too-long"],
      ["x".repeat(120), "output-too-long"],
      ["a\0", "invalid-output"],
    ];
    for (const [text, reason] of bad) {
      s.services.advance(600_000);
      const task = await s.take();
      const result = await s.complete(task, text, `r${text.length}`);
      expect(result).toMatchObject({ kind: "failed", reason });
      const again = s.complete(task, text, `r${text.length}`);
      expect(await reasonOf(again)).toBe("LEASE_LOST");
    }
    expect(await s.texts()).toEqual(["m1", "m2", "m3", "m4", "m5"]);
    const [task] = await s.tasks();
    expect(task).toMatchObject({ failedAttempts: 4, state: "ready" });
    expect(task?.lastFailure).toMatchObject({ reason: "invalid-output" });
    s.services.advance(600_000);
    expect(await s.make("fine")).toMatchObject({ kind: "done" });
  });

  test("settles the budget of the hour", async () => {
    const s = await scene({ keep: "append" });
    await s.append(lines(4));
    const task = await s.take();
    const { hour, reservedTokens } = task.lease;
    const usage = () => s.context.store.readUsage("default", "workers", hour);
    expect(await usage()).toEqual({ calls: 1, tokens: reservedTokens });
    await s.complete(task, outputOf("short", { inputTokens: 20, outputTokens: 5 }));
    expect(await usage()).toEqual({ calls: 1, tokens: 25 });
  });

  test("is refused for good when no more summaries may be placed, and nothing is lost", async () => {
    const s = await scene();
    for (let i = 0; i < 63; i++) {
      await s.append(lines(1, 1 + i));
      await s.services.sessions.setSummary(s.services.call("SetSummary"), {
        ...SESSION,
        text: `by hand ${i}`,
        replacedMessageIds: [`m${1 + i}`],
        placement: "in-place",
        encode: () => new Uint8Array(0),
      });
    }
    // A task of CompactSession: the stage itself would take summaries as well.
    const [task] = await s.tasks();
    if (task !== undefined)
      await s.context.store.changeTask(
        { namespace: "default", taskNo: task.taskNo, hour: 0 },
        () => ({ kind: "save", result: undefined, task: undefined }),
      );
    const policyOf = (pinFirst: number) => {
      const select = { kind: "pin-middle-recent", pinFirst, keepRecent: 1, minRemoved: 2 } as const;
      return openPolicy([summarizing({}, { select })]);
    };
    await s.setPolicy(policyOf(63));
    await s.append(lines(4, 100));
    const held = await s.take();
    await s.setSummary("the last place", ["m103"], true);
    const before = await s.texts();
    expect(await s.complete(held, "short")).toMatchObject({
      kind: "failed",
      reason: "refused",
      state: "dead",
    });
    expect(await s.texts()).toEqual(before);
    expect((await s.tasks())[0]).toMatchObject({ state: "dead", failedAttempts: 1 });
    // From now on no hook is asked for what has no place, only for what makes room.
    s.services.advance(601_000);
    await s.setPolicy(policyOf(67));
    await s.append(lines(3, 200));
    expect(await s.tasks()).toMatchObject([{ state: "dead" }]);
    await s.setPolicy(policyOf(63));
    expect((await s.tasks())[0]).toMatchObject({ summarize: { made: [{ version: 64 }] } });
  });
});

describe("counts that are no counts", () => {
  test.each([-50_000, 0.5, 9e18, Number.NaN])("like %d never reach the budget", async (tokens) => {
    const odd = { inputTokens: tokens };
    const s = await scene();
    await s.append(lines(5));
    const tooLong = outputOf("x".repeat(70_000), odd);
    expect(await s.make(tooLong)).toMatchObject({ kind: "failed", reason: "output-too-long" });
    const [task] = await s.tasks();
    expect(task).toMatchObject({ state: "ready", failedAttempts: 1 });
    expect(task?.summarize.inputTokens).toBe(0);
    const gone = await scene({ keep: "replace", leave: "at-once", onFailure: "drop" });
    await gone.append(lines(5));
    const held = await gone.take();
    await gone.setSummary("another");
    expect(await gone.complete(held, outputOf("x", odd))).toMatchObject({ kind: "superseded" });
  });
});

test("a chain of density begins anew when the summary that it goes on from is another", async () => {
  const s = await scene({ flow: "density", keep: "replace" });
  await s.append(lines(5));
  const open = outputOf("from nothing", { missingEntities: ["Anna"] });
  expect(await s.make(open)).toMatchObject({ kind: "continues" });
  await s.setSummary("by hand");
  const task = await s.take();
  expect(task.summarize).toMatchObject({ loop: 1, draft: undefined });
  await s.fail(task, { permanent: true });
  expect((await s.session()).fields.summary?.text).toBe("by hand");
});
