// Goal: what an extracting hook is asked is done once, or by the rules, or waits.

import { afterEach, describe, expect, test } from "vitest";
import { hooksOf, TEST_HOOK_SETTINGS } from "../../../test/support/hooks/hooks.ts";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import {
  attemptsOf,
  hasNoJobs,
  JOB_SESSION as ref,
  retryTask,
  taskIdOfJob,
  unreachable,
} from "../../../test/support/memory/jobs.ts";
import { forget, listAll } from "../../../test/support/memory/service-memories.ts";
import {
  endTurn,
  jobsOf,
  memoriesOf,
  memoryPolicy,
  openSession,
  promotion,
  scoringHook,
} from "../../../test/support/memory/turns.ts";
import { jsonCodec, toBytes } from "../../../test/support/services/json-codec.ts";
import { eventually, someTurns } from "../../../test/support/services/runner-scene.ts";
import { startTestServices, type TestServices } from "../../../test/support/services/services.ts";
import { policyOf } from "../../../test/support/window/policies.ts";
import { EVENT_TYPE } from "../../events/rules/event.ts";
import { type Hook, HookFailure } from "../../hooks/port.ts";
import { openLmdbStore } from "../../store/lmdb/store.ts";
import type { ExtractionPolicy } from "../../window/policy/memory-policy.ts";
import type { Extracted } from "../rules/extracted.ts";
import { TURN_END_MS } from "../rules/job.ts";

const NAME = "My name is Anna.";
const PLAIN = ["one", "two", "three"].map((text) => ({ text }));
const OPEN = policyOf([]);

let services: TestServices;
afterEach(() => services.stop());

const nothing = () => toBytes({});
const noJobs = () => hasNoJobs(services);

async function start(...hooks: readonly Hook[]): Promise<void> {
  services = await startTestServices({}, { hooks: hooksOf(hooks) });
}

function extraction(fields: Partial<ExtractionPolicy> = {}): ExtractionPolicy {
  const targets = ["facts", "entities", "relations"] as const;
  return { hook: "", on: "turn-end", targets, instructions: "", supersede: true, ...fields };
}

function extracted(texts: readonly string[]): Extracted {
  return {
    facts: texts.map((text) => ({
      ...{ text, isPreference: false, key: "", category: "", topics: [], messageIds: [] },
      ...{ importance: undefined, confidence: undefined, validFromMs: undefined },
    })),
    ...{ entities: [], relations: [], model: "m", rejectedCount: 1 },
  };
}

/** A hook that finds what the test says, and tells what it was asked. */
function findingHook(
  name: string,
  find: (lines: readonly string[]) => Promise<Extracted> | Extracted,
): Hook & { readonly asked: (readonly string[])[] } {
  const asked: (readonly string[])[] = [];
  return {
    ...{ name, kind: "openai", settings: TEST_HOOK_SETTINGS, asked },
    extract: async (_, { lines }) => {
      const texts = lines.map(({ text }) => text);
      asked.push(texts);
      return await find(texts);
    },
  };
}

describe("finding facts", () => {
  test("asks a hook that is left alone for one session of many, not for each", async () => {
    let asked = 0;
    const hook: Hook = {
      ...{ name: "finder", kind: "openai", settings: TEST_HOOK_SETTINGS },
      extract: async () => {
        asked += 1;
        throw new HookFailure("busy", "The hook is paused after repeated failures.");
      },
    };
    await start(hook);
    const memory = memoryPolicy({
      episodes: undefined,
      extraction: extraction({ hook: "finder" }),
    });
    for (let at = 0; at < 200; at++) {
      await openSession(services, `s${at}`, { memory, policy: OPEN });
      await endTurn(services, `s${at}`, ["one", ""]);
    }
    await someTurns();
    expect(asked).toBeLessThanOrEqual(4);
    expect(await jobsOf(services)).toHaveLength(200);
  });

  test("is done by the rules at once when the hook fails, and by the hook when it is back", async () => {
    let isDown = true;
    const hook = findingHook("finder", async () => {
      if (isDown) throw unreachable();
      return extracted(["The user is called Anna."]);
    });
    await start(hook);
    const memory = memoryPolicy({ extraction: extraction({ hook: "finder" }) });
    await openSession(services, "s", { memory, policy: OPEN });
    const texts = async () =>
      (await memoriesOf(services, "extraction")).map(({ content }) => content.text);
    await endTurn(services, "s", [NAME, ""]);
    await eventually("the rules have looked", async () => (await texts()).length > 0);
    expect(await texts()).toContain("The user's name is Anna.");
    expect((await memoriesOf(services, "extraction"))[0]).toMatchObject({
      source: { hook: "builtin", messageIds: [expect.any(String)] },
    });
    // The next turn does not wait for the rest of the first one, nor is that looked at again.
    await endTurn(services, "s", ["I live in Rome.", ""]);
    await eventually("the rules have looked again", async () =>
      (await texts()).includes("The user lives in Rome."),
    );
    const [first, second] = await attemptsOf(services);
    expect([first?.failure, second?.failure]).toEqual(["unreachable", "unreachable"]);
    isDown = false;
    services.advance(600_000);
    await eventually("the hook has looked", noJobs);
    expect(hook.asked.at(-1)).toEqual([NAME, "I live in Rome."]);
    expect(await texts()).toContain("The user is called Anna.");
  });

  test("of one session is not held up by a hook that hangs for others", async () => {
    const late = Promise.withResolvers<Extracted>();
    const hangs = findingHook("hangs", () => late.promise);
    const finds = findingHook("finds", () => extracted(["A fact."]));
    await start(hangs, finds);
    const under = (hook: string) => memoryPolicy({ extraction: extraction({ hook }) });
    for (let at = 0; at < 20; at++) {
      await openSession(services, `s${at}`, { memory: under("hangs"), policy: OPEN });
      await endTurn(services, `s${at}`, ["one", ""]);
    }
    await eventually("the hook is asked", () => hangs.asked.length === 4);
    await openSession(services, "other", { memory: under("finds"), policy: OPEN });
    await endTurn(services, "other", ["two", ""]);
    await eventually("the other hook has looked", async () =>
      (await memoriesOf(services, "extraction")).some(({ content }) => content.text === "A fact."),
    );
    late.resolve(extracted([]));
  });

  test("of one session with bad input does not leave the hook alone for others", async () => {
    const hook = findingHook("finder", async (lines) => {
      if (lines.some((line) => line.includes("bad"))) throw new Error("What?");
      return extracted(["A fact."]);
    });
    await start(hook);
    const memory = memoryPolicy({ extraction: extraction({ hook: "finder" }) });
    await openSession(services, "s", { memory, policy: OPEN });
    for (let turn = 1; turn <= 8; turn++) {
      await endTurn(services, "s", [`bad ${turn}`, ""]);
      await eventually(
        "the attempt failed",
        async () => (await attemptsOf(services)).length === turn,
      );
    }
    await openSession(services, "other", { memory, policy: OPEN });
    await endTurn(services, "other", ["good", ""]);
    await eventually("the hook was asked", () => hook.asked.some(([line]) => line === "good"));
  });

  test("does not bring back what was forgotten meanwhile, unless it is said again", async () => {
    const [bees, goats] = ["The user keeps bees.", "The user keeps goats."];
    const late = Promise.withResolvers<void>();
    const hook = findingHook("finder", async (lines) => {
      if (lines.includes("two")) await late.promise;
      // It repeats what it was told, as models do.
      return extracted(lines.includes("two") ? ["the user keeps bees", goats] : [bees]);
    });
    await start(hook);
    const memory = memoryPolicy({
      episodes: undefined,
      extraction: extraction({ hook: "finder" }),
    });
    await openSession(services, "s", { memory, policy: OPEN });
    const texts = async () => (await listAll(services)).map(({ content }) => content.text);
    await endTurn(services, "s", ["one", ""]);
    await eventually("the first job is done", noJobs);
    await endTurn(services, "s", ["two", ""]);
    await eventually("the hook is asked", () => hook.asked.length === 2);
    await forget(
      services,
      (await listAll(services)).map(({ memoryId }) => memoryId),
    );
    late.resolve();
    await eventually("the second job is done", noJobs);
    expect(await texts()).toEqual([goats]);
    await endTurn(services, "s", ["one", ""]);
    await eventually("the third job is done", noJobs);
    expect(await texts()).toEqual([goats, bees]);
  });

  test("looks at all messages of a turn when it ends, and not before", async () => {
    const hook = findingHook("finder", () => extracted(["Anna likes tea."]));
    await start(hook);
    const memory = memoryPolicy({ extraction: extraction({ hook: "finder" }) });
    await openSession(services, "s", { memory, policy: OPEN });
    await services.append("s", [{ text: "a" }]);
    await services.append("s", [{ text: "b" }]);
    await someTurns();
    expect(hook.asked).toEqual([]);
    expect((await jobsOf(services))[0]?.job.dueMs).toBe(TURN_END_MS);
    await services.append("s", [{ text: "c" }], { turnEnd: true });
    await eventually("the job is done", noJobs);
    expect(hook.asked).toEqual([["a", "b", "c"]]);
    const [fact] = await memoriesOf(services, "extraction");
    expect(fact).toMatchObject({
      ...{ kind: "fact", trust: 1, scope: { userId: "u1", sessionId: "" } },
      content: { text: "Anna likes tea." },
      source: { origin: "extraction", sessionId: "s", hook: "finder", model: "m" },
    });
    expect(await attemptsOf(services)).toMatchObject([
      { taskType: "extract", createdCount: 1, rejectedCount: 1 },
    ]);
  });

  test("is done by the rules of the server without a hook, after each turn", async () => {
    await start();
    const memory = memoryPolicy({ extraction: extraction(), episodes: undefined });
    await openSession(services, "s", { memory });
    await endTurn(services, "s", ["My name is Anna.", "Nice to meet you, Anna."]);
    await eventually("the job is done", noJobs);
    const found = await listAll(services, { origin: "extraction" });
    expect(found.length).toBeGreaterThan(0);
    expect(found[0]?.source.hook).toBe("builtin");
    expect((await attemptsOf(services))[0]).toMatchObject({ taskType: "extract", hook: "builtin" });
  });

  test("looks at what leaves the window when the policy says so", async () => {
    const hook = findingHook("finder", () => extracted([]));
    await start(hook);
    const memory = memoryPolicy({ extraction: extraction({ hook: "finder", on: "trim" }) });
    await openSession(services, "s", { memory });
    await services.append("s", [{ text: "a" }, { text: "b" }, { text: "c" }], { turnEnd: true });
    await eventually("the job is done", noJobs);
    expect(hook.asked).toEqual([["a"]]);
  });

  test("waits for the end of the next turn with what comes while the hook works", async () => {
    const first = Promise.withResolvers<Extracted>();
    const hook = findingHook("finder", () => first.promise);
    await start(hook);
    const memory = memoryPolicy({ extraction: extraction({ hook: "finder" }) });
    await openSession(services, "s", { memory, policy: OPEN });
    await services.append("s", [{ text: "a" }], { turnEnd: true });
    await eventually("the hook is asked", () => hook.asked.length === 1);
    await services.append("s", [{ text: "b" }]);
    first.resolve(extracted([]));
    await eventually(
      "the first part is done",
      async () => (await attemptsOf(services)).length === 1,
    );
    await someTurns();
    expect(hook.asked).toEqual([["a"]]);
    await services.append("s", [], { turnEnd: true, createSession: false });
    await eventually("the job is done", noJobs);
    expect(hook.asked).toEqual([["a"], ["b"]]);
  });

  test("is given up after five attempts, and tried again when asked to or when more comes", async () => {
    let isDown = true;
    const hook = findingHook("finder", async () => {
      if (isDown) throw new HookFailure("invalid-output", "No.");
      return extracted(["A fact."]);
    });
    await start(hook);
    const memory = memoryPolicy({ extraction: extraction({ hook: "finder" }) });
    await openSession(services, "s", { memory, policy: OPEN });
    await services.append("s", [{ text: "a" }], { turnEnd: true });
    const dieAfter = async (attempts: number): Promise<void> => {
      for (let made = attempts - 4; made <= attempts; made++) {
        await eventually(
          "an attempt failed",
          async () => (await attemptsOf(services)).length >= made,
        );
        services.advance(600_000);
      }
    };
    await dieAfter(5);
    await someTurns();
    expect(await jobsOf(services, { state: "dead" })).toMatchObject([
      { ref, hook: "finder", worker: "", job: { failedAttempts: 5, callCount: 5, dueMs: 0 } },
    ]);
    const taskId = await taskIdOfJob(services, "extract");
    expect((await attemptsOf(services)).map((one) => [one.taskId, one.failure])).toEqual(
      Array.from({ length: 5 }, () => [taskId, "invalid-output"]),
    );
    const dead = (await services.allEvents()).flatMap(({ detail }) =>
      detail.type === EVENT_TYPE.taskDead ? [detail] : [],
    );
    expect(dead).toMatchObject([
      {
        ...{ taskId, taskType: "extract", hook: "finder", reason: "invalid-output" },
        ...{ failedAttempts: 5, callCount: 5 },
      },
    ]);
    expect(await retryTask(services, taskId)).toMatchObject({
      job: { state: "ready", failedAttempts: 0 },
    });
    await dieAfter(10);
    isDown = false;
    await services.append("s", [{ text: "b" }], { turnEnd: true });
    await eventually("the job is done", noJobs);
    expect(hook.asked.at(-1)).toEqual(["a", "b"]);
    expect(await memoriesOf(services, "extraction")).toHaveLength(1);
  });

  test("stops when the session wants it no more, and keeps what it found when told twice", async () => {
    const hook = findingHook("finder", () => extracted(["A fact."]));
    await start(hook);
    const memory = memoryPolicy({ extraction: extraction({ hook: "finder" }) });
    await openSession(services, "s", { memory, policy: OPEN });
    await services.append("s", [{ text: "a" }]);
    await services.sessions.updateSession(services.call("UpdateSession"), {
      ...{ ...ref, input: {}, paths: ["memory_policy"], etag: "", encode: nothing },
    });
    expect(await noJobs()).toBe(true);
  });
});

test("leaves a hook alone that cannot be asked, without using up attempts", async () => {
  const hook = {
    ...findingHook("finder", () => extracted([])),
    settings: { ...TEST_HOOK_SETTINGS, callsPerHour: 1 },
  };
  await start(hook);
  const memory = memoryPolicy({ extraction: extraction({ hook: "finder" }) });
  await openSession(services, "s", { memory, policy: OPEN });
  await services.append("s", PLAIN, { turnEnd: true });
  await eventually("the first job is done", noJobs);
  await services.append("s", [{ text: "four" }, { text: "five" }], { turnEnd: true });
  await eventually("the rules have looked", async () => (await attemptsOf(services)).length === 2);
  expect(await jobsOf(services)).toMatchObject([{ job: { failedAttempts: 0, state: "ready" } }]);
  services.advance(3_600_000);
  await eventually("the second job is done", noJobs);
  expect(hook.asked).toHaveLength(2);
});

test("does not let a policy in that names hooks which the server does not have", async () => {
  await start(scoringHook("judge", () => []));
  const open = (memory: Parameters<typeof memoryPolicy>[0]) =>
    openSession(services, "s", { memory: memoryPolicy(memory) });
  const refused = { reason: "HOOK_NOT_CONFIGURED" };
  await expect(open({ promotion: promotion({ scoreHook: "nobody" }) })).rejects.toMatchObject(
    refused,
  );
  await expect(open({ extraction: extraction({ hook: "judge" }) })).rejects.toMatchObject(refused);
  await open({
    promotion: promotion({ scoreHook: "judge" }),
    extraction: extraction({ hook: "builtin" }),
  });
});

test("goes on with jobs of the disk after a restart", async () => {
  const directory = await makeTempDir();
  const at = { directory: directory.path, readFacts: jsonCodec.readFacts };
  let isDown = true;
  const finder = findingHook("finder", async () => {
    if (isDown) throw unreachable();
    return extracted(["A fact."]);
  });
  const first = await openLmdbStore(at);
  services = await startTestServices({}, { hooks: hooksOf([finder]), store: first });
  const memory = memoryPolicy({ extraction: extraction({ hook: "finder" }) });
  await openSession(services, "s", { memory, policy: OPEN });
  await services.append("s", [{ text: "zero" }, { text: "one" }], { turnEnd: true });
  await eventually("an attempt failed", async () => (await attemptsOf(services)).length === 1);
  const [before] = await services.store.readMemoryJobs(ref);
  await services.stop();
  await first.close();
  isDown = false;
  const second = await openLmdbStore(at);
  const startMs = 1_700_000_600_000;
  services = await startTestServices({}, { hooks: hooksOf([finder]), store: second, startMs });
  expect(before).toMatchObject({ failedAttempts: 1, ranges: [{ first: 1, last: 2 }] });
  await eventually("the job is done", noJobs);
  expect(finder.asked).toEqual([
    ["zero", "one"],
    ["zero", "one"],
  ]);
  expect(await memoriesOf(services, "extraction")).toHaveLength(1);
  await services.stop();
  await second.close();
  await directory[Symbol.asyncDispose]();
});
