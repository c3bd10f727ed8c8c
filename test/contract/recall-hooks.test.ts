// Recall with hooks: vectors that a hook makes or fails to make, a server without vectors, and
// hooks that put hits in order.

import { afterEach, describe, expect, test } from "vitest";
import {
  DenseState,
  type RecallHit,
  RecallMode,
  RerankState,
} from "../../src/gen/memorysidecar/v1/recall.ts";
import { type Hook, HookFailure, type Hooks } from "../../src/hooks/port.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { document, embedding, message, recallFilter } from "../support/contract/samples.ts";
import { MANUAL_HOOKS, TEST_HOOK_SETTINGS } from "../support/hooks/hooks.ts";

const started: TestServer[] = [];

afterEach(async () => {
  for (const server of started.splice(0)) await server[Symbol.asyncDispose]();
});

/** A server with these hooks, and something to find. */
async function start(hooks: Partial<Hooks>): Promise<TestServer> {
  const server = await startContractServer({ hooks: { ...MANUAL_HOOKS, ...hooks } });
  started.push(server);
  for (const [at, text] of ["otter short", "otter otter otter", "none"].entries()) {
    await server.client.call("appendMessages", {
      ...{ sessionId: `s${at}`, createSession: true },
      messages: [message({ messageId: `m${at}`, text })],
    });
  }
  const documents = [document({ documentId: "d", text: "otter page" })];
  await server.client.call("upsertDocuments", { documents });
  return server;
}

const hookOf = (name: string, parts: Partial<Hook>): Hook => ({
  ...{ name, kind: "grpc", settings: TEST_HOOK_SETTINGS },
  ...parts,
});

function withHook(hook: Hook, fields: Partial<Hooks> = {}): Partial<Hooks> {
  const byName = new Map([...MANUAL_HOOKS.byName, [hook.name, hook]]);
  return { byName, ...fields };
}

/** A hook whose vectors say whether a text has an otter. */
function vectorHook(isDown: () => boolean): Hook {
  return hookOf("vectors", {
    embedder: {
      ...{ model: "vectors:otter:2", dimensions: 2, batchSize: 2 },
      embed: async (_, texts) => {
        if (isDown()) throw new HookFailure("hook-error", "down");
        return texts.map((text) => {
          const count = text.split("otter").length - 1;
          const length = Math.hypot(count, 1);
          return Float32Array.of(count / length, 1 / length);
        });
      },
    },
  });
}

const idOf = ({ record }: RecallHit): string =>
  record?.$case === "message" ? (record.value.message?.messageId ?? "") : "d";

describe("a server without an embedder", () => {
  test("recalls by words, and says that it has no vectors", async () => {
    const { client } = await start({ embedder: { kind: "none" } });
    const { hits, coverage } = await client.call("recall", { query: "otter" });
    expect(hits).toHaveLength(3);
    expect(coverage).toMatchObject({ dense: DenseState.OFF, embeddingModel: "" });
    const off = { code: "FAILED_PRECONDITION", reason: "EMBEDDER_OFF" };
    expect(await client.fail("embed", { texts: ["x"] })).toMatchObject(off);
    const filter = recallFilter({ collectionIds: ["default"] });
    const cosine = { query: "otter", scoring: "cosine", filter };
    expect(await client.fail("recall", cosine)).toMatchObject(off);
    const failure = await client.fail("recall", { embedding: embedding() });
    expect(failure.reason).toBe("EMBEDDING_MISMATCH");
    const found = await client.call("recall", { query: "otter", filter });
    expect(found.hits.map(idOf)).toEqual(["d"]);
  });
});

describe("a hook that makes vectors", () => {
  const choice = { embedder: { kind: "hook", hook: "vectors" } } as const;

  test("is asked for those of the query and of what was written", async () => {
    const { client } = await start(
      withHook(
        vectorHook(() => false),
        choice,
      ),
    );
    const { embeddings } = await client.call("embed", { texts: ["otter", "otter otter", "x"] });
    expect(embeddings.map(({ values }) => values[0]?.toFixed(2))).toEqual(["0.71", "0.89", "0.00"]);
    expect(embeddings[0]?.model).toContain("vectors:otter:2");
    await expect
      .poll(
        async () => {
          const ask = { query: "otter otter otter", mode: RecallMode.DENSE };
          const { hits, coverage } = await client.call("recall", ask);
          return [coverage?.withoutVectorCount, hits[0] === undefined ? "" : idOf(hits[0])];
        },
        { timeout: 10_000 },
      )
      .toEqual([0n, "m1"]);
  });

  test("that fails leaves the words, and fails what needs vectors", async () => {
    const { client } = await start(
      withHook(
        vectorHook(() => true),
        choice,
      ),
    );
    const { hits, coverage } = await client.call("recall", { query: "otter" });
    expect(hits).toHaveLength(3);
    expect(coverage).toMatchObject({ dense: DenseState.UNAVAILABLE, embeddingModel: "" });
    const down = { code: "UNAVAILABLE", reason: "EMBEDDER_UNAVAILABLE", retryAfterMs: 2_000 };
    expect(await client.fail("embed", { texts: ["x"] })).toMatchObject(down);
    const filter = recallFilter({ collectionIds: ["default"] });
    const cosine = { query: "otter", scoring: "cosine", filter };
    expect(await client.fail("recall", cosine)).toMatchObject(down);
  });
});

describe("a hook that puts hits in order", () => {
  const shortest = hookOf("shortest", {
    rerank: async (_, { texts }) => texts.map((text) => -text.length),
  });
  const ask = { query: "otter", mode: RecallMode.LEXICAL };

  test("is asked when a call asks for it, by its name or as the default", async () => {
    const { client } = await start(withHook(shortest, { defaultReranker: "shortest" }));
    const plain = await client.call("recall", ask);
    expect(plain.coverage?.rerank).toBe(RerankState.OFF);
    for (const hook of ["shortest", ""]) {
      const { hits, coverage } = await client.call("recall", {
        ...{ ...ask, rerank: { hook, candidates: 0 } },
      });
      expect(coverage?.rerank).toBe(RerankState.USED);
      expect(hits.map(idOf).at(-1)).toBe("m1");
      expect(hits.map(({ rerankScore }) => rerankScore)).not.toContain(undefined);
      expect(new Set(hits.map(idOf))).toEqual(new Set(plain.hits.map(idOf)));
    }
  });

  test.each([
    ["with the hits behind its own", { rerank: { hook: "", candidates: 2 } }],
    [
      "of one group",
      { groupBySession: { hitsPerSession: 20 }, rerank: { hook: "", candidates: 0 } },
    ],
  ])("gives pages that end by bytes, %s", async (_, fields) => {
    const { client } = await start(withHook(shortest, { defaultReranker: "shortest" }));
    const payload = { data: Buffer.alloc(1_400_000, 1), mediaType: "" };
    for (const documentId of ["a", "b", "c", "d", "e"]) {
      const documents = [document({ documentId, text: `otter ${documentId}`, payload })];
      await client.call("upsertDocuments", { collectionId: "c", documents });
    }
    const filter = recallFilter({ collectionIds: ["c"] });
    const request = { ...ask, filter, ...fields, includePayloads: true, pageSize: 100 };
    const first = await client.call("recall", request);
    expect(first.hits).toHaveLength(2);
    if (first.sessions.length > 0) return;
    const counts: number[] = [];
    for (let pageToken = first.nextPageToken; pageToken !== ""; ) {
      const page = await client.call("recall", { ...request, pageToken });
      counts.push(page.hits.length);
      pageToken = page.nextPageToken;
    }
    expect(counts).toEqual([2, 1]);
  });

  test("that fails leaves the order of the scores", async () => {
    const broken = hookOf("broken", {
      rerank: async () => {
        throw new HookFailure("hook-error", "down");
      },
    });
    const { client } = await start(withHook(broken));
    const plain = await client.call("recall", ask);
    const { hits, coverage } = await client.call("recall", {
      ...{ ...ask, rerank: { hook: "broken", candidates: 5 } },
    });
    expect(coverage?.rerank).toBe(RerankState.UNAVAILABLE);
    expect(hits.map(idOf)).toEqual(plain.hits.map(idOf));
  });

  test("must be one that the server has", async () => {
    const { client } = await start({});
    for (const hook of ["none", ""]) {
      const failure = await client.fail("recall", { ...ask, rerank: { hook, candidates: 0 } });
      expect(failure).toMatchObject({
        code: "FAILED_PRECONDITION",
        reason: "HOOK_NOT_CONFIGURED",
      });
    }
  });
});
