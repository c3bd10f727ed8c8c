// Takes out of node_modules what packages bring and nothing here can use: headers, binaries for
// other machines, programs that nobody starts. `npm ci` runs it; without scripts, all of it stays.

import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const modules = new URL("../node_modules/", import.meta.url).pathname;
const here = `${process.platform}-${process.arch}`;

/** Removes the entries of a folder that are not kept; without the folder, nothing. */
function trim(folder, isKept) {
  const path = join(modules, folder);
  if (!existsSync(path)) return;
  for (const name of readdirSync(path)) {
    if (!isKept(name)) rmSync(join(path, name), { recursive: true });
  }
}

// The runtime of sentence transformers, which the tests load: five platforms, 288 MB.
const runtimes = "onnxruntime-node/bin/napi-v6";
trim(runtimes, (platform) => platform === process.platform);
trim(`${runtimes}/${process.platform}`, (arch) => arch === process.arch);
// The formatter inside of ts-proto: seven platforms.
trim("dprint-node", (name) => !name.endsWith(".node") || name.includes(here));
// The headers of Node: 67 MB, for native code, which is prebuilt.
trim(`node-${here}`, (name) => name !== "include");
// Each of the two is the whole of buf again; buf does what they do.
trim(`@bufbuild/buf-${here}/bin`, (name) => name === "buf");
// Builds for other versions of Node; the one for all versions stays.
trim(`@lmdb/lmdb-${here}`, (name) => !name.startsWith("node.abi"));
// Calls by require; everything here imports.
trim("gpt-tokenizer", (name) => name !== "cjs" && name !== "src");
// Source maps, and the same again for require.
for (const half of ["server", "core"]) {
  trim(`@modelcontextprotocol/${half}/dist`, (name) => !/\.(map|cjs|cts)$/.test(name));
}
// Sources, versions that nobody here imports, and the same again for require.
trim("zod", (name) => !["src", "v3", "mini", "v4-mini"].includes(name));
for (const part of ["classic", "core", "locales"]) {
  trim(`zod/v4/${part}`, (name) => !/\.c[jt]s$/.test(name));
}
// Builds for browsers; tests.
trim("protobufjs", (name) => name !== "dist");
trim("pino", (name) => name !== "test" && name !== "docs");
