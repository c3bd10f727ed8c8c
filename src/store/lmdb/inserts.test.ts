// Inserts of a window, which the log does not have, in the files.

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import {
  newEvent,
  newFields,
  newHead,
  newInsert,
  readFacts,
} from "../../../test/support/store/plans.ts";
import type { WindowInsert } from "../../session/rules/session.ts";
import { verifyDirectory } from "../verify/verify.ts";
import { openLmdbStore } from "./store.ts";

const FACTS = new URL("../../../test/support/store/plans.ts", import.meta.url);
const REF = { namespace: "default", sessionId: "s" };

/** Saves a session with these inserts. */
async function save(directory: string, inserts: readonly WindowInsert[]): Promise<void> {
  const store = await openLmdbStore({ directory, readFacts, floor: { bytes: 0 } });
  try {
    await store.changeSession(REF, () => {
      const plan = { fields: newFields({ inserts }), head: newHead(), events: [newEvent(REF)] };
      return { kind: "save", result: undefined, plan };
    });
  } finally {
    await store.close();
  }
}

describe("inserts", () => {
  test("are checked against the messages that show them", async () => {
    await using temporary = await makeTempDir();
    const sound = newInsert({ position: 1.5 });
    const cases: readonly (readonly [WindowInsert, readonly string[]])[] = [
      [sound, []],
      [{ ...sound, tokenCount: 4 }, ["an insert and its message differ"]],
      [{ ...sound, messageId: "other" }, ["an insert and its message differ"]],
      [{ ...sound, bytes: Buffer.from("{") }, ["the message of an insert is not readable"]],
    ];
    for (const [index, [insert, kinds]] of cases.entries()) {
      const directory = join(temporary.path, `${index}`);
      await save(directory, [insert]);
      const { problems } = await verifyDirectory(directory, { factsModule: FACTS });
      expect(problems.map(({ kind }) => kind)).toEqual(kinds);
    }
  });

  test.each<readonly [string, readonly WindowInsert[]]>([
    ["a whole position", [newInsert({ position: 2 })]],
    ["a position of nothing", [newInsert({ position: Number.NaN })]],
    ["a falling position", [newInsert({ position: 2.5 }), newInsert({ position: 1.5 })]],
    ["one id", [1.5, 2.5].map((position) => newInsert({ position, messageId: "m" }))],
    ["runs out of order", [newInsert({ position: 1.5, ranges: [{ first: 3, last: 2 }] })]],
    ["an eighth of a token", [newInsert({ position: 1.5, tokenCount: 0.125 })]],
    ["a negative time", [newInsert({ position: 1.5, createMs: -1 })]],
    ["half a millisecond", [newInsert({ position: 1.5, firstMs: 0.5 })]],
  ])("are refused with %s", async (_name, inserts) => {
    await using temporary = await makeTempDir();
    await expect(save(join(temporary.path, "data"), inserts)).rejects.toThrow("not sound");
  });
});
