// Conformance: sessions read as a whole, and logs that come from outside.

import { describe, expect } from "vitest";
import { sessionAlreadyExists } from "../../../src/kit/errors.ts";
import type {
  ImportDecision,
  ImportView,
  LogImport,
  NewMessage,
} from "../../../src/store/store.ts";
import { ROLE } from "../../../src/window/rules/types.ts";
import { plain } from "../../support/kit/plain.ts";
import { dumpSession } from "../../support/store/dump.ts";
import {
  newEvent,
  newFields,
  newHead,
  newMessage,
  newReply,
  rangesOf,
  textOf,
  totalsOf,
} from "../../support/store/plans.ts";
import { revisionOf } from "../../support/store/revisions.ts";
import { type OpenEngine, refOf, type Scene, testsOn } from "../scene.ts";
import { settle } from "./upkeep.ts";

const ids = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => ({ messageId: `id-${index + from}` }));

/** Reads a session as a whole. */
async function readAll(scene: Scene, sessionId: string): Promise<readonly number[]> {
  const reader = await scene.store.openSnapshot(refOf(sessionId));
  if (reader === undefined) throw new Error("There is no session.");
  const seqs: number[] = [];
  try {
    for (let piece = await reader.next(); piece.length > 0; piece = await reader.next()) {
      seqs.push(...piece.map(({ seq }) => seq));
    }
  } finally {
    reader.close();
  }
  return seqs;
}

interface Bring {
  readonly sessionId: string;
  readonly firstSeq?: number;
  readonly lastSeq: number;
  /** Those in the window. Default: all. */
  readonly window?: readonly number[];
  readonly requestId?: string;
  readonly replace?: boolean;
}

/** Decides to save an import. */
function decision(
  bring: Bring,
  messages: readonly NewMessage[],
  view: ImportView,
): ImportDecision<string> {
  if (view.reply !== undefined) return { kind: "answer", result: "replayed" };
  const { sessionId, firstSeq = 1, lastSeq, window, replace } = bring;
  if (view.target !== undefined && replace !== true) throw sessionAlreadyExists(sessionId);
  const { messageCount, tokenCount } = totalsOf(messages);
  const inside = messages.filter(({ seq }) => window?.includes(seq) ?? true);
  const head = newHead({
    firstSeq,
    lastSeq,
    log: { messageCount, tokenCount },
    window: totalsOf(inside),
    windowRanges: rangesOf(inside.map(({ seq }) => seq)),
    revision: view.revision,
  });
  const events = [newEvent(refOf(sessionId))];
  const reply = bring.requestId === undefined ? {} : { reply: newReply("imported") };
  return { kind: "save", result: "made", fields: newFields(), head, events, ...reply };
}

/** Imports messages. */
async function bringIn(
  scene: Scene,
  bring: Bring,
  messages: readonly NewMessage[],
): Promise<string> {
  const { firstSeq = 1, lastSeq } = bring;
  const log = await scene.store.importLog({ firstSeq, lastSeq });
  await log.add(messages);
  return await publish(log, bring, messages);
}

function publish(log: LogImport, bring: Bring, messages: readonly NewMessage[]): Promise<string> {
  const { requestId, sessionId } = bring;
  const target = { ...refOf(sessionId), ...(requestId === undefined ? {} : { requestId }) };
  return log.publish(target, (view) => decision(bring, messages, view));
}

const some = (seqs: readonly number[]) => seqs.map((seq) => newMessage({ seq }));

/** Declares the tests of snapshots and imports. */
export function snapshotSuite(open: OpenEngine): void {
  readerSuite(open);
  importSuite(open);
  unfinishedSuite(open);
}

function readerSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("a session read as a whole", () => {
    test("is its log with holes, and what a reset kept", async (scene) => {
      expect(await scene.store.openSnapshot(refOf("none"))).toBeUndefined();
      await scene.create("s");
      expect(await readAll(scene, "s")).toEqual([]);
      await scene.append("s", [{ role: ROLE.system, messageId: "sys" }, ...ids(3, 2)]);
      await scene.run("reset", "s", { keepSystem: true });
      await scene.append("s", ids(5, 5));
      await scene.run("erase", "s", { messageId: "id-6", looks: false });
      await scene.run("erase", "s", { messageId: "id-9", looks: false });
      expect(await readAll(scene, "s")).toEqual([1, 5, 7, 8]);
    });

    test("comes in pieces, and does not see what is appended meanwhile", async (scene) => {
      const large = { text: "x".repeat(100_000) };
      for (let n = 0; n < 8; n++) await scene.append("s", [large, large]);
      const reader = await scene.store.openSnapshot(refOf("s"));
      const pieces: number[][] = [];
      for (let piece = await reader?.next(); piece !== undefined && piece.length > 0; ) {
        pieces.push(piece.map(({ seq }) => seq));
        await scene.append("s", [large]);
        piece = await reader?.next();
      }
      reader?.close();
      expect(pieces.length).toBeGreaterThan(4);
      expect(pieces.flat()).toEqual(Array.from({ length: 16 }, (_, index) => index + 1));
    });

    test("over thousands of erased seqs ends", async (scene) => {
      const log = await scene.store.importLog({ firstSeq: 1, lastSeq: 5_000 });
      const messages = some([1, 4_999]);
      await log.add(messages);
      await publish(log, { sessionId: "s", lastSeq: 5_000 }, messages);
      expect(await readAll(scene, "s")).toEqual([1, 4_999]);
    });

    for (const [what, change] of [
      [
        "an erased message",
        (scene: Scene) => scene.run("erase", "s", { messageId: "id-1", looks: false }),
      ],
      [
        "a changed message",
        (scene: Scene) =>
          scene.run("replace", "s", {
            messageId: "id-9",
            text: "new",
            tokenCount: 1,
            looks: false,
          }),
      ],
      ["a reset", (scene: Scene) => scene.run("reset", "s", { keepSystem: false })],
      ["a deletion", (scene: Scene) => scene.run("remove", "s", {})],
      [
        "a session in its place",
        (scene: Scene) => bringIn(scene, { sessionId: "s", lastSeq: 9, replace: true }, some([9])),
      ],
    ] as const) {
      test(`notices ${what}`, async (scene) => {
        await scene.append("s", ids(9));
        const reader = await scene.store.openSnapshot(refOf("s"));
        expect((await reader?.next())?.length).toBe(9);
        await change(scene);
        await expect(reader?.next()).rejects.toMatchObject({ reason: "SESSION_CHANGED" });
        reader?.close();
        await settle(scene.store, {});
      });
    }

    test("beside edits is of one moment or fails", async (scene) => {
      await scene.append("s", ids(600));
      const busy: Promise<unknown>[] = [];
      const outcomes: boolean[] = [];
      for (let n = 1; n <= 30; n += 1) {
        busy.push(scene.append("s", ids(1, 600 + n)));
        const reading = readAll(scene, "s").then(
          (seqs) => {
            for (const [index, seq] of seqs.entries()) expect(seq).toBeGreaterThan(index);
            return true;
          },
          (error: { reason: string }) => {
            expect(error.reason).toBe("SESSION_CHANGED");
            return false;
          },
        );
        busy.push(reading.then((whole) => outcomes.push(whole)));
        busy.push(scene.run("erase", "s", { messageId: `id-${n * 9}`, looks: false }));
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all(busy);
      expect(outcomes.length).toBe(30);
    });
  });
}

function importSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("an imported log", () => {
    test("is what was brought, also after a reopen", async (scene) => {
      const seqs = [2, 5, 6, 9];
      const bring = { sessionId: "s", firstSeq: 4, lastSeq: 10, window: [2, 6, 9] };
      expect(await bringIn(scene, bring, some(seqs))).toBe("made");
      for (let round = 0; round < 2; round++) {
        const listed = await scene.messages("s");
        expect(listed?.map(({ seq }) => seq)).toEqual(seqs);
        expect(await scene.window("s")).toEqual([2, 6, 9]);
        expect(await scene.windowAt("s", 3)).toEqual([2]);
        expect(await scene.windowAt("s", 6)).toEqual([2, 5, 6]);
        expect(await scene.windowAt("s", 9)).toEqual([2, 5, 6, 9]);
        expect(await scene.windowAt("s", 10)).toEqual([2, 6, 9]);
        expect(await scene.windowAt("s", 2)).toBeUndefined();
        for (const seq of seqs) {
          const found = await scene.store.readMessage(refOf("s"), `m${seq}`);
          expect(found?.seq).toBe(seq);
        }
        await scene.engine.reopen();
        await settle(scene.store, {});
      }
      await scene.append("s", ["next"]);
      expect((await scene.messages("s"))?.at(-1)?.seq).toBe(11);
      expect(await scene.window("s")).toEqual([2, 6, 9, 11]);
    });

    test("may be empty", async (scene) => {
      await bringIn(scene, { sessionId: "s", firstSeq: 8, lastSeq: 7 }, []);
      await scene.append("s", ["first"]);
      expect((await scene.messages("s"))?.map(({ seq }) => seq)).toEqual([8]);
    });

    test("has ids that are named by other seqs, each once", async (scene) => {
      const made = (seq: number) => `m${seq.toString(36)}-0123456789abcdef`;
      const named = [1, 2, 3].map((seq) => newMessage({ seq, messageId: made(4 - seq) }));
      await bringIn(scene, { sessionId: "s", lastSeq: 3 }, named);
      for (const { messageId, seq } of named) {
        expect((await scene.store.readMessage(refOf("s"), messageId))?.seq).toBe(seq);
      }
      for (const [first, second] of [
        [made(1), made(1)],
        [made(2), made(2)],
        ["same", "same"],
      ]) {
        const log = await scene.store.importLog({ firstSeq: 1, lastSeq: 9 });
        const twice = [first, second].map((messageId, index) =>
          newMessage({ seq: index + 1, messageId: messageId ?? "" }),
        );
        await log.add(twice.slice(0, 1));
        const added = log.add(twice.slice(1));
        await expect(added).rejects.toMatchObject({ reason: "MESSAGE_ALREADY_EXISTS" });
        log.abandon();
      }
    });

    test("of more than one chunk is whole", async (scene) => {
      const messages = some(Array.from({ length: 1_500 }, (_, index) => index * 2 + 1));
      const log = await scene.store.importLog({ firstSeq: 1, lastSeq: 3_200 });
      for (let at = 0; at < messages.length; at += 400) {
        await log.add(messages.slice(at, at + 400));
        expect(await scene.store.readSession(refOf("s"))).toBeUndefined();
        // Upkeep leaves it alone.
        await settle(scene.store, {});
      }
      await publish(log, { sessionId: "s", lastSeq: 3_200, window: [1, 3] }, messages);
      await scene.engine.reopen();
      const listed = await scene.messages("s", { limit: 1_000 });
      expect(listed?.map(({ seq }) => seq)).toEqual(messages.map(({ seq }) => seq));
      expect(listed?.map(({ bytes }) => textOf(bytes)).at(-1)).toBe("text 2999");
    });

    test("takes the place of a session at once", async (scene) => {
      await scene.append("s", ids(600), { looks: true, keep: 3 });
      const wanted = { sessionId: "s", lastSeq: 2 };
      const refused = bringIn(scene, wanted, some([1, 2]));
      await expect(refused).rejects.toMatchObject({ reason: "SESSION_ALREADY_EXISTS" });
      expect((await scene.messages("s", { limit: 1_000 }))?.length).toBe(600);
      await bringIn(scene, { ...wanted, replace: true }, some([1, 2]));
      const before = plain(await dumpSession(scene.store, refOf("s")));
      await settle(scene.store, {});
      await scene.engine.reopen();
      await settle(scene.store, {});
      expect(plain(await dumpSession(scene.store, refOf("s")))).toEqual(before);
      expect((await scene.sessions()).length).toBe(1);
      expect(await scene.store.readMessage(refOf("s"), "id-9")).toBeUndefined();
    });

    test("with the same request id is made once", async (scene) => {
      const results = await Promise.all(
        ["a", "b", "c"].map((sessionId) =>
          bringIn(scene, { sessionId, lastSeq: 1, requestId: "r" }, some([1])),
        ),
      );
      expect(results.sort()).toEqual(["made", "replayed", "replayed"]);
      await settle(scene.store, {});
      expect((await scene.sessions()).length).toBe(1);
    });

    test("of which the decision is not sound is refused", async (scene) => {
      for (const wrong of [{ lastSeq: 3 }, { firstSeq: 2 }]) {
        const log = await scene.store.importLog({ firstSeq: 1, lastSeq: 2 });
        await log.add(some([1, 2]));
        const bring = { sessionId: "s", lastSeq: 2, ...wrong };
        await expect(publish(log, bring, some([1, 2]))).rejects.toThrow();
        log.abandon();
      }
      const log = await scene.store.importLog({ firstSeq: 1, lastSeq: 2 });
      await expect(log.add(some([3]))).rejects.toThrow();
      await expect(log.add(some([2, 1]))).rejects.toThrow();
      log.abandon();
      expect(await scene.sessions()).toEqual([]);
    });
  });
}

function unfinishedSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("an import that is not finished", () => {
    test("leaves nothing, abandoned or not", async (scene) => {
      const revision = await revisionOf(scene.store);
      for (const end of ["abandon", "reopen", "crash"] as const) {
        const log = await scene.store.importLog({ firstSeq: 1, lastSeq: 2_000 });
        await log.add(some(Array.from({ length: 700 }, (_, index) => index + 1)));
        if (end === "abandon") log.abandon();
        if (end === "reopen") await scene.engine.reopen();
        if (end === "crash") await scene.engine.crash?.();
        await settle(scene.store, {});
        expect(await scene.sessions()).toEqual([]);
        expect(await revisionOf(scene.store)).toBe(revision);
      }
      await bringIn(scene, { sessionId: "s", lastSeq: 2 }, some([1, 2]));
      expect((await scene.messages("s"))?.length).toBe(2);
    });

    test("cannot go on with a store that is closed", async (scene) => {
      const log = await scene.store.importLog({ firstSeq: 1, lastSeq: 2 });
      await scene.engine.reopen();
      await expect(log.add(some([1]))).rejects.toMatchObject({ reason: "SHUTTING_DOWN" });
    });
  });
}
