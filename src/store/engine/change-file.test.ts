// Changes that are noted and carried out on a copy.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { ChangeFile } from "./change-file.ts";
import { type Environment, openEnvironment } from "./environment.ts";
import { type Flight, writeFlight } from "./flight.ts";
import { Group } from "./group.ts";
import { u64 } from "./keys.ts";
import { Slot } from "./memtable.ts";

async function open(checkRoom: (bytes: number) => void = () => undefined) {
  const temporary = await makeTempDir();
  const path = join(temporary.path, "changes");
  const [store, copy] = ["store", "copy"].map((name) =>
    openEnvironment({ directory: join(temporary.path, name) }),
  ) as [Environment, Environment];
  onTestFinished(async () => {
    await store.root.close();
    await copy.root.close();
    await temporary[Symbol.asyncDispose]();
  });
  return { store, copy, path, changes: new ChangeFile(path, checkRoom) };
}

const bytes = (text: string) => Buffer.from(text);

/** A transaction of every kind of change, with a message of a size. */
function flightOf(messageNo: number, size: number): Flight {
  const group = new Group(messageNo, { isEmpty: true });
  group.addMessage(messageNo, Buffer.alloc(size, messageNo));
  group.erased.add(messageNo - 2);
  group.addEvent(u64(messageNo), bytes("event"), 5);
  group.eventRemovals.push(u64(messageNo - 3));
  group.indexRemovals.push(`log ${messageNo - 1}`);
  const put = { slot: new Slot(`log ${messageNo}`, undefined), value: bytes("index") };
  const removed = { slot: new Slot("log 1", undefined), value: null };
  return {
    groups: [
      {
        group,
        journal: [{ key: u64(messageNo), value: bytes("journal") }],
        firstJournalNo: messageNo,
      },
    ],
    journalRemovals: [messageNo - 1],
    chunk: [put, removed],
  };
}

function dump({ message, event, journal, index }: Environment) {
  return [message, event, journal, index].map((table) => [...table.getRange({ start: "\0" })]);
}

test("makes the copy hold what the store holds, also from a moment in between", async () => {
  const { store, copy, path, changes } = await open();
  const sizes = [10, 3_000_000, 0, 100_000, 1_048_576, 7, 5_000];
  for (const [at, size] of sizes.entries()) {
    const flight = flightOf(at + 5, size);
    changes.note(flight);
    await store.root.batch(() => writeFlight(store, flight));
    // The copy was made while this one was written.
    if (at < 3) await copy.root.batch(() => writeFlight(copy, flight));
  }
  expect(dump(copy)).not.toEqual(dump(store));
  while (changes.waitingBytes > 0) await changes.carryOut(copy);
  expect(dump(copy)).toEqual(dump(store));
  expect(dump(copy)[0]).toHaveLength(2);
  changes.remove();
  expect(existsSync(path)).toBe(false);
});

test("ends with a failure to note, and never fails the transaction", async () => {
  const { copy, changes } = await open((size) => {
    if (size > 1_000) throw new Error("The disk is full.");
  });
  changes.note(flightOf(5, 10));
  changes.note(flightOf(6, 2_000));
  changes.note(flightOf(7, 10));
  await expect(changes.carryOut(copy)).rejects.toThrow("The disk is full.");
  changes.remove();
});
