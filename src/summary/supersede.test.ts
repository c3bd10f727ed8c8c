import { afterEach, describe, expect, test } from "vitest";
import {
  type EffectScene,
  lines,
  openPolicy,
  SESSION,
  sceneOf,
  summarizing,
} from "../../test/support/services/effect-scene.ts";
import { draftOf, toBytes } from "../../test/support/services/json-codec.ts";
import { dropOldest } from "../../test/support/window/policies.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";
import { DEFAULT_STAGE } from "../window/policy/policy.ts";
import type { SummarySpec } from "../window/policy/summary-spec.ts";

const scenes: EffectScene[] = [];

afterEach(async () => {
  for (const made of scenes.splice(0)) await made.stop();
});

async function scene(spec: Partial<SummarySpec> = {}): Promise<EffectScene> {
  const made = await sceneOf(openPolicy([summarizing(spec)]));
  scenes.push(made);
  await made.append(lines(5));
  return made;
}

const reasonOf = async (promise: Promise<unknown>): Promise<unknown> =>
  await promise.then(
    (result) => (result as { kind: string }).kind,
    (error: unknown) => (error as { reason?: string }).reason,
  );

const deleteMessage = async (s: EffectScene, messageId: string): Promise<unknown> =>
  await s.services.sessions.deleteMessage(s.services.call("DeleteMessage"), {
    ...{ ...SESSION, messageId, etag: "", allowMissing: false, encode: toBytes },
  });

const popMessages = async (s: EffectScene, count: number): Promise<unknown> =>
  await s.services.sessions.popMessages(s.services.call("PopMessages"), {
    ...{ ...SESSION, count, encode: toBytes },
  });

const editMessage = async (s: EffectScene, messageId: string, text: string): Promise<unknown> =>
  await s.services.sessions.updateMessage(s.services.call("UpdateMessage"), {
    ...{ ...SESSION, messageId, etag: "", encode: toBytes },
    draft: draftOf({ text }),
    paths: ["text"],
  });

describe("a result of messages that wait in the window", () => {
  test("is stale when one of them was deleted; the stage makes another", async () => {
    const s = await scene();
    const task = await s.take();
    await deleteMessage(s, "m2");
    expect(await reasonOf(s.complete(task, "x"))).toBe("TASK_NOT_FOUND");
    expect(await s.texts()).toEqual(["m1", "m3", "m4", "m5"]);
    const [next, ...others] = await s.tasks();
    expect(others).toEqual([]);
    expect(next?.summarize.sources.messageCount).toBe(2);
    expect(await s.make("x")).toMatchObject({ kind: "done" });
    expect(await s.texts()).toEqual(["x", "m4", "m5"]);
  });

  test("is stale when several of them were popped", async () => {
    const s = await scene();
    const task = await s.take();
    await popMessages(s, 4);
    expect(await reasonOf(s.complete(task, "x"))).toBe("TASK_NOT_FOUND");
    expect(await s.texts()).toEqual(["m1"]);
    expect(await s.tasks()).toEqual([]);
  });

  test("is stale when an append gave several of them new content", async () => {
    const s = await scene();
    const task = await s.take();
    const messages = ["m1", "m3"].map((messageId) => ({ messageId, text: `${messageId} anew` }));
    await s.services.append(SESSION.sessionId, messages, { onExisting: "update" });
    expect(await reasonOf(s.complete(task, "x"))).toBe("TASK_NOT_FOUND");
    expect(await s.tasks()).toHaveLength(1);
    expect(await s.make("y")).toMatchObject({ kind: "done" });
    expect(await s.texts()).toEqual(["y", "m4", "m5"]);
  });

  test("is stale when one of them was edited; nothing of the old text is stored", async () => {
    const s = await scene();
    const task = await s.take();
    await editMessage(s, "m2", "not that");
    expect(await reasonOf(s.complete(task, "x"))).toBe("TASK_NOT_FOUND");
    expect(await s.summaries()).toEqual([]);
    expect(await s.tasks()).toHaveLength(1);
    expect(await s.make("y")).toMatchObject({ kind: "done" });
  });

  test("is stale when another stage removed one of them", async () => {
    const request = { ...DEFAULT_STAGE, name: "cut", on: "request", unit: "message" } as const;
    const policy = openPolicy([
      summarizing(),
      { ...request, select: dropOldest({ maxMessages: 4 }) },
    ]);
    const s = await sceneOf(policy);
    scenes.push(s);
    await s.append(lines(5));
    const task = await s.take();
    await s.services.sessions.trimSession(s.services.call("TrimSession"), {
      ...{ ...SESSION, target: { kind: "policy" }, unit: "message", discard: false, etag: "" },
      encode: toBytes,
    });
    expect(await s.texts()).toEqual(["m2", "m3", "m4", "m5"]);
    const head = (await s.session()).head;
    s.services.advance(5_000);
    const result = await s.complete(task, "short");
    expect(result).toEqual({ kind: "superseded", reason: "messages-changed" });
    expect(await s.eventTypes()).toEqual([
      EVENT_TYPE.summarySuperseded,
      EVENT_TYPE.summaryRequested,
    ]);
    const [next] = await s.tasks();
    expect(next?.taskNo).not.toBe(task.taskNo);
    expect(next?.summarize.ranges).toEqual([{ first: 2, last: 3 }]);
    // Nobody used the session.
    expect((await s.session()).head.updateMs).toBe(head.updateMs);
    expect(await s.summaries()).toEqual([]);
  });

  test("is stale when a summary by hand took the place of one of them", async () => {
    const s = await scene();
    const task = await s.take();
    await s.setSummary("by hand", ["m1"], true);
    expect(await s.complete(task, "short")).toMatchObject({ kind: "superseded" });
    expect(await s.texts()).toEqual(["by hand", "m2", "m3", "m4", "m5"]);
    const [next] = await s.tasks();
    expect(next?.summarize).toMatchObject({ ranges: [{ first: 2, last: 3 }] });
    expect(next?.summarize.made).toMatchObject([{ version: 1 }]);
  });

  test("is not wanted when the policy has no such stage any more", async () => {
    const s = await scene();
    const task = await s.take();
    await s.setPolicy(openPolicy([]));
    expect(await reasonOf(s.complete(task, "short"))).toBe("TASK_NOT_FOUND");
    expect(await s.texts()).toEqual(["m1", "m2", "m3", "m4", "m5"]);
  });

  test("is not wanted when the session was reset or deleted", async () => {
    const reset = await scene();
    const task = await reset.take();
    await reset.services.sessions.resetSession(reset.services.call("ResetSession"), {
      ...{ ...SESSION, keepSystemMessages: false, keepFirstSystemMessage: false },
      ...{ keepSummary: false, etag: "", encode: () => toBytes({}) },
    });
    expect(await reasonOf(reset.complete(task, "short"))).toBe("TASK_NOT_FOUND");
    const deleted = await scene();
    const other = await deleted.take();
    await deleted.services.sessions.deleteSession(deleted.services.call("DeleteSession"), {
      ...{ ...SESSION, etag: "", allowMissing: false, encode: toBytes },
    });
    expect(await reasonOf(deleted.complete(other, "short"))).toBe("TASK_NOT_FOUND");
    expect(await reasonOf(deleted.fail(other))).toBe("TASK_NOT_FOUND");
  });

  test("is as good as ever when only messages came", async () => {
    const s = await scene();
    const task = await s.take();
    await s.append(lines(100, 6));
    expect(await s.complete(task, "short")).toMatchObject({ kind: "done" });
    expect(await s.texts()).toHaveLength(103);
  });
});

describe("a result that goes on from the summary of the session", () => {
  test("is stale when that was set meanwhile; the messages are asked for anew", async () => {
    const s = await scene({ keep: "replace" });
    const task = await s.take();
    await s.setSummary("by hand");
    const result = await s.complete(task, "short");
    expect(result).toEqual({ kind: "superseded", reason: "summary-changed" });
    expect((await s.session()).fields.summary?.text).toBe("by hand");
    expect((await s.take()).lease.priorVersion).toBe(1);
  });

  test("is stale when that was removed", async () => {
    const s = await scene({ keep: "replace" });
    await s.setSummary("by hand");
    const task = await s.take();
    await s.setSummary("");
    expect(await s.complete(task, "short")).toMatchObject({ reason: "summary-changed" });
  });

  test("of messages that left at once is asked for anew, before what waits", async () => {
    const s = await scene({ keep: "replace", leave: "at-once" });
    const task = await s.take();
    await s.append(lines(1, 6));
    await s.setSummary("by hand");
    expect(await s.complete(task, "short")).toMatchObject({ kind: "superseded" });
    expect(await s.eventTypes()).toEqual([
      EVENT_TYPE.summarySuperseded,
      EVENT_TYPE.summaryRequested,
    ]);
    const again = await s.take();
    expect(again.taskNo).not.toBe(task.taskNo);
    expect(again.summarize.ranges).toEqual(task.summarize.ranges);
    expect(again).toMatchObject({ failedAttempts: 0, callCount: 1 });
    await s.complete(again, "short");
    expect((await s.take()).summarize.ranges).toEqual([{ first: 4, last: 4 }]);
  });
});

describe("a result of messages that left at once", () => {
  test("is joined to whatever the summary is by then", async () => {
    const s = await scene({ keep: "append", leave: "at-once" });
    const task = await s.take();
    await s.setSummary("by hand");
    expect(await s.complete(task, "short")).toMatchObject({ kind: "done" });
    expect((await s.session()).fields.summary?.text).toBe("by hand short");
  });

  test("is stale when one of them was edited or deleted; they are asked for as they are", async () => {
    for (const change of [
      (s: EffectScene) => editMessage(s, "m2", "not that"),
      (s: EffectScene) => deleteMessage(s, "m2"),
    ]) {
      const s = await scene({ keep: "append", leave: "at-once" });
      const task = await s.take();
      await change(s);
      expect(await s.complete(task, "secret")).toMatchObject({ kind: "superseded" });
      expect((await s.session()).fields.summary).toBeUndefined();
      expect(await s.make("fine")).toMatchObject({ kind: "done" });
      expect((await s.session()).fields.summary?.text).toBe("fine");
    }
  });
});

test("messages that leave later do not join a task that is made anew before those that wait", async () => {
  const made = await sceneOf(
    openPolicy([summarizing({ leave: "at-once", keep: "append", onFailure: "drop" })]),
    { inputTokensMax: 45 },
  );
  scenes.push(made);
  await made.append(lines(5));
  const first = await made.take();
  await made.append(lines(2, 6));
  await editMessage(made, "m2", "m2, edited");
  expect(await made.complete(first, "x")).toMatchObject({ kind: "superseded" });
  await made.append(lines(1, 8));
  for (const text of ["m1 to m3", "m4 to m6"]) await made.make(text);
  expect((await made.summaries()).map(({ added }) => added)).toEqual([
    [{ first: 1, last: 3 }],
    [{ first: 4, last: 6 }],
  ]);
});
