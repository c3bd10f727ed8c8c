// The looks at the files that a store has open find every loss.

import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { Presence } from "./presence.ts";

interface Scene {
  readonly directory: string;
  readonly data: string;
  readonly presence: Presence;
  /** Lets time pass. */
  wait(ms: number): void;
}

const LOSSES: Record<string, [lose: (scene: Scene) => void, reason: string]> = {
  "a removed file": [({ data }) => rmSync(data), "data.mdb was removed or moved"],
  "a moved file": [({ data }) => renameSync(data, `${data}.old`), "data.mdb was removed or moved"],
  "a moved directory": [
    ({ directory }) => renameSync(directory, `${directory}.old`),
    "data.mdb was removed or moved",
  ],
  "a replaced file": [
    ({ data }) => {
      copyFileSync(data, `${data}.copy`);
      renameSync(`${data}.copy`, data);
    },
    "data.mdb was replaced",
  ],
  "a file that was cut off and written on": [
    ({ data, presence }) => {
      truncateSync(data, 60);
      presence.checkSize();
      appendFileSync(data, Buffer.alloc(100));
    },
    "data.mdb was truncated",
  ],
  "a file without what the last group added": [
    ({ data, presence }) => {
      appendFileSync(data, "more");
      presence.check();
      truncateSync(data, 100);
    },
    "data.mdb was truncated",
  ],
  "a removed redo log": [
    ({ directory }) => rmSync(join(directory, "redo.log")),
    "redo.log was removed or moved",
  ],
  "a redo log that was cut off": [
    ({ directory }) => truncateSync(join(directory, "redo.log"), 50),
    "redo.log was truncated",
  ],
  "a removed lock, after 10 ms": [
    ({ directory, presence, wait }) => {
      rmSync(join(directory, "owner.lock"));
      wait(9);
      presence.check();
      wait(1);
    },
    "owner.lock was removed or moved",
  ],
};

test.for(Object.entries(LOSSES))("%s is noticed", async ([, [lose, reason]]) => {
  await using temporary = await makeTempDir();
  const directory = join(temporary.path, "data");
  mkdirSync(directory);
  const data = join(directory, "data.mdb");
  writeFileSync(data, Buffer.alloc(100));
  writeFileSync(join(directory, "owner.lock"), "");
  const redo = join(directory, "redo.log");
  writeFileSync(redo, Buffer.alloc(100));
  let now = 0;
  const presence = new Presence(directory, () => now, statSync(redo));
  presence.checkSize();
  presence.check();
  const wait = (ms: number): void => {
    now += ms;
  };
  expect(() => {
    lose({ directory, data, presence, wait });
    presence.check();
  }).toThrow(reason);
  presence.close();
});
