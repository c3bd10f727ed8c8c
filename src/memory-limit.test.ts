import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { memoryLimit } from "./memory-limit.ts";

const GIB = 2 ** 30;
const directories: string[] = [];

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

/** The limit on a machine of 8 GiB with these files of control groups. */
function limitOf(cgroups: string, files: Readonly<Record<string, string>>) {
  const cgroupRoot = mkdtempSync(join(tmpdir(), "cgroup-"));
  directories.push(cgroupRoot);
  for (const [path, text] of Object.entries({ ...files, cgroups })) {
    mkdirSync(dirname(join(cgroupRoot, path)), { recursive: true });
    writeFileSync(join(cgroupRoot, path), text);
  }
  const cgroupFile = join(cgroupRoot, "cgroups");
  const { bytes, file } = memoryLimit({ cgroupRoot, cgroupFile, machineBytes: 8 * GIB });
  return { bytes, file: file?.slice(cgroupRoot.length + 1) };
}

describe("the memory limit", () => {
  test("is the least one of version 2 from the own group up to the root", () => {
    const cgroups = "0::/pods/pod/server\n";
    const files = {
      "pods/memory.max": `${4 * GIB}\n`,
      "pods/pod/memory.max": `${GIB}\n`,
      "pods/pod/server/memory.max": "max\n",
    };
    expect(limitOf(cgroups, files)).toEqual({ bytes: GIB, file: "pods/pod/memory.max" });
  });

  test("is that of the root in a container, where the path of the host does not exist", () => {
    const cgroups = "0::/../../host/path\n";
    expect(limitOf(cgroups, { "memory.max": `${GIB}\n` }).bytes).toBe(GIB);
    const first = "4:memory:/docker/abc\n0::/docker/abc\n";
    const files = { "memory/memory.limit_in_bytes": `${2 * GIB}\n` };
    expect(limitOf(first, files).bytes).toBe(2 * GIB);
  });

  test("is that of version 1 where the memory controller is one of it", () => {
    const cgroups = "11:cpu,memory:/a/b\n0::/\n";
    const files = {
      "memory/memory.limit_in_bytes": "9223372036854771712\n",
      "memory/a/memory.limit_in_bytes": `${3 * GIB}\n`,
      "memory/a/b/memory.limit_in_bytes": `${GIB}\n`,
    };
    const file = "memory/a/b/memory.limit_in_bytes";
    expect(limitOf(cgroups, files)).toEqual({ bytes: GIB, file });
  });

  test.each([
    ["there is no limit", "0::/a\n", { "a/memory.max": "max\n" }],
    ["the limit is above it", "0::/\n", { "memory.max": `${64 * GIB}\n` }],
    ["the files say nothing", "0::/\n", { "memory.max": "\n" }],
    ["there are no control groups", "", {}],
  ])("is the memory of the machine when %s", (_, cgroups, files) => {
    expect(limitOf(cgroups, files)).toEqual({ bytes: 8 * GIB, file: undefined });
  });
});
