import { Metadata } from "@grpc/grpc-js";
import { afterEach, describe, expect, test } from "vitest";
import { clampTimeout, MAX_TIMEOUT_MS } from "../src/call.ts";
import { toTarget } from "../src/channel.ts";
import { Session } from "../src/gen/memorysidecar/v1/session.ts";
import {
  type AppendMessagesRequest,
  AppendMessagesResponse,
} from "../src/gen/memorysidecar/v1/session_service.ts";
import { connect, isMemorySidecarError, type MemorySidecar, Status } from "../src/index.ts";
import type { ConnectOptions } from "../src/options.ts";
import { backoffMs, DEFAULT_RETRY } from "../src/retry.ts";
import { type FakeHandlers, type FakeServer, fakeError, script, startFake } from "./fake-server.ts";

const FAST = { maxAttempts: 4, initialDelayMs: 5, maxDelayMs: 20 };
const session = { session: Session.fromPartial({ sessionId: "s1" }) };
const away = fakeError({ code: Status.UNAVAILABLE, reason: "SHUTTING_DOWN", retryDelayMs: 5 });

let server: FakeServer | undefined;
let client: MemorySidecar | undefined;

async function open(handlers: FakeHandlers, options: ConnectOptions = {}): Promise<MemorySidecar> {
  server = await startFake(handlers);
  client = connect(server.address, { retry: FAST, ...options });
  return client;
}

afterEach(() => {
  client?.close();
  server?.stop();
  client = undefined;
  server = undefined;
});

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail("the call must fail"),
    (error: unknown) => error,
  );
}

describe("errors", () => {
  test("decodes reason, metadata, violations, resource and retry delay", async () => {
    const error = fakeError({
      code: Status.INVALID_ARGUMENT,
      reason: "REQUEST_INVALID",
      metadata: { field: "messages[0].role" },
      violations: [{ field: "messages[0].role", description: "must be set" }],
      resource: { type: "Session", name: "s1" },
      retryDelayMs: 1_250,
    });
    const opened = await open({ sessions: { getSession: script(error) } });
    expect(await failure(opened.getSession("s1"))).toMatchObject({
      name: "MemorySidecarError",
      message: 'the fake server says no Session "s1" in namespace "default".',
      method: "/memorysidecar.v1.SessionService/GetSession",
      code: Status.INVALID_ARGUMENT,
      reason: "REQUEST_INVALID",
      metadata: { field: "messages[0].role" },
      violations: [{ field: "messages[0].role", description: "must be set" }],
      resource: { type: "Session", name: "s1" },
      retryDelayMs: 1_250,
    });
  });

  test("keeps code and message when the details cannot be read", async () => {
    const details = Buffer.from([0xff, 0xff, 0xff, 0x01]);
    const error = fakeError({ code: Status.NOT_FOUND, details });
    const opened = await open({ sessions: { getSession: script(error) } });
    const caught = await failure(opened.getSession("s1"));
    expect(caught).toMatchObject({ code: Status.NOT_FOUND, reason: "", violations: [] });
    expect(isMemorySidecarError(caught)).toBe(true);
    expect(isMemorySidecarError(caught, "SESSION_NOT_FOUND")).toBe(false);
  });

  test("ignores the reason of another domain", async () => {
    const opened = await open({});
    const caught = await failure(opened.serverInfo());
    expect(caught).toMatchObject({ code: Status.UNIMPLEMENTED, reason: "" });
  });
});

describe("retries", () => {
  test("repeats a read while the server is away", async () => {
    const getSession = script(away, away, session);
    const opened = await open({ sessions: { getSession } });
    expect((await opened.getSession("s1")).sessionId).toBe("s1");
    expect(getSession.seen).toHaveLength(3);
  });

  test("repeats a change with the same request id and body", async () => {
    const answer = AppendMessagesResponse.fromPartial({ lastSeq: 1 });
    const appendMessages = script<AppendMessagesRequest, AppendMessagesResponse>(away, answer);
    const opened = await open({ sessions: { appendMessages } });
    expect((await opened.append("s1", "hello")).lastSeq).toBe(1);
    const [first, second] = appendMessages.seen.map((call) => call.request);
    expect(first?.requestId).not.toBe("");
    expect(second).toEqual(first);
    await opened.append("s1", "hello");
    expect(appendMessages.seen[2]?.request.requestId).not.toBe(first?.requestId);
    await opened.append("s1", "hello", { requestId: "mine" });
    expect(appendMessages.seen[3]?.request.requestId).toBe("mine");
  });

  test("repeats UNAVAILABLE after the delay, and RESOURCE_EXHAUSTED not even with one", async () => {
    const asked = fakeError({ code: Status.UNAVAILABLE, reason: "NEW", retryDelayMs: 30 });
    const notAsked = fakeError({ code: Status.RESOURCE_EXHAUSTED, reason: "X", retryDelayMs: 1 });
    const getSession = script(asked, notAsked, session);
    const opened = await open({ sessions: { getSession } });
    const before = Date.now();
    expect(await failure(opened.getSession("s1"))).toMatchObject({ reason: "X" });
    expect(Date.now() - before).toBeGreaterThanOrEqual(29);
    expect(getSession.seen).toHaveLength(2);
  });

  test.each([
    Status.ABORTED,
    Status.INTERNAL,
    Status.DEADLINE_EXCEEDED,
    Status.FAILED_PRECONDITION,
    Status.DATA_LOSS,
  ])("does not repeat after code %i", async (code) => {
    const getSession = script(fakeError({ code }), session);
    const opened = await open({ sessions: { getSession } });
    expect(await failure(opened.getSession("s1"))).toMatchObject({ code });
    expect(getSession.seen).toHaveLength(1);
  });

  test("gives up after the attempts, and when the wait would pass the deadline", async () => {
    const getSession = script(away);
    const opened = await open({ sessions: { getSession } });
    expect(await failure(opened.getSession("s1"))).toMatchObject({ reason: "SHUTTING_DOWN" });
    expect(getSession.seen).toHaveLength(FAST.maxAttempts);
    const slow = fakeError({ code: Status.UNAVAILABLE, reason: "SLOW", retryDelayMs: 10_000 });
    const getMessage = script(slow);
    const other = await open({ sessions: { getMessage } });
    const before = Date.now();
    const caught = await failure(other.getMessage("s1", "m1", { timeoutMs: 2_000 }));
    expect(caught).toMatchObject({ reason: "SLOW", retryDelayMs: 10_000 });
    expect(Date.now() - before).toBeLessThan(1_500);
    expect(getMessage.seen).toHaveLength(1);
  });

  test("survives a restart of the server", async () => {
    const getSession = script(session);
    const opened = await open({ sessions: { getSession } }, { retry: {} });
    await opened.getSession("s1");
    const port = server?.port;
    server?.stop();
    const again = opened.getSession("s1");
    await new Promise((resolve) => setTimeout(resolve, 300));
    server = await startFake({ sessions: { getSession } }, port);
    expect((await again).sessionId).toBe("s1");
  });

  test("waits longer each time, at random, never less than asked", () => {
    const waits = [1, 2, 3, 9].map((attempt) => backoffMs(attempt, DEFAULT_RETRY, 0, () => 1));
    expect(waits).toEqual([100, 200, 400, 2_000]);
    expect(backoffMs(1, DEFAULT_RETRY, 0, () => 0)).toBe(50);
    expect(backoffMs(1, DEFAULT_RETRY, 5_000, () => 0)).toBe(5_000);
  });
});

describe("deadlines and cancellation", () => {
  test("fails with DEADLINE_EXCEEDED when no answer comes", async () => {
    const opened = await open({ sessions: { getSession: () => {} } });
    const caught = await failure(opened.getSession("s1", { timeoutMs: 50 }));
    expect(caught).toMatchObject({ code: Status.DEADLINE_EXCEEDED });
  });

  test("fails with the signal's reason before, during and between attempts", async () => {
    const opened = await open({
      sessions: { getSession: () => {}, getMessage: script(away) },
    });
    const reason = new Error("changed my mind");
    const aborted = AbortSignal.abort(reason);
    expect(await failure(opened.getSession("s1", { signal: aborted }))).toBe(reason);
    const during = new AbortController();
    setTimeout(() => during.abort(reason), 20);
    expect(await failure(opened.getSession("s1", { signal: during.signal }))).toBe(reason);
    const between = new AbortController();
    const retry = { maxAttempts: 9, initialDelayMs: 10_000, maxDelayMs: 10_000 };
    const patient = connect(server?.address ?? "", { retry });
    setTimeout(() => between.abort(reason), 50);
    expect(await failure(patient.getMessage("s", "m", { signal: between.signal }))).toBe(reason);
    patient.close();
  });

  test("clamps timeouts below 24 days and refuses what is none", () => {
    expect(clampTimeout(Number.POSITIVE_INFINITY)).toBe(MAX_TIMEOUT_MS);
    expect(MAX_TIMEOUT_MS).toBeLessThan(24 * 86_400_000);
    expect(clampTimeout(5)).toBe(5);
    expect(() => clampTimeout(0)).toThrow(RangeError);
    expect(() => clampTimeout(Number.NaN)).toThrow(RangeError);
    expect(() => connect("127.0.0.1:1", { timeoutMs: -1 })).toThrow(RangeError);
  });

  test("works with a timeout of years", async () => {
    const opened = await open({ sessions: { getSession: script(session) } });
    const timeoutMs = 365 * 86_400_000;
    expect((await opened.getSession("s1", { timeoutMs })).sessionId).toBe("s1");
  });
});

describe("connect", () => {
  test.each([
    ["127.0.0.1:7070", "127.0.0.1:7070"],
    ["localhost:7070", "localhost:7070"],
    ["[::1]:7070", "[::1]:7070"],
    ["unix:/run/memory.sock", "unix:/run/memory.sock"],
    ["/run/memory.sock", "unix:/run/memory.sock"],
  ])("understands %s", (address, target) => {
    expect(toTarget(address)).toBe(target);
  });

  test.each(["memory:1", "10.0.0.7:1", "127.0.0.1.example:1", "[::2]:1"])(
    "sends no token unencrypted to %s, unless told so",
    (address) => {
      expect(() => connect(address, { token: "t0" })).toThrow(
        `the token would travel unencrypted to ${address}: pass tls: true`,
      );
      connect(address).close();
      for (const tls of [true, false]) connect(address, { token: "t0", tls }).close();
    },
  );

  test.each(["localhost:1", "127.0.0.1:1", "127.1.2.3:1", "[::1]:1", "/tmp/x", "unix:/tmp/x"])(
    "sends a token to %s, on this host",
    (address) => connect(address, { token: "t0" }).close(),
  );

  test.each(["", "localhost", "http://localhost:7070", "a b:1", "::1:7070"])(
    "refuses %j",
    (address) => {
      expect(() => connect(address)).toThrow(TypeError);
    },
  );

  test("sends token and namespace with every call, raw ones included", async () => {
    const getSession = script<{ namespace: string }, typeof session>(session);
    const opened = await open({ sessions: { getSession } }, { token: "t0", namespace: "team" });
    await opened.getSession("s1");
    await opened.getSession("s1", { namespace: "other" });
    await new Promise((resolve) => {
      opened.raw.sessions.getSession(
        { namespace: "raw", sessionId: "s1" },
        new Metadata(),
        resolve,
      );
    });
    expect(getSession.seen.map((call) => call.request.namespace)).toEqual(["team", "other", "raw"]);
    for (const call of getSession.seen) {
      expect(call.metadata.get("authorization")).toEqual(["Bearer t0"]);
    }
  });
});

describe("lists", () => {
  test("walks pages, also empty ones, and stops at the last", async () => {
    const page = (ids: string[], nextPageToken: string) => ({
      sessions: ids.map((sessionId) => Session.fromPartial({ sessionId })),
      nextPageToken,
    });
    const listSessions = script<{ pageToken: string }, ReturnType<typeof page>>(
      page(["a", "b"], "p1"),
      page([], "p2"),
      page(["c"], ""),
    );
    const opened = await open({ sessions: { listSessions } });
    const ids: string[] = [];
    for await (const { sessionId } of opened.listSessions()) ids.push(sessionId);
    expect(ids).toEqual(["a", "b", "c"]);
    expect(listSessions.seen.map((call) => call.request.pageToken)).toEqual(["", "p1", "p2"]);
  });
});
