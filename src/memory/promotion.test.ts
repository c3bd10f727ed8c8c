// Goal: whatever takes an important message out of a window makes it a memory, in the same
// transaction and once.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hooksOf, scriptedHook } from "../../test/support/hooks/hooks.ts";
import { forget } from "../../test/support/memory/service-memories.ts";
import {
  consolidate,
  memoriesOf,
  memoryPolicy,
  openSession,
  promotedTexts,
  promotion,
  scoringHook,
  TWO,
} from "../../test/support/memory/turns.ts";
import { draftOf, toBytes } from "../../test/support/services/json-codec.ts";
import { eventually } from "../../test/support/services/runner-scene.ts";
import { startTestServices, type TestServices } from "../../test/support/services/services.ts";
import { dropOldest, policyOf, stageOf } from "../../test/support/window/policies.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";
import { LIMITS } from "../kit/limits.ts";
import type { SessionInput } from "../session/api.ts";
import type { SessionPath } from "../session/rules/session.ts";
import { DEFAULT_SUMMARY_SPEC } from "../window/policy/summary-spec.ts";
import { ROLE } from "../window/rules/types.ts";

const NAME = "My name is Anna.";
const OPEN = policyOf([]);
const PLAIN = ["one", "two", "three"].map((text) => ({ text }));

let services: TestServices;
const summarizer = scriptedHook("h", ["in short"]);

beforeEach(async () => {
  services = await startTestServices({}, { hooks: hooksOf([summarizer]) });
});

afterEach(() => services.stop());

const ref = { namespace: "default", sessionId: "s" };
const nothing = () => toBytes({});

async function update(input: SessionInput, paths: readonly SessionPath[]): Promise<void> {
  const call = services.call("UpdateSession");
  await services.sessions.updateSession(call, { ...ref, input, paths, etag: "", encode: nothing });
}

async function trim(discard = false): Promise<void> {
  await services.sessions.trimSession(services.call("TrimSession"), {
    ...{ ...ref, unit: "message", discard, etag: "", encode: nothing },
    target: { kind: "messages", maxMessages: 1 },
  });
}

async function restore(messageIds: readonly string[]): Promise<void> {
  const call = services.call("RestoreMessages");
  await services.sessions.restoreMessages(call, {
    ...ref,
    messageIds,
    ranges: [],
    encode: nothing,
  });
}

/** A session without stages that holds the name and three plain messages. */
async function hold(memory = memoryPolicy()): Promise<void> {
  await openSession(services, "s", { memory, policy: OPEN });
  await services.append("s", [{ messageId: "name", text: NAME }, ...PLAIN]);
}

describe("promotion of what users state", () => {
  const memory = memoryPolicy({ promotion: promotion({ selection: "user-statements" }) });

  test("keeps the sentences that state something, and nothing that anybody else said", async () => {
    await openSession(services, "s", { memory });
    await services.append("s", [
      { text: `${NAME} What is yours? I prefer trains.` },
      { role: ROLE.assistant, text: "Ha! I always love a good joke." },
      { role: ROLE.system, text: "My name is Eve." },
      { text: "> My name is Mallory.\nDo I like this?" },
      ...PLAIN,
    ]);
    expect(await promotedTexts(services)).toEqual([`${NAME} I prefer trains.`]);
    const [made] = await memoriesOf(services, "promotion");
    expect(made).toMatchObject({ content: { category: "identity", importance: 0.9 } });
  });

  test("asks a scorer about these sentences alone", async () => {
    const judge = scoringHook("judge", (texts) => texts.map(() => 1));
    await services.stop();
    services = await startTestServices({}, { hooks: hooksOf([judge]) });
    const asking = promotion({ selection: "user-statements", scoreHook: "judge" });
    await openSession(services, "s", { memory: memoryPolicy({ promotion: asking }) });
    await services.append("s", [
      { text: "It rains. Does it?" },
      { role: ROLE.assistant, text: "It does." },
      { text: "Will it?" },
      ...PLAIN,
    ]);
    await eventually("the memory is made", async () => (await promotedTexts(services)).length > 0);
    expect(judge.asked).toEqual([["It rains.", "one."]]);
    expect(await promotedTexts(services)).toEqual(["It rains.", "one."]);
  });
});

describe("an important message that leaves the window becomes a memory", () => {
  test("with an append", async () => {
    await openSession(services, "s", { memory: memoryPolicy() });
    await services.append("s", [{ text: NAME }, { text: "one" }]);
    expect(await promotedTexts(services)).toEqual([]);
    await services.append("s", [{ text: "two" }]);
    expect(await promotedTexts(services)).toEqual([NAME]);
  });

  test("with the very append that brought it", async () => {
    await openSession(services, "s", { memory: memoryPolicy() });
    await services.append("s", [{ text: NAME }, ...PLAIN]);
    expect(await promotedTexts(services)).toEqual([NAME]);
  });

  test.each([false, true])("with TrimSession, discarded: %s", async (discard) => {
    await hold();
    await trim(discard);
    expect(await promotedTexts(services)).toEqual([NAME]);
  });

  test("with a new policy", async () => {
    await hold();
    await update({ policy: TWO }, ["policy"]);
    expect(await promotedTexts(services)).toEqual([NAME]);
  });

  test("with a new policy under a memory policy that comes with it", async () => {
    await openSession(services, "s", { policy: OPEN });
    await services.append("s", [{ text: NAME }, ...PLAIN]);
    const input = { policy: TWO, memoryPolicy: memoryPolicy() };
    await update(input, ["policy", "memory_policy"]);
    expect(await promotedTexts(services)).toEqual([NAME]);
  });

  test("with a stage that promotes, also under a memory policy that promotes nothing else", async () => {
    const promotes = policyOf([stageOf({ removedTo: "promote" })]);
    await openSession(services, "s", {
      memory: memoryPolicy({ promotion: promotion({ markedStagesOnly: true }) }),
      policy: promotes,
    });
    await services.append("s", [{ text: NAME }, ...PLAIN]);
    expect(await promotedTexts(services)).toEqual([NAME]);
  });

  test("and not with another stage beside one that promotes", async () => {
    const policy = policyOf([
      stageOf({}),
      stageOf({ name: "other", removedTo: "promote", select: dropOldest({ maxMessages: 1 }) }),
    ]);
    await openSession(services, "s", {
      memory: memoryPolicy({ promotion: promotion({ markedStagesOnly: true }) }),
      policy,
    });
    await services.append("s", [{ text: NAME }, { text: "one" }, { text: "My name is Ben." }]);
    await services.append("s", PLAIN.slice(0, 1));
    expect(await promotedTexts(services)).toEqual(["My name is Ben."]);
  });

  test("with SetSummary", async () => {
    await hold();
    await services.sessions.setSummary(services.call("SetSummary"), {
      ...{ ...ref, text: "in short", replacedMessageIds: ["name"], placement: "in-place" },
      encode: nothing,
    } as Parameters<TestServices["sessions"]["setSummary"]>[1]);
    expect(await promotedTexts(services)).toEqual([NAME]);
  });

  test("with the summary of a hook", async () => {
    const summarize = { ...DEFAULT_SUMMARY_SPEC, hook: "h" };
    const policy = policyOf([stageOf({ removedTo: "summarize", summarize })]);
    await openSession(services, "s", { memory: memoryPolicy(), policy });
    await services.append("s", [{ text: NAME.padEnd(400, " it is") }, ...PLAIN]);
    await eventually("it is promoted", async () => (await promotedTexts(services)).length === 1);
    expect((await services.windowTexts("s")).slice(1)).toEqual(["two", "three"]);
  });

  test("with CompactSession that lets messages leave at once", async () => {
    await hold();
    await services.summaries.compactSession(services.call("CompactSession"), {
      ...{ ...ref, choice: { kind: "keep-recent", keepRecent: 1 }, waitMs: 0, encode: nothing },
      spec: { ...DEFAULT_SUMMARY_SPEC, hook: "h", keep: "append", leave: "at-once" },
    } as Parameters<TestServices["summaries"]["compactSession"]>[1]);
    expect(await promotedTexts(services)).toEqual([NAME]);
  });

  test("with a message that was made longer", async () => {
    const policy = policyOf([stageOf({ select: dropOldest({ maxTokens: 50 }) })]);
    await openSession(services, "s", { memory: memoryPolicy(), policy });
    await services.append("s", [{ text: NAME }, { messageId: "b", text: "b" }, { text: "c" }]);
    const call = services.call("UpdateMessage");
    await services.sessions.updateMessage(call, {
      ...{ ...ref, messageId: "b", paths: ["text"], etag: "", encode: nothing },
      draft: draftOf({ text: "b".repeat(220) }),
    });
    expect(await promotedTexts(services)).toEqual([NAME]);
  });

  test("with a read that stores", async () => {
    await openSession(services, "s", {
      memory: memoryPolicy(),
      policy: policyOf([stageOf({ on: "read", effect: "store" })]),
    });
    await services.append("s", [{ text: NAME }, ...PLAIN]);
    expect(await promotedTexts(services)).toEqual([]);
    await services.windowTexts("s");
    expect(await promotedTexts(services)).toEqual([NAME]);
  });
});

describe("a promoted message", () => {
  test("names its session, its message, its rule and its role", async () => {
    await openSession(services, "s", { memory: memoryPolicy() });
    const pizza = { messageId: "m", role: ROLE.assistant, text: "  I love pizza  " };
    await services.append("s", [pizza, ...PLAIN]);
    const [memory] = await memoriesOf(services, "promotion");
    expect(memory).toMatchObject({
      ...{ kind: "preference", scope: { userId: "u1", agentId: "", sessionId: "" } },
      content: { text: "I love pizza", category: "preference", importance: 0.75 },
      source: { origin: "promotion", sessionId: "s", messageIds: ["m"] },
      ...{ writer: "server", persistent: false },
    });
    expect([...(memory?.content.labels ?? [])]).toEqual([["role", "assistant"]]);
    const events = await services.allEvents();
    const types = events.map(({ detail }) => detail.type);
    expect(types.slice(-3)).toEqual([
      EVENT_TYPE.messagesAppended,
      EVENT_TYPE.messagesTrimmed,
      EVENT_TYPE.memoriesRemembered,
    ]);
    expect(new Set(events.slice(-3).map(({ revision }) => revision)).size).toBe(1);
  });

  test("is cut at what a memory may hold, on a whole character", async () => {
    await openSession(services, "s", { memory: memoryPolicy() });
    await services.append("s", [
      { text: `${NAME} ${"é".repeat(LIMITS.memoryTextBytes)}` },
      ...PLAIN,
    ]);
    const [text = ""] = await promotedTexts(services);
    expect(Buffer.byteLength(text)).toBeGreaterThan(LIMITS.memoryTextBytes - 2);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMITS.memoryTextBytes);
    expect(text.endsWith("é")).toBe(true);
  });

  test("belongs to the session when it has no user, and to the agent when the policy says so", async () => {
    const memory = memoryPolicy({ agentScope: true });
    await services.sessions.createSession(services.call("CreateSession"), {
      ...{ ...ref, encode: nothing },
      input: { agentId: "a1", policy: TWO, memoryPolicy: memory },
    });
    await services.append("s", [{ text: NAME }, ...PLAIN]);
    const [promoted] = await memoriesOf(services, "promotion");
    expect(promoted?.scope).toEqual({ userId: "", agentId: "a1", sessionId: "s" });
  });
});

describe("what is not promoted", () => {
  test("is what leaves a session without a memory policy, or with one that does not want it", async () => {
    await openSession(services, "s");
    await services.append("s", [{ text: NAME }, ...PLAIN]);
    await openSession(services, "t", {
      memory: memoryPolicy({ promotion: promotion({ markedStagesOnly: true }) }),
    });
    await services.append("t", [{ text: NAME }, ...PLAIN]);
    expect(await promotedTexts(services)).toEqual([]);
  });

  test("is what is not important enough, tools and systems say, or has no text", async () => {
    await openSession(services, "s", {
      memory: memoryPolicy(),
      policy: policyOf([stageOf({})], {
        protections: { ...TWO.protections, system: "none" },
        toolPairing: "loose",
      }),
    });
    await services.append("s", [
      { text: "I live in Bern" },
      { role: ROLE.system, text: NAME },
      { role: ROLE.tool, toolCallId: "c", text: NAME },
      { role: ROLE.assistant, text: "   ", callIds: ["x"] },
      ...PLAIN,
    ]);
    expect(await promotedTexts(services)).toEqual([]);
  });

  test("is the same text once more, also when it comes back, is evicted, or is said in capitals", async () => {
    await hold(memoryPolicy({ longTermLimit: 1 }));
    await trim();
    await restore(["name"]);
    await trim();
    expect(await memoriesOf(services, "promotion")).toHaveLength(1);
    // More important, so that the first one goes.
    await services.append("s", [{ text: "Call me Anna" }, { text: "x" }, { text: "y" }]);
    await services.append("s", [{ text: NAME.toUpperCase() }, { text: "z" }]);
    await trim();
    const promoted = await memoriesOf(services, "promotion");
    expect(promoted.map(({ content }) => content.text)).toEqual(["Call me Anna"]);
    expect(promoted[0]?.strength.mentionCount).toBe(1);
  });

  test("is no text whose memory was forgotten, or that another session says again", async () => {
    const memory = memoryPolicy();
    const say = async (sessionId: string): Promise<void> => {
      await openSession(services, sessionId, { memory });
      await services.append(sessionId, [{ text: NAME }, ...PLAIN]);
    };
    await say("s");
    const [first] = await memoriesOf(services, "promotion");
    if (first === undefined) throw new Error("Nothing was promoted.");
    await say("t");
    expect((await memoriesOf(services, "promotion"))[0]?.strength.mentionCount).toBe(1);
    await forget(services, [first.memoryId]);
    await say("u");
    expect(await promotedTexts(services)).toEqual([NAME]);
    // Facts learnt from another session stay when one session is deleted.
    for (const way of ["reset", "delete"] as const) {
      const target = { namespace: "default", sessionId: "u" };
      const rest = { etag: "", encode: nothing };
      if (way === "reset") {
        await services.sessions.resetSession(services.call("ResetSession"), {
          ...{ ...target, ...rest, keepSummary: false },
          ...{ keepSystemMessages: false, keepFirstSystemMessage: false },
        });
        await services.append("u", [{ text: NAME }, ...PLAIN]);
      } else {
        const call = services.call("DeleteSession");
        await services.sessions.deleteSession(call, { ...target, ...rest, allowMissing: false });
        await say("v");
      }
      const [memory] = await memoriesOf(services, "promotion");
      expect(memory?.strength.mentionCount).toBe(way === "reset" ? 2 : 3);
    }
  });

  test("is a message that was deleted", async () => {
    await hold();
    await services.sessions.deleteMessage(services.call("DeleteMessage"), {
      ...{ ...ref, messageId: "name", etag: "", allowMissing: false, encode: nothing },
    });
    expect(await promotedTexts(services)).toEqual([]);
  });
});

test("evicts what is least important beyond the limit, and tells so", async () => {
  await openSession(services, "s", { memory: memoryPolicy({ longTermLimit: 2 }) });
  const texts = ["I love pizza", "My wife is Eva", NAME];
  await services.append("s", [...texts.map((text) => ({ text })), ...PLAIN]);
  expect(await promotedTexts(services)).toEqual(["My wife is Eva", NAME]);
  const evicted = (await services.allEvents()).filter(
    ({ detail }) => detail.type === EVENT_TYPE.memoriesDeleted,
  );
  expect(evicted).toHaveLength(0);
  await services.append("s", [{ text: "I'm called Ann" }, { text: "x" }, { text: "y" }]);
  const told = (await services.allEvents()).flatMap(({ detail }) =>
    detail.type === EVENT_TYPE.memoriesDeleted ? [detail.reason] : [],
  );
  expect(told).toEqual(["evicted"]);
});

describe("ConsolidateSession", () => {
  test("promotes from the window, which stays, once", async () => {
    await hold();
    const first = await consolidate(services, "s");
    expect(first.promotedIds).toHaveLength(1);
    expect(first.revision).toBeGreaterThan(0);
    expect(await services.windowTexts("s")).toContain(NAME);
    expect(await consolidate(services, "s")).toEqual({
      promotedIds: [],
      evictedIds: [],
      revision: 0,
    });
    await trim();
    expect(await promotedTexts(services)).toEqual([NAME]);
  });

  test("gives a repeat its answer, and does so for sessions without a policy", async () => {
    await openSession(services, "s", { policy: OPEN });
    await services.append("s", [{ text: NAME }]);
    const first = await consolidate(services, "s", "r");
    expect(await consolidate(services, "s", "r")).toEqual(first);
    expect(first.promotedIds).toHaveLength(1);
    await expect(consolidate(services, "nobody")).rejects.toMatchObject({
      reason: "SESSION_NOT_FOUND",
    });
  });
});
