// Kills a process that loads the bare store, at every failpoint, and looks at what is left.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { copyCrashed } from "../../../test/support/store/crashed-copy.ts";
import {
  newEvent,
  newFields,
  newHead,
  newMessage,
  readFacts,
} from "../../../test/support/store/plans.ts";
import { newestOf, revisionOf } from "../../../test/support/store/revisions.ts";
import { FAILPOINTS } from "../../kit/failpoint.ts";
import { REDO_FILE } from "../engine/redo-log.ts";
import type { Store } from "../store.ts";
import { verifyDirectory } from "../verify/verify.ts";
import { openLmdbStore } from "./store.ts";

const LOAD = new URL("../../../test/support/store/lmdb-load.ts", import.meta.url).pathname;
const FACTS = new URL("../../../test/support/store/plans.ts", import.meta.url);
const OPTIONS = { readFacts, floor: { bytes: 0 } };

// Runs the load until it is killed; gives the newest acknowledged seq of every session.
async function runLoad(
  directory: string,
  spec: string,
  seed: number,
): Promise<Map<string, number>> {
  const child = spawn(process.execPath, [LOAD, directory, spec, String(seed)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    // From the first acknowledged change on: a slow machine may take long to get there.
    if (output === "" && spec === "") setTimeout(() => child.kill("SIGKILL"), 500);
    output += text;
  });
  const timer = setTimeout(() => child.kill("SIGTERM"), 60_000);
  const [, signal] = (await once(child, "close")) as [number | null, string | null];
  clearTimeout(timer);
  expect(signal, "the failpoint was never passed").toBe("SIGKILL");
  const newest = new Map<string, number>();
  for (const line of output.split("\n").slice(0, -1)) {
    const [name = "", seq = "0"] = line.split(" ");
    newest.set(name, Math.max(newest.get(name) ?? 0, Number(seq)));
  }
  return newest;
}

async function checkSessions(directory: string, newest: Map<string, number>): Promise<void> {
  const store = await openLmdbStore({ directory, ...OPTIONS });
  try {
    for (const [sessionId, seq] of newest) {
      const found = await store.readWindow({ namespace: "default", sessionId });
      expect(found?.session.head.lastSeq).toBeGreaterThanOrEqual(seq);
      expect(found?.window.length).toBe(found?.session.head.window.messageCount);
    }
    expect((await newestOf(store)).revision).toBe(await revisionOf(store));
  } finally {
    await store.close();
  }
}

describe("a store that was killed", () => {
  // A bare store never passes those of services, of the recall index and of compaction.
  const elsewhere = new Set(["after-hook", "before-index", "before-exchange", "mid-exchange"]);
  const places = FAILPOINTS.filter((name) => !elsewhere.has(name));
  test.each(["", ...places])(
    "at %j has all that was acknowledged, and nothing damaged",
    async (name) => {
      await using temporary = await makeTempDir();
      const directory = join(temporary.path, "data");
      const newest = await runLoad(directory, "", 1);
      for (const pass of [1, 3, 8]) {
        const spec = name === "" ? "" : `${name}:${pass}`;
        const more = await runLoad(directory, spec, pass);
        for (const [session, seq] of more) {
          newest.set(session, Math.max(newest.get(session) ?? 0, seq));
        }
        const report = await verifyDirectory(directory, { factsModule: FACTS });
        expect(report.problems).toEqual([]);
        await checkSessions(directory, newest);
      }
    },
    120_000,
  );
});

const ref = { namespace: "default", sessionId: "s" };

async function append(store: Store): Promise<number> {
  return store.changeSession(ref, (view) => {
    const old = view.session?.head ?? newHead();
    const message = newMessage({ seq: old.lastSeq + 1 });
    const window = [...view.window(), message];
    const head = newHead({
      lastSeq: message.seq,
      log: { messageCount: window.length, tokenCount: 10 * window.length },
      window: {
        messageCount: window.length,
        tokenCount: 10 * window.length,
        byteCount: window.reduce((sum, { byteCount }) => sum + byteCount, 0),
      },
      windowRanges: [{ first: 1, last: message.seq }],
    });
    const fields = view.session === undefined ? { fields: newFields() } : {};
    const plan = { ...fields, append: [message], window, head, events: [newEvent(ref)] };
    return { kind: "save", result: message.seq, plan };
  });
}

describe("the files of a running store", () => {
  test("hold every acknowledged change at once, flushed or not", async () => {
    await using temporary = await makeTempDir();
    const store = await openLmdbStore({ directory: join(temporary.path, "data"), ...OPTIONS });
    for (let seq = 1; seq <= 40; seq++) {
      expect(await append(store)).toBe(seq);
      // Past the first flush of an idle store too.
      if (seq % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 80));
      const copy = join(temporary.path, `copy-${seq}`);
      copyCrashed(join(temporary.path, "data"), copy);
      const other = await openLmdbStore({ directory: copy, ...OPTIONS });
      const found = await other.readWindow(ref);
      expect(found?.window.map((entry) => entry.seq)).toEqual(
        Array.from({ length: seq }, (_, i) => i + 1),
      );
      expect(await revisionOf(other)).toBe(seq);
      expect(other.storeId).toBe(store.storeId);
      await other.close();
    }
    await store.close();
  });

  test("are verified with the redo log, which alone holds the newest change", async () => {
    await using temporary = await makeTempDir();
    const directory = join(temporary.path, "data");
    const copy = join(temporary.path, "copy");
    const store = await openLmdbStore({ directory, ...OPTIONS });
    await append(store);
    copyCrashed(directory, copy);
    const report = await verifyDirectory(copy);
    expect(report).toMatchObject({ clean: true, problems: [], totals: { messages: 0 } });
    expect(report.groupsToRedo).toBeGreaterThan(0);
    const log = join(copy, REDO_FILE);
    const bytes = readFileSync(log);
    // In the block that names the history.
    bytes[16] = (bytes[16] ?? 0) ^ 1;
    writeFileSync(log, bytes);
    const kind = "the redo log cannot be carried out";
    const damaged = await verifyDirectory(copy);
    expect(damaged).toMatchObject({ clean: false, problems: [{ kind, count: 1 }] });
    expect(damaged.groupsToRedo).toBeUndefined();
    await store.close();
    expect((await verifyDirectory(directory)).groupsToRedo).toBeUndefined();
  });
});
