// Goal: every change of a session that makes a stage ask for a summary writes its task, and every
// change that makes a task needless takes it away.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hooksOf, pollHook } from "../../test/support/hooks/hooks.ts";
import { draftOf, fromBytes, toBytes } from "../../test/support/services/json-codec.ts";
import {
  startTestServices,
  storeWith,
  type TestServices,
} from "../../test/support/services/services.ts";
import { revisionOf } from "../../test/support/store/revisions.ts";
import { dropOldest, policyOf, stageOf } from "../../test/support/window/policies.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";
import { storeFull } from "../kit/errors.ts";
import type { SessionInput } from "../session/api.ts";
import type { SessionPath } from "../session/rules/session.ts";
import type { Store } from "../store/store.ts";
import { type Task, taskIdOf } from "../tasks/rules/task.ts";
import type { Policy, PolicyStage } from "../window/policy/policy.ts";
import { DEFAULT_SUMMARY_SPEC, type SummarySpec } from "../window/policy/summary-spec.ts";

const REF = { namespace: "default", sessionId: "s" };
const AT_ONCE = { keep: "append", leave: "at-once" } as const;

let services: TestServices;
let isFull = false;

beforeEach(async () => {
  isFull = false;
  const wrapStore = (store: Store): Store => {
    const changeSession: Store["changeSession"] = async (change, decide) => {
      if (isFull) throw storeFull(1, 2);
      return await store.changeSession(change, decide);
    };
    return storeWith(store, { changeSession });
  };
  services = await startTestServices({}, { wrapStore, hooks: hooksOf([pollHook("writer")]) });
});

afterEach(() => services.stop());

function sumStage(spec: Partial<SummarySpec> = {}, fields: Partial<PolicyStage> = {}): PolicyStage {
  const summarize = { ...DEFAULT_SUMMARY_SPEC, hook: "writer", ...spec };
  const select = dropOldest({ maxMessages: 2 });
  return stageOf({ name: "sum", removedTo: "summarize", summarize, select, ...fields });
}

const policy = (...stages: PolicyStage[]): Policy =>
  policyOf(stages, {
    protections: { system: "none", pinFirst: 0, pinIds: [], minMessages: 1, lastUser: false },
  });

async function create(input: SessionInput): Promise<void> {
  const call = services.call("CreateSession");
  await services.sessions.createSession(call, { ...REF, input, encode: toBytes });
}

async function update(input: SessionInput, ...paths: SessionPath[]): Promise<void> {
  const call = services.call("UpdateSession");
  await services.sessions.updateSession(call, { ...REF, input, paths, etag: "", encode: toBytes });
}

async function setSummary(text: string): Promise<void> {
  await services.sessions.setSummary(services.call("SetSummary"), {
    ...{ ...REF, text, replacedMessageIds: [], encode: toBytes },
    placement: "session",
  });
}

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => ({
    messageId: `m${from + i}`,
    text: `message ${from + i} of a long talk`,
    tokenCount: 10,
  }));

async function tasks(): Promise<readonly Task[]> {
  return (await services.store.listTasks({ ...REF, limit: 100 })).tasks;
}

async function rangesOfTasks(): Promise<unknown[]> {
  return (await tasks()).map(({ summarize }) =>
    summarize.ranges.map(({ first, last }) => [first, last]),
  );
}

async function eventsOf(...types: number[]): Promise<number[]> {
  const events = await services.allEvents();
  return events.map(({ detail }) => detail.type).filter((type) => types.includes(type));
}

const { messagesTrimmed, summaryRequested, summarySuperseded, messageDeleted } = EVENT_TYPE;
const { messageUpdated, sessionUpdated, sessionReset } = EVENT_TYPE;

describe("an append", () => {
  test("names the task in the run of its stage, and makes no second one", async () => {
    await create({ policy: policy(sumStage()) });
    const first = await services.append("s", lines(1, 4));
    const [task] = await tasks();
    expect(await rangesOfTasks()).toEqual([[[1, 2]]]);
    expect(first.runs).toMatchObject([{ stage: "sum", taskId: taskIdOf(task?.taskNo ?? 0) }]);
    const second = await services.append("s", lines(5, 5));
    expect(await tasks()).toHaveLength(1);
    expect(second.runs[0]?.taskId).toBe(first.runs[0]?.taskId);
  });

  test("tells of messages that leave at once before what is asked for", async () => {
    await create({ policy: policy(sumStage(AT_ONCE)) });
    const answer = await services.append("s", lines(1, 4));
    expect(answer.window.messageCount).toBe(2);
    expect(await rangesOfTasks()).toEqual([[[1, 2]]]);
    const told = await eventsOf(messagesTrimmed, summaryRequested);
    expect(told).toEqual([messagesTrimmed, summaryRequested]);
  });

  test("and a trim on request write tasks alike", async () => {
    await create({ policy: policy(sumStage({}, { on: "request" })) });
    await services.append("s", lines(1, 4));
    expect(await tasks()).toEqual([]);
    await services.sessions.trimSession(services.call("TrimSession"), {
      ...{ ...REF, target: { kind: "policy" }, unit: "message", discard: false, etag: "" },
      encode: toBytes,
    });
    expect(await rangesOfTasks()).toEqual([[[1, 2]]]);
  });
});

describe("a read whose stage stores", () => {
  const read = () => services.sessions.getWindow(services.call("GetWindow"), REF);
  const onRead = () => create({ policy: policy(sumStage({}, { on: "read" })) });

  test("writes a task once, and changes nothing while it is under way", async () => {
    await onRead();
    await services.append("s", lines(1, 4));
    const first = await read();
    const [task] = await tasks();
    expect(first.runs).toMatchObject([{ taskId: taskIdOf(task?.taskNo ?? 0) }]);
    expect(first.runs[0]?.awaitsSummary).toHaveLength(2);
    const before = await revisionOf(services.store);
    const again = await read();
    expect(again.runs).toEqual(first.runs);
    expect([await tasks(), await revisionOf(services.store)]).toEqual([[task], before]);
  });

  test("does not begin the time of the session anew by asking", async () => {
    await create({ policy: policy(sumStage({}, { on: "read" })), ttlMs: 10_000 });
    await services.append("s", lines(1, 4));
    const { head } = await services.sessions.getSession(services.call("GetSession"), REF);
    services.advance(5_000);
    await read();
    expect(await tasks()).toHaveLength(1);
    const after = await services.sessions.getSession(services.call("GetSession"), REF);
    expect(after.head.updateMs).toBe(head.updateMs);
    expect(after.head.revision).toBeGreaterThan(head.revision);
  });

  test("is only shaped by it while the disk is full", async () => {
    await onRead();
    await services.append("s", lines(1, 4));
    isFull = true;
    expect((await read()).runs).toMatchObject([{ stage: "sum", taskId: "" }]);
    isFull = false;
    expect(await tasks()).toEqual([]);
    expect((await read()).runs[0]?.taskId).not.toBe("");
  });

  test("changes nothing where summaries are made by hand", async () => {
    await create({ policy: policy(sumStage({ hook: "manual" }, { on: "read" })) });
    await services.append("s", lines(1, 4));
    const before = await revisionOf(services.store);
    expect((await read()).runs[0]?.awaitsSummary).toHaveLength(2);
    expect(await revisionOf(services.store)).toBe(before);
  });
});

describe("a message that a task was made from", () => {
  const edit = (messageId: string) =>
    services.sessions.updateMessage(services.call("UpdateMessage"), {
      ...{ ...REF, messageId, paths: ["text"], etag: "", encode: toBytes },
      draft: draftOf({ text: "something else" }),
    });
  const remove = (messageId: string) =>
    services.sessions.deleteMessage(services.call("DeleteMessage"), {
      ...{ ...REF, messageId, etag: "", allowMissing: false, encode: toBytes },
    });

  test("supersedes it when it changes while it waits, and the stage asks anew", async () => {
    await create({ policy: policy(sumStage()) });
    await services.append("s", lines(1, 4));
    const [old] = await tasks();
    await edit("m2");
    const [made, ...others] = await tasks();
    expect(others).toEqual([]);
    expect(made?.taskNo).not.toBe(old?.taskNo);
    expect(await rangesOfTasks()).toEqual([[[1, 2]]]);
    const told = await eventsOf(messageUpdated, summarySuperseded, summaryRequested);
    expect(told).toEqual([summaryRequested, messageUpdated, summarySuperseded, summaryRequested]);
  });

  test("supersedes it when it is deleted while it waits", async () => {
    await create({ policy: policy(sumStage()) });
    await services.append("s", lines(1, 5));
    await remove("m1");
    expect(await rangesOfTasks()).toEqual([[[2, 3]]]);
    const told = await eventsOf(messageDeleted, summarySuperseded, summaryRequested);
    expect(told).toEqual([summaryRequested, messageDeleted, summarySuperseded, summaryRequested]);
  });

  test("leaves one whose messages left at once, and makes its result stale", async () => {
    await create({ policy: policy(sumStage(AT_ONCE)) });
    await services.append("s", lines(1, 5));
    const [old] = await tasks();
    await remove("m2");
    const [task] = await tasks();
    expect(task).toMatchObject({ taskNo: old?.taskNo, generation: (old?.generation ?? 0) + 1 });
    expect(await rangesOfTasks()).toEqual([
      [
        [1, 1],
        [3, 3],
      ],
    ]);
    expect(task?.summarize.sources).toEqual({ messageCount: 2, tokenCount: 20 });
    await remove("m1");
    await remove("m3");
    expect(await tasks()).toEqual([]);
    expect(await eventsOf(summarySuperseded)).toHaveLength(1);
  });

  test("stays in it when it is restored", async () => {
    await create({ policy: policy(sumStage(AT_ONCE)) });
    await services.append("s", lines(1, 4));
    const before = await tasks();
    await services.sessions.restoreMessages(services.call("RestoreMessages"), {
      ...{ ...REF, messageIds: ["m1"], ranges: [], encode: toBytes },
    });
    expect(await tasks()).toEqual(before);
  });
});

describe("an update of the session", () => {
  test("takes tasks away that its new policy does not ask for", async () => {
    await create({ policy: policy(sumStage()) });
    await services.append("s", lines(1, 4));
    await update({ policy: policy() }, "policy");
    expect(await tasks()).toEqual([]);
    const told = await eventsOf(sessionUpdated, summarySuperseded);
    expect(told).toEqual([sessionUpdated, summarySuperseded]);
  });

  test("asks anew when the new policy asks for something else", async () => {
    await create({ policy: policy(sumStage()) });
    await services.append("s", lines(1, 4));
    await update({ policy: policy(sumStage({ maxTokens: 64 })) }, "policy");
    const [task, ...others] = await tasks();
    expect(others).toEqual([]);
    expect(task?.summarize.spec.maxTokens).toBe(64);
    const told = await eventsOf(sessionUpdated, summarySuperseded, summaryRequested);
    expect(told).toEqual([summaryRequested, sessionUpdated, summarySuperseded, summaryRequested]);
  });

  test("leaves tasks alone when the stage still asks for the same, or is not touched", async () => {
    await create({ policy: policy(sumStage()) });
    await services.append("s", lines(1, 4));
    const before = await tasks();
    await update({ policy: policy(sumStage(), stageOf({ name: "other" })) }, "policy");
    await update({ userId: "u" }, "user_id");
    expect(await tasks()).toEqual(before);
  });

  test("does not touch the summary: SetSummary makes a version and its record", async () => {
    await create({ summaryText: "first" });
    await setSummary("second");
    const { summary, summaryVersion } = await services.sessions
      .getSession(services.call("GetSession"), REF)
      .then(({ fields }) => fields);
    expect(summary).toMatchObject({ text: "second", version: 2, hook: "" });
    expect(summaryVersion).toBe(2);
    const page = await services.store.listSummaries(REF, {
      ...{ order: "asc", limit: 10, maxBytes: 1e6 },
    });
    expect(page?.summaries.map(({ version, text }) => [version, text])).toEqual([
      [1, "first"],
      [2, "second"],
    ]);
    await setSummary("");
    expect(await services.store.readSummary(REF, 2)).toMatchObject({ text: "second" });
  });
});

describe("a reset", () => {
  const reset = (keepSummary: boolean) =>
    services.sessions.resetSession(services.call("ResetSession"), {
      ...{ ...REF, keepSystemMessages: false, keepFirstSystemMessage: false, keepSummary },
      ...{ etag: "", encode: toBytes },
    });

  test("supersedes tasks and erases the history", async () => {
    await create({ policy: policy(sumStage()), summaryText: "first" });
    await services.append("s", lines(1, 4));
    await reset(false);
    expect(await tasks()).toEqual([]);
    expect(await eventsOf(sessionReset, summarySuperseded)).toEqual([
      sessionReset,
      summarySuperseded,
    ]);
    expect(await services.store.readSummary(REF, 1)).toBeUndefined();
  });

  test("keeps the summary with its record, and no other", async () => {
    await create({ summaryText: "first" });
    await setSummary("second");
    await reset(true);
    expect(await services.store.readSummary(REF, 1)).toBeUndefined();
    expect(await services.store.readSummary(REF, 2)).toMatchObject({ text: "second" });
  });
});

describe("hooks that the server does not have", () => {
  const unknown = { reason: "HOOK_NOT_CONFIGURED", detail: { metadata: { hook: "nobody" } } };
  const bad = policy(sumStage({ hook: "nobody" }));

  test("are refused wherever a policy comes", async () => {
    await expect(create({ policy: bad })).rejects.toMatchObject(unknown);
    await create({});
    await expect(update({ policy: bad }, "policy")).rejects.toMatchObject(unknown);
    const window = services.sessions.getWindow(services.call("GetWindow"), { ...REF, policy: bad });
    await expect(window).rejects.toMatchObject(unknown);
    const preview = services.sessions.previewPolicy(services.call("PreviewPolicy"), {
      ...{ ...REF, policies: [bad], occasions: [], source: "window", toolOutcomes: [] },
    });
    await expect(preview).rejects.toMatchObject(unknown);
  });

  test("are not needed for what a caller summarizes", async () => {
    await create({ policy: policy(sumStage({ hook: "manual" })) });
    const answer = await services.append("s", lines(1, 4));
    expect(answer.runs).toMatchObject([{ taskId: "" }]);
    expect(await tasks()).toEqual([]);
  });
});

test("what an update answers names the new task as well", async () => {
  await create({});
  await services.append("s", lines(1, 4));
  const bytes = await services.sessions.updateSession(services.call("UpdateSession"), {
    ...{ ...REF, input: { policy: policy(sumStage()) }, paths: ["policy"], etag: "" },
    encode: ({ runs }) => toBytes(runs),
  });
  const [task] = await tasks();
  expect(fromBytes(bytes)).toMatchObject([{ stage: "sum", taskId: taskIdOf(task?.taskNo ?? 0) }]);
});
