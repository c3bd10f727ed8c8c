import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Metadata, status } from "@grpc/grpc-js";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { TEST_HOOK_SETTINGS } from "../../test/support/hooks/hooks.ts";
import { CANARY, failureOf, hookCall, summarizeInput } from "../../test/support/hooks/inputs.ts";
import {
  answerBytes,
  answerOutput,
  failWith,
  noGrpcAnswer,
  startRawPort,
  startRelay,
  startScriptedGrpcHook,
} from "../../test/support/hooks/scripted-grpc.ts";
import { makeCertificate } from "../../test/support/kit/certificate.ts";
import { makeTempDir } from "../../test/support/kit/temp-dir.ts";
import { RetryInfo } from "../gen/google/rpc/error_details.ts";
import { Status } from "../gen/google/rpc/status.ts";
import { Message } from "../gen/memorysidecar/v1/message.ts";
import { SYSTEM_RESOLVE } from "./address-guard.ts";
import type { GrpcConfig } from "./config-types.ts";
import { parseGrpcTarget } from "./endpoint.ts";
import { createGrpcHook, type GrpcParts } from "./grpc.ts";
import type { ClosableHook } from "./openai.ts";
import { SecretFile } from "./secret-file.ts";

const nowMs = (): number => Date.now();

function hookFor(
  target: string,
  config: Partial<GrpcConfig> = {},
  parts: Partial<GrpcParts> = {},
): ClosableHook {
  return createGrpcHook(
    {
      kind: "grpc",
      does: "summarize",
      embed: undefined,
      name: "mine",
      settings: { ...TEST_HOOK_SETTINGS, timeoutMs: 2_000 },
      target: parseGrpcTarget(target),
      tls: false,
      tokenFile: undefined,
      caFile: undefined,
      maxResponseBytes: 65_536,
      allowPrivateAddress: false,
      ...config,
    },
    { resolve: SYSTEM_RESOLVE, nowMs, token: undefined, ca: undefined, ...parts },
  );
}

function ask(hook: ClosableHook, signal?: AbortSignal) {
  return hook.summarize?.(hookCall(signal), summarizeInput());
}

function retryIn(seconds: bigint, nanos = 0): Metadata {
  const metadata = new Metadata();
  const detail = RetryInfo.encode({ retryDelay: { seconds, nanos } }).finish();
  const typeUrl = "type.googleapis.com/google.rpc.RetryInfo";
  const details = [{ typeUrl, value: Buffer.from(detail) }];
  const wire = Status.encode({ code: 8, message: "", details }).finish();
  metadata.set("grpc-status-details-bin", Buffer.from(wire));
  return metadata;
}

describe("a grpc hook", () => {
  test("gives the server everything, and takes its output", async () => {
    const output = {
      text: "They met.",
      missingEntities: ["Dr. Mora"],
      requestText: "A trip.",
      facts: ["12 May"],
      openThreads: ["the hotel"],
      model: "own",
      inputTokens: 12n,
      outputTokens: 3n,
    };
    await using server = await startScriptedGrpcHook([answerOutput(output)]);
    const hook = hookFor(server.target);
    const stored = Message.encode(Message.decode(Buffer.from([]))).finish();
    const message = Buffer.concat([stored, Buffer.from([0x0a, 1, 0x61])]);
    const input = summarizeInput({
      messages: [message, message],
      priorTexts: ["earlier"],
      replacesPrior: true,
      instructions: "Keep prices.",
      loop: 2,
      maxLoops: 5,
      draft: "so far",
      structured: true,
    });
    const made = await hook.summarize?.(hookCall(), input);
    expect(made).toEqual({ ...output, inputTokens: 12, outputTokens: 3 });
    const [call] = server.calls;
    const { namespace, sessionId, input: sent } = call?.request ?? {};
    expect([namespace, sessionId]).toEqual(["default", "session-1"]);
    const { messages, lines, ...rest } = input;
    expect(lines).toHaveLength(2);
    expect(sent).toMatchObject(rest);
    expect(sent?.messages).toEqual(messages.map((bytes) => Message.decode(bytes)));
    const metadata = ["task-id", "namespace", "attempt"].map(
      (name) => call?.metadata.get(`memory-sidecar-${name}`)[0],
    );
    expect(metadata).toEqual(["task-00000000001", "default", "1"]);
    expect(call?.metadata.get("authorization")).toEqual([]);
    await hook.close();
  });

  test.each([
    [status.RESOURCE_EXHAUSTED, "busy"],
    [status.UNAVAILABLE, "busy"],
    [status.DEADLINE_EXCEEDED, "timeout"],
    [status.INVALID_ARGUMENT, "refused"],
    [status.PERMISSION_DENIED, "refused"],
    [status.UNAUTHENTICATED, "refused"],
    [status.UNIMPLEMENTED, "refused"],
    [status.FAILED_PRECONDITION, "refused"],
    [status.INTERNAL, "hook-error"],
    [status.UNKNOWN, "hook-error"],
    [status.ABORTED, "hook-error"],
    [status.DATA_LOSS, "hook-error"],
    [status.CANCELLED, "hook-error"],
    [99, "hook-error"],
  ])("takes the status %i for %s, and asks once", async (code, reason) => {
    await using server = await startScriptedGrpcHook([failWith(code, CANARY)]);
    const hook = hookFor(server.target);
    const failure = await failureOf(ask(hook));
    expect(failure.reason).toBe(reason);
    expect(failure.message + failure.stack).not.toContain(CANARY);
    expect(failure.retryDelayMs).toBeUndefined();
    expect(server.calls).toHaveLength(1);
    await hook.close();
  });

  test.each([
    ["seconds", retryIn(7n), 7_000],
    ["parts of a second", retryIn(0n, 1_500_000), 2],
    ["a day", retryIn(86_400n), 3_600_000],
    ["the past", retryIn(-5n), 0],
  ])("comes back when the status says so: %s", async (_, metadata, ms) => {
    await using server = await startScriptedGrpcHook([
      failWith(status.RESOURCE_EXHAUSTED, "", metadata),
    ]);
    const hook = hookFor(server.target);
    const failure = await failureOf(ask(hook));
    expect([failure.reason, failure.retryDelayMs]).toEqual(["busy", ms]);
    await hook.close();
  });

  test("takes details that cannot be read for none", async () => {
    const metadata = new Metadata();
    metadata.set("grpc-status-details-bin", Buffer.from([0x1a, 0xff]));
    await using server = await startScriptedGrpcHook([failWith(status.ABORTED, "", metadata)]);
    const hook = hookFor(server.target);
    expect((await failureOf(ask(hook))).retryDelayMs).toBeUndefined();
    await hook.close();
  });

  test.each([
    ["empty-output", "no text", answerOutput({ text: " " })],
    ["invalid-output", "no output", answerBytes(Buffer.alloc(0))],
    ["invalid-output", "bytes that are no message", answerBytes(Buffer.from([0x0a, 0xff, 0xff]))],
    ["output-too-long", "a huge answer", answerOutput({ text: "x".repeat(1_048_576) })],
    ["timeout", "no answer", noGrpcAnswer],
  ])("fails with %s for %s", async (reason, _, act) => {
    await using server = await startScriptedGrpcHook([act]);
    const hook = hookFor(server.target, {
      settings: { ...TEST_HOOK_SETTINGS, timeoutMs: 500 },
    });
    expect((await failureOf(ask(hook))).reason).toBe(reason);
    await hook.close();
  });

  test("goes on after a call that got no answer, with a connection that is not dead", async () => {
    await using server = await startScriptedGrpcHook([noGrpcAnswer, answerOutput({ text: "x" })]);
    await using relay = await startRelay(server.port);
    const hook = hookFor(relay.target, {
      settings: { ...TEST_HOOK_SETTINGS, timeoutMs: 300 },
    });
    expect((await failureOf(ask(hook))).reason).toBe("timeout");
    expect(await ask(hook)).toMatchObject({ text: "x" });
    expect(relay.connections).toBe(2);
    await hook.close();
  });

  test("ends when the server stops, and uses up no attempt", async () => {
    await using server = await startScriptedGrpcHook([noGrpcAnswer]);
    const hook = hookFor(server.target);
    const stop = new AbortController();
    const failure = failureOf(ask(hook, stop.signal));
    await expect.poll(() => server.calls.length).toBe(1);
    stop.abort();
    expect((await failure).reason).toBe("unreachable");
    await hook.close();
  });
});

describe("the connection of a grpc hook", () => {
  test("says that nobody listens, and connects when somebody does", async () => {
    const gone = await startRawPort(() => {});
    const { target } = gone;
    await gone[Symbol.asyncDispose]();
    const hook = hookFor(target);
    const startMs = performance.now();
    expect((await failureOf(ask(hook))).reason).toBe("unreachable");
    expect(performance.now() - startMs).toBeLessThan(1_500);
    const answer = answerOutput({ text: "x" });
    await using server = await startScriptedGrpcHook([answer], { listen: target });
    expect(await ask(hook)).toMatchObject({ text: "x" });
    expect(server.calls).toHaveLength(1);
    await hook.close();
  });

  test("fails when the connection is reset in the middle of a call, and connects again", async () => {
    await using server = await startScriptedGrpcHook([noGrpcAnswer, answerOutput({ text: "x" })]);
    await using relay = await startRelay(server.port);
    const hook = hookFor(relay.target);
    const failure = failureOf(ask(hook));
    await expect.poll(() => server.calls.length).toBe(1);
    relay.cut();
    expect((await failure).reason).toBe("hook-error");
    expect(await ask(hook)).toMatchObject({ text: "x" });
    expect(relay.connections).toBe(2);
    await hook.close();
  });

  test.each([
    ["closes at once", "unreachable", (socket: { destroy(): void }) => socket.destroy()],
    ["says nothing", "timeout", () => {}],
    [
      "speaks HTTP/1.1",
      "unreachable",
      (socket: { end(text: string): void }) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"),
    ],
  ])("survives a port that %s", async (_, reason, act) => {
    await using port = await startRawPort(act);
    const hook = hookFor(port.target, {
      settings: { ...TEST_HOOK_SETTINGS, timeoutMs: 500 },
    });
    expect((await failureOf(ask(hook))).reason).toBe(reason);
    await hook.close();
  });

  test("uses one connection for all calls", async () => {
    await using server = await startScriptedGrpcHook([answerOutput({ text: "x" })]);
    await using relay = await startRelay(server.port);
    const hook = hookFor(relay.target);
    await Promise.all(Array.from({ length: 8 }, () => ask(hook)));
    await ask(hook);
    expect(server.calls).toHaveLength(9);
    expect(relay.connections).toBe(1);
    await hook.close();
    await expect(ask(hook)).rejects.toThrow("refuses connections");
  });

  test("asks for the name, and connects to the addresses that were checked", async () => {
    await using server = await startScriptedGrpcHook([answerOutput({ text: "x" })]);
    const target = `hook.example:${server.port}`;
    const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    const refused = hookFor(target, {}, { resolve });
    const failure = await failureOf(ask(refused));
    expect([failure.reason, server.calls.length]).toEqual(["unreachable", 0]);
    expect(failure.message).toContain("allow_private_address");
    await refused.close();
    const hook = hookFor(target, { allowPrivateAddress: true }, { resolve });
    expect(await ask(hook)).toMatchObject({ text: "x" });
    expect(server.calls[0]?.host).toBe(target);
    await hook.close();
  });

  test("follows a name that moves, and tries its other family of addresses", async () => {
    await using first = await startScriptedGrpcHook([answerOutput({ text: "first" })]);
    const listen = `127.0.0.2:${first.port}`;
    await using second = await startScriptedGrpcHook([answerOutput({ text: "second" })], {
      listen,
    });
    let addresses = [
      { address: "::1", family: 6 },
      { address: "127.0.0.1", family: 4 },
    ];
    const target = `hook.example:${first.port}`;
    const parts = { resolve: async () => addresses };
    const hook = hookFor(target, { allowPrivateAddress: true }, parts);
    expect(await ask(hook)).toMatchObject({ text: "first" });
    addresses = [{ address: "127.0.0.2", family: 4 }];
    expect(await ask(hook)).toMatchObject({ text: "second" });
    expect(second.calls).toHaveLength(1);
    await hook.close();
  });

  test("refuses metadata services however they are written", async () => {
    for (const target of ["169.254.169.254:80", "0xa9fea9fe:80", "[::ffff:169.254.169.254]:80"]) {
      const hook = hookFor(target);
      expect((await failureOf(ask(hook))).message).toContain("metadata service");
      await hook.close();
    }
  });

  test("connects to a Unix socket", async () => {
    await using folder = await makeTempDir();
    const listen = `unix:${join(folder.path, "hook.sock")}`;
    await using server = await startScriptedGrpcHook([answerOutput({ text: "x" })], { listen });
    const hook = hookFor(listen);
    expect(await ask(hook)).toMatchObject({ text: "x" });
    expect(server.calls).toHaveLength(1);
    await hook.close();
  });

  test("speaks TLS, checks the name, and sends its token", async () => {
    await using folder = await makeTempDir();
    const tls = makeCertificate(folder.path, "hook.example");
    await using server = await startScriptedGrpcHook([answerOutput({ text: "x" })], { tls });
    const tokenPath = join(folder.path, "token");
    writeFileSync(tokenPath, "secret-token", { mode: 0o600 });
    const log = pino({ level: "silent" });
    const token = new SecretFile(tokenPath, { hook: "mine", nowMs, log });
    const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    const config = { tls: true, allowPrivateAddress: true };
    const named = (name: string, ca: string | undefined) =>
      hookFor(`${name}:${server.port}`, config, { resolve, token, ca });
    const hook = named("hook.example", tls.cert);
    expect(await ask(hook)).toMatchObject({ text: "x" });
    expect(server.calls[0]?.metadata.get("authorization")).toEqual(["Bearer secret-token"]);
    await hook.close();
    for (const bad of [named("other.example", tls.cert), named("hook.example", undefined)]) {
      expect((await failureOf(ask(bad))).reason).toBe("unreachable");
      await bad.close();
    }
    expect(server.calls).toHaveLength(1);
  });
});

describe("a compressed answer of a grpc hook", () => {
  test("is unpacked no further than the limit", async () => {
    const { createServer } = await import("node:http2");
    const bomb = gzipSync(Buffer.alloc(64 * 1_048_576));
    const frame = Buffer.alloc(5);
    frame.writeUInt8(1, 0);
    frame.writeUInt32BE(bomb.length, 1);
    const server = createServer();
    server.on("stream", (stream) => {
      stream.on("error", () => stream.destroy());
      stream.respond(
        { ":status": 200, "content-type": "application/grpc", "grpc-encoding": "gzip" },
        { waitForTrailers: true },
      );
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.end(Buffer.concat([frame, bomb]));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const hook = hookFor(`127.0.0.1:${port}`, { maxResponseBytes: 131_072 });
    expect(bomb.length).toBeLessThan(131_072);
    expect((await failureOf(ask(hook))).reason).toBe("output-too-long");
    await hook.close();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
});
