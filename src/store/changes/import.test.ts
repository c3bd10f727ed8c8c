// Traces of imports on the disk: of those that were not finished nothing, of the others what
// verify finds sound.

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
  totalsOf,
} from "../../../test/support/store/plans.ts";
import { ROLE } from "../../window/rules/types.ts";
import { openLmdbStore } from "../lmdb/store.ts";
import type { Store } from "../store.ts";
import { verifyDirectory } from "../verify/verify.ts";

const FACTS = new URL("../../../test/support/store/plans.ts", import.meta.url);
const OPTIONS = { readFacts, floor: { bytes: 0 } };
const PLAN = {
  nowMs: 1e12,
  eventAgeMsMax: 1e15,
  eventCountMax: 1e9,
  replyAgeMsMax: 1e15,
  usageHourMin: 0,
};
const ref = { namespace: "default", sessionId: "s" };

const some = (count: number) =>
  Array.from({ length: count }, (_, index) => newMessage({ seq: index * 3 + 1 }));

async function settle(store: Store): Promise<void> {
  while (await store.maintain(PLAN)) {
    // Until nothing is left to do.
  }
}

describe("an import", () => {
  test("that was killed half-way leaves nothing on the disk after upkeep", async () => {
    await using temporary = await makeTempDir();
    const directory = join(temporary.path, "data");
    const store = await openLmdbStore({ directory, ...OPTIONS });
    const log = await store.importLog({ firstSeq: 1, lastSeq: 2_000 });
    await log.add(some(600));
    const killed = join(temporary.path, "killed");
    copyCrashed(directory, killed);
    await store.close();
    expect((await verifyDirectory(killed, { factsModule: FACTS })).problems).toEqual([]);
    const other = await openLmdbStore({ directory: killed, ...OPTIONS });
    expect(await other.readSession(ref)).toBeUndefined();
    await settle(other);
    await other.close();
    const report = await verifyDirectory(killed, { factsModule: FACTS });
    expect(report.problems).toEqual([]);
    // The one record is the newest of the journal.
    expect(report.totals).toMatchObject({ sessions: 0, messages: 0, records: 1 });
  });

  test("that is given up while it is written ends, and leaves nothing", async () => {
    await using temporary = await makeTempDir();
    const directory = join(temporary.path, "data");
    const store = await openLmdbStore({ directory, ...OPTIONS });
    for (const step of ["add", "publish"] as const) {
      const log = await store.importLog({ firstSeq: 1, lastSeq: 9_000 });
      const decide = () => {
        throw new Error("It must not get here.");
      };
      const under = step === "add" ? log.add(some(3_000)) : log.publish(ref, decide);
      const ends = expect(under).rejects.toMatchObject({ reason: "SHUTTING_DOWN" });
      log.abandon();
      await settle(store);
      await ends;
      await settle(store);
    }
    await store.close();
    const report = await verifyDirectory(directory, { factsModule: FACTS });
    expect(report.problems).toEqual([]);
    expect(report.totals).toMatchObject({ sessions: 0, messages: 0, records: 1 });
  });

  test("is sound on the disk, with kept messages, holes and a session it replaced", async () => {
    await using temporary = await makeTempDir();
    const directory = join(temporary.path, "data");
    const store = await openLmdbStore({ directory, ...OPTIONS });
    for (const count of [300, 40]) {
      const messages = [
        newMessage({ seq: 2, messageId: "kept", role: ROLE.system }),
        ...some(count).map(({ seq }) => newMessage({ seq: seq + 9 })),
      ];
      const lastSeq = count * 3 + 20;
      const log = await store.importLog({ firstSeq: 8, lastSeq });
      await log.add(messages);
      const { messageCount, tokenCount } = totalsOf(messages);
      await log.publish(ref, ({ revision }) => ({
        kind: "save",
        result: undefined,
        fields: newFields({ userId: "u", ttlMs: 5_000 }),
        head: newHead({
          firstSeq: 8,
          lastSeq,
          log: { messageCount, tokenCount },
          window: totalsOf(messages),
          windowRanges: [{ first: 1, last: lastSeq }],
          revision,
        }),
        events: [newEvent(ref)],
      }));
    }
    await settle(store);
    await store.close();
    const report = await verifyDirectory(directory, { factsModule: FACTS });
    expect(report.problems).toEqual([]);
    expect(report.totals).toMatchObject({ sessions: 1, messages: 41 });
  });
});
