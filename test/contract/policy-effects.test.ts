// Effects of policies on the messages that they remove, and beside them: discard, warnings, hooks,
// changed policies.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EventType } from "../../src/gen/memorysidecar/v1/event.ts";
import { Role } from "../../src/gen/memorysidecar/v1/message.ts";
import {
  Policy,
  type PolicyStage,
  RemovedTo,
  StageOn,
  WindowUnit,
} from "../../src/gen/memorysidecar/v1/policy.ts";
import {
  HoldReason,
  PolicyWarningKind,
  TrimReason,
} from "../../src/gen/memorysidecar/v1/window.ts";
import { type Failure, startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  bare,
  eventsOf,
  keepNewest,
  sessionMaker,
  trigger,
  users,
  windowIds,
} from "../support/contract/policy-wire.ts";
import {
  dropOldest,
  givingPolicy,
  keepStage,
  memoryPolicy,
  message,
  protections,
  session,
  sessionSummary,
  written,
} from "../support/contract/samples.ts";
import { revisionOf } from "../support/store/revisions.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const make = sessionMaker(() => server);
const DISCARD = { removedTo: RemovedTo.DISCARD } as const;

describe("REMOVED_TO_DISCARD", () => {
  test("erases what it removes for good, also of this very append", async () => {
    const sessionId = await make(bare([keepNewest(2, DISCARD)]), users(2));
    const answer = await server.client.call("appendMessages", { sessionId, messages: users(3, 3) });
    expect(answer.messages.map(({ seq }) => seq)).toEqual([3n, 4n, 5n]);
    expect(answer.trims).toMatchObject([
      { messageIds: ["m1", "m2", "m3"], discarded: true, removedTotals: { messageCount: 3n } },
    ]);
    for (const messageId of ["m1", "m2", "m3"]) {
      const missing = await server.client.fail("getMessage", { sessionId, messageId });
      expect(missing.reason).toBe("MESSAGE_NOT_FOUND");
    }
    const { messages } = await server.client.call("listMessages", { sessionId });
    expect(messages.map(({ messageId }) => messageId)).toEqual(["m4", "m5"]);
    const found = await server.client.call("getSession", { sessionId });
    expect(found.session).toMatchObject({
      lastSeq: 5n,
      logTotals: { messageCount: 2n, tokenCount: 2n },
      windowTotals: { messageCount: 2n, tokenCount: 2n },
    });
  });

  test("leaves them out of past windows, and says so in the event", async () => {
    const sessionId = await make(bare([keepNewest(2, DISCARD)]), users(2));
    const then = await server.client.call("getWindow", { sessionId, asOfSeq: 2n });
    expect(then.messages).toHaveLength(2);
    const { revision } = await server.client.call("appendMessages", {
      sessionId,
      messages: users(1, 3),
    });
    const past = await server.client.call("getWindow", { sessionId, asOfSeq: 2n });
    expect(past.messages.map(({ messageId }) => messageId)).toEqual(["m2"]);
    const [, trimmed] = await eventsOf(server, sessionId, revision);
    expect(trimmed?.detail).toMatchObject({
      $case: "messagesTrimmed",
      value: { trim: { messageIds: ["m1"], discarded: true, stage: "keep" } },
    });
  });

  test("frees their ids, and never their seqs", async () => {
    const sessionId = await make(bare([keepNewest(1, DISCARD)]), users(2));
    const again = await server.client.call("appendMessages", { sessionId, messages: users(1) });
    expect(again.messages).toMatchObject([{ messageId: "m1", seq: 3n }]);
    const fork = await server.client.call("forkSession", {
      sourceSessionId: sessionId,
      sessionId: `${sessionId}-fork`,
    });
    expect(fork.session).toMatchObject({ lastSeq: 3n, logTotals: { messageCount: 1n } });
  });

  test("erases a message that its own change made too large to stay", async () => {
    const select = { $case: "dropOldest", value: dropOldest({ maxTokens: 3n }) } as const;
    const sessionId = await make(bare([keepStage({ ...DISCARD, select })]), users(3));
    const answer = await server.client.call("updateMessage", {
      sessionId,
      message: message({ messageId: "m1", text: "twelve chars" }),
    });
    expect(answer.trims).toMatchObject([{ messageIds: ["m1"], discarded: true }]);
    const missing = await server.client.fail("getMessage", { sessionId, messageId: "m1" });
    expect(missing.reason).toBe("MESSAGE_NOT_FOUND");
    const found = await server.client.call("getSession", { sessionId });
    expect(found.session?.logTotals).toEqual({ messageCount: 2n, tokenCount: 2n });
  });
});

describe("warnings", () => {
  const failing: PolicyStage = keepStage({
    name: "calm",
    select: {
      $case: "filter",
      value: { conditions: ["message.tool_calls[0].name == 'x'"], scope: 0 },
    },
  });

  test("of conditions that fail name the condition and the messages", async () => {
    const sessionId = await make(bare([failing]));
    const { revision, trims } = await server.client.call("appendMessages", {
      sessionId,
      messages: users(3),
    });
    expect(trims).toMatchObject([{ reason: TrimReason.FILTER, messageIds: ["m1", "m2"] }]);
    const events = await eventsOf(server, sessionId, revision);
    expect(events.map(({ type }) => type)).toEqual([
      EventType.MESSAGES_APPENDED,
      EventType.MESSAGES_TRIMMED,
      EventType.POLICY_WARNED,
    ]);
    expect(events[2]?.detail).toMatchObject({
      $case: "policyWarned",
      value: {
        warning: {
          stage: "calm",
          kind: PolicyWarningKind.CONDITION_FAILED,
          field: "filter.conditions[0]",
          messageId: "m1",
          messageCount: 2,
        },
      },
    });
  });

  test("in a read are in its answer, and make no event", async () => {
    const sessionId = await make(bare([{ ...failing, on: StageOn.READ }]), users(2));
    const revision = await revisionOf(server.store);
    const window = await server.client.call("getWindow", { sessionId });
    expect(window.warnings).toMatchObject([
      { stage: "calm", kind: PolicyWarningKind.CONDITION_FAILED, messageCount: 1 },
    ]);
    expect(await revisionOf(server.store)).toBe(revision);
  });

  test("of a limit that is passed are told when it begins, and once", async () => {
    const select = { $case: "dropOldest", value: dropOldest({ maxTokens: 2n }) } as const;
    const policy = bare([keepStage({ select })]);
    const sessionId = await make(policy);
    const append = (messageId: string, text: string) =>
      server.client.call("appendMessages", {
        sessionId,
        messages: [message({ messageId, text })],
      });
    const long = "a text of twenty...";
    const over = await append("m1", long);
    expect(over).toMatchObject({
      overLimit: true,
      stageRuns: [{ stage: "keep", overLimit: true, heldBy: [HoldReason.MIN_MESSAGES] }],
    });
    const warned = async (): Promise<number> => {
      const events = await eventsOf(server, sessionId);
      return events.filter(({ type }) => type === EventType.POLICY_WARNED).length;
    };
    expect(await warned()).toBe(1);
    expect((await append("m2", long)).overLimit).toBe(true);
    expect(await warned()).toBe(1);
    expect((await append("m3", "abcd")).overLimit).toBe(false);
    expect((await append("m4", long)).overLimit).toBe(true);
    expect(await warned()).toBe(2);
    const last = (await eventsOf(server, sessionId)).at(-1);
    expect(last?.detail).toMatchObject({
      $case: "policyWarned",
      value: { warning: { stage: "keep", kind: PolicyWarningKind.OVER_LIMIT } },
    });
  });

  test("do not come when a stage on turn end makes the limit hold", async () => {
    const stages = [
      keepNewest(2, { unit: WindowUnit.TURN }),
      keepNewest(2, { name: "end", on: StageOn.TURN_END }),
    ];
    const agent = (messageId: string) =>
      message({ messageId, role: Role.ASSISTANT, text: messageId });
    const messages = [...users(1), agent("a1"), agent("a2")];
    const over = await server.client.call("appendMessages", {
      sessionId: await make(bare(stages)),
      messages,
    });
    expect(over.overLimit).toBe(true);
    const sessionId = await make(bare(stages));
    const answer = await server.client.call("appendMessages", {
      sessionId,
      messages,
      turnEnd: true,
    });
    expect(answer).toMatchObject({
      overLimit: false,
      trims: [{ stage: "end", messageIds: ["m1"] }],
    });
    const events = await eventsOf(server, sessionId, answer.revision);
    expect(events.map(({ type }) => type)).toEqual([
      EventType.MESSAGES_APPENDED,
      EventType.MESSAGES_TRIMMED,
    ]);
  });
});

describe("a policy that promotes", () => {
  const promoting = bare([keepNewest(1, { removedTo: RemovedTo.PROMOTE })]);

  test("is refused for a session without a promotion policy, and may be looked through", async () => {
    const before = await revisionOf(server.store);
    const failures: Failure[] = [];
    for (const none of [undefined, memoryPolicy()]) {
      const bare = session({ sessionId: "promotes", policy: promoting, memoryPolicy: none });
      failures.push(await server.client.fail("createSession", { session: bare }));
    }
    const sessionId = await make(bare([]), users(2));
    const update = { session: session({ sessionId, policy: promoting }) };
    failures.push(await server.client.fail("updateSession", update));
    for (const failure of failures) {
      expect(failure).toMatchObject({
        code: "FAILED_PRECONDITION",
        reason: "PROMOTION_POLICY_MISSING",
        metadata: { stage: "keep" },
      });
    }
    const looked = await server.client.call("getWindow", {
      sessionId,
      policy: written(promoting),
    });
    expect(looked.messages).toHaveLength(1);
    expect(await revisionOf(server.store)).toBe(before + 2);
  });

  test("keeps the promotion policy that it needs", async () => {
    const own = session({ sessionId: "keeps", policy: promoting, memoryPolicy: givingPolicy() });
    await server.client.call("createSession", { session: own });
    const failure = await server.client.fail("updateSession", {
      session: session({ sessionId: "keeps" }),
      updateMask: ["memory_policy"],
    });
    expect(failure.reason).toBe("PROMOTION_POLICY_MISSING");
  });
});

describe("REMOVED_TO_SUMMARIZE", () => {
  test("keeps the messages, says which wait, and warns of nothing", async () => {
    const stage = keepNewest(1, {
      removedTo: RemovedTo.SUMMARIZE,
      anyOf: [trigger({ $case: "messageCountOver", value: 2 })],
    });
    const sessionId = await make(bare([stage]));
    const answer = await server.client.call("appendMessages", { sessionId, messages: users(3) });
    expect(answer).toMatchObject({
      trims: [],
      windowTotals: { messageCount: 3n },
      overLimit: false,
    });
    expect(answer.stageRuns).toMatchObject([{ stage: "keep", awaitingMessageIds: ["m1", "m2"] }]);
    expect(await windowIds(server, sessionId)).toEqual(["m1", "m2", "m3"]);
  });
});

describe("UpdateSession with a policy", () => {
  test("runs its stages on append in one transaction with its event", async () => {
    const sessionId = await make(bare([]), users(4));
    const changed = await server.client.call("updateSession", {
      session: session({ sessionId, policy: bare([keepNewest(2, DISCARD)]) }),
    });
    const revision = changed.session?.revision ?? 0n;
    expect(changed).toMatchObject({
      trims: [{ messageIds: ["m1", "m2"], discarded: true }],
      session: { logTotals: { messageCount: 2n }, windowTotals: { messageCount: 2n } },
    });
    expect((await eventsOf(server, sessionId, revision)).map(({ type }) => type)).toEqual([
      EventType.SESSION_UPDATED,
      EventType.MESSAGES_TRIMMED,
    ]);
  });

  test("names what a summary should replace, and limits that do not hold", async () => {
    const sessionId = await make(bare([]), users(4));
    const waiting = keepNewest(2, { name: "old", removedTo: RemovedTo.SUMMARIZE });
    const tight = keepNewest(0, { name: "tight" });
    const changed = await server.client.call("updateSession", {
      session: session({ sessionId, policy: bare([waiting, tight]) }),
    });
    expect(changed).toMatchObject({
      overLimit: true,
      stageRuns: [
        { stage: "old", awaitingMessageIds: ["m1", "m2"] },
        { stage: "tight", overLimit: true },
      ],
      trims: [{ stage: "tight" }],
    });
  });

  test("with an unset policy gives back the default one", async () => {
    const sessionId = await make(bare([keepNewest(2)]), users(4));
    const changed = await server.client.call("updateSession", {
      session: session({ sessionId }),
      updateMask: ["policy"],
    });
    const { session: other } = await server.client.call("createSession", {
      session: session({ sessionId: `${sessionId}-default` }),
    });
    const encoded = [changed.session?.effectivePolicy, other?.effectivePolicy].map((of) =>
      Policy.encode(of ?? expect.unreachable()).finish(),
    );
    expect(encoded[0]).toEqual(encoded[1]);
  });
});

describe("ResetSession", () => {
  const system = (messageId: string) => message({ messageId, role: Role.SYSTEM, text: "rule" });

  test("keeps the oldest message of the log if it is a system message, in the window or not", async () => {
    const none = protections({ releaseLastUser: true, system: 1 });
    const sessionId = await make(bare([keepNewest(2)], { protections: none }), [
      system("s1"),
      ...users(1),
      system("s2"),
      ...users(1, 2),
    ]);
    expect(await windowIds(server, sessionId)).toEqual(["s2", "m2"]);
    const one = await server.client.call("resetSession", {
      sessionId,
      keepFirstSystemMessage: true,
    });
    expect(one.deletedTotals?.messageCount).toBe(3n);
    expect(await windowIds(server, sessionId)).toEqual(["s1"]);
    await server.client.call("appendMessages", { sessionId, messages: [system("s3")] });
    const both = await server.client.call("resetSession", {
      sessionId,
      keepFirstSystemMessage: true,
      keepSystemMessages: true,
    });
    expect(both.deletedTotals?.messageCount).toBe(0n);
    expect(await windowIds(server, sessionId)).toEqual(["s1", "s3"]);
    await server.client.call("deleteMessage", { sessionId, messageId: "s1" });
    await server.client.call("deleteMessage", { sessionId, messageId: "s3" });
    await server.client.call("appendMessages", { sessionId, messages: [...users(1, 5)] });
    await server.client.call("resetSession", { sessionId, keepFirstSystemMessage: true });
    expect(await windowIds(server, sessionId)).toEqual([]);
  });

  test("lets stages count new messages from there on", async () => {
    const fresh = trigger({ $case: "newMessagesAtLeast", value: 3 });
    const sessionId = await make(bare([keepNewest(1, { anyOf: [fresh] })]), users(2));
    await server.client.call("resetSession", { sessionId });
    const append = (first: number) =>
      server.client.call("appendMessages", { sessionId, messages: users(1, first) });
    expect((await append(3)).stageRuns).toEqual([]);
    expect((await append(4)).stageRuns).toEqual([]);
    expect((await append(5)).stageRuns).toMatchObject([{ stage: "keep" }]);
  });

  test("keeps the summary when asked to", async () => {
    const sessionId = "reset-summary";
    const before = sessionSummary({ text: "so far" });
    await server.client.call("createSession", { session: session({ sessionId, summary: before }) });
    const kept = await server.client.call("resetSession", { sessionId, keepSummary: true });
    expect(kept.session?.summary?.text).toBe("so far");
    const gone = await server.client.call("resetSession", { sessionId });
    expect(gone.session?.summary).toBeUndefined();
  });
});
