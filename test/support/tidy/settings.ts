// What the tidy rules allow by name. Each entry says why; an entry that nothing needs is a problem.

import type { Allowed } from "./banned.ts";
import type { NameException } from "./contract-names.ts";
import type { EntryPoints } from "./imports.ts";

/** What starts by itself. */
export const ENTRY_POINTS: EntryPoints = {
  product: [
    "src/main.ts",
    // Started as a thread by embed/onnx.ts.
    "src/embed/onnx-worker.ts",
    // Started as a thread by token-counter.ts.
    "src/service/bpe-worker.ts",
    // Started as a thread by hooks/builtin.ts.
    "src/hooks/builtin-worker.ts",
    // Started as a thread by recall/client.ts.
    "src/recall-worker.ts",
    // Started as a thread by documents/read.ts.
    "src/transport/documents/document-worker.ts",
    // Started as a process by verify.ts.
    "src/storage/lmdb/verify-child.ts",
    // Started as a process by verify.ts: damage that crashes LMDB then ends only the child.
    "src/storage/lmdb/verify-child.ts",
    // The model engine: what tests and the conformance suite compare the LMDB engine with.
    "src/storage/memory/store.ts",
  ],
  development: [
    /^vitest\.config\.ts$/,
    /^(bench|bench\/(recall|context|facts|summaries|compare)|examples\/\w+|test\/conformance)\/main\.ts$/,
    // Processes that benches and crash tests start.
    /^bench\/(echo-server|lmdb-commit)\.ts$/,
    // The process that bench/compare measures each index in.
    /^bench\/compare\/measure\.ts$/,
    // Measure the vector search, the index of recall and the embedders by themselves.
    /^bench\/(vectors|recall-index|embedders)\.ts$/,
    /^test\/crash\/(lmdb|documents)-writer\.ts$/,
    // Loaded into a server by its tests, which break it on purpose.
    /^test\/crash\/broken-(jobs|marks|promotion|removal|rows)\.ts$/,
    /^test\/support\/ending-index\.ts$/,
    // Processes on the bare store, which its tests start and kill.
    /^test\/support\/lmdb-(load|opener|reader)\.ts$/,
    /^tools\/(build|fix|gen|reference\/main|test|vector-kernel|verify)\.ts$/,
    /^clients\/typescript\/src\/index\.ts$/,
    /^clients\/typescript\/examples\/\w+\.ts$/,
    // A program of docs/hooks.md, which runs it.
    /^examples\/hooks\/worker\.ts$/,
  ],
};

/** Where banned code is in its place. A path with a slash at its end stands for a folder. */
export const ALLOWED: Readonly<Record<string, readonly Allowed[]>> = {
  environment: [{ path: "src/config.ts", reason: "the only reader of the environment" }],
  clock: [
    { path: "src/service/event-feed.ts", reason: "measures a wait; nothing stored depends on it" },
    { path: "src/service/wake-pacer.ts", reason: "how long waking the watchers took" },
    { path: "src/storage/lmdb/store.ts", reason: "how old a reading of the free space is" },
    { path: "src/storage/lmdb/writer.ts", reason: "how long a commit took" },
  ],
  exit: [{ path: "src/main.ts", reason: "ends the process after a stop or a fault" }],
  "default export": [{ path: "vitest.config.ts", reason: "vitest asks for it" }],
};

/** Names of the contract that a language cannot use as they are. */
export const NAMES_THAT_STAY: readonly NameException[] = [];
