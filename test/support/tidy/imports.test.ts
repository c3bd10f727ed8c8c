// Each rule is given a project that breaks it, so that it is known to fail.

import { describe, expect, it } from "vitest";
import {
  cycleProblems,
  deadFileProblems,
  importsOf,
  layerProblems,
  unknownLayerProblems,
} from "./imports.ts";

function layers(path: string, specifier: string): string[] {
  return layerProblems(new Map([[path, `import { x } from "${specifier}";\n`]]));
}

describe("layers", () => {
  it.each([
    ["src/transport/a.ts", "../service/b.ts"],
    ["src/service/a.ts", "../storage/store.ts"],
    ["src/storage/lmdb/a.ts", "../../domain/session.ts"],
    ["src/storage/lmdb/a.ts", "lmdb"],
    ["src/storage/codec.ts", "../gen/memorysidecar/storage/v1/records.ts"],
    ["src/transport/a.ts", "../gen/memorysidecar/v1/session.ts"],
    ["src/transport/a.ts", "@grpc/grpc-js"],
    ["src/domain/a.ts", "../lib/assert.ts"],
    ["src/domain/conditions/a.ts", "@marcbachmann/cel-js"],
    ["src/lib/a.ts", "node:crypto"],
    ["src/main.ts", "./storage/lmdb/open.ts"],
  ])("let %s import %s", (path, specifier) => {
    expect(layers(path, specifier)).toEqual([]);
  });

  it.each([
    ["src/service/a.ts", "../transport/b.ts"],
    ["src/storage/a.ts", "../service/b.ts"],
    ["src/domain/a.ts", "../storage/b.ts"],
    ["src/lib/a.ts", "../domain/b.ts"],
    ["src/storage/memory/a.ts", "lmdb"],
    ["src/service/a.ts", "lmdb"],
    ["src/service/a.ts", "@grpc/grpc-js"],
    ["src/service/a.ts", "../gen/memorysidecar/v1/session.ts"],
    ["src/storage/a.ts", "../gen/memorysidecar/v1/session.ts"],
    ["src/transport/a.ts", "../gen/memorysidecar/storage/v1/records.ts"],
    ["src/service/a.ts", "../gen/google/rpc/status.ts"],
    ["src/domain/a.ts", "node:crypto"],
    ["src/domain/a.ts", "gpt-tokenizer"],
    ["src/domain/window/a.ts", "@marcbachmann/cel-js"],
    ["src/lib/a.ts", "pino"],
    ["src/service/a.ts", "../config.ts"],
    ["src/service/a.ts", "../../test/support/random.ts"],
  ])("keep %s from importing %s", (path, specifier) => {
    expect(layers(path, specifier)).toHaveLength(1);
  });

  it("sees type imports, re-exports and imports at run time", () => {
    const text = [
      'import type { A } from "./a.ts";',
      'export { b } from "./b.ts";',
      'export * from "./c.ts";',
      'const d = await import("./d.ts");',
    ].join("\n");
    expect(importsOf("src/x.ts", text).map(({ target, line }) => [target, line])).toEqual([
      ["src/a.ts", 1],
      ["src/b.ts", 2],
      ["src/c.ts", 3],
      ["src/d.ts", 4],
    ]);
  });

  it("refuse a folder that is in no layer", () => {
    expect(unknownLayerProblems(new Map([["src/helpers/a.ts", ""]]))).toHaveLength(1);
    expect(unknownLayerProblems(new Map([["src/service/a.ts", ""]]))).toEqual([]);
  });
});

describe("cycles", () => {
  it("are found once, with the way around", () => {
    const project = new Map([
      ["src/a.ts", 'import { b } from "./b.ts";'],
      ["src/b.ts", 'import type { C } from "./c.ts";'],
      ["src/c.ts", 'import { a } from "./a.ts";'],
      ["src/d.ts", 'import { a } from "./a.ts";'],
    ]);
    expect(cycleProblems(project)).toEqual(["cycle: src/a.ts -> src/b.ts -> src/c.ts -> src/a.ts"]);
  });

  it("are not seen where two files share a third", () => {
    const project = new Map([
      ["src/a.ts", 'import "./b.ts"; import "./c.ts";'],
      ["src/b.ts", 'import "./c.ts";'],
      ["src/c.ts", ""],
    ]);
    expect(cycleProblems(project)).toEqual([]);
  });
});

describe("dead files", () => {
  const entries = { product: ["src/main.ts"], development: [/^tools\/run\.ts$/] };

  it("are those that no entry point and no test reaches", () => {
    const project = new Map([
      ["src/main.ts", 'import "./used.ts";'],
      ["src/used.ts", ""],
      ["src/unused.ts", ""],
      ["tools/run.ts", 'import "./part.ts";'],
      ["tools/part.ts", ""],
      ["test/support/unused.ts", ""],
    ]);
    expect(deadFileProblems(project, entries).map((line) => line.split(":")[0])).toEqual([
      "src/unused.ts",
      "test/support/unused.ts",
    ]);
  });

  it("are also files of src that only a test uses", () => {
    const project = new Map([
      ["src/main.ts", ""],
      ["src/a.ts", ""],
      ["src/a.test.ts", 'import "./a.ts";'],
    ]);
    expect(deadFileProblems(project, entries)).toHaveLength(1);
  });

  it("are not hidden by an entry point that is gone", () => {
    expect(deadFileProblems(new Map(), entries)).toHaveLength(1);
  });
});
