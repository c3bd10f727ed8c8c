// Recall of a real server whose vectors and order come from elsewhere: the endpoint is down, slow,
// wrong, or another model after a restart. Words are found all the while, and vectors of different
// models are never compared.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  DenseState,
  type RecallCoverage,
  RerankState,
} from "../../clients/typescript/src/gen/memorysidecar/v1/recall.ts";
import {
  connect,
  isMemorySidecarError,
  type MemorySidecar,
  type RecallHit,
  type RecallOptions,
} from "../../clients/typescript/src/index.ts";
import {
  type Conduct,
  startGrpcVectors,
  startHttpVectors,
  type VectorEndpoint,
} from "../support/hooks/vector-endpoint.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { start } from "./start.ts";

const SAID = [
  "our puppy ate a shoe",
  "the automobile needs new tires",
  "she saw a physician on Monday",
  "thunder kept us awake",
  "a fresh loaf every morning",
  "they play the cello at home",
];
/** Asks for something that is said in other words. */
const QUESTIONS = ["hound", "vehicle", "clinic", "storm", "bakery", "orchestra"];
const EXIT_MS_MAX = 10_000;
const RECOVERY = { timeout: 90_000, interval: 300 };

/** A scene with a server of its own, again and again over one directory. */
async function sceneOf(
  hooks: Readonly<Record<string, VectorEndpoint>>,
  dataDir: string,
  { timeoutMs = 1_000, args = [] as readonly string[] } = {},
) {
  const fields = Object.fromEntries(
    Object.entries(hooks).map(([name, endpoint]) => [
      name,
      { timeout_ms: timeoutMs, ...endpoint.fields },
    ]),
  );
  const [name = ""] = Object.keys(hooks);
  const isEmbedder = hooks[name]?.fields["does"] === "embed";
  const choice = isEmbedder ? { embedder: name } : { default_reranker: name };
  const path = join(dataDir, "hooks.json");
  await writeFile(path, JSON.stringify({ ...choice, hooks: fields }));
  const server = await start({
    dataDir: join(dataDir, "store"),
    args: ["--hooks-file", path, ...args],
  });
  const client = connect(server.address, { timeoutMs: 60_000 });
  onTestFinished(() => client.close());
  return { server, client };
}

async function directory(): Promise<string> {
  const made = await makeTempDir();
  onTestFinished(() => made[Symbol.asyncDispose]());
  return made.path;
}

async function startEndpoint(kind: "http" | "grpc", does: "embed" | "rerank") {
  const begin = kind === "http" ? startHttpVectors : startGrpcVectors;
  const endpoint = await begin(does);
  onTestFinished(() => endpoint[Symbol.asyncDispose]());
  return endpoint;
}

async function sayAll(client: MemorySidecar): Promise<void> {
  for (const [at, text] of SAID.entries()) {
    await client.append(`s${at}`, text, { createSession: true });
  }
}

function textOf({ record }: RecallHit): string {
  return record?.$case === "message" ? (record.value.message?.text ?? "") : "";
}

async function coverageOf(client: MemorySidecar, options: RecallOptions = {}) {
  return (await client.recall("anything", options)).coverage as RecallCoverage;
}

/** First hits by vectors for each question, where the score is above noise. */
async function byVectors(client: MemorySidecar): Promise<string[]> {
  const found: string[] = [];
  for (const question of QUESTIONS) {
    // On a busy machine the embedder may answer too late: such an answer is by words, and says so.
    const hits = await vi.waitFor(async () => {
      const answer = await client.recall(question, { mode: "dense" });
      expect(answer.coverage?.dense).toBe(DenseState.USED);
      return answer.hits;
    }, RECOVERY);
    found.push(hits[0] === undefined ? "" : textOf(hits[0]));
  }
  return found;
}

/** Words are found whatever the vectors do. */
async function expectWords(client: MemorySidecar): Promise<void> {
  for (const text of SAID) {
    const { hits } = await client.recall(text.split(" ").slice(-2).join(" "));
    expect(hits.map(textOf)).toContain(text);
  }
}

async function whenEmbedded(client: MemorySidecar): Promise<void> {
  const state = async () => {
    const { withoutVectorCount, dense } = await coverageOf(client);
    return [withoutVectorCount, dense];
  };
  await expect.poll(state, RECOVERY).toEqual([0, DenseState.USED]);
}

const KINDS = ["http", "grpc"] as const;
const FAULTS: readonly Conduct[] = ["silent", "failing", "wrong-length", "not-finite"];

test.for(KINDS.flatMap((kind) => FAULTS.map((conduct) => [kind, conduct] as const)))(
  "an embedder over %s that is %s leaves the words, and is taken up again when it is mended",
  { timeout: 180_000 },
  async ([kind, conduct]) => {
    const endpoint = await startEndpoint(kind, "embed");
    const { client, server } = await sceneOf({ vectors: endpoint }, await directory());
    endpoint.conduct = conduct;
    await sayAll(client);
    // After some failures in a row an endpoint is left alone for half a minute: two are enough.
    const { hits } = await client.recall(SAID[0] ?? "");
    expect(hits.map(textOf)[0]).toBe(SAID[0]);
    expect(await coverageOf(client)).toMatchObject({
      ...{ complete: true, dense: DenseState.UNAVAILABLE, embeddingModel: "" },
      withoutVectorCount: SAID.length,
    });
    endpoint.conduct = "well";
    await whenEmbedded(client);
    expect(await byVectors(client)).toEqual(SAID);
    expect(server.output).toEqual([]);
  },
);

test("an embedder that goes away is missed, and what was embedded stays", async () => {
  const endpoint = await startEndpoint("http", "embed");
  const { client } = await sceneOf({ vectors: endpoint }, await directory());
  await sayAll(client);
  await whenEmbedded(client);
  endpoint.conduct = "silent";
  const { hits: byWords } = await client.recall("cello at home");
  expect(byWords.map(textOf)[0]).toBe(SAID.at(-1));
  expect((await coverageOf(client)).dense).toBe(DenseState.UNAVAILABLE);
  // With a vector of its own a caller needs no embedder.
  const values = [1, 0, 0, 0, 0, 0, 0, 0];
  endpoint.conduct = "well";
  await whenEmbedded(client);
  const { embeddingModel } = await coverageOf(client);
  endpoint.conduct = "failing";
  const embedding = { values, model: embeddingModel };
  const { hits, coverage } = await client.recall("", { embedding, mode: "dense" });
  expect(hits.map(textOf)[0]).toBe(SAID[0]);
  expect(coverage?.dense).toBe(DenseState.USED);
});

test("after a restart with another model all is embedded anew, and nothing is mixed", async () => {
  const endpoint = await startEndpoint("http", "embed");
  const dataDir = await directory();
  const first = await sceneOf({ vectors: endpoint }, dataDir);
  await sayAll(first.client);
  await whenEmbedded(first.client);
  expect(await byVectors(first.client)).toEqual(SAID);
  const { embeddingModel: oldModel } = await coverageOf(first.client);
  await first.server.stop();
  // The same model: nothing is asked for again.
  const asked = endpoint.passages;
  const same = await sceneOf({ vectors: endpoint }, dataDir);
  await whenEmbedded(same.client);
  expect(await byVectors(same.client)).toEqual(SAID);
  expect(endpoint.passages).toBe(asked);
  await same.server.stop();
  // Another one, that has not embedded anything yet.
  endpoint.model = "two";
  endpoint.conduct = "queries-only";
  const fields = { ...endpoint.fields, model: "other-concepts" };
  const changed: VectorEndpoint = Object.assign(Object.create(endpoint), { fields });
  const second = await sceneOf({ vectors: changed }, dataDir);
  await expectWords(second.client);
  const early = await vi.waitFor(async () => {
    const coverage = await coverageOf(second.client);
    expect(coverage.dense).toBe(DenseState.USED);
    return coverage;
  }, RECOVERY);
  expect(early.withoutVectorCount).toBe(SAID.length);
  expect(early.embeddingModel).not.toBe(oldModel);
  // Vectors of the first model would answer with something else.
  expect(await byVectors(second.client)).toEqual(SAID.map(() => ""));
  endpoint.conduct = "well";
  await whenEmbedded(second.client);
  expect(await byVectors(second.client)).toEqual(SAID);
  expect(endpoint.passages).toBeGreaterThanOrEqual(asked + SAID.length);
}, 180_000);

test("a stop while the embedder does not answer takes no longer than it may", async () => {
  const endpoint = await startEndpoint("http", "embed");
  endpoint.conduct = "silent";
  const { client, server } = await sceneOf({ vectors: endpoint }, await directory());
  for (let at = 0; at < 20; at++) await sayAll(client);
  await coverageOf(client);
  await expect.poll(() => endpoint.passages, RECOVERY).toBeGreaterThan(0);
  const waiting = client.recall("storm").then(
    () => "answered",
    () => "refused",
  );
  await sleep(100);
  const begin = performance.now();
  expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null });
  expect(performance.now() - begin).toBeLessThan(EXIT_MS_MAX);
  expect(["answered", "refused"]).toContain(await waiting);
  expect(server.output).toEqual([]);
});

test("a call that a stop cuts is told that the server stops", async () => {
  const endpoint = await startEndpoint("http", "rerank");
  const options = { timeoutMs: 30_000, args: ["--shutdown-grace-ms", "200"] };
  const { client, server } = await sceneOf({ judge: endpoint }, await directory(), options);
  for (let at = 0; at < 2; at++) await sayAll(client);
  const ask = { mode: "lexical", rerank: true } as const;
  await client.recall("thunder", ask);
  endpoint.conduct = "silent";
  const once = connect(server.address, { timeoutMs: 60_000, retry: { maxAttempts: 1 } });
  onTestFinished(() => once.close());
  // A stop accepts no new connection, and the call must be under way.
  await once.serverInfo();
  const before = endpoint.passages;
  const told = once.recall("thunder", ask).then(
    () => "answered",
    (error: unknown) => (isMemorySidecarError(error) ? error.reason : "?"),
  );
  await expect.poll(() => endpoint.passages).toBeGreaterThan(before);
  expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null });
  expect(await told).toBe("SHUTTING_DOWN");
});

test.for(KINDS.map((kind) => [kind] as const))(
  "a reranker over %s is asked, and left out when it fails",
  async ([kind]) => {
    const endpoint = await startEndpoint(kind, "rerank");
    const { client } = await sceneOf({ order: endpoint }, await directory());
    const texts = ["otter otter otter and more", "otter", "an otter there"];
    for (const [at, text] of texts.entries()) {
      await client.append(`s${at}`, text, { createSession: true });
    }
    const plain = await client.recall("otter", { mode: "lexical" });
    const good = await vi.waitFor(async () => {
      const answer = await client.recall("otter", { mode: "lexical", rerank: true });
      expect(answer.coverage?.rerank).toBe(RerankState.USED);
      return answer;
    }, RECOVERY);
    expect(good.hits.map(textOf)).toEqual(texts.toSorted((a, b) => a.length - b.length));
    for (const conduct of FAULTS) {
      endpoint.conduct = conduct;
      const { hits, coverage } = await client.recall("otter", { mode: "lexical", rerank: true });
      expect(coverage?.rerank).toBe(RerankState.UNAVAILABLE);
      expect(hits.map(textOf)).toEqual(plain.hits.map(textOf));
      expect(hits.map(({ rerankScore }) => rerankScore)).toEqual(texts.map(() => undefined));
    }
    endpoint.conduct = "well";
    const state = async () =>
      (await client.recall("otter", { mode: "lexical", rerank: true })).coverage?.rerank;
    await expect.poll(state, RECOVERY).toBe(RerankState.USED);
  },
);
