// Copies of a store that is served: to a caller, or to a directory that holds a number of them.

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { AppError } from "../../kit/errors.ts";
import { lockDirectory } from "../engine/lock.ts";
import type { LmdbStore } from "../lmdb/store.ts";
import { type BackUp, backUp, PARTIAL, readManifest } from "./back-up.ts";
import { type CompactOptions, compactServed, type ServedCompaction } from "./compact.ts";
import { type CopiedFile, type CopyOptions, copyStore } from "./copy-store.ts";
import type { CopySource } from "./verified-copy.ts";

const NAME = /^\d{8}T\d{9}Z$/;

/** A complete back-up in a directory of back-ups. */
export interface NamedBackUp extends BackUp {
  readonly name: string;
}

/** Makes copies of one store. */
export interface StoreCopier {
  /** Gives the bytes of a copy to a function, which is waited for. */
  stream(write: (chunk: Uint8Array) => Promise<void>, options: CopyOptions): Promise<CopiedFile>;
  /** The directory of back-ups; undefined when there is none. */
  readonly directory: BackUpDirectory | undefined;
  /** Has a copy take the place of the data file. */
  compact(options: Pick<CompactOptions, "onProgress" | "signal">): Promise<ServedCompaction>;
}

/** A directory of back-ups. */
export interface BackUpDirectory {
  /** The begin of the newest complete back-up. */
  newestStartMs(): number | undefined;
  /** Makes a back-up and removes old ones. Its name is its begin. */
  make(startMs: number, options: CopyOptions): Promise<NamedBackUp>;
}

/** Settings of copies. */
export interface CopierSettings {
  /** The data directory. */
  readonly source: string;
  readonly store: LmdbStore;
  /** The directory of back-ups, which exists; undefined when there is none. */
  readonly directory: string | undefined;
  /** Complete back-ups that are kept there. */
  readonly keep: number;
  /** Bytes that stay free on the disk of a copy. */
  readonly freeBytes: number;
  readonly version: string;
  readonly factsModule: URL;
  /** Called when a back-up is about to be made of a journal that a full disk kept. */
  readonly onJournalKept: () => void;
}

/** Makes the copier of a store that this process serves. */
export function createCopier(settings: CopierSettings): StoreCopier {
  const { directory, source, store, factsModule, freeBytes } = settings;
  return {
    stream: async (write, options) => {
      await clearJournal(settings);
      await store.carryOutLog();
      return copyStore(source, write, options);
    },
    directory:
      directory === undefined
        ? undefined
        : {
            newestStartMs: () => listBackUps(directory, store.storeId).at(-1)?.startMs,
            make: (startMs, options) => makeIn(directory, settings, { ...options, startMs }),
          },
    compact: (options) => compactServed(store, source, { factsModule, freeBytes, ...options }),
  };
}

async function makeIn(
  directory: string,
  settings: CopierSettings,
  options: CopyOptions & { readonly startMs: number },
): Promise<NamedBackUp> {
  const { store, keep, version, freeBytes, factsModule } = settings;
  const lock = await lockDirectory(directory);
  try {
    removeBroken(directory);
    const name = new Date(options.startMs).toISOString().replaceAll(/[-:.]/g, "");
    await clearJournal(settings);
    const target = join(directory, name);
    const whole = { ...options, target, version, freeBytes, factsModule };
    const made = await backUp(await sourceOf(settings, whole), whole);
    for (const old of listBackUps(directory, store.storeId).slice(0, -keep)) {
      rmSync(join(directory, old.name), { recursive: true });
    }
    return { ...made, name };
  } finally {
    lock.release();
  }
}

// The data file first gets the groups of the redo log: that is cheaper than to change the copy.
async function sourceOf(
  { source, store }: CopierSettings,
  options: CopyOptions,
): Promise<CopySource> {
  try {
    await store.carryOutLog();
  } catch (error) {
    if ((error as Partial<AppError>).reason !== "STORE_FULL") throw error;
    return source;
  }
  return (file) => copyStore(source, file, options);
}

// A full disk is when a back-up is needed most, so it is made all the same.
async function clearJournal({ store, onJournalKept }: CopierSettings): Promise<void> {
  if (!(await store.clearJournal())) onJournalKept();
}

/** The complete back-ups of a store, oldest first. Directories with other names are left alone. */
function listBackUps(directory: string, storeId: string): readonly NamedBackUp[] {
  const names = readdirSync(directory).filter((name) => NAME.test(name));
  return names.sort().flatMap((name) => {
    const manifest = readManifest(join(directory, name));
    return manifest?.storeId === storeId ? [{ ...manifest, name }] : [];
  });
}

/** Removes back-ups that a kill left. */
function removeBroken(directory: string): void {
  for (const name of readdirSync(directory)) {
    const isBroken = name.endsWith(PARTIAL) && NAME.test(name.slice(0, -PARTIAL.length));
    if (isBroken) rmSync(join(directory, name), { recursive: true });
  }
}
