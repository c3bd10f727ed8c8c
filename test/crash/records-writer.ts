// A process with a store of its own that writes records until it is killed, and says on its output
// what it intends and what was answered. Usage: node records-writer.ts DIR SEED [FAILPOINT:PASS].
// Beside the writes, reads let records live on and upkeep runs. The writer of `turns` appends to a
// session with each change.

import { writeSync } from "node:fs";
import { setImmediate as otherWork } from "node:timers/promises";
import { armFailpoints } from "../../src/kit/failpoint.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import type { Store } from "../../src/store/store.ts";
import { ROLE } from "../../src/window/rules/types.ts";
import { type Random, randomFrom } from "../support/kit/random.ts";
import type { SessionAction } from "../support/store/action-types.ts";
import { act } from "../support/store/actions.ts";
import { readFacts, START_MS } from "../support/store/plans.ts";
import { changeRecords, changeUpload, type RecordAction } from "../support/store/records.ts";
import { TURNS } from "./record-turns.ts";

// The first segment of paths whose values are uploaded in parts.
const PARTED = "parts";
// The first segment of a path has one writer, so that what is unknown is one call; the others make
// groups.
const PATHS = ["p", "pp", "large", PARTED, "o1", "o2", TURNS];
const KEYS = 30;
const KEEP = { eventAgeMsMax: 1e15, eventCountMax: 1e9, replyAgeMsMax: 1e15, usageHourMin: 0 };

function draw(random: Random, first: string, nowMs: number): RecordAction {
  const name = () => {
    const path = random.chance(0.5) ? [first] : [first, "below"];
    return { path, key: `k${random.int(0, KEYS)}` };
  };
  const drafts = Array.from({ length: random.int(0, 8) }, () => {
    const size = first === "large" && random.chance(0.2) ? 300_000 : random.int(0, 300);
    const ttl = random.chance(0.3) ? { ttlMs: 1_000_000_000 } : {};
    // Two collections take documents from every path, so that their numbers meet in groups.
    const texts = Array.from({ length: random.int(0, 3) }, (_, at) => `${nowMs} ${at}`);
    const collectionId = random.pick(["c", "d"]);
    const search = texts.length === 0 ? {} : { search: { collectionId, texts } };
    return { ...name(), text: `${nowMs} ${"x".repeat(size)}`, ...ttl, ...search };
  });
  const put = [
    ...new Map(drafts.map((one) => [JSON.stringify([one.path, one.key]), one])).values(),
  ].map((one, at) => (first === PARTED ? { ...one, uploadId: `${nowMs} ${at}` } : one));
  const remove = Array.from({ length: random.int(put.length === 0 ? 1 : 0, 5) }, name);
  return { kind: "records", namespace: "default", sessionId: first, nowMs, put, remove };
}

/** The append that goes with a change: a message that tells of it. */
function turnOf({ kind: _, put, remove, ...base }: RecordAction): SessionAction {
  const text = JSON.stringify({ put, remove });
  const draft = { messageId: "", role: ROLE.user, tokenCount: 1, text } as const;
  const records = { put, remove };
  return { ...base, kind: "append", drafts: [draft], createSession: true, looks: false, records };
}

// The value of a put arrives in two parts; what the parts say is not told before the put.
async function upload(store: Store, { namespace, nowMs, put }: RecordAction) {
  for (const { text, uploadId = "" } of put) {
    const middle = Math.ceil(text.length / 2);
    for (const part of [text.slice(0, middle), text.slice(middle)]) {
      if (uploadId !== "" && part !== "") {
        await changeUpload(store, { kind: "upload", namespace, uploadId, text: part, nowMs });
      }
    }
  }
}

// Each line is written in one call and at once: what was said survives the kill.
function say(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

async function write(store: Store, random: Random, sessionId: string, base: number) {
  for (let n = 0; ; n += 1) {
    const action = draw(random, sessionId, base + n);
    await upload(store, action);
    say({ intended: action });
    if (sessionId === TURNS) {
      const { revision } = await act(store, turnOf(action));
      say({ answered: { sessionId, revision, saved: true } });
    } else {
      const { revision, saved } = await changeRecords(store, action);
      say({ answered: { sessionId, revision, saved } });
    }
    if (random.chance(0.2)) await store.refreshRecords("default", action.put, base + n);
  }
}

async function upkeep(store: Store) {
  for (;;) {
    await store.maintain({ nowMs: START_MS, ...KEEP });
    await otherWork();
  }
}

const [, , directory = "", seed = "1", failpoints = ""] = process.argv;
const store = await openLmdbStore({ directory, readFacts, floor: { bytes: 0 } });
armFailpoints(failpoints);
const random = randomFrom(Number(seed));
const base = START_MS + Number(seed) * 1_000_000;
await Promise.all([upkeep(store), ...PATHS.map((path) => write(store, random, path, base))]);
