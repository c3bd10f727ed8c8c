// Goal: what a scoring hook is asked is done once, or by the rules; a late answer changes nothing.

import { afterEach, describe, expect, test } from "vitest";
import { hooksOf, TEST_HOOK_SETTINGS } from "../../../test/support/hooks/hooks.ts";
import {
  attemptsOf,
  hasNoJobs,
  JOB_SESSION as ref,
  retryTask,
  taskIdOfJob,
  unreachable,
} from "../../../test/support/memory/jobs.ts";
import {
  consolidate,
  jobsOf,
  memoryPolicy,
  openSession,
  promotedTexts,
  promotion,
  scoringHook,
} from "../../../test/support/memory/turns.ts";
import { noteDecisions } from "../../../test/support/services/decisions.ts";
import { toBytes } from "../../../test/support/services/json-codec.ts";
import { eventually, someTurns } from "../../../test/support/services/runner-scene.ts";
import {
  startTestServices,
  storeWith,
  type TestServices,
} from "../../../test/support/services/services.ts";
import { policyOf } from "../../../test/support/window/policies.ts";
import type { Hook } from "../../hooks/port.ts";
import { storeFull } from "../../kit/errors.ts";

const NAME = "My name is Anna.";
const PLAIN = ["one", "two", "three"].map((text) => ({ text }));
const OPEN = policyOf([]);
const SCORED = { memory: memoryPolicy({ promotion: promotion({ scoreHook: "judge" }) }) };

let services: TestServices;
afterEach(() => services.stop());

const nothing = () => toBytes({});
const noJobs = () => hasNoJobs(services);

async function start(...hooks: readonly Hook[]): Promise<void> {
  services = await startTestServices({}, { hooks: hooksOf(hooks) });
}

async function giveUp(taskId: string): Promise<void> {
  await services.hooks.deleteTask(services.call("DeleteTask"), {
    ...{ namespace: "default", taskId, allowMissing: false, encode: nothing },
  });
}

describe("a hook that scores", () => {
  test("scores what left, after the change, and what it finds important is promoted", async () => {
    const hook = scoringHook("judge", (texts) => texts.map((text) => (text === "two" ? 0.9 : 0.1)));
    await start(hook);
    await openSession(services, "s", SCORED);
    await services.append("s", [{ text: NAME }, { text: "two" }, ...PLAIN]);
    await eventually("the job is done", noJobs);
    expect(hook.asked).toEqual([[NAME, "two", "one"]]);
    expect(await promotedTexts(services)).toEqual(["two"]);
    expect(await attemptsOf(services)).toMatchObject([
      { taskType: "score", hook: "judge", ranges: [{ first: 1, last: 3 }], createdCount: 1 },
    ]);
  });

  test("is asked about 64 texts at a time, until all are done", async () => {
    const hook = scoringHook("judge", (texts) => texts.map(() => 1));
    await start(hook);
    await openSession(services, "s", SCORED);
    await services.append(
      "s",
      Array.from({ length: 152 }, (_, index) => ({ text: `t${index}` })),
    );
    await eventually("the job is done", noJobs);
    expect(hook.asked.map((texts) => texts.length)).toEqual([64, 64, 22]);
    expect(await promotedTexts(services)).toHaveLength(150);
  });

  test("is applied in decisions that read the messages of the batch, and no more", async () => {
    await start(scoringHook("judge", (texts) => texts.map(() => 1)));
    const notes = noteDecisions(services.store);
    await openSession(services, "s", SCORED);
    await services.append("s", [{ text: NAME }, ...PLAIN]);
    await eventually("the job is done", noJobs);
    expect(notes.filter((note) => typeof note === "object")).toEqual([[1, 2]]);
  });

  test.each([
    ["is down", () => Promise.reject(unreachable())],
    ["raises", () => Promise.reject(new Error("What?"))],
    ["answers nonsense", () => []],
  ] as const)("that %s leaves it to the rules at once", async (_, answer) => {
    const hook = scoringHook("judge", answer);
    await start(hook);
    await openSession(services, "s", SCORED);
    await services.append("s", [{ text: NAME }, ...PLAIN]);
    await eventually("the rules have scored", noJobs);
    expect(hook.asked).toHaveLength(1);
    expect(await promotedTexts(services)).toEqual([NAME]);
    expect(await attemptsOf(services)).toMatchObject([
      { failure: expect.any(String), createdCount: 1 },
    ]);
  });

  test("that cannot be asked leaves it to the rules at once", async () => {
    const hook = {
      ...scoringHook("judge", (texts) => texts.map(() => 0)),
      settings: { ...TEST_HOOK_SETTINGS, callsPerHour: 1 },
    };
    await start(hook);
    await openSession(services, "s", SCORED);
    await services.append("s", [{ text: "zero" }, ...PLAIN]);
    await eventually("the first job is done", noJobs);
    await services.append("s", [{ text: NAME }, ...PLAIN]);
    await eventually("the second job is done", noJobs);
    expect(hook.asked).toHaveLength(1);
    await services.append("s", PLAIN);
    await eventually("the third job is done", noJobs);
    expect(await promotedTexts(services)).toEqual([NAME]);
    expect((await attemptsOf(services)).map(({ failure }) => failure)).toEqual([
      undefined,
      "busy",
      "busy",
    ]);
  });

  test("is passed over for what is discarded, which it could not be asked about later", async () => {
    const hook = scoringHook("judge", () => Promise.reject(unreachable()));
    await start(hook);
    const memory = memoryPolicy({ promotion: promotion({ scoreHook: "judge" }) });
    await openSession(services, "s", { memory, policy: OPEN });
    await services.append("s", [{ text: NAME }, ...PLAIN]);
    await services.sessions.trimSession(services.call("TrimSession"), {
      ...{ ...ref, unit: "message", discard: true, etag: "", encode: nothing },
      target: { kind: "messages", maxMessages: 1 },
    });
    expect(await promotedTexts(services)).toEqual([NAME]);
    expect(hook.asked).toEqual([]);
  });

  test("is asked by ConsolidateSession at once; the rules score when it fails", async () => {
    let answer: () => Promise<readonly number[]> = () => Promise.reject(unreachable());
    const hook = scoringHook("judge", () => answer());
    await start(hook);
    const memory = memoryPolicy({ promotion: promotion({ scoreHook: "judge" }) });
    await openSession(services, "s", { memory, policy: OPEN });
    await services.append("s", [{ text: NAME }, { text: "two" }]);
    expect((await consolidate(services, "s")).promotedIds).toHaveLength(1);
    expect(await promotedTexts(services)).toEqual([NAME]);
    answer = async () => [0, 1];
    await consolidate(services, "s");
    expect(await promotedTexts(services)).toEqual([NAME, "two"]);
  });
});

describe("a late answer changes nothing", () => {
  async function held() {
    const late = Promise.withResolvers<number>();
    const hook = scoringHook("judge", async (texts) => {
      const score = await late.promise;
      return texts.map(() => score);
    });
    await start(hook);
    await openSession(services, "s", SCORED);
    await services.append("s", [{ messageId: "name", text: NAME }, ...PLAIN]);
    await eventually("the hook is asked", () => hook.asked.length === 1);
    expect(await jobsOf(services, { state: "leased" })).toHaveLength(1);
    return late;
  }

  test("after the job was given up", async () => {
    const late = await held();
    const taskId = await taskIdOfJob(services, "score");
    await giveUp(taskId);
    late.resolve(1);
    await someTurns();
    expect(await promotedTexts(services)).toEqual([]);
    await expect(retryTask(services, taskId)).rejects.toMatchObject({ reason: "TASK_NOT_FOUND" });
  });

  test("after a reset, also when there is a new job", async () => {
    const late = await held();
    await services.sessions.resetSession(services.call("ResetSession"), {
      ...{ ...ref, keepSystemMessages: false, keepFirstSystemMessage: false },
      ...{ keepSummary: false, etag: "", encode: nothing },
    });
    expect(await noJobs()).toBe(true);
    await services.append("s", [{ text: "four" }, ...PLAIN]);
    late.resolve(1);
    await eventually("the new job is done", noJobs);
    expect(await promotedTexts(services)).not.toContain(NAME);
  });

  test("after the session was deleted and made again", async () => {
    const late = await held();
    const call = services.call("DeleteSession");
    const target = { ...ref, etag: "", allowMissing: false, encode: nothing };
    await services.sessions.deleteSession(call, target);
    await openSession(services, "s", SCORED);
    await services.append("s", [{ text: "four" }, ...PLAIN]);
    late.resolve(1);
    await eventually("the new job is done", noJobs);
    expect(await promotedTexts(services)).not.toContain(NAME);
  });

  test("of a message that was changed meanwhile: the hook is asked anew", async () => {
    const late = await held();
    await services.sessions.deleteMessage(services.call("DeleteMessage"), {
      ...{ ...ref, messageId: "name", etag: "", allowMissing: false, encode: nothing },
    });
    late.resolve(1);
    await eventually("the job is done", noJobs);
    expect(await promotedTexts(services)).not.toContain(NAME);
  });
});

test("goes on after a store that took nothing for a while", async () => {
  let isFull = false;
  services = await startTestServices(
    {},
    {
      hooks: hooksOf([scoringHook("judge", (texts) => texts.map(() => 1))]),
      wrapStore: (store) =>
        storeWith(store, {
          changeSession: (change, decide) => {
            if (isFull) return Promise.reject(storeFull(1, 2));
            return store.changeSession(change, decide);
          },
        }),
    },
  );
  await openSession(services, "s", SCORED);
  const appended = services.append("s", [{ text: "zero" }, ...PLAIN]);
  isFull = true;
  await appended;
  await someTurns();
  expect(await noJobs()).toBe(false);
  isFull = false;
  services.advance(60_000);
  await eventually("the job is done", noJobs);
  expect(await promotedTexts(services)).toEqual(["zero", "one"]);
});
