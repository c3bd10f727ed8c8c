// Sessions with an end, in a store that is damaged.

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import {
  newEvent,
  newFields,
  newHead,
  readFacts,
  START_MS,
} from "../../../test/support/store/plans.ts";
import { openEnvironment, type Table } from "../engine/environment.ts";
import { EXPIRY, SESSION } from "../tables/session-tables.ts";
import { verifyDirectory } from "../verify/verify.ts";
import { openLmdbStore } from "./store.ts";

const OPTIONS = { readFacts, floor: { bytes: 0 } };

/** Makes two sessions with an end, then changes the index. */
async function makeStore(directory: string, change: (index: Table) => void): Promise<void> {
  const store = await openLmdbStore({ directory, ...OPTIONS });
  for (const sessionId of ["first", "second"]) {
    const ref = { namespace: "default", sessionId };
    const fields = newFields({ ttlMs: 1_000 });
    await store.changeSession(ref, () => {
      const plan = { fields, head: newHead(), events: [newEvent(ref)] };
      return { kind: "save", result: undefined, plan };
    });
  }
  await store.close();
  const env = openEnvironment({ directory });
  await env.root.batch(() => change(env.index));
  await env.root.close();
}

describe("a session with an end", () => {
  test("that upkeep would not find is noticed by verify", async () => {
    await using temporary = await makeTempDir();
    const directory = join(temporary.path, "data");
    await makeStore(directory, () => undefined);
    expect((await verifyDirectory(directory)).problems).toEqual([]);
    const other = join(temporary.path, "other");
    await makeStore(other, (index) => void index.remove(EXPIRY.key(START_MS + 1_000, 1)));
    const { problems } = await verifyDirectory(other);
    expect(problems.map(({ kind }) => kind)).toContain("a session would never expire");
  });

  test("is found even if the one before it is damaged", async () => {
    await using temporary = await makeTempDir();
    const directory = join(temporary.path, "data");
    await makeStore(directory, (index) => void index.put(SESSION.key(1), Buffer.from("damaged")));
    const store = await openLmdbStore({ directory, ...OPTIONS });
    const found = await store.expiredSessions(START_MS + 2_000, 10);
    expect(found).toEqual([{ namespace: "default", sessionId: "second" }]);
    await store.close();
  });
});
