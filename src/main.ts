#!/usr/bin/env node
// The command line. `npm start` runs it with --max-semi-space-size=16, which halves the slowest
// answers under load, and UV_THREADPOOL_SIZE=16 gives the store more threads for its commits; both
// must be set before Node starts, so they cannot be set here.

import { existsSync } from "node:fs";
import { extname, join } from "node:path";

import { ConfigError, configHelp, printConfig, readConfig } from "./config.ts";
import { SYSTEM_WORLD } from "./lib/world.ts";
import { parseAddress } from "./transport/address.ts";
import { VERSION } from "./version.ts";

/** What the process says when it ends. */
const EXIT = { ok: 0, damaged: 1, usage: 64, fault: 70, inUse: 73 } as const;

const HELP = `memory-sidecar ${VERSION}: keeps the memory of an agent.

Usage:
  memory-sidecar serve [FLAGS]      serve until SIGTERM or SIGINT; a second signal does not wait
  memory-sidecar verify DIR         check every record of a data directory that nobody serves
  memory-sidecar new-history DIR    make a copy a store of its own, before it is served; see below
  memory-sidecar config [FLAGS]     print the configuration that serve would use
  memory-sidecar health [ADDRESS]   ask a running server whether it serves
  memory-sidecar version
  memory-sidecar help

Flags of serve and config, also as variables (--data-dir is MEMORY_SIDECAR_DATA_DIR) and as keys of
a JSON file (data_dir). Flags win over variables, variables over the file.
  --config FILE
      The JSON file. Also MEMORY_SIDECAR_CONFIG.
${configHelp()}

Run new-history on a back-up that is put back, and on any other copy whose original was served after
it was taken: resume tokens, page tokens, etags and consumers of the original are refused from then
on, because they may name what the copy never held. It prints the id of the new history.

Exit codes:
  0   all is well
  1   verify found damage, or health found no serving server
  64  the command line or the configuration is wrong
  70  an internal fault, or a commit that failed
  73  another process owns the data directory
`;

function print(text: string): void {
  process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

function complain(error: unknown): void {
  process.stderr.write(`memory-sidecar: ${error instanceof Error ? error.message : error}\n`);
}

async function runServe(args: readonly string[]): Promise<number | undefined> {
  const settings = readConfig(args);
  const { serve } = await import("./serve.ts");
  await serve(settings, {
    exit: (code) => process.exit(code),
    onSignal: (signal, listener) => process.on(signal, listener),
    onFault: (listener) => {
      process.on("uncaughtException", listener);
      process.on("unhandledRejection", listener);
    },
  });
  return undefined;
}

async function runVerify(args: readonly string[]): Promise<number> {
  const [directory, ...rest] = args;
  if (directory === undefined || rest.length > 0) throw new ConfigError(["verify needs one DIR"]);
  const { verifyDirectory } = await import("./storage/lmdb/verify.ts");
  const factsModule = new URL(
    `./transport/convert/facts${extname(import.meta.filename)}`,
    import.meta.url,
  );
  const report = await verifyDirectory(directory, { factsModule });
  print(JSON.stringify(report, null, 2));
  return report.clean ? EXIT.ok : EXIT.damaged;
}

async function runNewHistory(args: readonly string[]): Promise<number> {
  const [directory, ...rest] = args;
  if (directory === undefined || rest.length > 0) {
    throw new ConfigError(["new-history needs one DIR"]);
  }
  if (!existsSync(join(directory, "data.mdb"))) {
    throw new ConfigError([`${directory} is not the data directory of a store`]);
  }
  const { openLmdbStore } = await import("./storage/lmdb/store.ts");
  const { readFacts } = await import("./transport/convert/facts.ts");
  const store = await openLmdbStore({
    ...{ directory, readFacts, newHistory: true },
    // Whoever serves it decides about that.
    allowNetworkFilesystem: true,
  });
  print(store.historyId);
  await store.close();
  return EXIT.ok;
}

async function runHealth(args: readonly string[]): Promise<number> {
  const [given, ...rest] = args;
  if (rest.length > 0) throw new ConfigError(["health takes one ADDRESS at most"]);
  const address = given === undefined ? readConfig([]).listen[0] : parseAddress(given);
  if (address === undefined) throw new ConfigError(["health needs an ADDRESS"]);
  const { probe } = await import("./transport/probe.ts");
  const problem = await probe(address, SYSTEM_WORLD.nowMs());
  if (problem === undefined) return EXIT.ok;
  complain(problem);
  return EXIT.damaged;
}

/** Runs a subcommand; gives the exit code, or undefined while the process goes on. */
async function run(
  command: string | undefined,
  args: readonly string[],
): Promise<number | undefined> {
  switch (command) {
    case "serve":
      return await runServe(args);
    case "verify":
      return await runVerify(args);
    case "new-history":
      return await runNewHistory(args);
    case "config":
      print(printConfig(readConfig(args)));
      return EXIT.ok;
    case "health":
      return await runHealth(args);
    case "version":
    case "--version":
      print(VERSION);
      return EXIT.ok;
    case "help":
    case "--help":
    case "-h":
      print(HELP);
      return EXIT.ok;
    default:
      throw new ConfigError([
        command === undefined ? "no command was given" : `"${command}" is not a command`,
        'try "memory-sidecar help"',
      ]);
  }
}

function codeOf(error: unknown): number {
  if (error instanceof ConfigError) return EXIT.usage;
  // Compared by name: the class lives beside lmdb, which only serve loads.
  if (error instanceof Error && error.name === "StoreInUseError") return EXIT.inUse;
  return EXIT.fault;
}

const [command, ...args] = process.argv.slice(2);
try {
  const code = await run(command, args);
  if (code !== undefined) process.exitCode = code;
} catch (error) {
  complain(error);
  process.exit(codeOf(error));
}
