// Conformance: records that callers keep by name.

import { describe, expect } from "vitest";
import { checksum } from "../../../src/kit/checksum.ts";
import { consumerNotFound } from "../../../src/kit/errors.ts";
import { LIMITS } from "../../../src/kit/limits.ts";
import {
  type FullRecord,
  type KeptRecord,
  type PathChoice,
  type RecordName,
  type RecordRange,
  recordId,
} from "../../../src/records/rules/record.ts";
import type { ReadRecord, RecordPlan, RecordQuery } from "../../../src/store/store.ts";
import { plain } from "../../support/kit/plain.ts";
import { newEvent, START_MS } from "../../support/store/plans.ts";
import {
  allRecordPaths,
  allRecords,
  changeRecords,
  changeUpload,
  newRecord,
  type RecordAction,
  recordsIn,
} from "../../support/store/records.ts";
import { revisionOf } from "../../support/store/revisions.ts";
import { type OpenEngine, type Scene, testsOn } from "../scene.ts";
import { settle } from "./upkeep.ts";

const NAMESPACE = "default";
const EVENTS = [newEvent({ namespace: NAMESPACE, sessionId: "" })];
const BASE = { kind: "records", namespace: NAMESPACE, sessionId: "", nowMs: START_MS } as const;

function named(...names: readonly string[]): RecordName[] {
  return names.map((name) => {
    const path = name.split("/");
    return { key: path.pop() ?? "", path };
  });
}

function change(scene: Scene, parts: Partial<RecordAction> = {}) {
  return changeRecords(scene.store, { ...BASE, put: [], remove: [], ...parts });
}

function drafts(...names: readonly string[]) {
  return named(...names).map((name) => ({ ...name, text: `text of ${recordId(name)}` }));
}

async function namesOf(scene: Scene, namespace?: string): Promise<readonly string[]> {
  return (await recordsIn(scene.store, namespace)).map(shown);
}

function shown({ path, key, version }: KeptRecord): string {
  return `${[...path, key].join("/")} ${version}`;
}

function asRead({ uploadId: _, ...record }: FullRecord): ReadRecord {
  return record;
}

function save(scene: Scene, names: readonly RecordName[], plan: Partial<RecordPlan>) {
  return scene.store.changeRecords({ namespace: NAMESPACE, names }, () => ({
    kind: "save",
    result: 0,
    plan: { nowMs: START_MS, events: EVENTS, ...plan },
  }));
}

/** Declares the tests of records. */
export function recordSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("a record", () => {
    test("is kept as it is saved", async (scene) => {
      const long = "x".repeat(255);
      const large = newRecord({
        path: [long, long, "\u{1f600}"],
        key: "k".repeat(480),
        value: Uint8Array.from({ length: LIMITS.recordValueBytes }, (_, at) => at % 251),
        mediaType: "größe/3",
        owner: { userId: "u".repeat(512), agentId: "ä", sessionId: "s" },
        ttlMs: 1_000,
        expireMs: 4_000_000_000_000,
        version: 1,
        writer: "w",
      });
      const empty = newRecord({ path: ["p"], key: "e", value: new Uint8Array(0) });
      await save(scene, [large, empty], { put: [large, empty] });
      for (let round = 0; round < 2; round += 1) {
        const names = [large, empty, ...named("p/x", "e/p")];
        const found = await scene.store.readRecords(NAMESPACE, names, 1e9);
        expect(plain([...found.values()])).toEqual(plain([large, empty].map(asRead)));
        expect((await scene.store.readRecords("x", names, 0)).size).toBe(0);
        await scene.engine.reopen();
      }
    });

    test("leaves out values that do not fit", async (scene) => {
      await change(scene, { put: drafts("p/a", "p/bbb", "p/c") });
      const [a] = drafts("p/a");
      const fits = 2 * (a?.text.length ?? 0);
      const names = named("p/a", "p/bbb", "p/c");
      const found = await scene.store.readRecords(NAMESPACE, names, fits);
      expect([...found.values()].map(({ value }) => value?.length)).toEqual([
        fits / 2,
        undefined,
        fits / 2,
      ]);
    });

    test("is shown to decide, whether it is durable or not", async (scene) => {
      const results = await Promise.all([
        change(scene, { put: drafts("p/a", "p/b") }),
        change(scene, { put: drafts("p/b", "p/c") }),
        change(scene, { remove: named("p/a", "p/x") }),
        change(scene, { put: drafts("p/a") }),
      ]);
      expect(
        results.map(({ seen }) => seen.map((one) => one.split("\0").at(-1)?.slice(0, 3))),
      ).toEqual([[], ["b|1"], ["a|1"], []]);
      expect(await namesOf(scene)).toEqual(["p/a 1", "p/b 2", "p/c 1"]);
      expect(await revisionOf(scene.store)).toBe(4);
    });

    test("comes with its events, or not at all", async (scene) => {
      await change(scene, { put: drafts("p/a") });
      const thrown = consumerNotFound("x");
      const asked = { namespace: NAMESPACE, names: named("p/a") };
      const failed = scene.store.changeRecords(asked, () => {
        throw thrown;
      });
      await expect(failed).rejects.toBe(thrown);
      expect(await scene.store.changeRecords(asked, () => ({ kind: "answer", result: 7 }))).toBe(7);
      expect(await revisionOf(scene.store)).toBe(1);
      expect((await scene.events()).length).toBe(1);
    });

    test("is written once for a request id", async (scene) => {
      const put = () => change(scene, { put: drafts("p/a"), requestId: "r" });
      const results = await Promise.all([put(), put(), put()]);
      expect(results.filter(({ replayed }) => replayed === true).length).toBe(2);
      await scene.engine.reopen();
      expect((await put()).replayed).toBe(true);
      expect(await namesOf(scene)).toEqual(["p/a 1"]);
    });

    test("is of one namespace", async (scene) => {
      await change(scene, { put: drafts("p/a") });
      await change(scene, { put: drafts("p/b"), namespace: "defaults" });
      expect(await namesOf(scene)).toEqual(["p/a 1"]);
      expect(await namesOf(scene, "defaults")).toEqual(["p/b 1"]);
      expect(await namesOf(scene, "defaul")).toEqual([]);
    });

    const faults: readonly [string, Partial<RecordPlan>][] = [
      ["has no event", { events: [] }],
      [
        "puts a record twice",
        { put: [newRecord(named("p/a")[0] as never), newRecord(named("p/a")[0] as never)] },
      ],
      [
        "puts a record of another revision",
        { put: [newRecord({ ...(named("p/a")[0] as RecordName), etagRevision: 9 })] },
      ],
      [
        "puts a record without a version",
        { put: [newRecord({ ...(named("p/a")[0] as RecordName), version: 0 })] },
      ],
      ["puts a name with a zero byte", { put: [newRecord({ path: ["p"], key: "a\0b" })] }],
      ["puts a record without a path", { put: [newRecord({ path: [], key: "a" })] }],
      ["removes a record that is not there", { remove: named("p/x") }],
    ];
    for (const [name, plan] of faults) {
      test(`is not saved by a plan that ${name}`, async (scene) => {
        const names = [...(plan.put ?? []), ...(plan.remove ?? [])];
        await expect(save(scene, names, plan)).rejects.toThrow(/plan .*is (faulty|not sound)/i);
        expect(await namesOf(scene)).toEqual([]);
        expect(await revisionOf(scene.store)).toBe(0);
      });
    }
  });

  describe("a value in parts", () => {
    const UPLOAD = {
      kind: "upload",
      namespace: NAMESPACE,
      uploadId: "u",
      nowMs: START_MS,
    } as const;
    const upload = async (scene: Scene, ...texts: readonly string[]) => {
      for (const text of texts) await changeUpload(scene.store, { ...UPLOAD, text });
    };
    const taken = (name: string) => {
      const [draft] = drafts(name);
      return draft === undefined ? [] : [{ ...draft, uploadId: "u" }];
    };
    const textOfRecord = async (scene: Scene, name = "p/a") => {
      const found = await scene.store.readRecords(NAMESPACE, named(name), 1e9);
      return Buffer.from([...found.values()][0]?.value ?? []).toString();
    };

    test("is the value of a record once a put takes it, and not before", async (scene) => {
      await change(scene, { put: drafts("p/a") });
      await upload(scene, "one ", "two ", "three");
      expect(await textOfRecord(scene)).toBe(drafts("p/a")[0]?.text);
      expect(await revisionOf(scene.store)).toBe(1);
      await scene.engine.reopen();
      await change(scene, { put: taken("p/a") });
      for (let round = 0; round < 2; round += 1) {
        expect(await textOfRecord(scene)).toBe("one two three");
        const [record] = await recordsIn(scene.store);
        const crc32 = checksum(Buffer.from("one two three"));
        expect(record).toMatchObject({ valueBytes: 13, crc32, version: 2 });
        await scene.engine.reopen();
      }
      expect(await changeUpload(scene.store, { ...UPLOAD, text: "" })).toEqual({ count: 0 });
    });

    test("is read in pieces that end where they are asked to", async (scene) => {
      await upload(scene, "abc", "def", "g");
      await change(scene, { put: [...taken("p/a"), ...drafts("p/b")] });
      const whole = "abcdefg";
      for (let offset = 0; offset <= 8; offset += 1) {
        for (let limit = 1; limit <= 8; limit += 1) {
          const [name] = named("p/a");
          const found =
            name && (await scene.store.readRecordRange(NAMESPACE, name, { offset, limit }));
          const text = Buffer.from(found?.value ?? []).toString();
          expect(text, `${offset}+${limit}`).toBe(whole.slice(offset, offset + limit));
        }
      }
      const at = { offset: 2, limit: 3 };
      const [plain, none] = named("p/b", "p/none");
      if (plain === undefined || none === undefined) throw new Error("There are two names.");
      const piece = await scene.store.readRecordRange(NAMESPACE, plain, at);
      expect(Buffer.from(piece?.value ?? []).toString()).toBe("xt ");
      const bare = await scene.store.readRecordRange(NAMESPACE, plain, { ...at, limit: 0 });
      expect([bare?.value, bare?.version]).toEqual([undefined, 1]);
      expect(await scene.store.readRecordRange(NAMESPACE, none, at)).toBe(undefined);
    });

    test("goes with its record, and upkeep leaves nothing of it", async (scene) => {
      for (const last of ["replaced", "removed", "dropped"]) {
        await upload(scene, last, "x".repeat(5_000));
        if (last === "dropped") await upload(scene, "");
        else await change(scene, { put: taken("p/a") });
      }
      await change(scene, { remove: named("p/a") });
      await settle(scene.store, {});
      expect(await recordsIn(scene.store)).toEqual([]);
      await scene.engine.reopen();
      expect(await changeUpload(scene.store, { ...UPLOAD, text: "" })).toEqual({ count: 0 });
    });

    test("is left out of lists and batches that it does not fit", async (scene) => {
      const data = "y".repeat(3_000_000);
      await upload(scene, data, data);
      await change(scene, { put: [...taken("p/a"), ...drafts("p/b")] });
      const found = await scene.store.readRecords(NAMESPACE, named("p/a", "p/b"), 4_000_000);
      expect([...found.values()].map(({ value }) => value?.length)).toEqual([undefined, 12]);
      const list = await recordsIn(scene.store);
      expect(list.map(({ value, valueBytes }) => [value?.length, valueBytes])).toEqual([
        [undefined, 6_000_000],
        [12, 12],
      ]);
    });

    test("ends as one upload, of one namespace, at its time", async (scene) => {
      await upload(scene, "a");
      const other = { ...UPLOAD, namespace: "other" };
      expect(await changeUpload(scene.store, { ...other, text: "b" })).toEqual({ count: 0 });
      await changeUpload(scene.store, { ...UPLOAD, nowMs: START_MS + 5, text: "c" });
      const endMs = START_MS + LIMITS.recordUploadMs;
      const ended = (nowMs: number) => scene.store.expiredUploads(nowMs, 10);
      expect(await ended(endMs - 1)).toEqual([]);
      expect(await ended(endMs)).toEqual([{ namespace: "other", uploadId: "u" }]);
      expect((await ended(endMs + 5)).length).toBe(2);
      const view = await changeUpload(scene.store, { ...UPLOAD, text: "" });
      expect(view).toMatchObject({ count: 1, upload: { byteCount: 2, partCount: 2 } });
      expect((await ended(endMs + 5)).length).toBe(1);
    });

    test("is not saved by a plan that gives it another size, checksum or upload", async (scene) => {
      await upload(scene, "abc");
      const [name] = named("p/a");
      if (name === undefined) throw new Error("There is a name.");
      const value = new Uint8Array(0);
      const sound = { ...name, value, uploadId: "u", valueBytes: 3, etagRevision: 1 };
      const crc32 = checksum(Buffer.from("abc"));
      const asked = { namespace: NAMESPACE, names: [name], uploadIds: ["u", "none"] };
      for (const wrong of [
        { valueBytes: 4 },
        { crc32: 1 },
        { uploadId: "none" },
        { uploadId: "" },
      ]) {
        const put = [newRecord({ ...sound, crc32, ...wrong })];
        const saved = scene.store.changeRecords(asked, () => ({
          ...{ kind: "save", result: 0, plan: { nowMs: START_MS, events: EVENTS, put } },
        }));
        await expect(saved).rejects.toThrow(/plan .*is (faulty|not sound)/i);
      }
      expect(await recordsIn(scene.store)).toEqual([]);
    });
  });

  describe("a list of records", () => {
    const NAMES = [
      "p!/a",
      "p/a",
      "p/b",
      "p/b1",
      "p/c",
      "p/q/a",
      "p/q/r/a",
      "pq/a",
      "\u00e9/a",
      "\u{ffff}/a",
      "\u{1f600}/a",
    ];
    const ANY = { recursive: false, keyPrefix: "", startKey: "", endKey: "" };
    const cases: readonly [string, Partial<RecordRange> | undefined, readonly string[]][] = [
      [
        "a namespace",
        undefined,
        [
          "p/a",
          "p/b",
          "p/b1",
          "p/c",
          "p/q/a",
          "p/q/r/a",
          "p!/a",
          "pq/a",
          "\u00e9/a",
          "\u{ffff}/a",
          "\u{1f600}/a",
        ],
      ],
      ["a path", { path: ["p"] }, ["p/a", "p/b", "p/b1", "p/c"]],
      [
        "a path and those below",
        { path: ["p"], recursive: true },
        ["p/a", "p/b", "p/b1", "p/c", "p/q/a", "p/q/r/a"],
      ],
      ["a path in another", { path: ["p", "q"], recursive: true }, ["p/q/a", "p/q/r/a"]],
      ["a path that is not there", { path: ["p", "x"], recursive: true }, []],
      ["keys that begin alike", { path: ["p"], keyPrefix: "b" }, ["p/b", "p/b1"]],
      ["keys from one on", { path: ["p"], startKey: "b1" }, ["p/b1", "p/c"]],
      ["keys before one", { path: ["p"], endKey: "b1" }, ["p/a", "p/b"]],
      [
        "keys between two",
        { path: ["p"], startKey: "b", endKey: "c", keyPrefix: "b" },
        ["p/b", "p/b1"],
      ],
      ["keys that there cannot be", { path: ["p"], startKey: "c", endKey: "b" }, []],
      ["keys outside their beginning", { path: ["p"], startKey: "c", keyPrefix: "b" }, []],
    ];
    for (const [name, range, expected] of cases) {
      test(`has those of ${name}, in both directions and by pages`, async (scene) => {
        await change(scene, { put: drafts(...NAMES) });
        for (const reopened of [false, true]) {
          if (reopened) await scene.engine.reopen();
          for (const order of ["asc", "desc"] as const) {
            for (const limit of [1, 2, 3, 100]) {
              const query = {
                ...{ namespace: NAMESPACE, order, limit, withValues: limit > 2, nowMs: START_MS },
                ...(range === undefined ? {} : { range: { ...ANY, path: ["p"], ...range } }),
              } satisfies RecordQuery;
              const all = (await allRecords(scene.store, query)).map(shown);
              const sorted = expected.map((one) => `${one} 1`);
              expect(all).toEqual(order === "asc" ? sorted : sorted.toReversed());
            }
          }
        }
      });
    }

    test("goes on where its record has gone, and ends with many bytes", async (scene) => {
      const text = "x".repeat(LIMITS.pageBytes / 2 - 1_000);
      const put = named("p/a", "p/b", "p/c").map((name) => ({ ...name, text }));
      for (const one of put) await change(scene, { put: [one] });
      const query = { namespace: NAMESPACE, order: "asc", limit: 9, withValues: true } as const;
      const page = await scene.store.listRecords(query);
      expect(page.next).toBe(recordId({ path: ["p"], key: "b" }));
      expect((await scene.store.listRecords({ ...query, withValues: false })).records.length).toBe(
        3,
      );
      await change(scene, { remove: named("p/b") });
      const after = recordId({ path: ["p"], key: "b" });
      const rest = await scene.store.listRecords({ ...query, after });
      expect(rest.records.map(shown)).toEqual(["p/c 1"]);
      const back = await scene.store.listRecords({ ...query, order: "desc", after });
      expect(back.records.map(shown)).toEqual(["p/a 1"]);
    });
  });

  describe("a list of paths", () => {
    const PATHS = ["p/a", "p/b", "p/q/a", "p/q/r/a", "p!/a", "pq/r/a", "x/p/q/a"];
    const ALL = { namespace: NAMESPACE, prefix: [], suffix: [], maxDepth: 0, nowMs: START_MS };
    const cases: readonly (readonly [string, Partial<PathChoice>, readonly string[]])[] = [
      ["everything", {}, ["p", "p/q", "p/q/r", "p!", "pq/r", "x/p/q"]],
      ["a prefix", { prefix: ["p"] }, ["p", "p/q", "p/q/r"]],
      ["a longer prefix", { prefix: ["p", "q"] }, ["p/q", "p/q/r"]],
      ["a prefix that holds nothing", { prefix: ["q"] }, []],
      ["a suffix", { suffix: ["r"] }, ["p/q/r", "pq/r"]],
      ["a suffix of two", { suffix: ["p", "q"] }, ["p/q", "x/p/q"]],
      ["a suffix that is longer than paths", { suffix: ["a", "p", "q", "r"] }, []],
      ["one segment", { maxDepth: 1 }, ["p", "p!", "pq", "x"]],
      ["two segments", { maxDepth: 2 }, ["p", "p/q", "p!", "pq/r", "x/p"]],
      ["less than the prefix", { prefix: ["p", "q"], maxDepth: 1 }, ["p"]],
      ["all at once", { prefix: ["p"], suffix: ["r"], maxDepth: 2 }, ["p/q"]],
    ];
    for (const [name, choice, expected] of cases) {
      test(`has those of ${name}, by pages`, async (scene) => {
        await change(scene, { put: drafts(...PATHS) });
        for (const reopened of [false, true]) {
          if (reopened) await scene.engine.reopen();
          for (const limit of [1, 2, 100]) {
            const paths = await allRecordPaths(scene.store, { ...ALL, ...choice, limit });
            expect(paths.map((path) => path.join("/"))).toEqual(expected);
          }
        }
      });
    }

    test("ends with its last full page", async (scene) => {
      await change(scene, { put: drafts("p/a", "q/a") });
      const first = await scene.store.listRecordPaths({ ...ALL, limit: 1 });
      expect(first.next).not.toBeUndefined();
      const start = first.next ?? "";
      const last = await scene.store.listRecordPaths({ ...ALL, limit: 1, start });
      expect(last).toEqual({ paths: [["q"]], next: undefined });
      expect(await allRecordPaths(scene.store, { ...ALL, namespace: "x", limit: 1 })).toEqual([]);
    });

    test("follows changes, and leaves out what has expired", async (scene) => {
      const ttl = { text: "", ttlMs: 100 };
      const short = named("p/a", "p/b", "q/a").map((name) => ({ ...name, ...ttl }));
      await change(scene, { put: [...short, ...drafts("p/c", "r/a")] });
      const listed = async (nowMs: number) =>
        (await allRecordPaths(scene.store, { ...ALL, nowMs, limit: 2 })).flat().join();
      expect([await listed(START_MS + 99), await listed(START_MS + 100)]).toEqual(["p,q,r", "p,r"]);
      await change(scene, { remove: named("p/c", "r/a") });
      expect(await listed(START_MS)).toBe("p,q");
      expect(await listed(START_MS + 100)).toBe("");
    });

    test("passes over records, and takes a step at a time over expired ones", async (scene) => {
      const count = LIMITS.pageScan + 50;
      for (let at = 0; at < count; at += 1_005) {
        const put = Array.from({ length: 1_005 }, (_, index) => ({
          ...{ path: ["p"], key: `k${at + index}`, text: "", ttlMs: 100 },
        }));
        await change(scene, { put });
      }
      await change(scene, { put: drafts("q/a") });
      const one = await scene.store.listRecordPaths({ ...ALL, limit: 9 });
      expect(one).toEqual({ paths: [["p"], ["q"]], next: undefined });
      const late = { ...ALL, nowMs: START_MS + 100, limit: 9 };
      expect(await allRecordPaths(scene.store, late)).toEqual([["q"]]);
    });
  });

  describe("a record with a ttl", () => {
    const put = [{ path: ["p"], key: "a", text: "a", ttlMs: 100 }, ...drafts("p/b")];

    test("is found by its end, and leaves lists", async (scene) => {
      await change(scene, { put });
      const ends = async (nowMs: number) => (await scene.store.expiredRecords(nowMs, 9)).length;
      const listed = async (nowMs: number) => {
        const query = {
          namespace: NAMESPACE,
          order: "asc",
          limit: 9,
          withValues: false,
          nowMs,
        } as const;
        return (await scene.store.listRecords(query)).records.length;
      };
      for (let round = 0; round < 2; round += 1) {
        expect([await ends(START_MS + 99), await ends(START_MS + 100)]).toEqual([0, 1]);
        expect([await listed(START_MS + 99), await listed(START_MS + 100)]).toEqual([2, 1]);
        await scene.engine.reopen();
      }
      expect(await scene.store.expiredRecords(START_MS + 100, 9)).toEqual([
        { namespace: NAMESPACE, path: ["p"], key: "a" },
      ]);
      await change(scene, { put: drafts("p/a") });
      expect(await ends(START_MS * 2)).toBe(0);
      await change(scene, { put, nowMs: START_MS + 5 });
      await change(scene, { remove: named("p/a") });
      expect(await ends(START_MS * 2)).toBe(0);
    });

    test("lives on when it is refreshed, unless its time has run out", async (scene) => {
      await change(scene, { put });
      const names = named("p/a", "p/b", "p/x");
      const endMs = async () => {
        const found = await scene.store.readRecords(NAMESPACE, names, 0);
        return (found.get(recordId({ path: ["p"], key: "a" }))?.expireMs ?? 0) - START_MS;
      };
      await scene.store.refreshRecords(NAMESPACE, names, START_MS + 50);
      await scene.engine.reopen();
      expect(await endMs()).toBe(150);
      expect(await scene.store.expiredRecords(START_MS + 149, 9)).toEqual([]);
      await scene.store.refreshRecords(NAMESPACE, names, START_MS + 40);
      await scene.store.refreshRecords(NAMESPACE, names, START_MS + 150);
      expect(await endMs()).toBe(150);
      expect((await scene.store.expiredRecords(START_MS + 150, 9)).length).toBe(1);
      expect(await revisionOf(scene.store)).toBe(1);
      expect(await namesOf(scene)).toEqual(["p/a 1", "p/b 1"]);
    });
  });
}
