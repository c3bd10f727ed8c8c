// Failures that the contract documents for each rpc. The client of the contract tests compares
// every failure with them, so an undocumented one fails its test.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../../../proto/memorysidecar/v1");

/** Reasons that every rpc, every mutation and every mutation other than a delete may answer. */
export interface CommonReasons {
  readonly all: readonly string[];
  readonly mutations: readonly string[];
  readonly writes: readonly string[];
}

interface Rpc {
  readonly reasons: ReadonlySet<string>;
  readonly isMutation: boolean;
}

const RPC = /((?: *\/\/.*\n)+) *rpc (\w+)\((\w+)\) returns \(/g;
const REASON = /`([A-Z][A-Z_]+)`/g;
const ALL = /Every rpc may also fail with (.+?);/;
const MUTATIONS = / every mutation with (.+?),/;
const WRITES = /and every mutation but the deletes with (.+?)\./;

function reasonsIn(text: string | undefined): string[] {
  return [...(text ?? "").matchAll(REASON)].map(([, reason = ""]) => reason);
}

function plain(comment: string): string {
  return comment.replaceAll(/^ *\/\/ ?/gm, "").replaceAll(/\s+/g, " ");
}

function readRpcs(sources: readonly string[]): ReadonlyMap<string, Rpc> {
  const all = sources.join("\n");
  return new Map(
    [...all.matchAll(RPC)].map(([, comment = "", name = "", request = ""]) => {
      const [, list] = comment.split(/\/\/ Errors:\n/);
      const fields = new RegExp(`^message ${request} \\{(.*?)^\\}`, "ms").exec(all)?.[1] ?? "";
      const isMutation = /\bstring request_id = /.test(fields);
      return [name, { reasons: new Set(reasonsIn(list && plain(list))), isMutation }] as const;
    }),
  );
}

function readCommon(sources: readonly string[]): CommonReasons {
  const text = plain(sources.join("\n"));
  const find = (pattern: RegExp): string[] => {
    const reasons = reasonsIn(pattern.exec(text)?.[1]);
    if (reasons.length === 0) throw new Error(`no comment tells the errors of ${pattern}`);
    return reasons;
  };
  return { all: find(ALL), mutations: find(MUTATIONS), writes: find(WRITES) };
}

const SOURCES = globSync("*.proto", { cwd: FOLDER }).map((file) =>
  readFileSync(join(FOLDER, file), "utf8"),
);
const RPCS = readRpcs(SOURCES);

/** Failures documented once for all rpcs. */
export const COMMON_REASONS: CommonReasons = readCommon(SOURCES);

/** Failures in the comments of the rpcs, as `Rpc REASON`. */
export function documentedFailures(): string[] {
  return [...RPCS].flatMap(([rpc, { reasons }]) =>
    [...reasons].map((reason) => `${rpc} ${reason}`),
  );
}

/** Whether the contract documents a reason for an rpc. */
export function isDocumented(rpc: string, reason: string): boolean {
  const told = RPCS.get(rpc);
  if (told === undefined) throw new Error(`the contract has no rpc ${rpc}`);
  const { all, mutations, writes } = COMMON_REASONS;
  if (told.reasons.has(reason) || all.includes(reason)) return true;
  if (!told.isMutation) return false;
  return mutations.includes(reason) || (writes.includes(reason) && !/^(?:Delete|Clear)/.test(rpc));
}
