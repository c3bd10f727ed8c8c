// Goal: a turn that ends is in the log and in long-term memory, both or neither.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  endTurn,
  memoriesOf,
  memoryPolicy,
  openSession,
  promotedTexts,
  TWO,
} from "../../test/support/memory/turns.ts";
import { noteDecisions } from "../../test/support/services/decisions.ts";
import {
  type AppendAnswer,
  startTestServices,
  type TestServices,
} from "../../test/support/services/services.ts";
import { policyOf, stageOf } from "../../test/support/window/policies.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";
import { LIMITS } from "../kit/limits.ts";
import { ROLE } from "../window/rules/types.ts";

const NAME = "My name is Anna.";
const DAY_MS = 86_400_000;

let services: TestServices;

beforeEach(async () => {
  services = await startTestServices();
});

afterEach(() => services.stop());

const ref = { namespace: "default", sessionId: "s" };

const idsOf = ({ messages }: AppendAnswer): readonly string[] =>
  messages.map(({ messageId }) => messageId);

async function episodes(): Promise<string[]> {
  return (await memoriesOf(services, "turn")).map(({ content }) => content.text);
}

test("appends both messages, ends the turn and remembers the episode, in one transaction", async () => {
  await openSession(services, "s", { memory: memoryPolicy() });
  const turnMs = services.nowMs() - DAY_MS;
  const turn = await endTurn(services, "s", ["Hi", "Hello"], { turnMs });
  expect(turn).toMatchObject({ lastSeq: 2, given: { promotedIds: [], evictedIds: [] } });
  expect(turn.window).toMatchObject({ messageCount: 2 });
  const { messages } = await services.sessions.listMessages(services.call("ListMessages"), {
    ...{ ...ref, firstSeq: 0, lastSeq: 0, order: "asc", limit: 10 },
  });
  expect(messages.map(({ role, messageId }) => [role, messageId])).toEqual([
    [ROLE.user, idsOf(turn)[0]],
    [ROLE.assistant, idsOf(turn)[1]],
  ]);
  const [episode] = await memoriesOf(services, "turn");
  expect(episode).toMatchObject({
    ...{ memoryId: turn.given?.episodeId, kind: "episode", scope: { userId: "u1", sessionId: "" } },
    content: {
      text: "user: Hi | assistant: Hello",
      structure: { episode: { userText: "Hi", assistantText: "Hello" } },
      validFromMs: turnMs,
    },
    source: { origin: "turn", sessionId: "s", messageIds: idsOf(turn) },
  });
  const events = (await services.allEvents()).filter(({ revision }) => revision === turn.revision);
  expect(events.map(({ detail }) => detail.type)).toEqual([
    EVENT_TYPE.messagesAppended,
    EVENT_TYPE.memoriesRemembered,
  ]);
});

test("records what one side said", async () => {
  await openSession(services, "s", { memory: memoryPolicy() });
  const turn = await endTurn(services, "s", ["", "Hello"]);
  expect(turn.messages).toMatchObject([{ seq: 1 }]);
  expect(await episodes()).toEqual(["assistant: Hello"]);
});

test("runs the stages on turn end, and promotes what leaves", async () => {
  const policy = policyOf([stageOf({ on: "turn-end" })]);
  await openSession(services, "s", { memory: memoryPolicy(), policy });
  await endTurn(services, "s", [NAME, "Hi Anna"]);
  const turn = await endTurn(services, "s", ["How are you?", "Fine"]);
  expect(await services.windowTexts("s")).toEqual(["How are you?", "Fine"]);
  const promoted = await memoriesOf(services, "promotion");
  expect(promoted.map(({ memoryId }) => memoryId)).toEqual(turn.given?.promotedIds);
  expect(await promotedTexts(services)).toEqual([NAME]);
});

test("follows the policy of the session: no episodes, no promotion", async () => {
  const memory = memoryPolicy({ episodes: undefined, promotion: undefined });
  await openSession(services, "s", { memory });
  await endTurn(services, "s", [NAME, "Hi"]);
  expect((await endTurn(services, "s", ["a", "b"])).given?.episodeId ?? "").toBe("");
  expect(await episodes()).toEqual([]);
  expect(await promotedTexts(services)).toEqual([]);
});

test("removes episodes whose days are over, and makes none whose day is", async () => {
  await openSession(services, "s", { memory: memoryPolicy({ episodes: { retentionDays: 2 } }) });
  await endTurn(services, "s", ["first", "a"]);
  services.advance(2 * DAY_MS);
  const second = await endTurn(services, "s", ["second", "b"]);
  expect(second.given?.evictedIds).toEqual([]);
  expect(await episodes()).toHaveLength(2);
  services.advance(DAY_MS);
  const third = await endTurn(services, "s", ["third", "c"]);
  expect(third.given?.evictedIds).toHaveLength(1);
  expect(await episodes()).toEqual(["user: second | assistant: b", "user: third | assistant: c"]);
  const deleted = (await services.allEvents()).flatMap(({ detail }) =>
    detail.type === EVENT_TYPE.memoriesDeleted ? [detail.reason] : [],
  );
  expect(deleted).toEqual(["retention"]);
  const turnMs = services.nowMs() - 4 * DAY_MS;
  expect((await endTurn(services, "s", ["old", "d"], { turnMs })).given?.episodeId ?? "").toBe("");
});

test("keeps the texts of an episode within their limit", async () => {
  await openSession(services, "s", { memory: memoryPolicy() });
  const turn = await endTurn(services, "s", ["é".repeat(LIMITS.episodeTextBytes), "x"]);
  const [episode] = await memoriesOf(services, "turn");
  expect(episode?.memoryId).toBe(turn.given?.episodeId);
  const { structure, text = "" } = episode?.content ?? {};
  if (structure?.kind !== "episode") throw new Error("It has no episode.");
  expect(Buffer.byteLength(structure.episode.userText)).toBe(LIMITS.episodeTextBytes);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMITS.memoryTextBytes);
});

describe("the episode of a turn", () => {
  const { user, assistant, tool } = ROLE;
  const call = { role: assistant, text: "Let me look.", callIds: ["c"] };
  const result = { role: tool, text: "18 degrees", toolCallId: "c" };
  const answer = { role: assistant, text: "It is warm." };
  const WARM = "user: How warm is it? | assistant: It is warm.";
  const question = { role: user, text: "How warm is it?", messageId: "q" };

  beforeEach(() => openSession(services, "s", { memory: memoryPolicy(), policy: policyOf([]) }));

  test("holds what the user asked and the last answer, whatever tools did in between", async () => {
    const whole = [question, call, result, { ...answer, messageId: "a" }];
    await services.append("s", whole, { turnEnd: true });
    expect(await episodes()).toEqual([WARM]);
    const [episode] = await memoriesOf(services, "turn");
    expect(episode?.source.messageIds).toEqual(["q", "a"]);
  });

  test("is the same when the turn came in several appends, or ends without a message", async () => {
    for (const message of [question, call, result]) await services.append("s", [message]);
    await services.append("s", [answer], { turnEnd: true });
    for (const message of [{ text: "And there?" }, call, result, answer]) {
      await services.append("s", [message]);
    }
    await services.append("s", [], { turnEnd: true });
    expect(await episodes()).toEqual([WARM, "user: And there? | assistant: It is warm."]);
  });

  test("never holds what an earlier turn said", async () => {
    await services.append("s", [question, answer], { turnEnd: true });
    await services.append("s", [], { turnEnd: true });
    expect(await episodes()).toEqual([WARM]);
    await services.append("s", [{ role: assistant, text: "By the way." }], { turnEnd: true });
    expect(await episodes()).toEqual([WARM, "assistant: By the way."]);
  });

  test("is read from the end of the turn, a few messages at first and then more", async () => {
    await services.append("s", [question, answer], { turnEnd: true });
    const long = Array.from({ length: 20 }, () => [call, { ...result }]).flat();
    await services.append("s", [{ text: "Everywhere?" }, ...long, answer]);
    const notes = noteDecisions(services.store);
    await services.append("s", [], { turnEnd: true });
    expect(await episodes()).toEqual([WARM, "user: Everywhere? | assistant: It is warm."]);
    // The turn before ended with seq 2.
    const ends = notes.map((note) => (typeof note === "string" ? note : [note[0], note.at(-1)]));
    expect(ends).toEqual([[44, 41], [40, 33], [32, 17], [16, 3], "decided"]);
  });

  test("reads no message when the append holds what the user said", async () => {
    const notes = noteDecisions(services.store);
    await services.append("s", [question, answer], { turnEnd: true });
    expect(notes).toEqual(["decided"]);
  });

  test("does not take tool results in a user message for what the user said", async () => {
    const results = { role: user, results: ["c"] };
    await services.append("s", [question, call, results, answer], { turnEnd: true });
    expect(await episodes()).toEqual([WARM]);
  });

  test("is made of messages that left the window before the turn ended", async () => {
    const policy = { ...TWO, protections: { ...TWO.protections, lastUser: false } };
    await openSession(services, "t", { memory: memoryPolicy(), policy });
    for (const message of [question, { role: assistant, text: "Wait." }, answer]) {
      await services.append("t", [message]);
    }
    expect(await services.windowTexts("t")).toEqual(["Wait.", answer.text]);
    await services.append("t", [], { turnEnd: true });
    expect(await episodes()).toEqual([WARM]);
  });

  test("is not made without a memory policy, and not before the turn ends", async () => {
    await openSession(services, "none");
    await services.append("none", [question, answer], { turnEnd: true });
    await services.append("s", [question, answer]);
    expect(await episodes()).toEqual([]);
  });

  test("goes with its messages, trims and memories in one revision", async () => {
    await openSession(services, "t", { memory: memoryPolicy() });
    await services.append("t", [{ text: NAME }]);
    const { revision } = await services.append("t", [question, answer], { turnEnd: true });
    const types = (await services.allEvents())
      .filter((event) => event.revision === revision)
      .map(({ detail }) => detail.type);
    expect(types).toEqual([
      EVENT_TYPE.messagesAppended,
      EVENT_TYPE.messagesTrimmed,
      EVENT_TYPE.memoriesRemembered,
      EVENT_TYPE.memoriesRemembered,
    ]);
    const made = await memoriesOf(services, "promotion");
    expect([...made, ...(await memoriesOf(services, "turn"))]).toHaveLength(2);
  });
});

describe("what an append refuses, a turn refuses, and remembers nothing", () => {
  test("of a session that does not exist", async () => {
    await expect(endTurn(services, "s", [NAME, "Hi"])).rejects.toMatchObject({
      reason: "SESSION_NOT_FOUND",
    });
    expect(await episodes()).toEqual([]);
  });

  test("at another seq than the caller expects", async () => {
    await openSession(services, "s");
    const turn = endTurn(services, "s", ["a", "b"], { expectedLastSeq: 7 });
    await expect(turn).rejects.toMatchObject({ reason: "LAST_SEQ_MISMATCH" });
    expect(await episodes()).toEqual([]);
  });

  test("under a policy that counts no tokens itself", async () => {
    await openSession(services, "s", { policy: { ...TWO, tokenRule: "given" } });
    const turn = endTurn(services, "s", ["a", "b"]);
    await expect(turn).rejects.toMatchObject({ reason: "REQUEST_INVALID" });
    expect(await episodes()).toEqual([]);
  });
});

test("gives a repeat its answer and does nothing", async () => {
  await openSession(services, "s", { memory: memoryPolicy() });
  const first = await endTurn(services, "s", ["a", "b"], { requestId: "r" });
  expect(await endTurn(services, "s", ["a", "b"], { requestId: "r" })).toEqual(first);
  expect(await episodes()).toHaveLength(1);
});

test("of a session without a memory policy asks for no hook", async () => {
  await openSession(services, "s");
  await endTurn(services, "s", ["Alice works at Acme.", "I see."]);
  expect(await services.store.readMemoryJobs(ref)).toEqual([]);
});
