import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { checkBreaking, FROZEN, IMAGE } from "./generate.ts";
import { ROOT } from "./process.ts";

const CASES = [
  {
    change: "a field of a request gets another name",
    file: "memorysidecar/v1/task_service.proto",
    from: "string task_id = 2",
    to: "string id = 2",
    refused: 'from "task_id" to "id"',
  },
  {
    change: "a field of a message of hooks gets another type",
    file: "memorysidecar/hook/v1/hook_service.proto",
    from: /string (\w+) = 1/,
    to: "bytes $1 = 1",
    refused: 'from "string" to "bytes"',
  },
  {
    change: "a field of a record gets another type",
    file: "memorysidecar/storage/v1/memory_records.proto",
    from: "int64 promoted_no = 6",
    to: "string promoted_no = 6",
    refused: 'from "int64" to "string"',
  },
  {
    change: "a field of a record gets another name",
    file: "memorysidecar/storage/v1/memory_records.proto",
    from: "int64 promoted_no = 6",
    to: "int64 promoted_number = 6",
    refused: undefined,
  },
];

const scratch: string[] = [];
afterEach(() => {
  for (const folder of scratch.splice(0)) rmSync(folder, { recursive: true });
});

function copyOfTheContract(): string {
  const root = mkdtempSync(join(tmpdir(), "memory-sidecar-contract-"));
  scratch.push(root);
  for (const name of ["proto", "third_party", "buf.yaml"]) {
    cpSync(join(ROOT, name), join(root, name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  return root;
}

describe("the frozen contract", () => {
  it.each(CASES)("compares: $change", ({ file, from, to, refused }) => {
    const root = copyOfTheContract();
    const path = join(root, "proto", file);
    const before = readFileSync(path, "utf8");
    const after = before.replace(from, to);
    expect(after).not.toBe(before);
    writeFileSync(path, after);
    for (const image of [FROZEN, IMAGE]) {
      const check = () => checkBreaking(root, image);
      if (refused === undefined) expect(check).not.toThrow();
      else expect(check).toThrow(refused);
    }
  });
});
