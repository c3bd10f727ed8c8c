// AppendMessages that answers with the window, with a context, or with both: what they show, and
// that a reply that cannot be made is told in the answer of an append that has taken effect.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ErrorReason } from "../../src/gen/memorysidecar/v1/error_reason.ts";
import { type Message, Role } from "../../src/gen/memorysidecar/v1/message.ts";
import { ContextSectionKind } from "../../src/gen/memorysidecar/v1/recall.ts";
import { AssembleContextRequest } from "../../src/gen/memorysidecar/v1/recall_service.ts";
import { WindowReply } from "../../src/gen/memorysidecar/v1/session_service.ts";
import { AppError } from "../../src/kit/errors.ts";
import {
  type RequestOf,
  startContractServer,
  type TestServer,
} from "../support/contract/client.ts";
import {
  bare,
  keepNewest,
  sessionMaker,
  storesOnRead,
  users,
  windowIds,
} from "../support/contract/policy-wire.ts";
import { memory, message, session, written } from "../support/contract/samples.ts";
import { summarizingPolicy } from "../support/contract/summarizing.ts";
import { storeWith } from "../support/services/services.ts";

let server: TestServer;
/** Thrown by the next reading of a window. */
let fault: unknown;
let count = 0;

beforeAll(async () => {
  server = await startContractServer({
    wrapStore: (store) =>
      storeWith(store, {
        readWindow: async (ref) => {
          const thrown = fault;
          fault = undefined;
          if (thrown !== undefined) throw thrown;
          return await store.readWindow(ref);
        },
      }),
  });
});

afterAll(() => server[Symbol.asyncDispose]());

const make = sessionMaker(() => server);
const fresh = (): string => `replies-${count++}`;
const NOTHING = new Uint8Array(0);
const windowReply = (fields: Partial<WindowReply> = {}): WindowReply => ({
  ...WindowReply.decode(NOTHING),
  ...fields,
});
const contextReply = (fields: Partial<AssembleContextRequest> = {}): AssembleContextRequest => ({
  ...AssembleContextRequest.decode(NOTHING),
  ...fields,
});

type Append = Partial<RequestOf<"appendMessages">>;

const append = (sessionId: string, fields: Append = {}) =>
  server.client.call("appendMessages", {
    sessionId,
    createSession: true,
    messages: [message({ text: "hello" })],
    ...fields,
  });

const idsOf = (messages: readonly Message[] | undefined) =>
  messages?.map(({ messageId }) => messageId);

async function lastSeq(sessionId: string): Promise<bigint | undefined> {
  return (await server.client.call("getSession", { sessionId })).session?.lastSeq;
}

describe("the window of an append", () => {
  test("is that of GetWindow after it", async () => {
    const sessionId = await make(bare([keepNewest(3)]), users(3));
    const answer = await append(sessionId, {
      messages: users(2, 4),
      windowReply: windowReply(),
    });
    expect(answer.window).toEqual(await server.client.call("getWindow", { sessionId }));
    expect(idsOf(answer.window?.messages)).toEqual(["m3", "m4", "m5"]);
    expect(answer.window?.lastSeq).toBe(answer.lastSeq);
    expect(answer.window?.revision).toBe(answer.revision);
    expect([answer.windowError, answer.context, answer.contextError]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(answer.trims.flatMap(({ messageIds }) => messageIds)).toEqual(["m1", "m2"]);
  });

  test("is given with the newest messages, through a policy, or at the end of a turn", async () => {
    const sessionId = await make(bare([keepNewest(10)]), users(3));
    const newest = await append(sessionId, { windowReply: windowReply({ newest: 2 }) });
    expect(newest.window?.messages).toHaveLength(2);
    const policy = written(bare([keepNewest(1)]));
    const viewed = await append(sessionId, { windowReply: windowReply({ policy }) });
    expect(viewed.window?.messages).toHaveLength(1);
    const ended = await append(sessionId, {
      messages: [],
      turnEnd: true,
      windowReply: windowReply(),
    });
    expect(ended.window?.messages).toHaveLength(5);
    expect(await windowIds(server, sessionId)).toHaveLength(5);
  });

  test("stores what stages on read remove, unless it is read only", async () => {
    const sessionId = await make(bare([storesOnRead(2)]));
    const read = await append(sessionId, {
      messages: users(4),
      windowReply: windowReply({ readOnly: true }),
    });
    expect(idsOf(read.window?.messages)).toEqual(["m3", "m4"]);
    expect(read.window?.revision).toBe(read.revision);
    const stored = await append(sessionId, {
      messages: users(1, 5),
      windowReply: windowReply(),
    });
    expect(idsOf(stored.window?.messages)).toEqual(["m4", "m5"]);
    expect(stored.window?.revision).toBe(stored.revision + 1n);
    expect(stored.window?.trims.flatMap(({ messageIds }) => messageIds)).toEqual([
      "m1",
      "m2",
      "m3",
    ]);
  });

  test("comes with an append that creates its session", async () => {
    const sessionId = fresh();
    const answer = await append(sessionId, {
      messages: users(3),
      session: session({ policy: bare([keepNewest(2)]) }),
      windowReply: windowReply(),
    });
    expect(idsOf(answer.window?.messages)).toEqual(["m2", "m3"]);
  });
});

describe("the context of an append", () => {
  test("is that of AssembleContext after it", async () => {
    const sessionId = fresh();
    await server.client.call("remember", {
      memories: [memory({ userId: "ana", text: "Ana lives in Berlin." })],
    });
    const options = { maxTokens: 300, referenceTime: { seconds: 1_700_000_000n, nanos: 0 } };
    const answer = await append(sessionId, {
      session: session({ userId: "ana" }),
      messages: [message({ text: "Where does Ana live?" })],
      contextReply: contextReply(options),
    });
    expect(answer.context?.text).toContain("Ana lives in Berlin.");
    expect(answer.context?.text).toContain("Where does Ana live?");
    const asked = await server.client.call("assembleContext", { sessionId, ...options });
    expect(answer.context?.text).toBe(asked.text);
    expect(answer.context?.parts.map(({ kind }) => kind)).toEqual(
      asked.parts.map(({ kind }) => kind),
    );
    expect([answer.context?.tokenCount, answer.context?.budgetTokens]).toEqual([
      asked.tokenCount,
      300,
    ]);
    expect([answer.window, answer.windowError, answer.contextError]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("comes beside the window when both are asked for", async () => {
    const sessionId = fresh();
    const answer = await append(sessionId, {
      messages: users(2),
      windowReply: windowReply(),
      contextReply: contextReply({ excludeConversation: true }),
    });
    expect(idsOf(answer.window?.messages)).toEqual(["m1", "m2"]);
    expect(answer.context?.budgetTokens).toBe(4_000);
    expect(answer.messages).toHaveLength(2);
  });
});

test("a repeat answers with the first append, and with the window as it is now", async () => {
  const sessionId = fresh();
  const fields = { requestId: "turn", messages: users(1), windowReply: windowReply() };
  const first = await append(sessionId, fields);
  await append(sessionId, { messages: users(1, 2) });
  const again = await append(sessionId, fields);
  expect({ ...again, window: undefined }).toEqual({ ...first, window: undefined });
  expect(idsOf(first.window?.messages)).toEqual(["m1"]);
  expect(idsOf(again.window?.messages)).toEqual(["m1", "m2"]);
  const { reason } = await server.client.fail("appendMessages", {
    sessionId,
    createSession: true,
    ...fields,
    windowReply: windowReply({ newest: 1 }),
  });
  expect(reason).toBe("REQUEST_ID_REUSED");
});

describe("a reply that cannot be made", () => {
  test("is told with the failure of its own call", async () => {
    const sessionId = fresh();
    await append(sessionId);
    fault = new AppError("RECORD_CORRUPT", "The record is damaged.", {
      metadata: { record: "window" },
    });
    const answer = await append(sessionId, { windowReply: windowReply() });
    expect(answer.window).toBeUndefined();
    expect(answer.windowError).toEqual({
      code: 15,
      reason: ErrorReason.RECORD_CORRUPT,
      message: "The record is damaged.",
      metadata: new Map([["record", "window"]]),
    });
    expect(answer.lastSeq).toBe(2n);
    expect(await lastSeq(sessionId)).toBe(2n);
    expect(server.log.some((line) => line.includes("RECORD_CORRUPT"))).toBe(true);
  });

  test("is told as an incident when the server is at fault", async () => {
    const sessionId = fresh();
    await append(sessionId);
    fault = new Error("a fault");
    const answer = await append(sessionId, {
      windowReply: windowReply(),
      contextReply: contextReply(),
    });
    expect(answer.windowError?.reason).toBe(ErrorReason.INTERNAL);
    const incident = answer.windowError?.metadata.get("incident_id") ?? "";
    expect(incident).not.toBe("");
    expect(server.log.some((line) => line.includes(incident))).toBe(true);
    // The other reply does not suffer from it.
    expect(answer.context?.text).toContain("hello");
    fault = new Error("a fault");
    const other = await append(sessionId, { contextReply: contextReply() });
    expect(other.contextError?.code).toBe(13);
    expect(await lastSeq(sessionId)).toBe(3n);
  });

  test("is told when the session is gone by then", async () => {
    const sessionId = fresh();
    const fields = { requestId: `gone-${sessionId}`, windowReply: windowReply() };
    const first = await append(sessionId, fields);
    await server.client.call("deleteSession", { sessionId });
    const again = await append(sessionId, fields);
    expect(again.messages).toEqual(first.messages);
    expect([again.windowError?.code, again.windowError?.reason]).toEqual([
      5,
      ErrorReason.SESSION_NOT_FOUND,
    ]);
  });

  test("is told when the response has no room for it, and only then", async () => {
    const sessionId = fresh();
    const text = "all of it ".repeat(95_000);
    for (const role of [Role.USER, Role.ASSISTANT]) {
      await append(sessionId, {
        session: session({ policy: bare([]) }),
        messages: [message({ role, text })],
      });
    }
    const answer = await append(sessionId, {
      messages: [message({ role: Role.ASSISTANT, text })],
      windowReply: windowReply(),
      contextReply: contextReply({
        maxTokens: 1_000_000,
        sections: [
          {
            kind: ContextSectionKind.CONVERSATION,
            share: 1,
            firstShare: undefined,
            limit: 0,
            heading: undefined,
            maxChars: 0,
          },
        ],
      }),
    });
    expect(answer.window?.messages).toHaveLength(3);
    expect(answer.context).toBeUndefined();
    expect(answer.contextError).toMatchObject({
      code: 11,
      reason: ErrorReason.REPLY_TOO_LARGE,
      metadata: new Map([["limit", "4194304"]]),
    });
    expect(await lastSeq(sessionId)).toBe(3n);
    const alone = await append(sessionId, {
      contextReply: contextReply({ maxTokens: 1_000_000 }),
    });
    expect(alone.contextError).toBeUndefined();
  });
});

test.each<[string, Append]>([
  ["context_reply.namespace", { contextReply: contextReply({ namespace: "default" }) }],
  ["context_reply.session_id", { contextReply: contextReply({ sessionId: "other" }) }],
  ["context_reply.profile", { contextReply: contextReply({ profile: "nobody" }) }],
  ["context_reply.max_tokens", { contextReply: contextReply({ maxTokens: -1 }) }],
  ["window_reply.newest", { windowReply: windowReply({ newest: 0 }) }],
  ["window_reply.policy", { windowReply: windowReply({ policy: { choice: undefined } }) }],
])("refuses %s, and appends nothing", async (field, fields) => {
  const sessionId = fresh();
  await append(sessionId);
  const failure = await server.client.fail("appendMessages", {
    sessionId,
    messages: [message({ text: "no" })],
    ...fields,
  });
  expect(failure.reason).toBe("REQUEST_INVALID");
  expect(failure.fields.some((name) => name.startsWith(field))).toBe(true);
  expect(await lastSeq(sessionId)).toBe(1n);
});

test("refuses a policy of the reply that asks for a missing hook, and appends nothing", async () => {
  const sessionId = fresh();
  await append(sessionId);
  const { reason } = await server.client.fail("appendMessages", {
    sessionId,
    messages: [message({ text: "no" })],
    windowReply: windowReply({ policy: written(summarizingPolicy({ hook: "nobody" })) }),
  });
  expect(reason).toBe("HOOK_NOT_CONFIGURED");
  expect(await lastSeq(sessionId)).toBe(1n);
});
