// Goal: a turn is in the log and in long-term memory, both or neither.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  memoriesOf,
  memoryPolicy,
  openSession,
  promotedTexts,
  recordTurn,
  TWO,
} from "../../../test/support/memory-turns.ts";
import { policyOf, stageOf } from "../../../test/support/policies.ts";
import { startTestServices, type TestServices } from "../../../test/support/services.ts";
import { EVENT_TYPE } from "../../domain/event.ts";
import { LIMITS } from "../../domain/limits.ts";
import { ROLE } from "../../domain/window/types.ts";

const NAME = "My name is Anna.";
const DAY_MS = 86_400_000;

let services: TestServices;

beforeEach(async () => {
  services = await startTestServices();
});

afterEach(() => services.stop());

const ref = { namespace: "default", sessionId: "s" };

async function episodes(): Promise<string[]> {
  return (await memoriesOf(services, "turn")).map(({ content }) => content.text);
}

it("appends both messages, ends the turn and remembers the episode, in one transaction", async () => {
  await openSession(services, "s", { memory: memoryPolicy() });
  const turnMs = services.nowMs() - DAY_MS;
  const turn = await recordTurn(services, "s", ["Hi", "Hello"], { turnMs });
  expect(turn).toMatchObject({ seqs: { first: 1, last: 2 }, promotedIds: [], evictedIds: [] });
  expect(turn.window).toMatchObject({ messageCount: 2 });
  const { messages } = await services.sessions.listMessages(services.call("ListMessages"), {
    ...{ ...ref, firstSeq: 0, lastSeq: 0, order: "asc", limit: 10 },
  });
  expect(messages.map(({ role, messageId }) => [role, messageId])).toEqual([
    [ROLE.user, turn.messageIds[0]],
    [ROLE.assistant, turn.messageIds[1]],
  ]);
  const [episode] = await memoriesOf(services, "turn");
  expect(episode).toMatchObject({
    ...{ memoryId: turn.episodeId, kind: "episode", scope: { userId: "u1", sessionId: "" } },
    content: {
      text: "user: Hi | assistant: Hello",
      structure: { episode: { userText: "Hi", assistantText: "Hello" } },
      validFromMs: turnMs,
    },
    source: { origin: "turn", sessionId: "s", messageIds: turn.messageIds },
  });
  const events = (await services.allEvents()).filter(({ revision }) => revision === turn.revision);
  expect(events.map(({ detail }) => detail.type)).toEqual([
    EVENT_TYPE.messagesAppended,
    EVENT_TYPE.memoriesRemembered,
  ]);
});

it("records what one side said", async () => {
  await openSession(services, "s");
  const turn = await recordTurn(services, "s", ["", "Hello"]);
  expect(turn.messageIds).toHaveLength(1);
  expect(turn.seqs).toEqual({ first: 1, last: 1 });
  expect(await episodes()).toEqual(["assistant: Hello"]);
});

it("runs the stages on turn end, and promotes what leaves", async () => {
  const policy = policyOf([stageOf({ on: "turn-end" })]);
  await openSession(services, "s", { policy });
  await recordTurn(services, "s", [NAME, "Hi Anna"]);
  const turn = await recordTurn(services, "s", ["How are you?", "Fine"]);
  expect(await services.windowTexts("s")).toEqual(["How are you?", "Fine"]);
  const promoted = await memoriesOf(services, "promotion");
  expect(promoted.map(({ memoryId }) => memoryId)).toEqual(turn.promotedIds);
  expect(await promotedTexts(services)).toEqual([NAME]);
});

it("follows the policy of the session: no episodes, no promotion", async () => {
  const memory = memoryPolicy({ episodes: false, autoPromote: false });
  await openSession(services, "s", { memory });
  await recordTurn(services, "s", [NAME, "Hi"]);
  expect((await recordTurn(services, "s", ["a", "b"])).episodeId).toBe("");
  expect(await episodes()).toEqual([]);
  expect(await promotedTexts(services)).toEqual([]);
});

it("removes episodes whose days are over, and makes none whose day is", async () => {
  await openSession(services, "s", { memory: memoryPolicy({ episodicRetentionDays: 2 }) });
  await recordTurn(services, "s", ["first", "a"]);
  services.advance(2 * DAY_MS);
  const second = await recordTurn(services, "s", ["second", "b"]);
  expect(second.evictedIds).toEqual([]);
  expect(await episodes()).toHaveLength(2);
  services.advance(DAY_MS);
  const third = await recordTurn(services, "s", ["third", "c"]);
  expect(third.evictedIds).toHaveLength(1);
  expect(await episodes()).toEqual(["user: second | assistant: b", "user: third | assistant: c"]);
  const deleted = (await services.allEvents()).flatMap(({ detail }) =>
    detail.type === EVENT_TYPE.memoriesDeleted ? [detail.reason] : [],
  );
  expect(deleted).toEqual(["retention"]);
  const turnMs = services.nowMs() - 4 * DAY_MS;
  expect((await recordTurn(services, "s", ["old", "d"], { turnMs })).episodeId).toBe("");
});

it("keeps the texts of an episode within their limit", async () => {
  await openSession(services, "s");
  const turn = await recordTurn(services, "s", ["é".repeat(LIMITS.episodeTextBytes), "x"]);
  const [episode] = await memoriesOf(services, "turn");
  expect(episode?.memoryId).toBe(turn.episodeId);
  const { structure, text = "" } = episode?.content ?? {};
  if (structure?.kind !== "episode") throw new Error("It has no episode.");
  expect(Buffer.byteLength(structure.episode.userText)).toBe(LIMITS.episodeTextBytes);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMITS.memoryTextBytes);
});

describe("what an append refuses, a turn refuses, and remembers nothing", () => {
  it("of a session that does not exist", async () => {
    await expect(recordTurn(services, "s", [NAME, "Hi"])).rejects.toMatchObject({
      reason: "SESSION_NOT_FOUND",
    });
    expect(await episodes()).toEqual([]);
  });

  it("at another seq than the caller expects", async () => {
    await openSession(services, "s");
    const turn = recordTurn(services, "s", ["a", "b"], { expectedLastSeq: 7 });
    await expect(turn).rejects.toMatchObject({ reason: "LAST_SEQ_MISMATCH" });
    expect(await episodes()).toEqual([]);
  });

  it("under a policy that counts no tokens itself", async () => {
    await openSession(services, "s", { policy: { ...TWO, tokenRule: "given" } });
    const turn = recordTurn(services, "s", ["a", "b"]);
    await expect(turn).rejects.toMatchObject({ reason: "REQUEST_INVALID" });
    expect(await episodes()).toEqual([]);
  });
});

it("gives a repeat its answer and does nothing", async () => {
  await openSession(services, "s");
  const first = await recordTurn(services, "s", ["a", "b"], { requestId: "r" });
  expect(await recordTurn(services, "s", ["a", "b"], { requestId: "r" })).toEqual(first);
  expect(await episodes()).toHaveLength(1);
});

it("of a session without a memory policy asks for no hook", async () => {
  await openSession(services, "s");
  await recordTurn(services, "s", ["Alice works at Acme.", "I see."]);
  expect(await services.store.readMemoryJobs(ref)).toEqual([]);
});
