// The only place that opens an LMDB environment. The settings are those of the measurements: a
// write is acknowledged when it is on stable storage (overlappingSync off), a failed one can be
// handled (eventTurnBatching off), nobody else can read the files.

import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Database, open, type RootDatabase } from "lmdb";
import { recordCorrupt } from "../../kit/errors.ts";
import { shortenReports } from "./commit-failure.ts";
import { emptyFile } from "./page-format.ts";

/** A named database: keys are texts whose characters are bytes. */
export type Table = Database<Buffer, string>;

/** An open environment. */
export interface Environment {
  readonly root: RootDatabase<Buffer, string>;
  readonly meta: Table;
  readonly message: Table;
  readonly event: Table;
  readonly journal: Table;
  readonly index: Table;
}

/** Options for opening an environment. */
export interface EnvironmentOptions {
  readonly directory: string;
  /** Opens on a network filesystem as well, where LMDB is not safe. Default false. */
  readonly allowNetworkFilesystem?: boolean;
  /** Opens for reading; nothing is created. Default false. */
  readonly readOnly?: boolean;
}

/** The name of the data file in the directory. */
export const DATA_FILE = "data.mdb";

/** The name of LMDB's table of readers beside it. */
export const READERS_FILE = "lock.mdb";
const READERS_MAX = 1_024;

/** The folder in the directory in which a compaction makes its copy. */
export const COMPACT_FOLDER = "compacting";

// The numbers that statfs gives for filesystems on other hosts: nfs, smb, smb2, cifs, afs, ceph,
// 9p, coda, ncp, lustre, gfs2, ocfs2, fuse does not say what is behind it and is let through.
const NETWORK_FILESYSTEMS = new Map<number, string>([
  [0x6969, "nfs"],
  [0x517b, "smb"],
  [0xfe534d42, "smb2"],
  [0xff534d42, "cifs"],
  [0x5346414f, "afs"],
  [0x6b414653, "afs"],
  [0x00c36400, "ceph"],
  [0x01021997, "9p"],
  [0x73757245, "coda"],
  [0x564c, "ncp"],
  [0x0bd00bd0, "lustre"],
  [0x01161970, "gfs2"],
  [0x7461636f, "ocfs2"],
]);

/** Keys are texts of bytes; LMDB gets the bytes. */
const keyEncoder = {
  writeKey(key: string, target: Buffer, start: number): number {
    let position = start;
    for (let i = 0; i < key.length; i++) {
      target[position++] = key.charCodeAt(i);
    }
    return position;
  },
  readKey(target: Buffer, start: number, end: number): string {
    return target.toString("latin1", start, end);
  },
};

/** Makes the directory with mode 0700 if need be, and refuses network filesystems. */
export function prepareDirectory(directory: string, allowNetworkFilesystem: boolean): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  try {
    chmodSync(directory, 0o700);
  } catch {
    // The directory belongs to somebody else, as a mounted volume does: its owner decides.
  }
  const kind = NETWORK_FILESYSTEMS.get(statfsSync(directory).type);
  if (kind !== undefined && !allowNetworkFilesystem) {
    throw new Error(
      `The data directory ${directory} is on a network filesystem (${kind}), where the store is ` +
        "not safe. Use a local disk or a block volume.",
    );
  }
}

// The entry of the process's auxiliary vector that holds the size of a page of memory.
const PAGE_SIZE_ENTRY = 6n;

/** The size of a page of memory; undefined where the system does not tell. */
function memoryPageBytes(): number | undefined {
  try {
    const entries = new BigUint64Array(new Uint8Array(readFileSync("/proc/self/auxv")).buffer);
    for (let at = 0; at + 1 < entries.length; at += 2) {
      if (entries[at] === PAGE_SIZE_ENTRY) return Number(entries[at + 1]);
    }
  } catch {
    // Not Linux.
  }
  return undefined;
}

// LMDB crashes when it makes a data file and the first write fails. So it gets one that is there.
function makeFile(directory: string): void {
  const path = join(directory, DATA_FILE);
  const pageBytes = memoryPageBytes();
  if (pageBytes === undefined || (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const made = `${path}.new`;
  try {
    writeFileSync(made, emptyFile(pageBytes), { mode: 0o600, flush: true });
    renameSync(made, path);
    syncPath(directory);
  } catch (error) {
    rmSync(made, { force: true });
    throw error;
  }
}

/** Opens the environment. Throws RECORD_CORRUPT when the file is visibly damaged. */
export function openEnvironment(options: EnvironmentOptions): Environment {
  const { directory, readOnly = false } = options;
  shortenReports();
  if (!readOnly) makeFile(directory);
  const umask = process.umask(0o077);
  try {
    const common = { encoding: "binary", keyEncoder } as const;
    const root = open<Buffer, string>({
      path: directory,
      noSubdir: false,
      maxDbs: 8,
      maxReaders: READERS_MAX,
      overlappingSync: false,
      eventTurnBatching: false,
      permissionsMode: 0o600,
      readOnly,
      ...common,
    } as Parameters<typeof open>[0]) as RootDatabase<Buffer, string>;
    root.readerCheck();
    const table = (name: string): Table => {
      const db = root.openDB<Buffer, string>({ name, ...common } as never) as Table | undefined;
      if (db === undefined) throw recordCorrupt(`the table ${name} is missing`);
      return db;
    };
    return {
      root,
      meta: table("meta"),
      message: table("message"),
      event: table("event"),
      journal: table("journal"),
      index: table("index"),
    };
  } finally {
    process.umask(umask);
  }
}

/** Brings a file, or the names in a directory, to stable storage. */
export function syncPath(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The ids of other processes that have the store of a directory open; none if it has no store. */
export async function otherReaders(directory: string): Promise<readonly number[]> {
  const files = [DATA_FILE, READERS_FILE];
  if (files.some((file) => !existsSync(join(directory, file)))) return [];
  const root = open({ path: directory, noSubdir: false, maxReaders: READERS_MAX, readOnly: true });
  // Drops the dead: each living process holds a lock of the kernel beside its entry.
  root.readerCheck();
  const pids = [...root.readerList().matchAll(/^ *(\d+) /gm)].map(([, pid]) => Number(pid));
  await root.close();
  return pids.filter((pid) => pid !== process.pid);
}
