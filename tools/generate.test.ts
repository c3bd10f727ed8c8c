import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { checkBreaking, FROZEN, IMAGE, refreshTypeScript, TYPESCRIPT } from "./generate.ts";
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
  const names = ["proto", "third_party", "buf.yaml", "buf.gen.yaml"];
  for (const name of [...names, "clients/typescript/buf.gen.yaml"]) {
    cpSync(join(ROOT, name), join(root, name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  return root;
}

describe("the frozen contract", () => {
  test.each(CASES)("compares: $change", ({ file, from, to, refused }) => {
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

describe("the generated TypeScript", () => {
  test("is made when it is missing or the contract changed, and else left alone", () => {
    const root = copyOfTheContract();
    const made = TYPESCRIPT.map((folder) => join(root, folder, "memorysidecar/v1/snapshot.ts"));
    const saying = (text: string): string[] =>
      made.filter((path) => readFileSync(path, "utf8").includes(text));

    refreshTypeScript(root);
    expect(saying("export interface SnapshotHeader {")).toEqual(made);

    for (const path of made) appendFileSync(path, "// still here\n");
    refreshTypeScript(root);
    expect(saying("// still here")).toEqual(made);

    const path = join(root, "proto/memorysidecar/v1/snapshot.proto");
    const before = readFileSync(path, "utf8");
    const extra = "message SnapshotHeader {\n  // More.\n  string extra = 9000;";
    writeFileSync(path, before.replace("message SnapshotHeader {", extra));
    rmSync(join(root, TYPESCRIPT[1]), { recursive: true });
    refreshTypeScript(root);
    expect(saying("extra: string;")).toEqual(made);
    expect(saying("// still here")).toEqual([]);
  }, 180_000);

  test("asks for the packages where there are none", () => {
    const root = mkdtempSync(join(tmpdir(), "memory-sidecar-clone-"));
    scratch.push(root);
    cpSync(join(ROOT, "tools/ready.js"), join(root, "tools/ready.js"));
    const ready = (step: string) =>
      spawnSync(process.execPath, ["tools/ready.js"], {
        cwd: root,
        encoding: "utf8",
        env: { npm_lifecycle_event: step },
      });
    const start = ready("start");
    expect(start.stderr).toContain("Run `npm ci` first");
    expect(start.status).toBe(1);
    // As in `npm ci --omit=dev`.
    expect(ready("prepare")).toMatchObject({ status: 0, stderr: "" });
  });
});
