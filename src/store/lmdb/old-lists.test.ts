// Sessions that versions before wrote, which no list by their last change has until the store is
// opened.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { readFixture, unpackStore } from "../../../test/support/store/old-store.ts";
import { readFacts } from "../../../test/support/store/plans.ts";
import { allSessions } from "../../../test/support/store/read-all.ts";
import { openEnvironment } from "../engine/environment.ts";
import type { Store } from "../store.ts";
import { SESSION_UPDATED } from "../tables/session-tables.ts";
import { verifyDirectory } from "../verify/verify.ts";
import { openLmdbStore } from "./store.ts";

const OPENER = new URL("../../../test/support/store/lmdb-opener.ts", import.meta.url).pathname;

async function expectListed(directory: string): Promise<void> {
  const store = await openLmdbStore({ directory, readFacts, floor: { bytes: 0 } });
  const names = (await store.listNamespaces("", 10)).map(({ namespace }) => namespace);
  expect(names).toEqual(["default", "other"]);
  for (const namespace of names) expect(await byUpdate(store, namespace)).not.toEqual([]);
  await store.close();
  expect((await verifyDirectory(directory)).problems).toEqual([]);
}

/** The sessions in the order of their last change, which is checked against their own times. */
async function byUpdate(store: Store, namespace: string): Promise<readonly string[]> {
  const query = { namespace, order: "asc", limit: 3, nowMs: 0 } as const;
  const made = await allSessions(store, query);
  const changed = await allSessions(store, { ...query, by: "update" });
  const sorted = made.toSorted((a, b) => a.head.updateMs - b.head.updateMs);
  expect(changed.map(({ sessionId }) => sessionId)).toEqual(sorted.map((one) => one.sessionId));
  return changed.map(({ sessionId }) => sessionId);
}

test.each([1, 2, 5, 6])("a store of format %i has the list once it is open", async (format) => {
  await using directory = await makeTempDir();
  await unpackStore(format, directory.path);
  await expectListed(directory.path);
  await expectListed(directory.path);
});

test.each(["before-commit:1", "after-commit:1", "before-commit:2"])(
  "a store whose conversion is killed %s has the list after the next start",
  async (failpoint) => {
    await using directory = await makeTempDir();
    await unpackStore(6, directory.path);
    const killed = spawnSync(process.execPath, [OPENER, directory.path, failpoint]);
    if (failpoint !== "before-commit:2") expect(killed.signal).toBe("SIGKILL");
    expect((await verifyDirectory(directory.path)).problems).toEqual([]);
    await expectListed(directory.path);
  },
);

test("a session that the list lacks, or has at a wrong time, is found by verify", async () => {
  expect((await readFixture(6)).about.format).toBe(6);
  for (const kind of ["lost", "moved"] as const) {
    await using directory = await makeTempDir();
    await unpackStore(6, directory.path);
    await expectListed(directory.path);
    // The newest journal record covers the index; it must not hold what is damaged.
    const again = await openLmdbStore({
      directory: directory.path,
      readFacts,
      floor: { bytes: 0 },
    });
    await again.noteRecalled("default", 1);
    await again.close();
    const env = openEnvironment({ directory: directory.path });
    const range = { start: SESSION_UPDATED.id, end: `${SESSION_UPDATED.id}\xff`, limit: 1 };
    const [key = ""] = [...env.index.getKeys(range)];
    const [namespace, updateMs, sessionNo] = SESSION_UPDATED.parts(key);
    await env.root.batch(() => {
      env.index.remove(key);
      const other = SESSION_UPDATED.key(namespace, updateMs + 1, sessionNo);
      if (kind === "moved") env.index.put(other, SESSION_UPDATED.encode(other, true));
    });
    await env.root.close();
    const { problems } = await verifyDirectory(directory.path);
    const kinds = problems.map((problem) => problem.kind);
    expect(kinds).toContain("a session is not listed by its last change");
    expect(kinds.includes("a list names a wrong session")).toBe(kind === "moved");
  }
});
