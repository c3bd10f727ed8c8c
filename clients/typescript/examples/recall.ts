// Recalls a year of dated messages and a few documents, in every way, and meets the errors.
//
//   node clients/typescript/examples/recall.ts [ADDRESS]
//
// Works in a namespace of its own and deletes what it made.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  connect,
  isMemorySidecarError,
  type MemorySidecar,
  type RecallHit,
  type RecallOptions,
  type RecallResponse,
  type ScoreFeature,
  TokenRule,
} from "../src/index.ts";

/** Records that Ana may see: without a user, recall finds shared records only. */
const ANA = { userId: "ana" } as const;

interface Year {
  readonly userId: string;
  readonly sessions: readonly {
    readonly sessionId: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly messages: readonly {
      readonly role: "ROLE_USER" | "ROLE_ASSISTANT";
      readonly text: string;
      readonly sentTime: string;
    }[];
  }[];
  readonly questions: readonly {
    readonly query: string;
    readonly sessionId: string;
    readonly seq: number;
  }[];
}

const YEAR = new URL("../../../examples/year.json", import.meta.url);
const GUIDE = `Telescope guide

To align the telescope, point it at Polaris and press Align twice.

Cleaning: never touch the mirror. Blow dust away with dry air.

The dome closes by itself when it rains or when the wind passes 60 km/h.`;

/** Makes a call that must fail, and shows how. */
async function expectError(reason: string, attempt: Promise<unknown>): Promise<void> {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isMemorySidecarError(error) || error.reason !== reason) throw error ?? new Error(reason);
  console.log(`   ${reason}: ${error.message}`);
}

/** Stores the year, each day a session. */
async function remember(client: MemorySidecar, year: Year): Promise<void> {
  for (const { sessionId, labels, messages } of year.sessions) {
    await client.createSession({ sessionId, userId: year.userId, labels });
    await client.append(sessionId, messages);
  }
}

function nameOf(feature: ScoreFeature): string {
  return feature.replace("SCORE_FEATURE_", "").toLowerCase();
}

/** Prints a hit with the parts of its score. */
function show(hit: RecallHit): void {
  if (hit.record?.$case !== "message") return;
  const said = hit.record.value.message?.sentTime?.toISOString().slice(0, 10);
  const parts = hit.parts.map((part) => `${nameOf(part.feature)} ${part.score.toFixed(2)}`);
  console.log(`   ${said}: ${hit.passage}`);
  console.log(`      score ${hit.score.toFixed(2)} = ${parts.join(", ")}`);
}

function placesOf({ hits }: RecallResponse): string[] {
  return hits.map(({ record }) =>
    record?.$case === "message" ? `${record.value.sessionId} ${record.value.message?.seq}` : "",
  );
}

/** Asks what the year holds, and checks that the answers are among the first three. */
async function ask(client: MemorySidecar, year: Year): Promise<void> {
  for (const { query, sessionId, seq } of year.questions) {
    console.log(`\n${query}`);
    const found = await client.recall(query, { filter: ANA, pageSize: 3 });
    found.hits.slice(0, 1).forEach(show);
    if (!placesOf(found).includes(`${sessionId} ${seq}`)) throw new Error(`not found: ${query}`);
  }
}

/** Filters, context, sessions, pages, modes. */
async function narrow(client: MemorySidecar): Promise<void> {
  console.log("\n== Narrower");
  const work = await client.recall("what was wrong with the drift", {
    filter: { ...ANA, sessionLabels: { topic: "work" }, roles: ["user"] },
    contextBefore: 1,
    contextAfter: 1,
  });
  const first = work.hits[0]?.record;
  if (first?.$case === "message") {
    const { before, message, after } = first.value;
    const around = [...before, ...(message ? [message] : []), ...after];
    console.log("with its neighbors:", around.map(({ text }) => text.slice(0, 40)).join(" | "));
  }
  const days = await client.recall("Iceland", { filter: ANA, groupBySession: 2 });
  console.log(`days about Iceland: ${days.sessions.map(({ sessionId }) => sessionId).join(", ")}`);
  const page = await client.recall("telescope", { filter: ANA, pageSize: 2 });
  const more = await client.recall("telescope", {
    ...{ filter: ANA, pageSize: 2, pageToken: page.nextPageToken },
  });
  console.log(`two pages: ${page.hits.length} and ${more.hits.length} hits`);
  for (const mode of ["lexical", "dense", "hybrid"] as const) {
    const [best] = (await client.recall("a place to live", { filter: ANA, mode, pageSize: 1 }))
      .hits;
    console.log(`${mode}: ${best?.passage.slice(0, 60) ?? "nothing"}`);
  }
  const none = await client.recall("How do I bake sourdough bread?", {
    filter: ANA,
    minRelevance: 0.3,
  });
  console.log(`what nobody talked about: ${none.hits.length} hits`);
  console.log(`looked at everything: ${work.coverage?.complete}`);
  await expectError("REQUEST_INVALID", client.recall("x", { diversity: 2 }));
  await expectError("EMBEDDING_MISMATCH", client.recall("", { embedding: [1, 0] }));
}

/** Documents: write, split, list, search, delete. */
async function documents(client: MemorySidecar): Promise<void> {
  console.log("\n== Documents");
  const written = await client.upsertDocuments(
    [
      { documentId: "guide", text: GUIDE, metadata: { kind: "manual", pages: 3 } },
      { documentId: "menu", text: "Tuesday: soup. Friday: fish.", trust: "low" },
    ],
    { chunkChars: 90, overlapChars: 0 },
  );
  for (const one of written.documents) console.log(`${one.documentId}: [${one.chunkDocumentIds}]`);
  const filter = { collectionIds: ["default"] };
  const found = async (query: string, options: RecallOptions = {}) => {
    const [hit] = (await client.recall(query, { filter, pageSize: 1, ...options })).hits;
    if (hit?.record?.$case !== "document") throw new Error("no document");
    return { ...hit.record.value, score: hit.score };
  };
  const best = await found("how to clean the mirror");
  console.log(`${best.documentId}: ${JSON.stringify(best.text)}`);
  const metadata = [
    { path: "kind", equals: "manual" },
    { path: "pages", min: 2, lessThan: 10 },
  ];
  for await (const one of client.listDocuments({ filter: { metadata } })) {
    console.log(`of the manual: ${one.documentId}`);
  }
  const exact = await found("fish soup", { scoring: "tf_idf" });
  console.log(`by tf-idf: ${exact.documentId} ${exact.score.toFixed(3)}`);
  const [vector] = await client.embed("dusty optics");
  if (vector === undefined) throw new Error("no vector");
  const near = await found("", { embedding: vector, scoring: "cosine" });
  console.log(`by a vector of ${vector.values.length}: ${near.text}`);
  const own = { documentId: "own", text: "own vector", embedding: [3, 4] };
  await client.upsertDocuments(own, { collectionId: "mine" });
  const stored = await client.getDocument("own", { collectionId: "mine", includeEmbedding: true });
  console.log(`stored at length 1: ${stored.embedding?.values.map((x) => x.toFixed(1))}`);
  await client.upsertDocuments(
    { documentId: "news", text: "rain", ttlMs: 60_000, payload: '{"id":1.50}' },
    { collectionId: "mine" },
  );
  const whole = await client.getDocument("news", { collectionId: "mine", includePayload: true });
  const { payload } = whole;
  console.log(`kept beside the text: ${payload?.mediaType} ${Buffer.from(payload?.data ?? [])}`);
  await client.upsertDocuments("snow", { collectionId: "mine/winter" });
  const below = { collectionIds: ["mine"], recursiveCollections: true };
  const deep = await client.recall("snow", { filter: below, pageSize: 1 });
  const record = deep.hits[0]?.record;
  console.log(`found below: ${record?.$case === "document" ? record.value.collectionId : ""}`);
  await client.clearCollection("mine/winter", { recursive: true });
  const [news] = await client.refreshDocuments("news", { collectionId: "mine" });
  console.log(`${news?.documentId} expires: ${news?.expireTime !== undefined}`);
  for await (const { collectionId, documentCount } of client.listCollections()) {
    console.log(`collection ${collectionId}: ${documentCount}`);
  }
  const both = await client.recall("When does the dome close?", { filter: ANA, pageSize: 2 });
  console.log(`recall finds documents, too: ${both.hits.map(({ record }) => record?.$case)}`);
  await expectError("DOCUMENT_NOT_FOUND", client.getDocument("nowhere"));
  const gone = await client.deleteDocuments("guide");
  console.log(`deleted ${gone.deletedCount} chunks of the guide`);
  const everyone = { everyone: true } as const;
  const total = await client.countDocuments({ collectionId: "mine", filter: everyone });
  const dry = await client.purgeDocuments("mine", { ...everyone, labels: { state: "old" } });
  console.log(`of ${total.count} documents ${dry.documentCount} would be purged`);
  const items = await client.countItems({ labelKey: "state", filter: everyone, maxGroups: 3 });
  console.log(`${items.documentCount} documents, ${items.withoutValueCount} items have no state`);
  const cleared = await client.clearCollection("mine");
  console.log(`cleared ${cleared.deletedCount} documents of another collection`);
  const counted = await client.countTokens("How long is this?", { tokenRule: TokenRule.O200K });
  console.log(`tokens: ${counted.totalTokenCount}`);
}

const namespace = `year-${randomBytes(4).toString("hex")}`;
const client = connect(process.argv[2] ?? "127.0.0.1:50151", { namespace });
try {
  const year = JSON.parse(readFileSync(YEAR, "utf8")) as Year;
  await remember(client, year);
  await ask(client, year);
  await narrow(client);
  await documents(client);
  console.log("\nDone.");
} finally {
  for await (const { sessionId } of client.listSessions()) await client.deleteSession(sessionId);
  await client.clearCollection("default");
  client.close();
}
