// Goal: a caller gets messages of the window summarized now, once, and hears what came of it.

import { afterEach, describe, expect, test } from "vitest";
import { outputOf, pollHook, scriptedHook } from "../../test/support/hooks/hooks.ts";
import { fromBytes, toBytes } from "../../test/support/services/json-codec.ts";
import {
  eventually,
  type RunnerScene,
  someTurns,
  startRunnerScene,
  summaryPolicy,
  summaryStage,
} from "../../test/support/services/runner-scene.ts";
import { policyOf } from "../../test/support/window/policies.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";
import { HookFailure } from "../hooks/port.ts";
import { LIMITS } from "../kit/limits.ts";
import type { CompactSessionInput, CompactSessionResult } from "../tasks/api.ts";
import { taskIdOf } from "../tasks/rules/task.ts";
import { DEFAULT_SUMMARY_SPEC, type SummarySpec } from "../window/policy/summary-spec.ts";

const SECOND = 1_000;
const OPEN = policyOf([], {
  protections: { system: "none", pinFirst: 0, pinIds: [], minMessages: 1, lastUser: false },
});

let scene: RunnerScene;
afterEach(() => scene.stop());

const specOf = (hook: string, fields: Partial<SummarySpec> = {}): SummarySpec => ({
  ...DEFAULT_SUMMARY_SPEC,
  hook,
  maxTokens: 16,
  ...fields,
});

async function compact(
  input: Partial<CompactSessionInput> & Pick<CompactSessionInput, "choice">,
  requestId = "",
): Promise<CompactSessionResult> {
  const bytes = await scene.summaries.compactSession(scene.call("CompactSession", requestId), {
    ...{ namespace: "default", sessionId: "s", spec: undefined, waitMs: 0 },
    encode: toBytes,
    ...input,
  });
  return fromBytes<CompactSessionResult>(bytes);
}

const keep = (keepRecent: number) => ({ kind: "keep-recent", keepRecent }) as const;

describe("keep_recent", () => {
  test("summarizes all but the newest and waits for it", async () => {
    const hook = scriptedHook("h", ["all of it"]);
    scene = await startRunnerScene([hook]);
    await scene.open("s", OPEN);
    await scene.say("s", 6);
    const result = await compact({ choice: keep(2), spec: specOf("h"), waitMs: 60 * SECOND });
    expect(result).toMatchObject({ outcome: "done", summary: { current: true } });
    expect(result.summary?.record).toMatchObject({ text: "all of it", stage: "", hook: "h" });
    expect(result.summary?.record.ranges).toEqual([{ first: 1, last: 4 }]);
    const texts = await scene.windowTexts("s");
    expect(texts).toEqual([
      "all of it",
      expect.stringMatching(/^m5/),
      expect.stringMatching(/^m6/),
    ]);
    const requested = (await scene.allEvents()).filter(
      ({ detail }) => detail.type === EVENT_TYPE.summaryRequested,
    );
    expect(requested.map(({ revision }) => revision)).toEqual([result.revision]);
  });

  test("answers at once without wait, and leaves what a task has already", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    await scene.open("s", OPEN);
    await scene.say("s", 6);
    const spec = specOf("workers");
    const first = await compact({ choice: keep(3), spec });
    expect(first).toMatchObject({ outcome: "pending", task: { maxAttempts: 5 } });
    expect(first.task?.task.summarize.ranges).toEqual([{ first: 1, last: 3 }]);
    expect(await compact({ choice: keep(3), spec })).toMatchObject({ outcome: "nothing" });
    const more = await compact({ choice: keep(0), spec });
    expect(more.task?.task).toMatchObject({ state: "waiting" });
    expect(more.task?.task.summarize.ranges).toEqual([{ first: 4, last: 6 }]);
  });

  test("has nothing to do in a window that is short already", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    await scene.open("s", OPEN);
    await scene.say("s", 2);
    const result = await compact({ choice: keep(2), spec: specOf("workers"), waitMs: SECOND });
    expect(result.outcome).toBe("nothing");
    expect(result.task).toBeUndefined();
    expect(await scene.tasks()).toEqual([]);
  });

  test("takes messages out of the window at once when asked to", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    await scene.open("s", OPEN);
    await scene.say("s", 5);
    const spec = specOf("workers", { keep: "append", leave: "at-once", onFailure: "drop" });
    await compact({ choice: keep(2), spec });
    expect(await scene.windowTexts("s")).toHaveLength(2);
    const types = (await scene.allEvents()).map(({ detail }) => detail.type);
    expect(types.slice(-2)).toEqual([EVENT_TYPE.messagesTrimmed, EVENT_TYPE.summaryRequested]);
    const [task] = await scene.poll("workers");
    if (task === undefined) throw new Error("no task");
    expect(task.input.messages).toHaveLength(3);
    await scene.complete(task, "the first three");
    const [record] = await scene.history("s");
    expect(record).toMatchObject({ placement: "session", ranges: [{ first: 1, last: 3 }] });
  });
});

describe("a stage", () => {
  test("is run whether or not its triggers hold", async () => {
    const trigger = { kind: "message-count-over", limit: 100 } as const;
    scene = await startRunnerScene([pollHook("workers")]);
    await scene.open("s", summaryPolicy("workers", {}, { anyOf: [trigger] }));
    await scene.say("s", 6);
    expect(await scene.tasks()).toEqual([]);
    const result = await compact({ choice: { kind: "stage", stage: "sum" } });
    expect(result.outcome).toBe("pending");
    expect(result.task?.task).toMatchObject({ stage: "sum", hook: "workers" });
    expect(result.task?.task.summarize.ranges).toEqual([{ first: 1, last: 4 }]);
  });

  test("with a task under way gives that one, and waits for it", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    await scene.open("s", summaryPolicy("workers"));
    await scene.say("s", 5);
    const [made] = await scene.tasks();
    const waiting = compact({ choice: { kind: "stage", stage: "sum" }, waitMs: 60 * SECOND });
    await someTurns();
    const [task] = await scene.poll("workers");
    if (task === undefined || made === undefined) throw new Error("no task");
    expect(task.task.taskNo).toBe(made.taskNo);
    await scene.complete(task, "a short text");
    const result = await waiting;
    expect(result).toMatchObject({ outcome: "done" });
    expect(result.task?.task.taskNo).toBe(made.taskNo);
    expect(result.revision).toBe(Math.floor(made.taskNo / 256));
  });

  test("that the policy does not have is a fault of the request", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    await scene.open("s", summaryPolicy("workers"));
    const call = compact({ choice: { kind: "stage", stage: "other" } });
    await expect(call).rejects.toMatchObject({ reason: "REQUEST_INVALID" });
  });

  test("that removes to the log is summarized as asked", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    const stage = summaryStage("workers", {}, { removedTo: "log", on: "request" });
    await scene.open("s", policyOf([{ ...stage, summarize: undefined }], OPEN));
    await scene.say("s", 5);
    const asked = { choice: { kind: "stage", stage: "sum" } as const, spec: specOf("workers") };
    const result = await compact(asked);
    expect(result.task?.task.summarize.ranges).toEqual([{ first: 1, last: 3 }]);
  });
});

test("leaves what was given up of messages that left, to be tried again", async () => {
  scene = await startRunnerScene([scriptedHook("h", [new HookFailure("refused", "No.")])]);
  const atOnce = { keep: "append", leave: "at-once", onFailure: "drop" } as const;
  await scene.open("s", summaryPolicy("h", atOnce, { on: "request" }));
  const asked = { choice: { kind: "stage", stage: "sum" } as const, waitMs: 60 * SECOND };
  for (let times = 1; times <= 2; times++) {
    await scene.say("s", 5);
    expect((await compact(asked)).outcome).toBe("failed");
    expect(await scene.tasks()).toHaveLength(times);
  }
});

test("makes no more tasks than a session may have", async () => {
  scene = await startRunnerScene([pollHook("workers")]);
  await scene.open("s", OPEN);
  const asked = { choice: keep(0), spec: specOf("workers", { keep: "append" }) };
  for (let made = 0; made < LIMITS.stageTasks; made++) {
    await scene.say("s", 1);
    await compact(asked);
  }
  expect(await compact(asked)).toMatchObject({ outcome: "nothing" });
  await scene.say("s", 1);
  await expect(compact(asked)).rejects.toMatchObject({ reason: "OVERLOADED" });
  expect(await scene.tasks()).toHaveLength(LIMITS.stageTasks);
});

describe("placed summaries", () => {
  test.each([
    ["in-place", 1],
    ["hierarchical", 32],
  ] as const)("are taken up, so that there is always a place: %s", async (kept, most) => {
    const hook = scriptedHook("h", ["short"]);
    scene = await startRunnerScene([hook]);
    await scene.open("s", OPEN);
    const spec = specOf("h", { keep: kept });
    for (let round = 1; round <= 70; round++) {
      await scene.say("s", 2);
      const asked = { choice: keep(0), spec, waitMs: 60 * SECOND };
      expect(await compact(asked)).toMatchObject({ outcome: "done" });
    }
    const current = (await scene.store.readSession({ namespace: "default", sessionId: "s" }))
      ?.fields.inserts;
    expect(current?.length).toBeLessThanOrEqual(most);
    const seqs = current?.flatMap(({ ranges }) => ranges).map(({ first, last }) => [first, last]);
    expect(seqs?.[0]?.[0]).toBe(1);
    expect(seqs?.at(-1)?.[1]).toBe(140);
    expect(await scene.tasks()).toEqual([]);
  });

  test("keep the request that is shown with them", async () => {
    const output = outputOf("t".repeat(60), { requestText: "Wants it" });
    scene = await startRunnerScene([scriptedHook("h", [output])]);
    await scene.open("s", OPEN);
    await scene.say("s", 8);
    const spec = specOf("h", { shape: "exchange" });
    await compact({ choice: keep(2), spec, waitMs: 60 * SECOND });
    expect(await scene.windowTexts("s")).toHaveLength(4);
    // The oldest but three is the request alone.
    const beside = specOf("h", { keep: "append" });
    expect(await compact({ choice: keep(3), spec: beside })).toMatchObject({ outcome: "nothing" });
  });
});

describe("waiting", () => {
  test("hears that a task was given up, with the placeholder", async () => {
    const hook = scriptedHook("h", [new HookFailure("refused", "No.")]);
    scene = await startRunnerScene([hook]);
    await scene.open("s", OPEN);
    await scene.say("s", 6);
    const spec = specOf("h", { onFailure: "placeholder", placeholder: "({count} messages)" });
    const result = await compact({ choice: keep(2), spec, waitMs: 60 * SECOND });
    expect(result).toMatchObject({ outcome: "failed", task: { task: { state: "dead" } } });
    expect(result.summary?.record).toMatchObject({ text: "(4 messages)", placeholder: true });
  });

  test("hears that a task was deleted", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    await scene.open("s", OPEN);
    await scene.say("s", 6);
    const waiting = compact({ choice: keep(2), spec: specOf("workers"), waitMs: 60 * SECOND });
    await eventually("a task is there", async () => (await scene.tasks()).length === 1);
    const [task] = await scene.tasks();
    await scene.hooks.deleteTask(scene.call("DeleteTask"), {
      ...{ namespace: "default", taskId: taskIdOf(task?.taskNo ?? 0), allowMissing: false },
      encode: () => toBytes({}),
    });
    expect(await waiting).toMatchObject({ outcome: "superseded" });
  });

  test("ends with its time, and with the server", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    await scene.open("s", summaryPolicy("workers"));
    await scene.say("s", 6);
    const choice = { kind: "stage", stage: "sum" } as const;
    const short = compact({ choice, waitMs: 2 * SECOND });
    const long = compact({ choice, waitMs: 600 * SECOND });
    await scene.pass(3 * SECOND);
    expect(await short).toMatchObject({ outcome: "pending" });
    scene.endWatches();
    expect(await long).toMatchObject({ outcome: "pending" });
  });

  test("is not for a repeat, which gets the answer that was remembered", async () => {
    const hook = scriptedHook("h", ["all of it"]);
    scene = await startRunnerScene([hook]);
    await scene.open("s", OPEN);
    await scene.say("s", 6);
    const asked = { choice: keep(2), spec: specOf("h"), waitMs: 60 * SECOND };
    const first = await compact(asked, "r1");
    const again = await compact(asked, "r1");
    expect(first.outcome).toBe("done");
    expect(again).toMatchObject({ outcome: "pending", revision: first.revision });
    expect(again.task?.task.taskNo).toBe(first.task?.task.taskNo);
    expect(hook.calls).toHaveLength(1);
  });
});

describe("faults", () => {
  test("are told", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    await expect(compact({ choice: keep(2) })).rejects.toMatchObject({
      reason: "SESSION_NOT_FOUND",
    });
    await scene.open("s", OPEN);
    await scene.say("s", 6);
    // The default of this server is to summarize by hand.
    await expect(compact({ choice: keep(2) })).rejects.toMatchObject({
      reason: "REQUEST_INVALID",
      detail: { metadata: { field: "summarize.hook" } },
    });
    await expect(compact({ choice: keep(2), spec: specOf("gone") })).rejects.toMatchObject({
      reason: "HOOK_NOT_CONFIGURED",
    });
  });
});
