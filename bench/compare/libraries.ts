// Types of the libraries, limited to the calls of the bench. The bench alone installs them and
// loads them by name, so everything else compiles and runs without them.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

async function load<T>(name: string): Promise<T> {
  return (await import(name)) as T;
}

/** The part of minisearch that the bench calls. */
export interface MiniSearchModule {
  readonly default: new (options: {
    readonly fields: readonly string[];
    readonly processTerm?: (term: string) => string | false;
  }) => {
    addAll(documents: readonly { readonly id: number; readonly text: string }[]): void;
    search(query: string): { readonly id: number }[];
  };
}

/** An index of usearch. */
export interface UsearchIndex {
  add(keys: BigUint64Array, vectors: Float32Array, threads: number): void;
  search(
    vector: Float32Array,
    k: number,
    threads: number,
  ): {
    readonly keys: BigUint64Array;
  };
}

/** The part of usearch that the bench calls. */
export interface UsearchModule {
  readonly Index: new (options: {
    readonly metric: string;
    readonly quantization: string;
    readonly dimensions: number;
    readonly connectivity: number;
    readonly expansion_add: number;
    readonly expansion_search: number;
  }) => UsearchIndex;
}

/** A query of LanceDB. */
export interface LanceQuery {
  nearestTo(vector: Float32Array): LanceQuery;
  distanceType(type: string): LanceQuery;
  refineFactor(factor: number): LanceQuery;
  fullTextSearch(query: unknown): LanceQuery;
  where(predicate: string): LanceQuery;
  limit(count: number): LanceQuery;
  select(columns: readonly string[]): LanceQuery;
  toArray(): Promise<{ readonly id: number }[]>;
}

/** A table of LanceDB. */
export interface LanceTable {
  createIndex(column: string, options: { readonly config: unknown }): Promise<void>;
  query(): LanceQuery;
}

/** The part of LanceDB that the bench calls. */
export interface LanceModule {
  connect(path: string): Promise<{ createTable(name: string, data: unknown): Promise<LanceTable> }>;
  readonly Index: {
    hnswSq(options: { readonly distanceType: string }): unknown;
    fts(options: { readonly stem: boolean; readonly removeStopWords: boolean }): unknown;
  };
  readonly MatchQuery: new (query: string, column: string) => unknown;
}

/** The part of apache-arrow that the bench calls. */
export interface ArrowModule {
  readonly Int32: new () => unknown;
  readonly Float32: new () => unknown;
  readonly Utf8: new () => unknown;
  readonly Field: new (name: string, type: unknown, nullable: boolean) => unknown;
  readonly FixedSizeList: new (size: number, field: unknown) => unknown;
  readonly Table: new (columns: Readonly<Record<string, unknown>>) => unknown;
  makeData(parts: Readonly<Record<string, unknown>>): unknown;
  makeVector(data: unknown): unknown;
  vectorFromArray(values: readonly string[], type: unknown): unknown;
}

/** Loads minisearch. */
export const loadMiniSearch = (): Promise<MiniSearchModule> => load("minisearch");
/** Loads usearch. */
export const loadUsearch = (): Promise<UsearchModule> => load("usearch");
/** Loads LanceDB. */
export const loadLance = (): Promise<LanceModule> => load("@lancedb/lancedb");
/** Loads apache-arrow, the input format of LanceDB. */
export const loadArrow = (): Promise<ArrowModule> => load("apache-arrow");

/** Opens an in-memory database with sqlite-vec. */
export async function openSqliteVec(): Promise<DatabaseSync> {
  const { getLoadablePath } = await load<{ getLoadablePath(): string }>("sqlite-vec");
  const database = new DatabaseSync(":memory:", { allowExtension: true });
  database.loadExtension(getLoadablePath());
  return database;
}

/** Makes a folder for tables, which is removed when the process ends. */
export function tableFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "memory-sidecar-compare-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The installed version of a library and its licence; undefined when it is not installed. */
export function versionOf(library: string): string | undefined {
  const path = join(import.meta.dirname, "node_modules", library, "package.json");
  try {
    const { version, license } = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
    return `${library} ${version} (${license})`;
  } catch {
    return undefined;
  }
}
