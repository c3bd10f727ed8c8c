// Stores that are filled once, and copies of them with damaged records.

import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import {
  type Environment,
  openEnvironment,
  type Table,
} from "../../../src/store/engine/environment.ts";
import { afterPrefix } from "../../../src/store/engine/keys.ts";
import { openLmdbStore } from "../../../src/store/lmdb/store.ts";
import type { Store } from "../../../src/store/store.ts";
import { verifyDirectory } from "../../../src/store/verify/verify.ts";
import { makeTempDir, type TempDir } from "../kit/temp-dir.ts";
import { readFacts } from "./plans.ts";

/** Options of the stores of these tests. */
export const OPTIONS = { readFacts, floor: { bytes: 0 } };

/** A change of the records of a store that is not open. */
export type Alter = (env: Environment) => Promise<unknown>;

/** A store that tests damage in copies. */
export class DamagedCopies {
  readonly #temporary: TempDir;
  #count = 0;

  private constructor(temporary: TempDir) {
    this.#temporary = temporary;
  }

  /**
   * Fills a store and makes one more commit, because the newest record of the journal covers the
   * index: it must not hold what is damaged.
   */
  static async of(
    fill: (store: Store) => Promise<unknown>,
    commit: (store: Store) => Promise<unknown>,
  ): Promise<DamagedCopies> {
    const copies = new DamagedCopies(await makeTempDir());
    for (const write of [fill, commit]) {
      const store = await openLmdbStore({ directory: copies.whole, ...OPTIONS });
      await write(store);
      await store.close();
    }
    return copies;
  }

  /** The directory of the store without damage. */
  get whole(): string {
    return join(this.#temporary.path, "whole");
  }

  /** A copy of the directory after a change of its records. */
  async changed(alter: Alter): Promise<string> {
    const directory = join(this.#temporary.path, `copy-${++this.#count}`);
    cpSync(this.whole, directory, { recursive: true });
    const env = openEnvironment({ directory });
    await alter(env);
    await env.root.close();
    return directory;
  }

  /** The kinds of damage that verify finds after a change. */
  async found(alter: Alter): Promise<readonly string[]> {
    const report = await verifyDirectory(await this.changed(alter));
    expect(report.clean).toBe(report.problems.length === 0);
    return report.problems.map(({ kind }) => kind);
  }

  /** Removes the copies. */
  async dispose(): Promise<void> {
    await this.#temporary[Symbol.asyncDispose]();
  }
}

/**
 * The third key of a table, which has more. Early keys are of the first log: later ones may belong
 * to what was cleared, where damage is allowed.
 */
export function thirdKey(index: Table, table: string): string {
  const keys = [...index.getKeys({ start: table, end: afterPrefix(table) })];
  expect(keys.length).toBeGreaterThan(3);
  return keys[2] ?? "";
}

/** Flips a bit of a record, by default in its last byte. */
export async function flip(table: Table, key: string, at = -1): Promise<void> {
  const record = Buffer.from(table.get(key) ?? []);
  const place = at < 0 ? record.length + at : at;
  record[place] = (record[place] ?? 0) ^ 1;
  await table.put(key, record);
}
