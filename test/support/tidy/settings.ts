// Exceptions from the tidy rules. Each entry says why; an entry that nothing needs is a problem.

import type { Allowed } from "./banned.ts";
import type { NameException } from "./contract-names.ts";
import type { EntryPoints, KnownImport } from "./imports.ts";
import type { SmallFiles } from "./sizes.ts";

/** Files that start without an import. */
export const ENTRY_POINTS: EntryPoints = {
  product: [
    "src/main.ts",
    // Started as a thread by embed/onnx.ts.
    "src/recall/embed/onnx-worker.ts",
    // Started as a thread by token-counter.ts.
    "src/core/bpe-worker.ts",
    // Started as a thread by hooks/builtin.ts.
    "src/hooks/builtin-worker.ts",
    // Started as a thread by recall/client.ts.
    "src/recall-worker.ts",
    // Started as a thread by documents/read.ts.
    "src/session/forms/document-worker.ts",
    // Started as a thread by start-check.ts.
    "src/store/engine/page-check-worker.ts",
    // Started as a process by verify.ts: damage that crashes LMDB then ends only the child.
    "src/store/verify/verify-child.ts",
    // Started as a process by copy-store.ts: a copy does not delay the answers of a server.
    "src/store/backup/copy-child.ts",
  ],
  development: [
    /^vitest\.(integrations\.)?config\.ts$/,
    /^(bench|bench\/(recall|context|facts|summaries|compare)|examples\/\w+|test\/(conformance|golden|oracle))\/main\.ts$/,
    // Loaded by vitest.config.ts while the golden corpus is recorded.
    /^test\/golden\/recorder\.ts$/,
    // Processes that benches and crash tests start.
    /^bench\/clients\/overhead\.ts$/,
    /^bench\/(echo-server|lmdb-commit)\.ts$/,
    // Measurements that a person starts.
    /^bench\/(checks|clients|cores|costs|fairness|floor|plain-commits|profile|versus)\.ts$/,
    /^bench\/(recall-memory|recall-restart)\.ts$/,
    // The process that bench/compare measures each index in.
    /^bench\/compare\/measure\.ts$/,
    // Measure the vector search, the index of recall, the embedders and back-ups by themselves.
    /^bench\/(vectors|recall-index|embedders|back-up)\.ts$/,
    /^test\/crash\/(lmdb|documents|records)-writer\.ts$/,
    // Loaded into a server by its tests, which break it on purpose.
    /^test\/crash\/broken-(jobs|marks|promotion|removal|rows)\.ts$/,
    /^test\/support\/recall\/ending-index\.ts$/,
    // Processes on the bare store, which its tests start and kill.
    /^test\/support\/store\/lmdb-(load|opener|reader)\.ts$/,
    /^tools\/(build|fix|gen|reference\/main|release|smoke|test|vector-kernel|verify)\.ts$/,
    /^clients\/typescript\/(integrations\/[\w-]+\/)?src\/(adapters\/)?index\.ts$/,
    /^clients\/typescript\/examples\/\w+\.ts$/,
    // The process that the Claude Agent SDK starts in the tests of its integration.
    /^clients\/typescript\/integrations\/claude-agent\/test\/scripted-cli\.ts$/,
    // The agent of examples/README.md, which test/languages runs.
    /^examples\/agent\/agent\.ts$/,
    // A program of docs/hooks.md, which runs it.
    /^examples\/hooks\/worker\.ts$/,
  ],
};

/** Places where banned code is allowed. A path with a slash at its end stands for a folder. */
export const ALLOWED: Readonly<Record<string, readonly Allowed[]>> = {
  environment: [{ path: "src/config.ts", reason: "the only reader of the environment" }],
  clock: [
    { path: "src/events/event-feed.ts", reason: "measures a wait; nothing stored depends on it" },
    { path: "src/events/wake-pacer.ts", reason: "how long waking the watchers took" },
    { path: "src/store/lmdb/store.ts", reason: "how old a reading of the free space is" },
    { path: "src/store/lmdb/start-check.ts", reason: "how long a start has looked at pages" },
    { path: "src/store/backup/copy-child.ts", reason: "how fast it copies" },
  ],
  exit: [{ path: "src/main.ts", reason: "ends the process after a stop or a fault" }],
  "default export": [
    { path: "vitest.config.ts", reason: "vitest asks for it" },
    { path: "vitest.integrations.config.ts", reason: "vitest asks for it" },
  ],
};

/** Imports that point up for now; the list only gets shorter. */
export const KNOWN_IMPORTS: readonly KnownImport[] = [];

/** Names of the contract that a language cannot use as they are. */
export const NAMES_THAT_STAY: readonly NameException[] = [];

/** Files of src that are small for a reason. */
export const SMALL_FILES: readonly SmallFiles[] = [
  { files: /-(worker|child)\.ts$/, reason: "starts as a thread or process of its own" },
  { files: /^src\/\w+\/(api|rpc)\.ts$/, reason: "a part that each feature has under this name" },
  { files: /^src\/recall\/parts\.ts$/, reason: "what the use cases of recall are made of" },
  { files: /^src\/compat\/\w+\/context\.ts$/, reason: "one source system's contexts" },
  { files: /^src\/compat\/(forms|profiles)\.ts$/, reason: "the table of what the systems add" },
  { files: /^src\/recall\/vector\/kernel-bytes\.ts$/, reason: "made by tools/vector-kernel.ts" },
  { files: /^src\/version\.ts$/, reason: "raised by each release, and read without the rest" },
  { files: /^src\/facts-module\.ts$/, reason: "names a module that it must not load" },
  { files: /^src\/kit\/checksum\.ts$/, reason: "lets rules use a checksum without Node's modules" },
  { files: /^src\/kit\/(etag|life|once)\.ts$/, reason: "one idea that several features share" },
  { files: /^src\/mcp\/fence\.ts$/, reason: "marks the results of all tools alike" },
  { files: /^src\/grpc\/descriptors\.ts$/, reason: "its place is how it finds the contract" },
  { files: /^src\/summary\/builtin\/lines\.ts$/, reason: "the input that all parts of it share" },
  { files: /^src\/session\/log\/wanted-calls\.ts$/, reason: "append.ts, its only user, is full" },
  { files: /^src\/recall\/count-items\.ts$/, reason: "a use case by itself, like its neighbours" },
];
