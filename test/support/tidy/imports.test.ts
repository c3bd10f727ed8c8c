// Each rule is given a project that breaks it, so that it is known to fail.

import { describe, expect, test } from "vitest";
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

describe("rooms", () => {
  test.each([
    ["src/session/rpc.ts", "./append.ts"],
    ["src/session/a.ts", "../store/store.ts"],
    ["src/session/a.ts", "../core/change.ts"],
    ["src/store/tables/a.ts", "../../session/rules/session.ts"],
    ["src/store/engine/a.ts", "lmdb"],
    ["src/store/tables/codec.ts", "../../gen/memorysidecar/storage/v1/records.ts"],
    ["src/session/message-wire.ts", "../gen/memorysidecar/v1/session.ts"],
    ["src/grpc/a.ts", "@grpc/grpc-js"],
    ["src/window/rules/a.ts", "../../kit/limits.ts"],
    ["src/window/conditions/a.ts", "@marcbachmann/cel-js"],
    ["src/kit/a.ts", "node:crypto"],
    ["src/main.ts", "./store/lmdb/store.ts"],
  ])("let %s import %s", (path, specifier) => {
    expect(layers(path, specifier)).toEqual([]);
  });

  test.each([
    ["src/session/a.ts", "./rpc.ts"],
    ["src/core/a.ts", "../session/append.ts"],
    ["src/recall/a.ts", "../memory/remember.ts"],
    ["src/store/tables/a.ts", "../../session/append.ts"],
    ["src/window/rules/a.ts", "../../store/store.ts"],
    ["src/window/rules/a.ts", "../../memory/rules/memory.ts"],
    ["src/kit/a.ts", "../session/rules/session.ts"],
    ["src/session/a.ts", "lmdb"],
    ["src/session/a.ts", "@grpc/grpc-js"],
    ["src/session/append.ts", "../gen/memorysidecar/v1/session.ts"],
    ["src/store/a.ts", "../gen/memorysidecar/v1/session.ts"],
    ["src/session/wire.ts", "../gen/memorysidecar/storage/v1/records.ts"],
    ["src/session/append.ts", "../gen/google/rpc/status.ts"],
    ["src/window/rules/a.ts", "node:crypto"],
    ["src/window/policy/a.ts", "gpt-tokenizer"],
    ["src/window/rules/a.ts", "@marcbachmann/cel-js"],
    ["src/kit/a.ts", "pino"],
    ["src/session/a.ts", "../config.ts"],
    ["src/session/a.ts", "../../test/support/random.ts"],
  ])("keep %s from importing %s", (path, specifier) => {
    expect(layers(path, specifier)).toHaveLength(1);
  });

  test("let an exception through, and name one that nothing needs", () => {
    const project = new Map([["src/core/a.ts", 'import { x } from "../session/b.ts";\n']]);
    const known = { from: "src/core/a.ts", to: "src/session/b.ts", reason: "for now" };
    expect(layerProblems(project, [known])).toEqual([]);
    expect(layerProblems(new Map(), [known])).toHaveLength(1);
  });

  test("sees type imports, re-exports and imports at run time", () => {
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

  test("refuse a folder that has no place", () => {
    expect(unknownLayerProblems(new Map([["src/helpers/a.ts", ""]]))).toHaveLength(1);
    expect(unknownLayerProblems(new Map([["src/session/a.ts", ""]]))).toEqual([]);
  });
});

describe("cycles", () => {
  test("are found once, with the way around", () => {
    const project = new Map([
      ["src/a.ts", 'import { b } from "./b.ts";'],
      ["src/b.ts", 'import type { C } from "./c.ts";'],
      ["src/c.ts", 'import { a } from "./a.ts";'],
      ["src/d.ts", 'import { a } from "./a.ts";'],
    ]);
    expect(cycleProblems(project)).toEqual(["cycle: src/a.ts -> src/b.ts -> src/c.ts -> src/a.ts"]);
  });

  test("are not seen where two files share a third", () => {
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

  test("are those that no entry point and no test reaches", () => {
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

  test("are also files of src that only a test uses", () => {
    const project = new Map([
      ["src/main.ts", ""],
      ["src/a.ts", ""],
      ["src/a.test.ts", 'import "./a.ts";'],
    ]);
    expect(deadFileProblems(project, entries)).toHaveLength(1);
  });

  test("are not hidden by an entry point that is gone", () => {
    expect(deadFileProblems(new Map(), entries)).toHaveLength(1);
  });
});
