import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { TEST_HOOK_SETTINGS } from "../../test/support/hooks/hooks.ts";
import { CANARY, failureOf, hookCall, summarizeInput } from "../../test/support/hooks/inputs.ts";
import {
  answerWith,
  complete,
  completionOf,
  drip,
  flood,
  type HttpAct,
  noAnswer,
  resetInBody,
  type ScriptedHttp,
  startScriptedHttp,
} from "../../test/support/hooks/scripted-http.ts";
import { makeTempDir } from "../../test/support/kit/temp-dir.ts";
import { SYSTEM_RESOLVE } from "./address-guard.ts";
import type { OpenAiConfig } from "./config-types.ts";
import { createOpenAiHook, type OpenAiParts } from "./openai.ts";
import type { SummarizeInput } from "./port.ts";
import { SecretFile } from "./secret-file.ts";

const NOW_MS = Date.parse("2026-01-01T00:00:00Z");

function hookFor(
  endpoint: ScriptedHttp,
  config: Partial<OpenAiConfig> = {},
  parts: Partial<OpenAiParts> = {},
) {
  return createOpenAiHook(
    {
      kind: "openai",
      does: "summarize",
      embed: undefined,
      name: "model",
      settings: { ...TEST_HOOK_SETTINGS, timeoutMs: 2_000 },
      url: new URL(`${endpoint.url}/v1/chat/completions`),
      model: "small",
      keyFile: undefined,
      temperature: 0,
      extraBody: {},
      caFile: undefined,
      maxResponseBytes: 65_536,
      allowPrivateAddress: false,
      ...config,
    },
    { resolve: SYSTEM_RESOLVE, nowMs: () => NOW_MS, key: undefined, ca: undefined, ...parts },
  );
}

/** One call against an endpoint that answers like this. */
async function ask(acts: readonly HttpAct[], input: Partial<SummarizeInput> = {}) {
  const endpoint = await startScriptedHttp(acts);
  const hook = hookFor(endpoint);
  const work = hook.summarize?.(hookCall(), summarizeInput(input));
  return {
    endpoint,
    hook,
    work,
    [Symbol.asyncDispose]: async () => {
      await hook.close();
      await endpoint[Symbol.asyncDispose]();
    },
  };
}

const DENSITY = { loop: 1, maxLoops: 3 };
const dense = complete('{"missing_entities": ["Dr. Mora"], "summary": "They met."}');

describe("an openai hook", () => {
  test("asks for a text and gives it", async () => {
    await using run = await ask([complete("They met.")]);
    expect(await run.work).toMatchObject({ text: "They met.", model: "scripted", inputTokens: 11 });
    const [request] = run.endpoint.requests;
    expect(request?.json).toMatchObject({
      model: "small",
      temperature: 0,
      max_tokens: 200,
      stream: false,
    });
    expect(request?.json).not.toHaveProperty("response_format");
    expect(request?.headers).not.toHaveProperty("authorization");
  });

  test("asks for JSON when it wants JSON", async () => {
    await using run = await ask([dense], DENSITY);
    expect(await run.work).toMatchObject({ text: "They met.", missingEntities: ["Dr. Mora"] });
    expect(run.endpoint.requests[0]?.json).toMatchObject({
      max_tokens: 712,
      response_format: { type: "json_object" },
    });
  });

  test("puts the operator's fields into the request, but never other messages", async () => {
    await using endpoint = await startScriptedHttp([complete("They met.")]);
    const extraBody = { max_tokens: null, reasoning_effort: "low", messages: [], stream: true };
    const hook = hookFor(endpoint, { extraBody });
    await hook.summarize?.(hookCall(), summarizeInput());
    const json = endpoint.requests[0]?.json ?? {};
    expect(json).toMatchObject({ reasoning_effort: "low", stream: false });
    expect(json).not.toHaveProperty("max_tokens");
    expect(json["messages"]).toHaveLength(2);
    await hook.close();
  });

  test.each([
    ["response_format", DENSITY, "JSON mode is not supported", "response_format"],
    ["max_tokens", {}, 'Use "max_completion_tokens" instead of "max_tokens"', "max_tokens"],
    ["temperature", {}, "'temperature' does not support 0", "temperature"],
  ])("leaves out for good what the endpoint refuses: %s", async (_, input, said, field) => {
    const bad = answerWith(400, JSON.stringify({ error: { message: said } }));
    await using run = await ask([bad, dense], input);
    await run.work;
    await run.hook.summarize?.(hookCall(), summarizeInput(input));
    const had = run.endpoint.requests.map(({ json }) => field in json);
    expect(had).toEqual([true, false, false]);
    if (field === "max_tokens") {
      expect(run.endpoint.requests[1]?.json).toHaveProperty("max_completion_tokens");
    }
  });

  test("keeps asking for JSON when that was not what was refused", async () => {
    const bad = answerWith(400, "{}");
    const broken = answerWith(500, "{}");
    await using run = await ask([bad, bad, bad, broken, dense], DENSITY);
    const again = () => run.hook.summarize?.(hookCall(), summarizeInput(DENSITY));
    expect((await failureOf(run.work)).reason).toBe("refused");
    expect((await failureOf(again())).reason).toBe("hook-error");
    await again();
    const had = run.endpoint.requests.map(({ json }) => "response_format" in json);
    expect(had).toEqual([true, false, true, false, true]);
  });

  test.each([
    [400, "refused"],
    [401, "refused"],
    [403, "refused"],
    [404, "refused"],
    [422, "refused"],
    [408, "timeout"],
    [504, "timeout"],
    [429, "busy"],
    [503, "busy"],
    [500, "hook-error"],
    [502, "hook-error"],
    [418, "hook-error"],
    [302, "refused"],
    [204, "hook-error"],
  ])("takes status %i for %s", async (status, reason) => {
    await using run = await ask([answerWith(status, `{"error": "${CANARY}"}`)]);
    const failure = await failureOf(run.work);
    expect(failure.reason).toBe(reason);
    expect(failure.retryDelayMs).toBeUndefined();
  });

  test.each([
    [429, "7", 7_000],
    [503, "Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
    [429, "86400", 3_600_000],
    [500, "2", 2_000],
    [429, "soon", undefined],
  ])("comes back when status %i says so: %s", async (status, header, ms) => {
    await using run = await ask([answerWith(status, "", { "retry-after": header })]);
    expect((await failureOf(run.work)).retryDelayMs).toBe(ms);
  });

  test("sends the key of a file, and a new one when the file changes", async () => {
    await using folder = await makeTempDir();
    await using endpoint = await startScriptedHttp([complete("They met.")]);
    const path = join(folder.path, "key");
    writeFileSync(path, "sk-first\n", { mode: 0o600 });
    let nowMs = NOW_MS;
    const log = pino({ level: "silent" });
    const key = new SecretFile(path, { hook: "model", nowMs: () => nowMs, log });
    const hook = hookFor(endpoint, {}, { key });
    await hook.summarize?.(hookCall(), summarizeInput());
    writeFileSync(path, "sk-second-one\n");
    nowMs += 1_001;
    await hook.summarize?.(hookCall(), summarizeInput());
    writeFileSync(path, "not one\r\nx-injected: 1");
    nowMs += 1_001;
    await hook.summarize?.(hookCall(), summarizeInput());
    const sent = endpoint.requests.map(({ headers }) => headers["authorization"]);
    expect(sent).toEqual(["Bearer sk-first", "Bearer sk-second-one", "Bearer sk-second-one"]);
    await hook.close();
  });

  test("never tells of what it was given, what was answered, or its key", async () => {
    await using folder = await makeTempDir();
    const path = join(folder.path, "key");
    writeFileSync(path, `sk-${CANARY}`, { mode: 0o600 });
    const lines: string[] = [];
    const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
    const error = `{"error": {"message": "${CANARY}", "type": "${CANARY}"}}`;
    const acts: HttpAct[] = [
      ...[400, 401, 404, 408, 429, 500, 503].map((status) => answerWith(status, error)),
      answerWith(302, CANARY, { location: `http://${CANARY}/` }),
      answerWith(200, CANARY, { "content-encoding": CANARY }),
      answerWith(200, `{"choices": "${CANARY}`),
      answerWith(200, JSON.stringify({ choices: CANARY })),
      complete(CANARY, { choices: [{ finish_reason: CANARY, message: { content: { CANARY } } }] }),
      answerWith(200, completionOf(CANARY), { "x-one": CANARY.repeat(2_000) }),
      (socket) => socket.end(`${CANARY}\r\n\r\n`),
      resetInBody,
      drip(20),
      noAnswer,
      flood(10_000_000),
    ];
    for (const act of acts) {
      await using endpoint = await startScriptedHttp([act]);
      const key = new SecretFile(path, { hook: "model", nowMs: () => NOW_MS, log });
      const settings = { ...TEST_HOOK_SETTINGS, timeoutMs: 150 };
      const hook = hookFor(endpoint, { settings }, { key });
      const failure = await failureOf(hook.summarize?.(hookCall(), summarizeInput()));
      expect(endpoint.requests[0]?.headers["authorization"]).toContain(CANARY);
      const told = [failure.message, failure.stack, JSON.stringify(failure), failure.cause];
      expect(told.join("\n")).not.toContain(CANARY);
      expect(Buffer.byteLength(failure.message)).toBeLessThanOrEqual(256);
      await hook.close();
    }
    expect(lines.join("")).not.toContain(CANARY);
  });
});
