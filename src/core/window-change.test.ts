import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hooksOf, MANUAL_HOOKS, scriptedHook } from "../../test/support/hooks/hooks.ts";
import { jsonCodec, toBytes } from "../../test/support/services/json-codec.ts";
import { startTestServices, type TestServices } from "../../test/support/services/services.ts";
import { insertOf } from "../../test/support/window/inserts.ts";
import { dropOldest, policyOf, stageOf } from "../../test/support/window/policies.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";
import { Etags } from "../kit/etag.ts";
import { PARTICIPANTS } from "../services.ts";
import type { Session, WindowInsert } from "../session/rules/session.ts";
import { newSession } from "../session/sessions.ts";
import type { StoredEntry } from "../store/store.ts";
import { type Task, taskIdOf, taskNoAt } from "../tasks/rules/task.ts";
import { CEILING, type Policy } from "../window/policy/policy.ts";
import { DEFAULT_SUMMARY_SPEC } from "../window/policy/summary-spec.ts";
import type { ServiceContext } from "./context.ts";
import { TokenCounter } from "./token-counter.ts";
import { changeWindow, planOf } from "./window-change.ts";

const stamp = { revision: 9, nowMs: 1_000 };
const tasks = (): readonly Task[] => [];

const context: ServiceContext = {
  store: undefined as never,
  etags: new Etags("0123456789abcdef"),
  codec: jsonCodec,
  world: { nowMs: () => 1_000, random: (length) => new Uint8Array(length) },
  tokens: new TokenCounter(),
  hooks: MANUAL_HOOKS,
  participants: PARTICIPANTS,
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

const insert = (position: number): WindowInsert =>
  insertOf(position, { ranges: [{ first: 1, last: 2 }] });

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
    const change = changeWindow(context, { session, window, stamp, tasks }, onAppend);
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
    const change = changeWindow(context, { session, window, stamp, tasks }, onAppend);
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
    const change = changeWindow(context, { session, window, stamp, tasks }, onAppend);
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
    const base = { session, window, stamp, tasks, trims: [trim] };
    const change = changeWindow(context, base, []);
    expect(change.trims).toEqual([trim]);
    expect(change.events).toEqual([{ type: EVENT_TYPE.messagesTrimmed, trim }]);
    expect(change.totals).toMatchObject(totals);
  });

  test("is refused above the ceiling", () => {
    const session = sessionWith(policyOf([]));
    const heavy = [entry(3, CEILING.bytes)];
    const refused = (): unknown =>
      changeWindow(context, { session, window: heavy, stamp, tasks }, []);
    expect(refused).toThrow(expect.objectContaining({ reason: "WINDOW_FULL" }));
  });
});

test("a policy of one pass leaves what the session's own remembers", () => {
  const trigger = { kind: "new-messages-at-least", limit: 1 } as const;
  const stage = stageOf({ anyOf: [trigger] });
  const session = sessionWith(policyOf([]));
  const passes = [{ occasions: ["append"], policy: policyOf([stage], unprotected) }] as const;
  const change = changeWindow(context, { session, window, stamp, tasks }, passes);
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
  const change = changeWindow(context, { session, window, stamp, tasks }, onAppend);
  const warnings = change.events.flatMap((event) =>
    event.type === EVENT_TYPE.policyWarned ? [event.warning] : [],
  );
  expect(warnings).toHaveLength(16);
  expect(warnings[0]).toEqual({ kind: "over-limit", stage: "tight" });
  expect(warnings[1]).toMatchObject({ kind: "condition-failed", stage: "count-0" });
});

describe("what stages have summarized", () => {
  const hooked: ServiceContext = { ...context, hooks: hooksOf([scriptedHook("writer")]) };
  const summarize = { ...DEFAULT_SUMMARY_SPEC, hook: "writer" };
  const stage = stageOf({ name: "sum", removedTo: "summarize", summarize });
  const atOnce = {
    ...stage,
    summarize: { ...summarize, keep: "append", leave: "at-once" },
  } as const;
  const first = taskNoAt(stamp.revision, 0);
  const unread = (): never => expect.unreachable("the tasks were read");

  test("makes a task, named by the run of the stage", () => {
    const session = sessionWith(policyOf([stage], unprotected));
    const change = changeWindow(hooked, { session, window, stamp, tasks }, onAppend);
    const ids = change.runs.map(({ stage: name, taskId }) => [name, taskId]);
    expect(ids).toEqual([["sum", taskIdOf(first)]]);
    expect(change.runs[0]?.awaitsSummary.map(({ seq }) => seq)).toEqual([2.5, 3, 4]);
    expect(change.tasks?.put).toMatchObject([{ taskNo: first, hook: "writer", stage: "sum" }]);
    expect(planOf(session, change).tasks).toBe(change.tasks);
    expect(change.events).toMatchObject([{ type: EVENT_TYPE.summaryRequested, stage: "sum" }]);
  });

  test("is told of after the trims when messages leave at once", () => {
    const session = sessionWith(policyOf([atOnce], unprotected));
    const change = changeWindow(hooked, { session, window, stamp, tasks }, onAppend);
    expect(change.window.map(({ seq }) => seq)).toEqual([5, 6]);
    const told = change.events.map(({ type }) => type);
    expect(told).toEqual([EVENT_TYPE.messagesTrimmed, EVENT_TYPE.summaryRequested]);
    const [task] = change.tasks?.put ?? [];
    expect(task?.summarize.made).toEqual([{ messageId: "i2.5", version: 1 }]);
    expect(task?.summarize.ranges).toEqual([{ first: 3, last: 4 }]);
  });

  test("sees what the change did to tasks already", () => {
    const session = sessionWith(policyOf([stage], unprotected));
    const made = changeWindow(hooked, { session, window, stamp, tasks }, onAppend).tasks?.put?.[0];
    if (made === undefined) throw new Error("no task");
    const old = { ...made, taskNo: 7 };
    const base = { session, window, stamp, tasks: () => [old] };
    const kept = changeWindow(hooked, base, onAppend);
    expect(kept.tasks).toBeUndefined();
    expect(kept.runs[0]?.taskId).toBe(taskIdOf(7));
    const gone = changeWindow(hooked, { ...base, taskPlan: { remove: [7] } }, onAppend);
    expect(gone.tasks).toMatchObject({ put: [{ taskNo: first }], remove: [7] });
  });

  test("is nobody's work where it is done by hand, and costs nothing where there is none", () => {
    const byHand = stageOf({ ...stage, summarize: { ...summarize, hook: "manual" } });
    const session = sessionWith(policyOf([byHand], unprotected));
    const change = changeWindow(hooked, { session, window, stamp, tasks }, onAppend);
    expect(change.runs[0]?.awaitsSummary.map(({ seq }) => seq)).toEqual([2.5, 3, 4]);
    expect(change.runs[0]?.taskId).toBe("");
    expect([change.tasks, change.events]).toEqual([undefined, []]);
    const idle = stageOf({ ...stage, select: dropOldest({ maxMessages: 99 }) });
    for (const policy of [policyOf([stageOf()]), policyOf([idle])]) {
      const plain = { session: sessionWith(policy), window, stamp, tasks: unread };
      expect(changeWindow(hooked, plain, onAppend).tasks).toBeUndefined();
    }
  });

  test("is not asked for by the policy of a single pass, and not by what left before", () => {
    const session = sessionWith(policyOf([atOnce], unprotected));
    const size = { messageCount: 1, tokenCount: 2 };
    const sizes = { before: size, after: size, discarded: false };
    const left = { stage: "sum", reason: "summarized", removed: [entry(1)], ...sizes } as const;
    const base = { session, window: window.slice(2), stamp, tasks: unread, trims: [left] };
    const passes = [{ occasions: ["append"], policy: policyOf([atOnce], unprotected) }] as const;
    expect(changeWindow(hooked, base, passes).tasks).toBeUndefined();
    const settled = { ...session, fields: { ...session.fields, inserts: [] } };
    expect(changeWindow(hooked, { ...base, session: settled }, onAppend).tasks).toBeUndefined();
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
          fields: { ...session.fields, inserts: [insert(position)], summaryVersion: 1 },
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
