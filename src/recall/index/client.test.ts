import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { message } from "../../../test/support/contract/samples.ts";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { containerOf, queryOf } from "../../../test/support/recall/records.ts";
import { Message } from "../../gen/memorysidecar/v1/message.ts";
import { createThreadIndex } from "./client.ts";
import { NO_MODEL } from "./local.ts";
import { type IndexChange, IndexStopped, type RecallIndex } from "./port.ts";

const open: RecallIndex[] = [];

afterEach(async () => {
  for (const index of open.splice(0)) await index.close();
});

function newIndex(workerUrl?: URL, nowMs?: () => number, model = NO_MODEL): RecallIndex {
  const index = createThreadIndex({
    model,
    ...(workerUrl === undefined ? {} : { workerUrl }),
    ...(nowMs === undefined ? {} : { nowMs }),
  });
  open.push(index);
  return index;
}

/** A thread that answers everything with 0, but ends when it is asked for positions. */
const FRAGILE = `
  import { parentPort } from "node:worker_threads";
  parentPort.on("message", ({ id, call }) => {
    if (call.method === "positions") process.exit(3);
    if (call.method === "drop") parentPort.postMessage({ id, failed: "RangeError" });
    else parentPort.postMessage({ id, result: 0 });
  });`;
const FRAGILE_URL = new URL(`data:text/javascript,${encodeURIComponent(FRAGILE)}`);

function messages(id: string, from: number, texts: readonly string[]): IndexChange[] {
  const items = texts.map((text, at) => ({
    position: from + at,
    bytes: Message.encode(message({ text })).finish(),
  }));
  const lastPosition = from + texts.length - 1;
  const container = { kind: "session", id } as const;
  return [
    containerOf("session", id),
    { kind: "items", container, firstPosition: from, lastPosition, items },
  ];
}

describe("an index in a thread", () => {
  test("finds what has a word near, whatever makes the vectors", async () => {
    const outside = { id: "outside", dimensions: 2, isLocal: false };
    const index = newIndex(undefined, undefined, outside);
    await index.apply(
      "n",
      messages("s", 1, ["A boat.", "The physician will see us.", "We saw it."]),
    );
    const { hits } = await index.search("n", queryOf("Which doctor saw us?"));
    const parts = hits.find(({ position }) => position === 2)?.parts ?? [];
    expect(parts.map(({ feature }) => feature)).toContain("nearWords");
  });

  test("hashes terms with a secret, which each thread makes for itself", async () => {
    await using directory = await makeTempDir();
    const saved = async (name: string): Promise<Buffer> => {
      const index = newIndex();
      const path = join(directory.path, name);
      await index.apply("n", messages("s", 1, ["a zeppelin"]));
      await index.save("n", { path, header: "", isUrgent: true });
      return await readFile(path);
    };
    const [one, other] = await Promise.all([saved("one"), saved("other")]);
    expect(one.length).toBe(other.length);
    expect(one.equals(other)).toBe(false);
  });

  test("finds what was applied just before, without waiting for it", async () => {
    const index = newIndex();
    const filler = Array.from({ length: 500 }, (_, at) => `message number ${at} of many`);
    for (let round = 0; round < 5; round++) {
      void index.apply("n", messages(`s${round}`, 1, filler));
      void index.apply("n", messages(`s${round}`, 501, [`the zeppelin of round ${round}`]));
      const { hits, size } = await index.search("n", queryOf(`zeppelin ${round}`));
      expect(hits[0]).toMatchObject({ containerId: `s${round}`, position: 501 });
      expect(size.items).toBe(501 * (round + 1));
    }
    expect(await index.positions("n", { kind: "session", id: "s1" })).toHaveLength(501);
    await index.drop("n");
    const { hits } = await index.search("n", queryOf("zeppelin"));
    expect(hits).toEqual([]);
  });

  test("lets a search of one namespace go before the changes of another", async () => {
    const index = newIndex();
    await index.apply("small", messages("s", 1, ["zeppelin"]));
    const texts = Array.from({ length: 5_000 }, (_, at) => `message number ${at} `.repeat(8));
    let isDone = false;
    const large = index.apply("large", messages("s", 1, texts)).then((size) => {
      isDone = true;
      return size;
    });
    const { hits } = await index.search("small", queryOf("zeppelin"));
    expect(hits).toHaveLength(1);
    expect(isDone).toBe(false);
    expect((await large).items).toBe(5_000);
  });

  test("refuses everything once it is closed, what waits too", async () => {
    const index = newIndex();
    const waiting = index.apply("n", messages("s", 1, ["zeppelin"]));
    const refused = expect(waiting).rejects.toThrow(IndexStopped);
    await index.close();
    await refused;
    await expect(index.search("n", queryOf("x"))).rejects.toThrow(IndexStopped);
  });

  test("refuses what was under way when the thread ended, tells of it, and starts anew", async () => {
    let now = 0;
    const index = newIndex(FRAGILE_URL, () => now);
    let restarts = 0;
    index.onRestart(() => {
      restarts += 1;
    });
    const container = { kind: "session", id: "s" } as const;
    expect(await index.search("n", queryOf("x"))).toBe(0);
    const lost = [index.positions("n", container), index.search("n", queryOf("x"))];
    for (const one of lost) await expect(one).rejects.toThrow(IndexStopped);
    expect(restarts).toBe(1);
    // It is not started again and again.
    await expect(index.search("n", queryOf("x"))).rejects.toThrow(IndexStopped);
    now = 1_000;
    expect(await index.search("n", queryOf("x"))).toBe(0);
  });

  test("names the error of one call and goes on", async () => {
    const index = newIndex(FRAGILE_URL);
    await expect(index.drop("n")).rejects.toThrow("the index failed: RangeError");
    expect(await index.search("n", queryOf("x"))).toBe(0);
  });
});
