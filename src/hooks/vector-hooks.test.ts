// Hooks that make vectors and put texts in order, over HTTP and over gRPC.

import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceError,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import { describe, expect, test } from "vitest";
import { TEST_HOOK_SETTINGS } from "../../test/support/hooks/hooks.ts";
import { CANARY, failureOf } from "../../test/support/hooks/inputs.ts";
import {
  answerWith,
  type HttpAct,
  noAnswer,
  startScriptedHttp,
} from "../../test/support/hooks/scripted-http.ts";
import {
  type EmbedTextsRequest,
  type EmbedTextsResponse,
  HookServiceService,
  type RerankTextsRequest,
  type RerankTextsResponse,
} from "../gen/memorysidecar/hook/v1/hook_service.ts";
import { EmbeddingPurpose } from "../gen/memorysidecar/v1/document.ts";
import { SYSTEM_RESOLVE } from "./address-guard.ts";
import { parseGrpcTarget } from "./endpoint.ts";
import { createGrpcHook } from "./grpc.ts";
import { createOpenAiHook } from "./openai.ts";
import type { DirectCall, EmbedConfig, Hook } from "./port.ts";

const SETTINGS = { ...TEST_HOOK_SETTINGS, timeoutMs: 2_000 };
const COMMON = {
  name: "near",
  settings: SETTINGS,
  caFile: undefined,
  maxResponseBytes: 65_536,
  allowPrivateAddress: false,
};
const EMBED: EmbedConfig = {
  dimensions: 2,
  sendDimensions: false,
  batchSize: 8,
  queryPrefix: "",
  passagePrefix: "",
};
const PARTS = { resolve: SYSTEM_RESOLVE, nowMs: () => 0, ca: undefined };

function call(signal = new AbortController().signal): DirectCall {
  return { namespace: "default", signal };
}

/** A hook over HTTP whose endpoint answers like this. */
async function overHttp(
  acts: readonly HttpAct[],
  does: "embed" | "rerank",
  embed: Partial<EmbedConfig> = {},
  extraBody: Readonly<Record<string, unknown>> = { user: "me" },
) {
  const endpoint = await startScriptedHttp(acts);
  const hook = createOpenAiHook(
    {
      ...COMMON,
      kind: "openai",
      does,
      embed: does === "embed" ? { ...EMBED, ...embed } : undefined,
      url: new URL(`${endpoint.url}/v1/${does === "embed" ? "embeddings" : "rerank"}`),
      model: "small",
      keyFile: undefined,
      temperature: 0,
      extraBody,
    },
    { ...PARTS, key: undefined },
  );
  return {
    endpoint,
    hook,
    [Symbol.asyncDispose]: async () => {
      await hook.close();
      await endpoint[Symbol.asyncDispose]();
    },
  };
}

function vectorsOf(...vectors: readonly unknown[]): HttpAct {
  const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }));
  return answerWith(200, JSON.stringify({ object: "list", data, model: "small" }));
}

function embed(hook: Hook, texts: readonly string[], purpose: "query" | "passage" = "passage") {
  if (hook.embedder === undefined) throw new Error("the hook makes no vectors");
  return hook.embedder.embed(call(), texts, purpose);
}

describe("vectors over HTTP", () => {
  test("are asked for in one request, put in the order of the texts and scaled", async () => {
    const data = [
      { index: 1, embedding: [0, -2] },
      { index: 0, embedding: [3, 4] },
    ];
    await using run = await overHttp([answerWith(200, JSON.stringify({ data }))], "embed");
    const [first, second] = await embed(run.hook, ["one", "two"]);
    expect(first).toEqual(Float32Array.of(0.6, 0.8));
    expect(second).toEqual(Float32Array.of(0, -1));
    expect(run.endpoint.requests.map(({ path, json }) => ({ path, json }))).toEqual([
      {
        path: "/v1/embeddings",
        json: { model: "small", user: "me", input: ["one", "two"], encoding_format: "float" },
      },
    ]);
    expect(run.hook.embedder).toMatchObject({ model: "small@2", dimensions: 2, batchSize: 8 });
  });

  test("have the prefix of their purpose, which is part of the model's name", async () => {
    const prefixes = { queryPrefix: "query: ", passagePrefix: "passage: ", sendDimensions: true };
    await using run = await overHttp([vectorsOf([1, 0])], "embed", prefixes);
    await embed(run.hook, ["a"], "query");
    await embed(run.hook, ["a"], "passage");
    expect(run.endpoint.requests.map(({ json }) => [json["input"], json["dimensions"]])).toEqual([
      [["query: a"], 2],
      [["passage: a"], 2],
    ]);
    expect(run.hook.embedder?.model).toMatch(/^small@2#[0-9a-f]{12}$/);
  });

  test("are of another model with another extra body, which says how long they are", async () => {
    const names = new Set<string | undefined>();
    for (const extraBody of [{}, { task: "a" }, { task: "b" }, { dimensions: 3, task: "b" }]) {
      await using run = await overHttp([], "embed", {}, extraBody);
      names.add(run.hook.embedder?.model);
    }
    expect(names.size).toBe(4);
    const lengths = { dimensions: null, encoding_format: "base64" };
    await using run = await overHttp(
      [vectorsOf([1, 0])],
      "embed",
      { sendDimensions: true },
      lengths,
    );
    await embed(run.hook, ["a"]);
    expect(run.endpoint.requests.map(({ json }) => json)).toEqual([
      { model: "small", input: ["a"], encoding_format: "float" },
    ]);
  });

  test("may be zero, tiny or huge", async () => {
    await using run = await overHttp([vectorsOf([0, 0], [3e-30, 4e-30], [3e30, 4e30])], "embed");
    const [zero, tiny, huge] = await embed(run.hook, ["a", "b", "c"]);
    expect(zero).toEqual(Float32Array.of(0, 0));
    for (const vector of [tiny, huge]) {
      expect(vector?.[0]).toBeCloseTo(0.6, 6);
      expect(vector?.[1]).toBeCloseTo(0.8, 6);
    }
  });

  test.each<[string, HttpAct]>([
    ["too few", vectorsOf([1, 0])],
    ["too many", vectorsOf([1, 0], [1, 0], [1, 0])],
    ["another length", vectorsOf([1, 0], [1, 0, 0])],
    ["no number", vectorsOf([1, 0], [1, "0"])],
    ["null", vectorsOf([1, 0], [1, null])],
    ["too large", vectorsOf([1, 0], [1, 1e300])],
    ["no list", answerWith(200, `{"data": "${CANARY}"}`)],
    ["one text twice", answerWith(200, '{"data":[{"index":0,"embedding":[1,0]},{"index":0}]}')],
    ["no JSON", answerWith(200, CANARY)],
  ])("are refused: %s", async (_, act) => {
    await using run = await overHttp([act], "embed");
    const failure = await failureOf(embed(run.hook, ["a", "b"]));
    expect(failure.reason).toBe("invalid-output");
    expect(failure.message).not.toContain(CANARY);
  });

  test("fail as the endpoint does", async () => {
    await using run = await overHttp([answerWith(429, "", { "retry-after": "3" })], "embed");
    expect(await failureOf(embed(run.hook, ["a"]))).toMatchObject({
      reason: "busy",
      retryDelayMs: 3_000,
    });
    run.endpoint.script(answerWith(401, CANARY));
    expect((await failureOf(embed(run.hook, ["a"]))).reason).toBe("refused");
    run.endpoint.script(noAnswer);
    const caller = new AbortController();
    const late = run.hook.embedder?.embed(call(caller.signal), ["a"], "query");
    setTimeout(() => caller.abort(), 20);
    expect((await failureOf(late)).reason).toBe("unreachable");
  });
});

describe("an order over HTTP", () => {
  test("comes from the scores, in the order of the texts", async () => {
    const results = [
      { index: 1, relevance_score: 0.9 },
      { index: 0, relevance_score: -2 },
    ];
    await using run = await overHttp([answerWith(200, JSON.stringify({ results }))], "rerank");
    expect(await run.hook.rerank?.(call(), { query: "who?", texts: ["Ana", "Bo"] })).toEqual([
      -2, 0.9,
    ]);
    expect(run.endpoint.requests[0]?.json).toEqual({
      model: "small",
      user: "me",
      query: "who?",
      documents: ["Ana", "Bo"],
      top_n: 2,
      return_documents: false,
    });
    expect(run.hook.summarize).toBeUndefined();
    expect(run.hook.embedder).toBeUndefined();
  });

  test("is asked for as the operator sets it, but for the texts", async () => {
    const scores = answerWith(200, '{"results":[{"index":0,"relevance_score":1}]}');
    const extraBody = { return_documents: null, top_n: 5, query: "mine" };
    await using run = await overHttp([scores], "rerank", {}, extraBody);
    await run.hook.rerank?.(call(), { query: "who?", texts: ["Ana"] });
    expect(run.endpoint.requests[0]?.json).toEqual({
      model: "small",
      query: "who?",
      documents: ["Ana"],
      top_n: 5,
    });
  });

  test.each([
    ['{"results":[{"index":0,"relevance_score":1}]}'],
    ['{"results":[{"index":0,"relevance_score":1},{"index":7,"relevance_score":1}]}'],
    ['{"results":[{"index":0,"relevance_score":"1"},{"index":1,"relevance_score":1}]}'],
    ["[]"],
  ])("is refused: %s", async (body) => {
    await using run = await overHttp([answerWith(200, body)], "rerank");
    const failure = await failureOf(
      run.hook.rerank?.(call(), { query: "who?", texts: ["Ana", "Bo"] }),
    );
    expect(failure.reason).toBe("invalid-output");
  });
});

interface Handlers {
  readonly embed?: (request: EmbedTextsRequest) => EmbedTextsResponse | Partial<ServiceError>;
  readonly rerank?: (request: RerankTextsRequest) => RerankTextsResponse;
}

/** A server that implements the methods given. */
async function overGrpc(handlers: Handlers, does: "embed" | "rerank") {
  const server = new Server();
  const namespaces: string[] = [];
  server.addService(HookServiceService, {
    embedTexts: (
      { request, metadata }: ServerUnaryCall<EmbedTextsRequest, EmbedTextsResponse>,
      reply: sendUnaryData<EmbedTextsResponse>,
    ) => {
      namespaces.push(String(metadata.get("memory-sidecar-namespace")[0]));
      const answer = handlers.embed?.(request) ?? { code: status.UNIMPLEMENTED };
      if ("output" in answer) reply(null, answer);
      else reply(answer);
    },
    rerankTexts: (
      { request }: ServerUnaryCall<RerankTextsRequest, RerankTextsResponse>,
      reply: sendUnaryData<RerankTextsResponse>,
    ) => reply(null, handlers.rerank?.(request) ?? { output: undefined }),
    summarize: (_: unknown, reply: sendUnaryData<unknown>) => reply({ code: status.UNIMPLEMENTED }),
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const hook = createGrpcHook(
    {
      ...COMMON,
      kind: "grpc",
      does,
      embed: does === "embed" ? EMBED : undefined,
      target: parseGrpcTarget(`127.0.0.1:${port}`),
      tls: false,
      tokenFile: undefined,
    },
    { ...PARTS, nowMs: () => Date.now(), token: undefined },
  );
  return {
    hook,
    namespaces,
    [Symbol.asyncDispose]: async () => {
      await hook.close();
      server.forceShutdown();
    },
  };
}

describe("vectors and orders over gRPC", () => {
  test("go to the server of the operator", async () => {
    const seen: EmbedTextsRequest[] = [];
    const answer = (request: EmbedTextsRequest): EmbedTextsResponse => {
      seen.push(request);
      const texts = request.input?.texts ?? [];
      return { output: { vectors: texts.map((text) => ({ values: [text.length, 0] })) } };
    };
    await using run = await overGrpc({ embed: answer }, "embed");
    expect(await embed(run.hook, ["a", "bb"], "query")).toEqual([
      Float32Array.of(1, 0),
      Float32Array.of(1, 0),
    ]);
    expect(seen).toEqual([
      {
        namespace: "default",
        input: { texts: ["a", "bb"], purpose: EmbeddingPurpose.QUERY, dimensions: 2 },
      },
    ]);
    expect(run.namespaces).toEqual(["default"]);
    expect(run.hook.embedder).toMatchObject({ model: "near@2", dimensions: 2 });
  });

  test("are checked", async () => {
    let vectors: { values: number[] }[] = [];
    await using run = await overGrpc({ embed: () => ({ output: { vectors } }) }, "embed");
    for (const bad of [[], [{ values: [1] }], [{ values: [1, Number.NaN] }]]) {
      vectors = bad;
      expect((await failureOf(embed(run.hook, ["a"]))).reason).toBe("invalid-output");
    }
  });

  test("fail with the status of the server", async () => {
    const gone = { code: status.UNIMPLEMENTED, details: CANARY };
    await using run = await overGrpc({ embed: () => gone }, "embed");
    const failure = await failureOf(embed(run.hook, ["a"]));
    expect(failure.reason).toBe("refused");
    expect(failure.message).not.toContain(CANARY);
  });

  test("give scores", async () => {
    const rerank = ({ input }: RerankTextsRequest): RerankTextsResponse => ({
      output: { scores: input?.texts.map((text) => Number(text.includes(input.query))) ?? [] },
    });
    await using run = await overGrpc({ rerank }, "rerank");
    expect(await run.hook.rerank?.(call(), { query: "Ana", texts: ["Bo", "Ana and Bo"] })).toEqual([
      0, 1,
    ]);
  });
});
