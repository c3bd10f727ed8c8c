import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { makeTempDir } from "../test/support/kit/temp-dir.ts";
import { ROOT, run } from "./process.ts";

const HERE = `${process.platform}-${process.arch}`;
const RUNTIMES = "onnxruntime-node/bin/napi-v6";

const KEPT = [
  `${RUNTIMES}/${process.platform}/${process.arch}/binding.node`,
  `dprint-node/dprint-node.${HERE}-gnu.node`,
  "dprint-node/index.js",
  `node-${HERE}/bin/node`,
  `@bufbuild/buf-${HERE}/bin/buf`,
  `@lmdb/lmdb-${HERE}/node.napi.glibc.node`,
  "gpt-tokenizer/esm/main.js",
  "@modelcontextprotocol/server/dist/index.mjs",
  "zod/v4/core/index.js",
  "protobufjs/src/root.js",
  "pino/lib/proto.js",
];
const REMOVED = [
  `${RUNTIMES}/win32/x64/binding.node`,
  `${RUNTIMES}/${process.platform}/other/binding.node`,
  "dprint-node/dprint-node.win32-x64-msvc.node",
  `node-${HERE}/include/node.h`,
  `@bufbuild/buf-${HERE}/bin/protoc-gen-buf-lint`,
  `@lmdb/lmdb-${HERE}/node.abi115.glibc.node`,
  "gpt-tokenizer/cjs/main.js",
  "@modelcontextprotocol/server/dist/index.cjs",
  "zod/src/index.ts",
  "zod/v4/core/index.cjs",
  "protobufjs/dist/protobuf.js",
  "pino/test/basic.test.js",
];

test("removes what is for other machines, keeps the rest, and can run again", async () => {
  await using root = await makeTempDir();
  for (const path of [...KEPT, ...REMOVED]) {
    const file = join(root.path, "node_modules", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "");
  }
  mkdirSync(join(root.path, "tools"));
  const trim = join(root.path, "tools/trim.js");
  copyFileSync(join(ROOT, "tools/trim.js"), trim);
  writeFileSync(join(root.path, "package.json"), '{ "type": "module" }');
  for (let time = 0; time < 2; time++) {
    expect(await run(process.execPath, [trim], { quiet: true })).toMatchObject({ code: 0 });
  }
  const isThere = (path: string): boolean => existsSync(join(root.path, "node_modules", path));
  expect(KEPT.filter((path) => !isThere(path))).toEqual([]);
  expect(REMOVED.filter(isThere)).toEqual([]);
});

test("ends well where nothing is installed", async () => {
  await using root = await makeTempDir();
  const trim = join(root.path, "trim.mjs");
  copyFileSync(join(ROOT, "tools/trim.js"), trim);
  expect(await run(process.execPath, [trim], { quiet: true })).toMatchObject({ code: 0 });
});
