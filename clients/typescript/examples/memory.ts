// Follows what an agent knows of a person over a year, in every way, and meets the errors.
//
//   node examples/memory.ts [ADDRESS]
//
// Works in a namespace of its own and forgets what it remembered.

import { randomUUID } from "node:crypto";
import {
  connect,
  exportMemories,
  importMemories,
  isMemorySidecarError,
  type KnownErrorReason,
  type MemorySidecar,
  MemoryTools,
  memoryBlock,
  preset,
  RememberOutcome,
} from "../src/index.ts";

const ANA = { userId: "ana" };

function check(condition: boolean, what: string): void {
  if (!condition) throw new Error(`not as it should be: ${what}`);
}

/** Makes a call that must fail, and shows how. */
async function expectError(reason: KnownErrorReason, call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isMemorySidecarError(error, reason)) throw error;
    console.log(`   ${reason}: ${error.message}`);
    return;
  }
  throw new Error(`the call did not fail with ${reason}`);
}

async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) items.push(item);
  return items;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const day = (month: number) => new Date(Date.UTC(2026, month - 1, 1));

/** A fact changes over time; it is asked for now, then, and as it was known then. */
async function changing(memory: MemorySidecar): Promise<string> {
  console.log("== A fact that changes");
  const home = { kind: "fact", key: "home_city", ...ANA } as const;
  await memory.remember({ ...home, text: "Ana lives in Porto.", validFromTime: day(1) });
  const knew = new Date();
  // The clock of the server counts milliseconds.
  await sleep(10);
  const moved = await memory.remember(
    { ...home, text: "Ana lives in Berlin.", validFromTime: day(6) },
    { conflict: "supersede" },
  );
  const [result] = moved.results;
  const berlin = result?.memoryId ?? "";
  const filter = { ...ANA, key: "home_city" };
  const [now] = await all(memory.listMemories({ filter }));
  const [march] = await all(memory.listMemories({ filter: { ...filter, validAtTime: day(3) } }));
  const [known] = await all(memory.listMemories({ filter, asOf: knew }));
  console.log(`of these, ${(await memory.countMemories({ filter })).count} now`);
  console.log(`now: ${now?.text} in March: ${march?.text} known before: ${known?.text}`);
  check(now?.text === "Ana lives in Berlin." && march?.text === "Ana lives in Porto.", "homes");
  check(known?.text === march?.text, "what was known");
  const ended = await memory.getMemory(result?.supersededMemoryIds[0] ?? "");
  console.log(`${ended.text} ended on ${ended.validUntilTime?.toDateString()}`);
  const fixed = await memory.updateMemory(
    berlin,
    { text: "Ana lives in Berlin, in Neukölln." },
    { reason: "she said where" },
  );
  const states = await all(memory.listMemoryVersions(berlin));
  console.log(
    "states:",
    states.map(({ version, text }) => `${version} ${text}`),
  );
  const back = await memory.restoreMemoryVersion(berlin, 1, { etag: fixed.etag });
  console.log(`restored as state ${back.version}: ${back.text}`);
  const stale = memory.updateMemory(berlin, { text: "x", etag: fixed.etag });
  await expectError("ETAG_MISMATCH", stale);
  await expectError("MEMORY_VERSION_NOT_FOUND", memory.restoreMemoryVersion(berlin, 99));
  await expectError("MEMORY_NOT_FOUND", memory.getMemory("nobody knows"));
  return berlin;
}

/** Repetition raises confidence; without it, confidence decays. */
async function strength(memory: MemorySidecar, memoryId: string): Promise<void> {
  console.log("\n== Surer and less sure");
  const again = await memory.remember({ ...ANA, key: "home_city", text: "ana lives in berlin" });
  check(again.results[0]?.outcome === RememberOutcome.REINFORCED, "said again");
  const faded = await memory.decayMemories({ filter: ANA, factor: 0.5 });
  const { confidence } = await memory.getMemory(memoryId);
  console.log(`${faded.decayedCount} decayed to ${confidence?.toFixed(2)}`);
  const [surer] = await memory.reinforceMemories(memoryId);
  console.log(`reinforced to ${surer?.confidence?.toFixed(2)}, said ${surer?.mentionCount} times`);
}

/** Entities and relations. */
async function graph(memory: MemorySidecar): Promise<void> {
  console.log("\n== Entities and relations");
  const works = { subject: "Ana", predicate: "works_at", objectValue: "Acme Incorporated" };
  const made = await memory.remember(
    [
      { entity: { name: "Acme", type: "organization" } },
      { entity: { name: "Acme Incorporated", attributes: { founded: "1999" } } },
      { relation: works },
      { relation: { subject: "Acme", predicate: "located_in", objectValue: "Seattle" } },
    ],
    { scope: ANA },
  );
  const [acme, other] = made.results.map(({ memoryId }) => memoryId);
  const merged = await memory.mergeEntities(acme ?? "", other ?? "", { reason: "the same" });
  const names = merged.structure?.$case === "entity" ? merged.structure.value.aliases : [];
  console.log(`Acme, also ${names.join(", ")}`);
  const found = await memory.queryRelations({ subject: "Ana", maxHops: 2, filter: ANA });
  const objects = found.relations.map(({ memory: one }) => one?.text);
  console.log("two steps:", objects);
  check(objects.length === 2, "relations");
}

/** Turns, what they promote, and what is found in them. */
async function turns(memory: MemorySidecar): Promise<void> {
  console.log("\n== Turns");
  await memory.createSession({
    sessionId: "talk",
    userId: "ana",
    policy: preset("sliding_window", { max_messages: 4 }),
    memoryPolicy: { promotion: {}, episodes: {}, extraction: { targets: ["facts"] } },
  });
  const recorded = await memory.recordTurn("talk", {
    userText: "My name is Ana Prado.",
    assistantText: "Nice to meet you.",
  });
  console.log(`${recorded.messages.length} messages, episode ${recorded.episodeMemoryId}`);
  const trains = { userText: "I prefer trains to planes.", assistantText: "Noted." };
  await memory.recordTurn("talk", trains, { turnTime: day(7) });
  const last = await memory.recordTurn("talk", { userText: "My birthday is on 5 May." });
  console.log(`${last.promotedMemoryIds.length} promoted`);
  const early = await memory.consolidateSession("talk");
  console.log(`${early.promotedMemoryIds.length} promoted without waiting`);
  const { scores } = await memory.extractMemories({ sessionId: "talk", preview: true });
  console.log(
    "importance:",
    scores.map(({ rule, score }) => `${rule} ${score}`),
  );
  const text = "I work at Acme and live in Berlin.";
  const found = await memory.extractMemories({ scope: ANA, text, preview: true });
  console.log(
    "found in a text:",
    found.memories.map((one) => one.text),
  );
  for (let wait = 0; wait < 100; wait++) {
    if ((await all(memory.listTasks({ sessionId: "talk" }))).length === 0) break;
    await sleep(100);
  }
  await expectError("TASK_NOT_FOUND", memory.retryTask("task-none"));
  await expectError("SESSION_NOT_FOUND", memory.recordTurn("nowhere", { userText: "hello" }));
}

/** Text for the next prompt. */
async function context(memory: MemorySidecar): Promise<void> {
  console.log("\n== Context");
  const { hits } = await memory.recall("where does Ana live", {
    filter: { kinds: ["memory"], ...ANA },
  });
  const record = hits[0]?.record;
  console.log("recall finds:", record?.$case === "memory" ? record.value.text : "nothing");
  const filter = { kinds: ["memory"], ...ANA } as const;
  const [best] = (await memory.recall("trains or planes", { filter, scoring: "overlap" })).hits;
  const found = best?.record;
  console.log("overlap finds:", found?.$case === "memory" ? found.value.text : "nothing");
  const query = "How should Ana travel home?";
  const made = await memory.assembleContext({ sessionId: "talk", query, maxTokens: 300 });
  console.log(made.text);
  console.log(`${made.tokenCount} of ${made.budgetTokens} tokens, ${made.totalCutCount} cut`);
  check(made.tokenCount <= made.budgetTokens, "the budget");
  console.log(await memoryBlock(memory, { userId: "ana", topK: 3 }));
}

/** Tools for a model, export and import, forgetting. */
async function tools(memory: MemorySidecar): Promise<void> {
  console.log("\n== Tools, files, forgetting");
  const given = new MemoryTools(memory, { userId: "ana" });
  console.log(JSON.stringify(given.definitions("mcp")[0]));
  const made = await given.call("remember", JSON.stringify({ content: "Ana collects stamps." }));
  console.log(await given.call("recall", { query: "stamps", limit: 1 }));
  console.log(await given.call("forget", { memory_id: made }));
  const lines = await all(exportMemories(memory, ANA));
  const dry = await memory.purgeMemories(ANA);
  console.log(`${lines.length} lines exported; a purge would forget ${dry.memoryCount}`);
  await memory.purgeMemories(ANA, { force: true });
  check((await importMemories(memory, lines)) === lines.length, "the import");
  const again = await all(memory.listMemories({ filter: ANA }));
  check(again.length === lines.length, "what was imported");
  const gone = await memory.forgetMemories(again[0]?.memoryId ?? "");
  console.log(`forgotten for good: ${gone.forgottenCount}`);
}

const [, , address = "127.0.0.1:50151"] = process.argv;
const memory = connect(address, { namespace: `memory-${randomUUID().slice(0, 8)}` });
try {
  await strength(memory, await changing(memory));
  await graph(memory);
  await turns(memory);
  await context(memory);
  await tools(memory);
} finally {
  while ((await memory.purgeMemories({ everyone: true }, { force: true })).more);
  await memory.deleteSession("talk", { allowMissing: true });
  memory.close();
}
console.log("\nDone.");
