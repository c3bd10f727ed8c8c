// Lists of sessions where there are very many: a page reads about as many rows as it gives, at the
// beginning, in the middle and at the end of the list, and of the sessions of a user only theirs.

import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { makeTempDir, type TempDir } from "../../../test/support/kit/temp-dir.ts";
import { readFacts, START_MS } from "../../../test/support/store/plans.ts";
import { newSession } from "../../session/sessions.ts";
import { type Environment, openEnvironment } from "../engine/environment.ts";
import { u64 } from "../engine/keys.ts";
import { NOTHING } from "../engine/table.ts";
import type { SessionPlace, SessionQuery, Store } from "../store.ts";
import type { Core } from "../tables/core.ts";
import { HEAD, SESSION, SESSION_NAME, updatedKey } from "../tables/session-tables.ts";
import { listPrefixes } from "../tables/sessions.ts";
import { openLmdbStore } from "./store.ts";

const MANY = 50_000;
const FEW = 40;
const OPTIONS = { readFacts, floor: { bytes: 0 } };
// A session is three rows: that of its list, its own and its head. Then the ends of ranges.
const ROWS = 3;
const SPARE = 20;

let temporary: TempDir;
let store: Store;
let rows = 0;

beforeAll(async () => {
  temporary = await makeTempDir();
  const directory = join(temporary.path, "data");
  const first = await openLmdbStore({ directory, ...OPTIONS });
  await first.noteRecalled("other", START_MS);
  await first.close();
  const env = openEnvironment({ directory });
  await env.root.batch(() => {
    for (let no = 1; no <= MANY; no++) fill(env, no);
  });
  await env.root.close();
  store = await openLmdbStore({ directory, ...OPTIONS });
  watch((store as unknown as { readonly core: Core }).core.env);
});

afterAll(async () => {
  await store.close();
  await temporary[Symbol.asyncDispose]();
});

/** The rows of a session. The older a session the later it was changed. */
function fill({ index }: Environment, no: number): void {
  const put = (key: string, value: Uint8Array) => index.put(key, value as Buffer);
  const ref = { namespace: "default", sessionId: `${no <= FEW ? "few" : "many"}/${no}` };
  const userId = no % (MANY / FEW) === 0 ? "few" : "many";
  const session = newSession(ref, { userId }, { nowMs: START_MS + MANY - no, revision: no });
  const { fields, head } = session;
  put(SESSION.key(no), SESSION.encode(SESSION.key(no), { sessionNo: no, ...ref, fields }));
  put(HEAD.key(no), HEAD.encode(HEAD.key(no), { logNo: no, head }));
  const name = SESSION_NAME.key(ref.namespace, ref.sessionId);
  put(name, SESSION_NAME.encode(name, no));
  for (const prefix of listPrefixes(ref.namespace, fields)) {
    put(prefix + u64(no), NOTHING.encode(prefix + u64(no), true));
  }
  const updated = updatedKey(no, session);
  put(updated, NOTHING.encode(updated, true));
}

/** Counts the rows that are read from the index. */
function watch({ index }: Environment): void {
  const { get, getRange } = index;
  vi.spyOn(index, "get").mockImplementation((...asked: Parameters<typeof get>) => {
    rows++;
    return get.apply(index, asked);
  });
  vi.spyOn(index, "getRange").mockImplementation((...asked: Parameters<typeof getRange>) => {
    const found = [...getRange.apply(index, asked)];
    rows += found.length;
    return found as unknown as ReturnType<typeof getRange>;
  });
}

/** The numbers of a page, which must read at most so many rows. */
async function page(query: Partial<SessionQuery>, most: number): Promise<readonly number[]> {
  rows = 0;
  const all = { namespace: "default", order: "asc", limit: 10, nowMs: 0 } as const;
  const { sessions } = await store.listSessions({ ...all, ...query });
  expect(rows).toBeGreaterThan(0);
  expect(rows).toBeLessThanOrEqual(most);
  return sessions.map(({ head }) => head.revision);
}

const run = (first: number, step: number, count: number) =>
  Array.from({ length: count }, (_, at) => first + at * step);

test.each([1, 10, 100])("reads as many sessions as a page of %i has, anywhere", async (limit) => {
  const most = ROWS * (limit + 1) + SPARE;
  const place = (no: number): SessionPlace => ({ sessionNo: no, updateMs: START_MS + MANY - no });
  for (const by of ["create", "update"] as const) {
    for (const order of ["asc", "desc"] as const) {
      const step = (by === "create") === (order === "asc") ? 1 : -1;
      const first = step === 1 ? 1 : MANY;
      expect(await page({ by, order, limit }, most)).toEqual(run(first, step, limit));
      const after = by === "update" ? place(25_000) : { sessionNo: 25_000, updateMs: 0 };
      const middle = await page({ by, order, limit, after }, most);
      expect(middle).toEqual(run(25_000 + step, step, limit));
    }
  }
});

test("reads the sessions that were changed in a time and no others", async () => {
  const between = { updatedFromMs: START_MS + 100, updatedBeforeMs: START_MS + 105 };
  const found = await page({ by: "update", ...between }, ROWS * 5 + SPARE);
  expect(found).toEqual(run(MANY - 100, -1, 5));
});

test("reads the sessions of a user, or of a prefix, and no others", async () => {
  // Their rows once more for the order, and the sessions of the page.
  const most = 2 * FEW + ROWS * 11 + SPARE;
  const step = MANY / FEW;
  const byUser = { by: "update", userId: "few" } as const;
  expect(await page(byUser, most)).toEqual(run(MANY, -step, 10));
  expect(await page({ ...byUser, order: "desc" }, most)).toEqual(run(step, step, 10));
  for (const by of ["create", "update"] as const) {
    const found = await page({ by, sessionIdPrefix: "few/", order: "desc" }, most);
    expect(found).toEqual(by === "create" ? run(FEW, -1, 10) : run(1, 1, 10));
  }
});

test("examines at most 10,000 sessions for a page, and for a count", async () => {
  const where = () => false;
  const query = { namespace: "default", order: "asc", by: "update", nowMs: 0, where } as const;
  const found = await store.listSessions({ ...query, limit: 1 });
  expect(found.sessions).toEqual([]);
  expect(found.next?.sessionNo).toBeLessThan(MANY - 9_000);
  const user = { namespace: "default", order: "asc", nowMs: 0, userId: "few" } as const;
  expect(await store.countSessions(user)).toEqual({ count: FEW, isAtLeast: false });
  const { count, isAtLeast } = await store.countSessions({ ...user, userId: "many" });
  expect([count, isAtLeast]).toEqual([expect.any(Number), true]);
  expect(count).toBeGreaterThan(9_000);
  expect(count).toBeLessThan(10_200);
});
