// Windows of the past of long logs, as only imports have them: what is in them, and what goes on
// while one is read.

import { describe, expect, test } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import {
  newEvent,
  newFields,
  newHead,
  newMessage,
  readFacts,
  totalsOf,
} from "../../../test/support/store/plans.ts";
import { fitCeiling } from "../../window/rules/limit.ts";
import { ROLE } from "../../window/rules/types.ts";
import { openLmdbStore } from "../lmdb/store.ts";
import type { NewMessage, Store } from "../store.ts";

const ref = { namespace: "default", sessionId: "s" };

/** A store with a session of these messages, none of them in its window. */
async function imported(messages: readonly NewMessage[]) {
  const temporary = await makeTempDir();
  const store = await openLmdbStore({ directory: temporary.path, readFacts, floor: { bytes: 0 } });
  const lastSeq = messages.length;
  const log = await store.importLog({ firstSeq: 1, lastSeq });
  await log.add(messages);
  const { messageCount, tokenCount } = totalsOf(messages);
  await log.publish(ref, ({ revision }) => ({
    kind: "save",
    result: undefined,
    fields: newFields(),
    head: newHead({ lastSeq, log: { messageCount, tokenCount }, revision }),
    events: [newEvent(ref)],
  }));
  const dispose = async () => {
    await store.close();
    await temporary[Symbol.asyncDispose]();
  };
  return { store, [Symbol.asyncDispose]: dispose };
}

const many = (count: number, isSystem: (seq: number) => boolean) =>
  Array.from({ length: count }, (_, index) =>
    newMessage({ seq: index + 1, role: isSystem(index + 1) ? ROLE.system : ROLE.user }),
  );

async function erase(store: Store, seq: number): Promise<void> {
  await store.changeSession({ ...ref, messageIds: [] }, ({ revision, session }) => {
    if (session === undefined) throw new Error("There is no session.");
    const { log } = session.head;
    const { messageId, tokenCount } = newMessage({ seq });
    const left = { messageCount: log.messageCount - 1, tokenCount: log.tokenCount - tokenCount };
    const head = { ...session.head, log: left, revision };
    const plan = { head, erase: [{ seq, messageId }], events: [newEvent(ref)] };
    return { kind: "save", result: undefined, plan };
  });
}

describe("a long window of the past", () => {
  test.each([
    ["few system messages", 15_000, (seq: number) => seq % 50 === 1],
    ["many system messages", 15_000, (seq: number) => seq % 3 !== 0],
    ["more system messages than fit", 12_000, (seq: number) => seq % 12 !== 0],
    ["all of it", 9_000, (seq: number) => seq % 2 === 0],
  ])("holds the newest that fit: %s", async (_, count, isSystem) => {
    const messages = many(count, isSystem);
    await using scene = await imported(messages);
    const past = await scene.store.readWindowAt(ref, count - 1);
    const expected = fitCeiling(messages.slice(0, -1)).map(({ seq }) => seq);
    expect(past?.window?.map(({ seq }) => seq)).toEqual(expected);
    const inRanges = past?.ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
    expect(inRanges).toBe(expected.length);
  });

  test("lets others in while it is read, and is of one moment", async () => {
    await using scene = await imported(many(15_000, () => false));
    const { store } = scene;
    let isRead = false;
    const reading = store.readWindowAt(ref, 14_999).then((past) => {
      isRead = true;
      return past;
    });
    let turns = 0;
    for (; turns < 3 && !isRead; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect(turns).toBe(3);
    await Promise.all([14_998, 6_000].map((seq) => erase(store, seq)));
    const seqs = (await reading)?.window?.map(({ seq }) => seq) ?? [];
    expect(seqs.length).toBe(10_000);
    const gone = [14_998, 6_000].map((seq) => !seqs.includes(seq));
    expect([
      [true, true],
      [false, false],
    ]).toContainEqual(gone);
  });
});
