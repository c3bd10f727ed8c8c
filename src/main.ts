#!/usr/bin/env node
// The command line. `npm start` runs it with --max-semi-space-size=16, which halves the slowest
// answers under load; UV_THREADPOOL_SIZE=16 gives the store more threads for its commits;
// MALLOC_ARENA_MAX=1 keeps glibc from holding memory for each of them. All must be set
// before Node starts, so they cannot be set here.

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { ConfigError, configHelp, printConfig, readConfig, readObjectStore } from "./config.ts";
import { mcpHelp, readMcpConfig } from "./config-mcp.ts";
import type { Trust } from "./edge/dial.ts";
import { FACTS_MODULE } from "./facts-module.ts";
import { formatAddress, parseAddress, StartError } from "./grpc/address.ts";
import { SYSTEM_WORLD } from "./kit/world.ts";
import { INDEX_FOLDER } from "./recall/saved/index-files.ts";
import type { BackUp } from "./store/backup/back-up.ts";
import type { Restored } from "./store/backup/restore.ts";
import { VERSION } from "./version.ts";

/** Exit codes of the process. */
const EXIT = { ok: 0, damaged: 1, usage: 64, fault: 70, inUse: 73 } as const;

const HELP = `memory-sidecar ${VERSION}: keeps the memory of an agent.

Usage:
  memory-sidecar serve [FLAGS]      serve until SIGTERM or SIGINT; a second signal does not wait
  memory-sidecar verify DIR         check every record of a data directory that nobody serves
  memory-sidecar prove-erased DIR --words FILE
                                    search the raw files of DIR for the words of FILE; see below
  memory-sidecar backup DIR BACKUP  copy a data directory that nobody serves into a new directory
  memory-sidecar backup ADDRESS BACKUP [--token-file FILE] [--tls-ca FILE]
                                    the same from a running server
  memory-sidecar backup DIR|ADDRESS s3://BUCKET/PREFIX [--endpoint URL] [--keep COUNT]
                                    the same into object storage; see below
  memory-sidecar restore BACKUP DIR make a back-up the store of an empty directory
  memory-sidecar restore s3://BUCKET/PREFIX DIR [--endpoint URL]
                                    the same with a back-up in object storage, or the newest of them
  memory-sidecar compact DIR        shrink the data file of a directory that nobody serves
  memory-sidecar compact ADDRESS [--token-file FILE] [--tls-ca FILE]
                                    the same by a running server, which goes on serving
  memory-sidecar new-history DIR    make a copy a store of its own, before it is served; see below
  memory-sidecar mcp [FLAGS]        offer the memory of a running server to a model: speak the Model
                                    Context Protocol on the standard streams; see below
  memory-sidecar config [FLAGS]     print the configuration that serve would use
  memory-sidecar health             ask the server of the variables below whether it serves
  memory-sidecar health ADDRESS [--tls-ca FILE]
                                    the same of another server, with --tls-ca over TLS
  memory-sidecar version
  memory-sidecar help

Flags of serve and config, also as variables (--data-dir is MEMORY_SIDECAR_DATA_DIR) and as keys of
a JSON file (data_dir). Flags win over variables, variables over the file.
  --config FILE
      The JSON file. Also MEMORY_SIDECAR_CONFIG.
${configHelp()}

Flags of mcp, also as variables (--user is MEMORY_SIDECAR_MCP_USER). Flags win over variables.
${mcpHelp()}

backup, restore and compact check every record of the result, show progress on the standard error
and print a report as JSON. restore begins a new history.

With s3://, the keys come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, the
region from AWS_REGION, and the endpoint from AWS_ENDPOINT_URL unless --endpoint gives it. backup
makes the back-up in the folder for temporary files (TMPDIR), uploads it, reads it back, and with
--keep removes older ones of the same store beyond so many. restore fetches it beside DIR first.

Run new-history on any other copy whose original was served after it was taken: resume tokens, page
tokens, etags and consumers of the original are refused from then on, because they may name what the
copy never held. It prints the id of the new history.

prove-erased reads FILE as UTF-8, one word or phrase of 4 to 4,096 bytes on each line, at most
1,000, and names each one that it finds by its line. It searches every file of DIR, free pages
included, for the bytes of a word as it is, in lower case, folded as keys are, and as escaped in
JSON. Stop the server first: one that runs may write what the search has passed.

Exit codes:
  0   all is well
  1   damage was found, prove-erased found a word, or health found no serving server
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
  const [directory] = exactly(1, args, "verify needs one DIR");
  const { verifyDirectory } = await import("./store/verify/verify.ts");
  const report = await verifyDirectory(directory, { factsModule: FACTS_MODULE });
  print(JSON.stringify(report, null, 2));
  return report.clean ? EXIT.ok : EXIT.damaged;
}

async function runProveErased(args: readonly string[]): Promise<number> {
  const { positionals, values } = readWords(args, ["words"]);
  const needs = "prove-erased needs one DIR and --words FILE";
  const [directory] = exactly(1, positionals, needs);
  const file = values["words"];
  if (file === undefined) throw new ConfigError([needs]);
  if (!existsSync(directory)) throw new ConfigError([`there is no directory ${directory}`]);
  const { parseWords, proveErased } = await import("./store/verify/prove-erased.ts");
  let words: ReturnType<typeof parseWords>;
  try {
    words = parseWords(readFileSync(file, "utf8"));
  } catch (error) {
    throw new ConfigError([(error as Error).message]);
  }
  const report = proveErased(directory, words);
  print(JSON.stringify(report, null, 2));
  return report.erased ? EXIT.ok : EXIT.damaged;
}

async function runNewHistory(args: readonly string[]): Promise<number> {
  const [directory] = exactly(1, args, "new-history needs one DIR");
  if (!existsSync(join(directory, "data.mdb"))) {
    throw new ConfigError([`${directory} is not the data directory of a store`]);
  }
  const { openLmdbStore } = await import("./store/lmdb/store.ts");
  const { readFacts } = await import("./session/facts-wire.ts");
  const store = await openLmdbStore({
    ...{ directory, readFacts, newHistory: true },
    // Whoever serves it decides about that.
    allowNetworkFilesystem: true,
  });
  print(store.historyId);
  await store.close();
  return EXIT.ok;
}

interface Progress {
  readonly step: string;
  readonly bytes: number;
  readonly totalBytes: number;
}

/** Shows progress, at most once a second. */
function showProgress(): (progress: Progress) => void {
  let shownMs = 0;
  let shown = "";
  return ({ step, bytes, totalBytes }) => {
    const now = SYSTEM_WORLD.nowMs();
    if (step === shown && now - shownMs < 1_000) return;
    [shown, shownMs] = [step, now];
    const percent = totalBytes === 0 ? 100 : Math.floor((bytes / totalBytes) * 100);
    process.stderr.write(`memory-sidecar: ${step}, ${percent} % of ${totalBytes} bytes\n`);
  };
}

const COPY_OPTIONS = { factsModule: FACTS_MODULE, onProgress: showProgress() };

async function runBackUp(args: readonly string[]): Promise<number> {
  const flags = ["token-file", "tls-ca", "endpoint", "keep"] as const;
  const { values, positionals } = readWords(args, flags);
  const [from, to] = exactly(2, positionals, "backup needs a DIR or an ADDRESS, and a BACKUP");
  const { parseObjectPlace, uploadBackUp } = await import("./store/backup/object-store.ts");
  const place = parseObjectPlace(to);
  if (place === undefined) {
    checkNoneOf(["endpoint", "keep"], values);
    print(JSON.stringify(await makeBackUp(from, resolve(to), values), null, 2));
    return EXIT.ok;
  }
  const store = readObjectStore(values["endpoint"]);
  const keep = values["keep"] === undefined ? undefined : Number(values["keep"]);
  if (keep !== undefined && !(Number.isSafeInteger(keep) && keep > 0)) {
    throw new ConfigError(["--keep is a number of back-ups from 1 on"]);
  }
  const folder = mkdtempSync(join(tmpdir(), "memory-sidecar-"));
  try {
    const directory = join(folder, "backup");
    const made = await makeBackUp(from, directory, values);
    const { onProgress } = COPY_OPTIONS;
    const stored = await uploadBackUp(store, place, { directory, keep, onProgress });
    print(JSON.stringify({ ...made, ...stored }, null, 2));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return EXIT.ok;
}

async function makeBackUp(from: string, target: string, values: Words["values"]): Promise<BackUp> {
  const { backUp, backUpDirectory } = await import("./store/backup/back-up.ts");
  const options = { ...COPY_OPTIONS, target, version: VERSION, startMs: SYSTEM_WORLD.nowMs() };
  const isDirectory = statSync(from, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isDirectory) return await backUpDirectory(resolve(from), options);
  const { fetchBackUp } = await import("./edge/running-server.ts");
  const server = serverOf(from, values);
  return await backUp((file) => fetchBackUp(server, file, COPY_OPTIONS.onProgress), options);
}

function checkNoneOf(flags: readonly string[], values: Words["values"]): void {
  const given = flags.find((flag) => values[flag] !== undefined);
  if (given !== undefined) throw new ConfigError([`--${given} goes with s3://BUCKET/PREFIX only`]);
}

/** A running server, with the flags of a command that asks it. */
function serverOf(address: string, values: Words["values"]) {
  return {
    address: parseAddress(address),
    tokenFile: values["token-file"],
    trust: trustOf("tls-ca", values["tls-ca"]),
  };
}

/** The certificates of a file that a setting names. */
function trustOf(setting: Trust["setting"], file: string | undefined): Trust | undefined {
  return file === undefined ? undefined : { setting, certificates: readFileSync(file) };
}

interface Words {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | undefined>>;
}

/** The words of a command that needs so many of them. */
function exactly(
  count: 1 | 2,
  words: readonly string[],
  problem: string,
): readonly [string, string] {
  const [first = "", second = ""] = words;
  if (words.length !== count) throw new ConfigError([problem]);
  return [first, second];
}

/** Reads the words of a command whose flags all have a value. */
function readWords(args: readonly string[], flags: readonly string[]): Words {
  try {
    const options = Object.fromEntries(flags.map((flag) => [flag, { type: "string" } as const]));
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new ConfigError([(error as Error).message]);
  }
}

async function runRestore(args: readonly string[]): Promise<number> {
  const { values, positionals } = readWords(args, ["endpoint"]);
  const [from, to] = exactly(2, positionals, "restore needs a BACKUP and a DIR");
  const directory = resolve(to);
  const { downloadBackUp, parseObjectPlace } = await import("./store/backup/object-store.ts");
  const place = parseObjectPlace(from);
  if (place === undefined) {
    checkNoneOf(["endpoint"], values);
    print(JSON.stringify(await restoreFrom(resolve(from), directory, from), null, 2));
    return EXIT.ok;
  }
  const store = readObjectStore(values["endpoint"]);
  const folder = mkdtempSync(join(dirname(directory), ".memory-sidecar-"));
  try {
    const backUp = join(folder, "backup");
    await downloadBackUp(store, place, { directory: backUp, onProgress: COPY_OPTIONS.onProgress });
    print(JSON.stringify(await restoreFrom(backUp, directory, from), null, 2));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return EXIT.ok;
}

async function restoreFrom(backUp: string, directory: string, name: string): Promise<Restored> {
  const { restore } = await import("./store/backup/restore.ts");
  const { readFacts } = await import("./session/facts-wire.ts");
  return await restore(backUp, directory, { ...COPY_OPTIONS, readFacts, name });
}

async function runCompact(args: readonly string[]): Promise<number> {
  const { values, positionals } = readWords(args, ["token-file", "tls-ca"]);
  const [what] = exactly(1, positionals, "compact needs one DIR or ADDRESS");
  // An address names a port or a socket, and a path may be missing.
  if (/^(unix:|.*:\d+$)/.test(what) && !existsSync(what)) {
    const { compactRunning } = await import("./edge/running-server.ts");
    const made = await compactRunning(serverOf(what, values), COPY_OPTIONS.onProgress);
    print(JSON.stringify(made, null, 2));
    return EXIT.ok;
  }
  const { compactDirectory } = await import("./store/backup/compact.ts");
  const made = await compactDirectory(resolve(what), COPY_OPTIONS);
  // A killed server may have left words in it that are erased since.
  rmSync(join(resolve(what), INDEX_FOLDER), { recursive: true, force: true });
  print(JSON.stringify(made, null, 2));
  return EXIT.ok;
}

async function runMcp(args: readonly string[]): Promise<number> {
  const { server, ...settings } = readMcpConfig(args);
  const { serveMcp } = await import("./mcp/stdio.ts");
  try {
    await serveMcp({ ...settings, address: formatAddress(server), version: VERSION });
  } catch (error) {
    throw error instanceof StartError ? new ConfigError([error.message]) : error;
  }
  return EXIT.ok;
}

async function runHealth(args: readonly string[]): Promise<number> {
  const { values, positionals } = readWords(args, ["tls-ca"]);
  const [given, ...rest] = positionals;
  if (rest.length > 0) throw new ConfigError(["health takes one ADDRESS at most"]);
  const { listen, tlsCert } =
    given === undefined ? readConfig([]) : { listen: [parseAddress(given)], tlsCert: undefined };
  const trust = trustOf("tls-ca", values["tls-ca"]) ?? trustOf("tls-cert", tlsCert);
  const { probe } = await import("./edge/probe.ts");
  const problem = await probe(listen, trust, SYSTEM_WORLD.nowMs());
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
    case "prove-erased":
      return await runProveErased(args);
    case "backup":
      return await runBackUp(args);
    case "restore":
      return await runRestore(args);
    case "compact":
      return await runCompact(args);
    case "new-history":
      return await runNewHistory(args);
    case "mcp":
      return await runMcp(args);
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

function codeOf(error: unknown, command: string | undefined): number {
  if (error instanceof ConfigError) return EXIT.usage;
  const isDamage = (error as { reason?: unknown }).reason === "RECORD_CORRUPT";
  if (isDamage && command !== "serve") return EXIT.damaged;
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
  process.exit(codeOf(error, command));
}
