// The memory that this process may take: the least limit of its control groups, of version 1 or 2,
// from its own up to the root, or the memory of the machine.

import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { dirname, join } from "node:path";

/** A memory limit and where it was found. */
export interface MemoryLimit {
  readonly bytes: number;
  /** Path of the file that holds the limit; undefined for the memory of the machine. */
  readonly file: string | undefined;
}

/** Places to read from. Default: those of the system. */
export interface MemoryPlaces {
  readonly cgroupRoot?: string;
  /** The control groups of this process. */
  readonly cgroupFile?: string;
  readonly machineBytes?: number;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Directories of the memory controllers of this process, and the name of their limits. */
function groupsOf(cgroups: string, root: string): { base: string; path: string; name: string }[] {
  return cgroups.split("\n").flatMap((line) => {
    const [, id, controllers = "", path = ""] = /^(\d+):([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers.split(",").includes("memory")) {
      return [{ base: join(root, "memory"), path, name: "memory.limit_in_bytes" }];
    }
    // Beside version 1, version 2 is mounted below the root.
    if (id !== "0" || controllers !== "") return [];
    return [root, join(root, "unified")].map((base) => ({ base, path, name: "memory.max" }));
  });
}

/**
 * Gives the memory limit of this process. In a container the path of its group may be that of the
 * host, and only the root be visible: what is not there is passed over.
 */
export function memoryLimit(places: MemoryPlaces = {}): MemoryLimit {
  const { cgroupRoot = "/sys/fs/cgroup", cgroupFile = "/proc/self/cgroup" } = places;
  let least: MemoryLimit = { bytes: places.machineBytes ?? totalmem(), file: undefined };
  for (const { base, path, name } of groupsOf(read(cgroupFile) ?? "", cgroupRoot)) {
    for (let at = join("/", path); ; at = dirname(at)) {
      const file = join(base, at, name);
      // Without a limit it says "max", or in version 1 more than any machine has.
      const bytes = Number.parseInt(read(file) ?? "", 10);
      if (bytes > 0 && bytes < least.bytes) least = { bytes, file };
      if (at === "/") break;
    }
  }
  return least;
}
