import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonCodec, toBytes } from "../../test/support/json-codec.ts";
import { dropOldest, policyOf, stageOf } from "../../test/support/policies.ts";
import { startTestServices, type TestServices } from "../../test/support/services.ts";
import { EVENT_TYPE } from "../domain/event.ts";
import { CEILING, type Policy } from "../domain/policy.ts";
import type { Session, WindowInsert } from "../domain/session.ts";
import type { StoredEntry } from "../storage/store.ts";
import type { ServiceContext } from "./context.ts";
import { newSession } from "./new-session.ts";
import { NO_REMOVAL_HOOKS, type Removal } from "./removal-port.ts";
import { TokenCounter } from "./token-counter.ts";
import { changeWindow, planOf } from "./window-change.ts";

const stamp = { revision: 9, nowMs: 1_000 };

const context: ServiceContext = {
  store: undefined as never,
  codec: jsonCodec,
  world: { nowMs: () => 1_000, random: (length) => new Uint8Array(length) },
  tokens: new TokenCounter(),
  removals: NO_REMOVAL_HOOKS,
  settings: { idempotencyWindowMs: 1, eventAgeMsMax: 1, eventCountMax: 1 },
};

function entry(seq: number, byteCount = 10): StoredEntry {
  return {
    seq,
    messageId: `m${seq}`,
    role: 1,
    callIds: [],
    answers: [],
    isResult: false,
    tokenCount: 2,
    createMs: 0,
    byteCount,
    bytes: new Uint8Array(0),
  };
}

function insert(position: number): WindowInsert {
  const messageId = `i${position}`;
  const made = { messageId, kind: "summary", text: "sum", toolCallId: "", name: "" } as const;
  const bytes = jsonCodec.encodeMade({ ...made, tokenCount: 5, createMs: 7 });
  return {
    position,
    kind: "summary",
    messageId,
    tokenCount: 5,
    bytes,
    ranges: [{ first: 1, last: 2 }],
    firstMs: 1,
    createMs: 7,
  };
}

/** A session whose log is m3 to m6, all in the window behind a summary. */
function sessionWith(policy: Policy): Session {
  const bare = newSession({ namespace: "n", sessionId: "s" }, { policy }, stamp);
  return {
    ...bare,
    fields: { ...bare.fields, inserts: [insert(2.5)] },
    head: {
      ...bare.head,
      lastSeq: 6,
      log: { messageCount: 4, tokenCount: 8 },
      windowRanges: [{ first: 3, last: 6 }],
    },
  };
}

const window = [3, 4, 5, 6].map((seq) => entry(seq));
const unprotected = {
  protections: { system: "none", pinFirst: 0, pinIds: [], minMessages: 1, lastUser: false },
} as const;
const onAppend = [{ occasions: ["append"], outcomes: [] }] as const;

describe("an insert", () => {
  test("counts toward triggers and leaves like a message, and only its fields change", () => {
    const policy = policyOf([stageOf({ select: dropOldest({ maxMessages: 4 }) })], unprotected);
    const session = sessionWith(policy);
    const change = changeWindow(context, { session, window, stamp }, onAppend);
    expect(change.trims).toMatchObject([{ stage: "two", before: { messageCount: 5 } }]);
    expect(change.fields.inserts).toEqual([]);
    expect(change.fields.etagRevision).toBe(session.fields.etagRevision);
    expect(change.totals).toMatchObject({ messageCount: 4, tokenCount: 8 });
    expect(change.head.windowRanges).toEqual([{ first: 3, last: 6 }]);
    expect(change.windowTrimmed).toBe(false);
    expect(planOf(session, change).fields).toBe(change.fields);
  });

  test("that stays is no part of the stored totals, and of what callers see", () => {
    const session = sessionWith(policyOf([]));
    const change = changeWindow(context, { session, window, stamp }, onAppend);
    expect(change.fields).toBe(session.fields);
    expect(planOf(session, change)).not.toHaveProperty("fields");
    expect(change.head.window).toEqual({ messageCount: 4, tokenCount: 8, byteCount: 40 });
    expect(change.totals).toMatchObject({ messageCount: 5, tokenCount: 13 });
    expect(change.entries.map(({ seq }) => seq)).toEqual([2.5, 3, 4, 5, 6]);
    expect(change.window.map(({ seq }) => seq)).toEqual([3, 4, 5, 6]);
  });

  test("that is discarded simply leaves: there is nothing to erase", () => {
    const stage = stageOf({ select: dropOldest({ maxMessages: 3 }), removedTo: "discard" });
    const session = sessionWith(policyOf([stage], unprotected));
    const change = changeWindow(context, { session, window, stamp }, onAppend);
    expect(change.fields.inserts).toEqual([]);
    expect(change.erase).toEqual([{ seq: 3, messageId: "m3" }]);
    expect(change.head).toMatchObject({
      log: { messageCount: 3, tokenCount: 6 },
      windowRanges: [{ first: 4, last: 6 }],
    });
    expect(change.windowTrimmed).toBe(true);
  });
});

describe("a change without stages", () => {
  test("adds up what it is given, and puts its own trims first", () => {
    const session = sessionWith(policyOf([stageOf()]));
    const totals = { messageCount: 5, tokenCount: 13 };
    const trim = {
      stage: "",
      reason: "summarized",
      removed: [entry(2)],
      before: totals,
      after: totals,
      discarded: false,
    } as const;
    const base = { session, window, stamp, trims: [trim] };
    const change = changeWindow(context, base, []);
    expect(change.trims).toEqual([trim]);
    expect(change.events).toEqual([{ type: EVENT_TYPE.messagesTrimmed, trim }]);
    expect(change.totals).toMatchObject(totals);
  });

  test("is refused above the ceiling", () => {
    const session = sessionWith(policyOf([]));
    const heavy = [entry(3, CEILING.bytes)];
    const refused = (): unknown => changeWindow(context, { session, window: heavy, stamp }, []);
    expect(refused).toThrow(expect.objectContaining({ reason: "WINDOW_FULL" }));
  });
});

test("a policy of one pass leaves what the session's own remembers", () => {
  const trigger = { kind: "new-messages-at-least", limit: 1 } as const;
  const stage = stageOf({ anyOf: [trigger] });
  const session = sessionWith(policyOf([]));
  const passes = [{ occasions: ["append"], policy: policyOf([stage], unprotected) }] as const;
  const change = changeWindow(context, { session, window, stamp }, passes);
  expect(change.runs).toHaveLength(1);
  expect(change.head.policyState).toBe(session.head.policyState);
});

test("sixteen warnings are told of, those of limits first", () => {
  const anyOf = [{ kind: "message-count-over", limit: 0 }] as const;
  const failing = Array.from({ length: 20 }, (_, i) =>
    stageOf({
      name: `count-${i}`,
      select: dropOldest({ maxMessages: 9 }),
      anyOf,
      countIf: [`message.tool_calls[${i}].id == 'x'`],
    }),
  );
  const tight = stageOf({ name: "tight", select: dropOldest({ maxTokens: 1 }) });
  const session = sessionWith(policyOf([...failing, tight], unprotected));
  const change = changeWindow(context, { session, window, stamp }, onAppend);
  const warnings = change.events.flatMap((event) =>
    event.type === EVENT_TYPE.policyWarned ? [event.warning] : [],
  );
  expect(warnings).toHaveLength(16);
  expect(warnings[0]).toEqual({ kind: "over-limit", stage: "tight" });
  expect(warnings[1]).toMatchObject({ kind: "condition-failed", stage: "count-0" });
});

describe("hooks", () => {
  const promote = stageOf({ select: dropOldest({ maxMessages: 3 }), removedTo: "promote" });
  const summarize = stageOf({
    name: "sum",
    select: dropOldest({ maxMessages: 2 }),
    removedTo: "summarize",
  });

  test("get what stages hand them, and add to the events of the change", () => {
    const removals: Removal[] = [];
    const event = { type: EVENT_TYPE.sessionUpdated, paths: ["hook"] } as const;
    const hooked: ServiceContext = {
      ...context,
      removals: {
        kinds: new Set(["promote", "summarize"]),
        take: (_, removal) => {
          removals.push(removal);
          return [event];
        },
      },
    };
    const session = sessionWith(policyOf([promote, summarize], unprotected));
    const change = changeWindow(hooked, { session, window, stamp }, onAppend);
    expect(
      removals.map(({ kind, stage, entries }) => [kind, stage, entries.map((e) => e.seq)]),
    ).toEqual([
      ["promote", "two", [2.5, 3]],
      ["summarize", "sum", [4]],
    ]);
    expect(change.events.slice(-2)).toEqual([event, event]);
  });

  test("are not asked for what they do not do", () => {
    const silent: ServiceContext = {
      ...context,
      removals: { kinds: new Set(["promote"]), take: () => expect.unreachable() },
    };
    const session = sessionWith(policyOf([summarize], unprotected));
    const change = changeWindow(silent, { session, window, stamp }, onAppend);
    expect(change.runs[0]?.awaitsSummary.map(({ seq }) => seq)).toEqual([2.5, 3, 4]);
    expect(change.events).toEqual([]);
  });
});

describe("over a store", () => {
  let services: TestServices;

  beforeEach(async () => {
    services = await startTestServices();
  });

  afterEach(async () => {
    await services.stop();
    await services.store.close();
  });

  /** Puts an insert into the window of a session. */
  async function place(sessionId: string, position: number): Promise<void> {
    await services.store.changeSession({ namespace: "default", sessionId }, (view) => {
      const { session, revision } = view;
      if (session === undefined) throw new Error("no session");
      return {
        kind: "save",
        result: undefined,
        plan: {
          fields: { ...session.fields, inserts: [insert(position)] },
          head: { ...session.head, revision },
          events: [
            {
              type: EVENT_TYPE.summarySet,
              namespace: "default",
              sessionId,
              userId: "",
              createMs: 1,
              body: toBytes({}),
            },
          ],
        },
      };
    });
  }

  const ref = { namespace: "default", sessionId: "s" };

  async function fork(sessionId: string, atSeq?: number): Promise<Session> {
    await services.sessions.forkSession(services.call("ForkSession"), {
      namespace: "default",
      sourceSessionId: "s",
      sessionId,
      ...(atSeq === undefined ? {} : { atSeq }),
      encode: toBytes,
    });
    return await services.store.readSession({ ...ref, sessionId }).then((session) => {
      if (session === undefined) throw new Error("no fork");
      return session;
    });
  }

  test("inserts are shown, counted, and left out of the past", async () => {
    await services.append("s", [{ text: "a" }, { text: "b" }]);
    await place("s", 1.5);
    expect(await services.windowTexts("s")).toEqual(["a", "sum", "b"]);
    const call = services.call("GetWindow");
    const now = await services.sessions.getWindow(call, ref);
    expect(now.window).toMatchObject({ messageCount: 3, tokenCount: 7 });
    expect(now.outside).toEqual({ messageCount: 0, tokenCount: 0 });
    const past = await services.sessions.getWindow(call, { ...ref, asOfSeq: 2 });
    expect(past.messages).toHaveLength(2);
    const answer = await services.append("s", [{ text: "c" }]);
    expect(answer.window).toMatchObject({ messageCount: 4, tokenCount: 8 });
  });

  test("inserts go along with a fork of the newest seq, and no other", async () => {
    await services.append("s", [{ text: "a" }, { text: "b" }]);
    await place("s", 1.5);
    expect((await fork("newest")).fields.inserts).toHaveLength(1);
    expect(await services.windowTexts("newest")).toEqual(["a", "sum", "b"]);
    expect((await fork("past", 1)).fields.inserts).toEqual([]);
    expect(await services.windowTexts("past")).toEqual(["a"]);
  });

  test("a reset drops inserts", async () => {
    await services.append("s", [{ role: 3, text: "rules" }]);
    await place("s", 0.5);
    await services.sessions.resetSession(services.call("ResetSession"), {
      ...ref,
      keepSystemMessages: true,
      keepFirstSystemMessage: false,
      keepSummary: true,
      etag: "",
      encode: toBytes,
    });
    expect(await services.windowTexts("s")).toEqual(["rules"]);
  });
});
