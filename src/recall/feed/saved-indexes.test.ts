import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { MANUAL_HOOKS } from "../../../test/support/hooks/hooks.ts";
import { type Random, randomFrom } from "../../../test/support/kit/random.ts";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { rememberTexts } from "../../../test/support/memory/service-memories.ts";
import {
  type CrashingIndex,
  createCrashingIndex,
} from "../../../test/support/recall/crashing-index.ts";
import { jsonRecallCodec } from "../../../test/support/recall/json-recall.ts";
import {
  ANY,
  deleteMessage,
  recallInput,
  recallTexts,
  textOf,
  upsert,
} from "../../../test/support/recall/recall.ts";
import { jsonCodec, toBytes } from "../../../test/support/services/json-codec.ts";
import {
  startTestServices,
  type TestServices,
  type TestServicesOptions,
} from "../../../test/support/services/services.ts";
import { type Hook, HookFailure, type Hooks } from "../../hooks/port.ts";
import { openLmdbStore } from "../../store/lmdb/store.ts";
import { NO_MODEL } from "../index/local.ts";
import { type IndexModel, IndexStopped, type SaveOutcome } from "../index/port.ts";

/** A server over a data directory. */
interface Life extends TestServices {
  readonly index: CrashingIndex;
  readonly faults: string[];
  /** The records that the index was given. */
  applied(): number;
  files(): string[];
  /** Ends it in good order. */
  end(): Promise<void>;
}

interface LifeOptions extends Pick<TestServicesOptions, "startMs"> {
  readonly code?: string;
  /** Default: no vectors. */
  readonly model?: IndexModel;
  readonly hooks?: Hooks;
  /** The thread ends when it reads a file. */
  readonly endsOnLoad?: boolean;
  /** Reading a file waits for this. */
  readonly loadGate?: Promise<void>;
  readonly newHistory?: boolean;
  readonly freeBytes?: number;
  /** Default: indexes are kept beside the store. */
  readonly isKept?: boolean;
}

const lives: Life[] = [];

afterEach(async () => {
  for (const life of lives.splice(0)) await life.end();
});

async function begin(directory: string, options: LifeOptions = {}): Promise<Life> {
  const { code = "code 1", freeBytes = 0, isKept = true, newHistory = false } = options;
  const store = await openLmdbStore({
    ...{ directory: join(directory, "data"), newHistory },
    ...{ readFacts: jsonCodec.readFacts, floor: { bytes: 0 } },
  });
  const { model = NO_MODEL, hooks = MANUAL_HOOKS } = options;
  const index = createCrashingIndex({ codec: jsonRecallCodec, model });
  if (options.endsOnLoad === true) {
    index.load = async () => {
      index.crash();
      throw new IndexStopped();
    };
  }
  const { load } = index;
  if (options.loadGate !== undefined) {
    index.load = async (namespace, path) => {
      await options.loadGate;
      return await load(namespace, path);
    };
  }
  const faults: string[] = [];
  const indexFiles = { directory: join(directory, "data", "recall"), freeBytes, itemsMin: 1, code };
  const services = await startTestServices(
    {},
    {
      ...{ store, index, hooks, startMs: options.startMs ?? 1_700_000_000_000 },
      ...(isKept ? { indexFiles } : {}),
      onBackgroundError: (error) => faults.push(String(error)),
    },
  );
  let ending: Promise<void> | undefined;
  const life: Life = {
    ...{ ...services, index, faults },
    applied: () => index.applied,
    files: () => (existsSync(indexFiles.directory) ? readdirSync(indexFiles.directory) : []),
    end: () => {
      ending ??= services.stop().then(() => store.close());
      return ending;
    },
  };
  lives.push(life);
  return life;
}

/** An embedder outside: a cat points one way, all else another. */
function embedder() {
  const made: string[] = [];
  const scripted: Hook = {
    ...{ name: "vectors", kind: "openai" },
    settings: {
      ...{ timeoutMs: 1_000, concurrency: 1, maxAttempts: 1, callsPerHour: 0 },
      ...{ tokensPerHour: 0, inputTokensMax: 100_000 },
    },
    embedder: {
      ...{ model: "fake", dimensions: 2, batchSize: 4 },
      embed: async (_, texts) => {
        if (given.isDown) throw new HookFailure("unreachable", "It is down.");
        made.push(...texts);
        return texts.map((text) => Float32Array.of(text.includes("cat") ? 1 : 0, 0.1));
      },
    },
  };
  const byName = new Map([...MANUAL_HOOKS.byName, [scripted.name, scripted] as const]);
  const hooks: Hooks = { ...MANUAL_HOOKS, byName, embedder: { kind: "hook", hook: "vectors" } };
  const model: IndexModel = { id: "fake", dimensions: 2, isLocal: false };
  const given = { hooks, model, made, isDown: false };
  return given;
}

/** The directory as a crash at this moment leaves it. */
function crashed(directory: string): string {
  const copy = `${directory}-${Math.floor(performance.now() * 1_000)}`;
  cpSync(join(directory, "data"), join(copy, "data"), { recursive: true });
  return copy;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function until(check: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (check()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("It never happened.");
}

/** Has the index saved in the background. */
async function saved(life: Life): Promise<void> {
  for (let tries = 0; tries < 100 && life.files().length === 0; tries++) {
    life.advance(6_000);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await until(() => life.files().some((name) => name.endsWith(".idx")));
  await until(() => !life.files().some((name) => name.endsWith(".writing")));
}

const QUERIES = ["zebra river", "piano", "winter coffee bridge", "tea"];

/** Everything that some queries find, with scores. */
async function answers(life: Life): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const query of QUERIES) {
    const asked = recallInput(query, { limit: 100 });
    const { hits, coverage } = await life.recall.recall(life.call("Recall"), asked);
    const scored = hits.map((hit) => [textOf(hit), Number(hit.score.toFixed(9))] as const);
    all.push([coverage.complete, scored.sort((a, b) => (a[0] < b[0] ? -1 : 1))]);
  }
  return all;
}

/** The same of an index that is made anew. */
async function fresh(directory: string, startMs: number): Promise<unknown[]> {
  const life = await begin(crashed(directory), { isKept: false, startMs });
  const found = await answers(life);
  await life.end();
  return found;
}

const WORDS = ["zebra", "train", "garden", "river", "piano", "winter", "bridge", "coffee", "tea"];

function textFrom(random: Random, own: string): string {
  return `${own} ${Array.from({ length: 6 }, () => random.pick(WORDS)).join(" ")}`;
}

async function fill(life: Life): Promise<void> {
  const random = randomFrom(3);
  for (let session = 0; session < 4; session++) {
    const messages = Array.from({ length: 8 }, (_, at) => {
      return { messageId: `m${at}`, text: textFrom(random, `own${session}x${at}`) };
    });
    await life.append(`s${session}`, messages);
  }
  await upsert(life, [
    { documentId: "d1", text: "winter tea" },
    { documentId: "d2", text: "piano" },
  ]);
  await rememberTexts(life, ["likes green tea", "plays the piano"]);
}

async function deleteSession(life: Life, sessionId: string): Promise<void> {
  await life.sessions.deleteSession(life.call("DeleteSession"), {
    ...{ namespace: "default", sessionId, etag: "", allowMissing: true, encode: toBytes },
  });
}

/** The bytes of all files of indexes. */
function bytesOf(directory: string): string {
  const folder = join(directory, "data", "recall");
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "latin1"))
    .join();
}

describe("an index that is kept for the next start", () => {
  test("answers as before, without a record read anew", async () => {
    await using temporary = await makeTempDir();
    const first = await begin(temporary.path);
    await fill(first);
    const before = await answers(first);
    await first.end();
    expect(first.files()).toEqual([expect.stringMatching(/^[0-9a-f]{40}\.idx$/)]);
    const second = await begin(temporary.path, { startMs: first.nowMs() });
    expect(await answers(second)).toEqual(before);
    expect(second.applied()).toBe(0);
    await second.append("s1", [{ text: "zebra zebra zebra" }]);
    expect(await recallTexts(second, "zebra zebra")).toContain("zebra zebra zebra");
    await second.end();
    const third = await begin(temporary.path, { startMs: first.nowMs() });
    expect(await recallTexts(third, "zebra zebra")).toContain("zebra zebra zebra");
    expect(third.applied()).toBe(0);
    expect([first.faults, second.faults, third.faults]).toEqual([[], [], []]);
  });

  test("catches up with what came after it was saved", async () => {
    await using temporary = await makeTempDir();
    const first = await begin(temporary.path);
    await fill(first);
    await answers(first);
    await saved(first);
    await first.append("s1", [{ messageId: "late", text: "zebra bridge tea" }]);
    await first.append("s9", [{ text: "a river of coffee" }]);
    await upsert(first, [{ documentId: "d3", text: "tea in winter" }]);
    await rememberTexts(first, ["drinks coffee in winter"]);
    expect(first.files().length).toBe(1);
    const directory = crashed(temporary.path);
    const second = await begin(directory, { startMs: first.nowMs() });
    expect(await answers(second)).toEqual(await fresh(directory, first.nowMs()));
    // Three sessions of eight are as they were.
    expect(second.applied()).toBeLessThan(10);
    expect(second.faults).toEqual([]);
  });

  for (const seed of [1, 2, 3, 4]) {
    test(`finds what one that is made anew finds, after any past (seed ${seed})`, async () => {
      await using temporary = await makeTempDir();
      const random = randomFrom(seed);
      let directory = temporary.path;
      let life = await begin(directory);
      await fill(life);
      for (let round = 0; round < 60; round++) {
        const session = `s${random.int(0, 5)}`;
        const kind = random.weighted({
          ...{ append: 8, document: 2, erase: 2, remove: 1, remember: 2 },
          ...{ recall: 3, look: 4, stop: 1, crash: 2 },
        });
        if (kind === "append") {
          await life.append(session, [{ text: textFrom(random, `own${round}`) }]);
        } else if (kind === "document") {
          await upsert(life, [
            { documentId: `d${random.int(1, 5)}`, text: textFrom(random, "doc") },
          ]);
        } else if (kind === "erase") {
          await deleteMessage(life, session, `m${random.int(0, 7)}`).catch(() => {});
        } else if (kind === "remove") {
          await deleteSession(life, session);
        } else if (kind === "remember") {
          await rememberTexts(life, [textFrom(random, `memory${round}`)]);
        } else if (kind === "recall") {
          await answers(life);
        } else if (kind === "look") {
          life.advance(random.pick([6_000, 400_000]));
          await new Promise((resolve) => setTimeout(resolve, 20));
        } else {
          const startMs = life.nowMs();
          const before = directory;
          if (kind === "crash") directory = crashed(directory);
          if (kind === "stop") await life.end();
          life = await begin(directory, { startMs });
          if (random.chance(0.5)) {
            expect(await answers(life), before).toEqual(await fresh(directory, startMs));
          }
        }
      }
      expect(await answers(life)).toEqual(await fresh(directory, life.nowMs()));
    });
  }

  test("is made anew for other code, another model, another history and an older store", async () => {
    await using temporary = await makeTempDir();
    const old = await begin(temporary.path);
    await old.append("s1", [{ text: "zebra" }]);
    await old.end();
    const older = crashed(temporary.path);
    const first = await begin(temporary.path, { startMs: old.nowMs() });
    await fill(first);
    await answers(first);
    await first.end();
    const kept = crashed(temporary.path);
    const startMs = first.nowMs();
    const expected = await fresh(kept, startMs);
    for (const options of [
      { code: "code 2" },
      { model: { id: "", dimensions: 3, isLocal: false } },
      { newHistory: true },
    ]) {
      const directory = crashed(kept);
      const life = await begin(directory, { ...options, startMs });
      expect(await answers(life)).toEqual(expected);
      expect([options, life.applied() > 0]).toEqual([options, true]);
      await life.end();
    }
    // The data file of before is put back, and its history goes on beside the index of another one.
    const other = await begin(older, { startMs, isKept: false });
    for (let at = 0; at < 60; at++) await other.append("s1", [{ text: `river ${at}` }]);
    await answers(other);
    await other.end();
    cpSync(join(kept, "data", "recall"), join(older, "data", "recall"), { recursive: true });
    const life = await begin(older, { startMs });
    expect(await answers(life)).toEqual(await fresh(older, startMs));
    expect(life.applied()).toBeGreaterThan(0);
  });

  test("is asked for one session while it is still read", async () => {
    await using temporary = await makeTempDir();
    const first = await begin(temporary.path);
    await fill(first);
    const expected = await answers(first);
    await first.end();
    const gate = Promise.withResolvers<void>();
    const startMs = first.nowMs();
    const second = await begin(temporary.path, { startMs, loadGate: gate.promise });
    const filter = { ...ANY, sessionIds: ["s1"], kinds: new Set(["message"] as const) };
    const asked = recallTexts(second, "own1x2", { filter, mode: "lexical" });
    await second.append("s1", [{ text: "own1x2 again" }]);
    for (let at = 0; at < 20; at++) await turn();
    second.advance(100);
    expect(second.applied()).toBe(0);
    gate.resolve();
    const [best = "", other = ""] = await asked;
    expect([best, other].every((text) => text.startsWith("own1x2"))).toBe(true);
    expect(await answers(second)).not.toEqual(expected);
    expect(await answers(second)).toEqual(await fresh(temporary.path, startMs));
    expect([second.applied(), second.faults]).toEqual([1, []]);
  });

  test("is made anew from a file that is damaged at any place", async () => {
    await using temporary = await makeTempDir();
    const first = await begin(temporary.path);
    await fill(first);
    const expected = await answers(first);
    await first.end();
    const [name = ""] = first.files();
    const random = randomFrom(5);
    for (let round = 0; round < 12; round++) {
      const directory = crashed(temporary.path);
      const path = join(directory, "data", "recall", name);
      const bytes = readFileSync(path);
      const place = random.int(0, bytes.length - 1);
      bytes[place] = (bytes[place] ?? 0) ^ (1 << random.int(0, 7));
      writeFileSync(path, bytes);
      const life = await begin(directory, { startMs: first.nowMs() });
      expect(await answers(life)).toEqual(expected);
      expect([place, life.applied() > 0, life.faults]).toEqual([place, true, []]);
      await life.end();
    }
  });

  test("is made anew when its file ends the thread of the index", async () => {
    await using temporary = await makeTempDir();
    const first = await begin(temporary.path);
    await fill(first);
    const expected = await answers(first);
    await first.end();
    const second = await begin(temporary.path, { startMs: first.nowMs(), endsOnLoad: true });
    await until(() => second.files().length === 0);
    let isAnswered = false;
    const found = answers(second).finally(() => {
      isAnswered = true;
    });
    await until(() => {
      second.advance(1_000);
      return isAnswered;
    });
    expect(await found).toEqual(expected);
    expect(second.faults).toEqual([]);
  });

  test("has the vectors that a hook made after it was saved", async () => {
    await using temporary = await makeTempDir();
    const hook = embedder();
    const first = await begin(temporary.path, hook);
    hook.isDown = true;
    await first.append("s1", [{ text: "a cat" }, { text: "a boat" }]);
    await answers(first);
    await saved(first);
    hook.isDown = false;
    await until(() => {
      first.advance(100);
      return hook.made.length > 1;
    });
    const whole = async (life: Life) => {
      const asked = recallInput("cat", { mode: "dense", limit: 1 });
      const { hits, coverage } = await life.recall.recall(life.call("Recall"), asked);
      return [coverage.withoutVectorCount, hits.map(textOf)];
    };
    while ((await whole(first))[0] !== 0) await turn();
    const { length: made } = hook.made;
    const second = await begin(crashed(temporary.path), { ...hook, startMs: first.nowMs() });
    expect(await whole(second)).toEqual([0, ["a cat"]]);
    expect(hook.made.slice(made)).toEqual(["cat"]);
  });
});

describe("a file of an index", () => {
  test("is gone with the first text that is erased, and later holds it no more", async () => {
    await using temporary = await makeTempDir();
    const life = await begin(temporary.path);
    await fill(life);
    await answers(life);
    await saved(life);
    expect(bytesOf(temporary.path)).toContain("own1x2");
    await deleteMessage(life, "s1", "m2");
    await until(() => life.files().length === 0);
    life.advance(310_000);
    await saved(life);
    const bytes = bytesOf(temporary.path);
    expect(bytes).not.toContain("own1x2");
    expect(bytes).toContain("own1x3");
    await deleteSession(life, "s2");
    await until(() => life.files().length === 0);
    await life.end();
    expect(bytesOf(temporary.path)).not.toContain("own2x");
  });

  test("that an erasure missed is gone after the next start", async () => {
    await using temporary = await makeTempDir();
    const life = await begin(temporary.path);
    await fill(life);
    await answers(life);
    await saved(life);
    const before = crashed(temporary.path);
    await deleteMessage(life, "s1", "m2");
    await life.end();
    // The deletion is durable, but the process was killed before it took the file away.
    const after = crashed(temporary.path);
    cpSync(join(before, "data", "recall"), join(after, "data", "recall"), { recursive: true });
    const next = await begin(after, { startMs: life.nowMs() });
    expect(await recallTexts(next, "own1x2", { mode: "lexical" })).toEqual([]);
    await until(() => !readFilesWith(after, "own1x2"));
  });

  test("is gone once an erasure is done, also one that is being written", async () => {
    await using temporary = await makeTempDir();
    const life = await begin(temporary.path);
    await fill(life);
    await answers(life);
    const gate = Promise.withResolvers<void>();
    const { save } = life.index;
    life.index.save = async (namespace, order): Promise<SaveOutcome> => {
      const outcome = await save(namespace, order);
      await gate.promise;
      return outcome;
    };
    life.advance(6_000);
    await until(() => life.files().some((name) => name.endsWith(".writing")));
    await deleteMessage(life, "s1", "m2");
    await until(() => life.files().length === 0);
    gate.resolve();
    for (let at = 0; at < 50; at++) await turn();
    // The index may be written again at any time, without what was deleted.
    await until(() => !life.files().some((name) => name.endsWith(".writing")));
    expect(readFilesWith(temporary.path, "own1x2")).toBe(false);
  });

  test("is taken away at a start when nobody recalls its namespace, or it is half done", async () => {
    await using temporary = await makeTempDir();
    const folder = join(temporary.path, "data", "recall");
    mkdirSync(folder, { recursive: true });
    for (const name of [`${"a".repeat(40)}.idx`, "b.writing", "c.loading", "d"]) {
      writeFileSync(join(folder, name), "text");
    }
    const life = await begin(temporary.path);
    await until(() => life.files().length === 0);
    expect(life.faults).toEqual([]);
  });

  test("that the disk refuses is told once, and recall works", async () => {
    await using temporary = await makeTempDir();
    const life = await begin(temporary.path);
    life.index.save = async () => ({ kind: "failed", code: "ENOSPC" });
    await fill(life);
    const found = await answers(life);
    for (let round = 0; round < 300; round++) {
      life.advance(6_000);
      await turn();
    }
    expect(await answers(life)).toEqual(found);
    expect(life.faults).toEqual([
      "IndexFileError: A file of the recall index could not be written: ENOSPC. Recall works without it.",
    ]);
    expect(life.files()).toEqual([]);
  });

  test("is not written, and given up, on a disk with little space", async () => {
    await using temporary = await makeTempDir();
    const first = await begin(temporary.path);
    await fill(first);
    const found = await answers(first);
    await first.end();
    const options = { freeBytes: Number.MAX_SAFE_INTEGER, startMs: first.nowMs() };
    const second = await begin(temporary.path, options);
    expect(await answers(second)).toEqual(found);
    await second.append("s1", [{ text: "zebra" }]);
    await second.end();
    expect(second.files()).toEqual([]);
    expect(second.faults).toEqual([]);
  });

  test("cannot keep the server from starting", async () => {
    await using temporary = await makeTempDir();
    mkdirSync(join(temporary.path, "data"));
    writeFileSync(join(temporary.path, "data", "recall"), "not a folder");
    const life = await begin(temporary.path);
    await fill(life);
    expect((await recallTexts(life, "piano")).length).toBeGreaterThan(0);
    expect(life.faults).toEqual([
      "IndexFileError: A file of the recall index could not be read: EEXIST. Recall works without it.",
    ]);
    lives.length = 0;
    await life.index.close();
  });
});

function readFilesWith(directory: string, word: string): boolean {
  return bytesOf(directory).includes(word);
}
