// Conformance: lists of sessions.

import { describe, expect } from "vitest";

import type { SessionPlace, SessionQuery } from "../../../src/store/store.ts";
import { START_MS } from "../../support/store/plans.ts";
import { allSessions } from "../../support/store/read-all.ts";
import { type OpenEngine, type Scene, testsOn } from "../scene.ts";

const names = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`);

async function list(scene: Scene, query: Partial<SessionQuery> = {}): Promise<readonly string[]> {
  const page = { namespace: "default", order: "asc", limit: 3, nowMs: START_MS, ...query } as const;
  return (await allSessions(scene.store, page)).map(({ sessionId }) => sessionId);
}

/** Twelve sessions of two users, three agents and some labels, ten milliseconds apart. */
async function createTwelve(scene: Scene): Promise<void> {
  for (const [index, name] of names(12).entries()) {
    const labels = new Map([["even", String(index % 2 === 0)]]);
    if (index < 4) labels.set("first", "yes");
    const fields = { userId: `u${index % 2}`, agentId: `a${index % 3}`, labels };
    await scene.create(name, fields, START_MS + index * 10);
  }
}

/** Declares the tests of lists of sessions. */
export function sessionSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("a list of sessions", () => {
    test("follows the order of creation, both ways and for every limit", async (scene) => {
      const ids = ["z", "b", "y", "a", "x", "c", "w"];
      for (const id of ids) await scene.create(id, {}, START_MS);
      for (const limit of [1, 2, 3, 6, 7, 8, 100]) {
        expect(await list(scene, { limit })).toEqual(ids);
        expect(await list(scene, { limit, order: "desc" })).toEqual([...ids].reverse());
      }
      await scene.engine.reopen();
      expect(await list(scene)).toEqual(ids);
    });

    test("is empty, and at its end, without sessions", async (scene) => {
      const page = { namespace: "default", order: "desc", limit: 5, nowMs: 0 } as const;
      expect(await scene.store.listSessions(page)).toEqual({
        ...{ sessions: [], places: [], next: undefined },
      });
    });

    test("shows every session as it is read alone", async (scene) => {
      await createTwelve(scene);
      await scene.append("s3", 4, { looks: true, keep: 2 });
      for (const session of await scene.sessions()) {
        expect(await scene.store.readSession(session)).toEqual(session);
      }
    });

    test("is filtered by user, agent and labels", async (scene) => {
      await createTwelve(scene);
      for (const order of ["asc", "desc"] as const) {
        const found = async (query: Partial<SessionQuery>) =>
          (await list(scene, { order, ...query })).toSorted();
        expect(await found({ userId: "u1" })).toEqual(["s1", "s11", "s3", "s5", "s7", "s9"]);
        expect(await found({ agentId: "a2" })).toEqual(["s11", "s2", "s5", "s8"]);
        expect(await found({ userId: "u1", agentId: "a2" })).toEqual(["s11", "s5"]);
        expect(await found({ labels: new Map([["first", "yes"]]) })).toEqual([
          "s0",
          "s1",
          "s2",
          "s3",
        ]);
        const both = new Map([
          ["first", "yes"],
          ["even", "false"],
        ]);
        expect(await found({ labels: both })).toEqual(["s1", "s3"]);
        expect(await found({ labels: both, agentId: "a0", userId: "u1" })).toEqual(["s3"]);
        expect(await found({ labels: new Map([["first", "no"]]) })).toEqual([]);
        expect(await found({ labels: new Map([["none", "yes"]]) })).toEqual([]);
        expect(await found({ userId: "none" })).toEqual([]);
        expect(await found({ labels: new Map() })).toEqual(names(12).toSorted());
      }
    });

    test("is filtered by the times of creation and change: from included, before not", async (scene) => {
      await createTwelve(scene);
      const at = (index: number) => START_MS + index * 10;
      expect(await list(scene, { createdFromMs: at(10) })).toEqual(["s10", "s11"]);
      expect(await list(scene, { createdFromMs: at(10) + 1 })).toEqual(["s11"]);
      expect(await list(scene, { createdBeforeMs: at(2) })).toEqual(["s0", "s1"]);
      expect(await list(scene, { createdBeforeMs: at(2) + 1 })).toEqual(["s0", "s1", "s2"]);
      const between = { createdFromMs: at(3), createdBeforeMs: at(6) };
      expect(await list(scene, { ...between, order: "desc" })).toEqual(["s5", "s4", "s3"]);
      await scene.append("s1", 1, { nowMs: at(50) });
      await scene.run("update", "s0", { fields: { userId: "new" }, nowMs: at(60) });
      expect(await list(scene, { updatedFromMs: at(50) })).toEqual(["s0", "s1"]);
      expect(await list(scene, { updatedFromMs: at(50), updatedBeforeMs: at(60) })).toEqual(["s1"]);
      expect(await list(scene, { updatedBeforeMs: at(3) })).toEqual(["s2"]);
      expect(await list(scene, { ...between, updatedFromMs: at(5) })).toEqual(["s5"]);
    });

    test("follows the last change, both ways, for every limit and after a restart", async (scene) => {
      for (const [index, name] of names(6).entries())
        await scene.create(name, {}, START_MS + index);
      await scene.append("s1", 1, { nowMs: START_MS + 50 });
      await scene.run("update", "s3", { fields: { userId: "u" }, nowMs: START_MS + 40 });
      // Two of one time keep the order of their creation.
      await scene.append("s0", 1, { nowMs: START_MS + 50 });
      const ids = ["s2", "s4", "s5", "s3", "s0", "s1"];
      for (const limit of [1, 2, 5, 6, 100]) {
        expect(await list(scene, { by: "update", limit })).toEqual(ids);
        const desc = await list(scene, { by: "update", limit, order: "desc" });
        expect(desc).toEqual([...ids].reverse());
      }
      await scene.engine.reopen();
      expect(await list(scene, { by: "update" })).toEqual(ids);
      await scene.run("remove", "s4", {});
      await scene.create("s4", {}, START_MS + 60);
      await scene.run("reset", "s2", { keepSystem: false, nowMs: START_MS + 70 });
      await scene.fork("s0", "s9", { nowMs: START_MS + 80 });
      const after = ["s5", "s3", "s0", "s1", "s4", "s2", "s9"];
      expect(await list(scene, { by: "update" })).toEqual(after);
      await scene.engine.reopen();
      expect(await list(scene, { by: "update" })).toEqual(after);
      const between = { updatedFromMs: START_MS + 40, updatedBeforeMs: START_MS + 60 };
      expect(await list(scene, { by: "update", ...between })).toEqual(["s3", "s0", "s1"]);
      const last = await list(scene, { by: "update", order: "desc", ...between, limit: 2 });
      expect(last).toEqual(["s1", "s0", "s3"]);
    });

    test("follows the last change among those of a user, an agent or a label", async (scene) => {
      await createTwelve(scene);
      await scene.append("s1", 1, { nowMs: START_MS + 1_000 });
      await scene.append("s2", 1, { nowMs: START_MS + 900 });
      for (const [query, ids] of [
        [{ userId: "u1" }, ["s3", "s5", "s7", "s9", "s11", "s1"]],
        [{ agentId: "a2" }, ["s5", "s8", "s11", "s2"]],
        [{ labels: new Map([["first", "yes"]]) }, ["s0", "s3", "s2", "s1"]],
        [{ userId: "u0", agentId: "a2" }, ["s8", "s2"]],
        [{ sessionIdPrefix: "s1" }, ["s10", "s11", "s1"]],
      ] as const) {
        expect(await list(scene, { by: "update", ...query })).toEqual(ids);
        const desc = await list(scene, { by: "update", order: "desc", ...query });
        expect(desc).toEqual([...ids].reverse());
      }
    });

    test("is filtered by the beginning of the id, byte for byte, and by a test", async (scene) => {
      for (const id of ["ab", "b", "a", "aé", "aé/1", "ab/2", "A"]) await scene.create(id);
      const named = (sessionIdPrefix: string) => list(scene, { sessionIdPrefix });
      expect(await named("a")).toEqual(["ab", "a", "aé", "aé/1", "ab/2"]);
      expect(await named("aé")).toEqual(["aé", "aé/1"]);
      expect(await named("ab/")).toEqual(["ab/2"]);
      expect(await named("c")).toEqual([]);
      expect(await list(scene, { sessionIdPrefix: "ab", order: "desc", limit: 1 })).toEqual([
        ...["ab/2", "ab"],
      ]);
      const where = ({ sessionId }: { readonly sessionId: string }) => sessionId.length === 1;
      expect(await list(scene, { where })).toEqual(["b", "a", "A"]);
      expect(await list(scene, { where, sessionIdPrefix: "a", by: "update" })).toEqual(["a"]);
    });

    test("is counted as a whole, whatever a page holds", async (scene) => {
      await createTwelve(scene);
      const count = async (query: Partial<SessionQuery>) => {
        const all = { namespace: "default", order: "asc", nowMs: START_MS } as const;
        const { count, isAtLeast } = await scene.store.countSessions({ ...all, ...query });
        expect(isAtLeast).toBe(false);
        return count;
      };
      expect(await count({})).toBe(12);
      expect(await count({ by: "update", order: "desc" })).toBe(12);
      expect(await count({ userId: "u1", updatedFromMs: START_MS + 50 })).toBe(4);
      expect(await count({ sessionIdPrefix: "s1" })).toBe(3);
      expect(await count({ where: ({ fields }) => fields.agentId === "a0" })).toBe(4);
      expect(await count({ namespace: "other" })).toBe(0);
    });

    test("follows the fields as they change", async (scene) => {
      await createTwelve(scene);
      const fields = { userId: "u9", agentId: "", labels: new Map([["new", "1"]]) };
      await scene.run("update", "s4", { fields });
      expect(await list(scene, { userId: "u9" })).toEqual(["s4"]);
      expect(await list(scene, { agentId: "a1" })).toEqual(["s1", "s7", "s10"]);
      expect(await list(scene, { labels: new Map([["even", "true"]]) })).not.toContain("s4");
      expect(await list(scene, { labels: new Map([["new", "1"]]) })).toEqual(["s4"]);
      await scene.run("remove", "s4", {});
      expect(await list(scene, { userId: "u9" })).toEqual([]);
      expect(await list(scene, { labels: new Map([["new", "1"]]) })).toEqual([]);
      await scene.create("s4", { userId: "u0" });
      expect(await list(scene, { userId: "u0" })).toEqual(["s0", "s2", "s6", "s8", "s10", "s4"]);
      await scene.engine.reopen();
      expect(await list(scene, { userId: "u0" })).toEqual(["s0", "s2", "s6", "s8", "s10", "s4"]);
    });

    test("keeps the place of a session that changes and not of one made anew", async (scene) => {
      for (const name of names(4)) await scene.create(name);
      await scene.append("s1", 3);
      await scene.run("update", "s0", { fields: { userId: "u" } });
      await scene.run("reset", "s2", { keepSystem: false });
      expect(await list(scene)).toEqual(["s0", "s1", "s2", "s3"]);
      await scene.run("remove", "s1", {});
      await scene.create("s1");
      await scene.fork("s0", "s5");
      expect(await list(scene)).toEqual(["s0", "s2", "s3", "s1", "s5"]);
    });

    test("goes on rightly while sessions come and go", async (scene) => {
      for (const name of names(10)) await scene.create(name);
      for (const order of ["asc", "desc"] as const) {
        const seen: string[] = [];
        let after: SessionPlace | undefined;
        for (let page = 0; page < 20; page += 1) {
          const answer = await scene.store.listSessions({
            namespace: "default",
            order,
            limit: 2,
            nowMs: 0,
            ...(after === undefined ? {} : { after }),
          });
          seen.push(...answer.sessions.map(({ sessionId }) => sessionId));
          after = answer.next;
          if (after === undefined) break;
          const newest = seen.at(-1) ?? "";
          if (page < 4) await scene.create(`new ${order} ${page}`);
          if (page === 1) await scene.run("remove", newest, {});
          if (page === 2) await scene.engine.reopen();
        }
        expect(new Set(seen).size).toBe(seen.length);
        const old = seen.filter((id) => !id.startsWith(`new ${order}`));
        expect(old.length).toBeGreaterThanOrEqual(9);
        if (order === "desc") expect(old.length).toBe(seen.length);
      }
    });

    test("leaves out sessions whose time has run out", async (scene) => {
      await scene.create("short", { ttlMs: 1_000, userId: "u" }, START_MS);
      await scene.create("long", { ttlMs: 9_000, userId: "u" }, START_MS);
      await scene.create("ever", { userId: "u" }, START_MS);
      for (const query of [{}, { userId: "u" }] as const) {
        const at = (nowMs: number) => list(scene, { ...query, nowMs });
        expect(await at(START_MS + 999)).toEqual(["short", "long", "ever"]);
        expect(await at(START_MS + 1_000)).toEqual(["long", "ever"]);
        expect(await at(START_MS + 9_000)).toEqual(["ever"]);
      }
      await scene.append("short", 1, { nowMs: START_MS + 5_000 });
      expect(await list(scene, { nowMs: START_MS + 5_999 })).toContain("short");
    });
  });
}
