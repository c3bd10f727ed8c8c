// A control group with a memory limit, as a container has one. Only root may make one, and not
// everywhere.

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A control group. */
export interface MemoryGroup {
  /** File that a process writes its id into to join the group. */
  readonly procs: string;
  /** Anonymous memory of its processes. */
  anonymousBytes(): number;
  /** Number of processes that the kernel has killed in it. */
  kills(): number;
  /** Removes the group, once its processes have ended. */
  remove(): void;
}

const VERSION_1 = "/sys/fs/cgroup/memory";
const VERSION_2 = "/sys/fs/cgroup";

/** Makes a group without swap; undefined where that is not allowed. */
export function makeMemoryGroup(bytes: number): MemoryGroup | undefined {
  const isFirst = existsSync(join(VERSION_1, "memory.limit_in_bytes"));
  const path = join(isFirst ? VERSION_1 : VERSION_2, `memory-sidecar-test-${process.pid}`);
  const file = (name: string): string => join(path, name);
  try {
    mkdirSync(path);
    writeFileSync(file(isFirst ? "memory.limit_in_bytes" : "memory.max"), String(bytes));
  } catch {
    if (existsSync(path)) rmdirSync(path);
    return undefined;
  }
  const numberIn = (name: string, key: string): number => {
    const text = readFileSync(file(name), "utf8");
    return Number(new RegExp(`^${key} ?(\\d+)$`, "m").exec(text)?.[1]);
  };
  return {
    procs: file("cgroup.procs"),
    anonymousBytes: () => numberIn("memory.stat", isFirst ? "rss" : "anon"),
    kills: () => numberIn(isFirst ? "memory.oom_control" : "memory.events", "oom_kill"),
    remove: () => rmdirSync(path),
  };
}
