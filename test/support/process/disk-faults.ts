// A disk that refuses writes: a library in C that is preloaded into a server.

import { execFileSync } from "node:child_process";
import { join } from "node:path";

const SOURCE = join(import.meta.dirname, "disk-faults.c");

/** The reason why the library cannot be compiled here; undefined when it can. */
export function compilerMissing(): string | undefined {
  try {
    execFileSync("cc", ["--version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "cc is missing (Debian package gcc)";
  }
}

/** A refusal of writes and flushes of data.mdb and redo.log. */
export interface DiskFault {
  /** The first call that fails, counted from 1 at the start of the process. */
  readonly at: number;
  /** Whether every later call fails too. */
  readonly keep: boolean;
  /** The number of the error, such as that of EIO. */
  readonly errno: number;
  /** A file that is made once a call has failed. */
  readonly said: string;
}

/** Compiles the library into a directory. Returns how a server gets a fault by its environment. */
export function compileDiskFaults(
  directory: string,
): (fault: DiskFault) => Readonly<Record<string, string>> {
  const library = join(directory, "disk-faults.so");
  execFileSync("cc", ["-shared", "-fPIC", "-O1", "-Wall", "-o", library, SOURCE, "-ldl"]);
  return ({ at, keep, errno, said }) => ({
    LD_PRELOAD: library,
    DISK_FAULT_AT: String(at),
    DISK_FAULT_ERRNO: String(errno),
    DISK_FAULT_SAID: said,
    ...(keep ? { DISK_FAULT_KEEP: "1" } : {}),
  });
}
