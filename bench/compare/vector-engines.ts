// The compared indexes over vectors: ours, and those of libraries with their defaults.

import {
  ALL_ROWS,
  filterWhere,
  NO_ROWS,
  type RowFilter,
} from "../../src/recall/rules/row-filter.ts";
import { VectorArena } from "../../src/recall/vector/arena.ts";
import { VectorBlock } from "../../src/recall/vector/block.ts";
import { bucketOf, type Clusters, K, type Share } from "./clusters.ts";
import type { EngineKind, VectorEngine } from "./engines.ts";
import {
  type LanceTable,
  loadArrow,
  loadLance,
  loadUsearch,
  openSqliteVec,
  tableFolder,
  type UsearchIndex,
} from "./libraries.ts";

function ours(residuals: boolean): VectorEngine {
  let block: VectorBlock | undefined;
  const filters = new Map<Share, RowFilter>();
  return {
    filters: true,
    bytes: () => block?.bytes ?? 0,
    build: ({ list, dimensions, rows }) => {
      block = new VectorBlock(dimensions, { arena: new VectorArena(), residuals });
      for (const [row, vector] of list.entries()) block.put(row, vector);
      while (block.step(1_000_000));
      filters.set(100, ALL_ROWS);
      for (const share of [10, 1] as const) {
        filters.set(
          share,
          filterWhere(rows, (row) => bucketOf(row) < share),
        );
      }
    },
    search: (query, share) => {
      const found = block?.search(query, K, filters.get(share) ?? NO_ROWS);
      return [...(found?.rows ?? [])];
    },
  };
}

/** M 16, 128 and 64 come from its documentation; it gets one thread, as ours does. */
async function usearch(quantization: string): Promise<VectorEngine> {
  const { Index } = await loadUsearch();
  let index: UsearchIndex | undefined;
  return {
    filters: false,
    build: ({ vectors, dimensions, rows }) => {
      const graph = { connectivity: 16, expansion_add: 128, expansion_search: 64 };
      index = new Index({ metric: "cos", quantization, dimensions, ...graph });
      index.add(
        BigUint64Array.from({ length: rows }, (_, row) => BigInt(row)),
        vectors,
        1,
      );
    },
    search: (query) => Array.from(index?.search(query, K, 1).keys ?? [], Number),
  };
}

async function sqliteVec(type: "float" | "int8"): Promise<VectorEngine> {
  const database = await openSqliteVec();
  const made = type === "float" ? "?" : "vec_quantize_int8(?, 'unit')";
  const select = `select rowid as id from v where embedding match ${made} and k = ${K}`;
  const blobOf = (vector: Float32Array): Uint8Array =>
    new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  return {
    filters: true,
    build: ({ list, dimensions }) => {
      database.exec(
        `create virtual table v using vec0(
          embedding ${type}[${dimensions}] distance_metric=cosine, bucket integer)`,
      );
      const insert = database.prepare(
        `insert into v(rowid, embedding, bucket) values (?, ${made}, ?)`,
      );
      database.exec("begin");
      for (const [row, vector] of list.entries()) {
        insert.run(BigInt(row), blobOf(vector), BigInt(bucketOf(row)));
      }
      database.exec("commit");
    },
    search: (query, share) => {
      const filter = share === 100 ? "" : ` and bucket < ${share}`;
      const found = database.prepare(select + filter).all(blobOf(query));
      return found.map(({ id }) => Number(id));
    },
  };
}

async function lanceTable({ vectors, dimensions, rows }: Clusters): Promise<LanceTable> {
  const { connect } = await loadLance();
  const arrow = await loadArrow();
  const item = new arrow.Field("item", new arrow.Float32(), true);
  const child = arrow.makeData({ type: new arrow.Float32(), data: vectors });
  const integers = (of: (row: number) => number): unknown => {
    const data = Int32Array.from({ length: rows }, (_, row) => of(row));
    return arrow.makeVector(arrow.makeData({ type: new arrow.Int32(), data }));
  };
  const list = { type: new arrow.FixedSizeList(dimensions, item), length: rows, child };
  const data = new arrow.Table({
    id: integers((row) => row),
    bucket: integers(bucketOf),
    vector: arrow.makeVector(arrow.makeData({ ...list, nullCount: 0 })),
  });
  return await (await connect(tableFolder())).createTable("v", data);
}

async function lance(indexed: boolean): Promise<VectorEngine> {
  const { Index } = await loadLance();
  let table: LanceTable | undefined;
  return {
    filters: true,
    build: async (data) => {
      table = await lanceTable(data);
      if (!indexed) return;
      await table.createIndex("vector", { config: Index.hnswSq({ distanceType: "cosine" }) });
    },
    search: async (query, share) => {
      if (table === undefined) return [];
      let asked = table.query().nearestTo(query).distanceType("cosine").limit(K);
      if (indexed) asked = asked.refineFactor(10);
      if (share !== 100) asked = asked.where(`bucket < ${share}`);
      return (await asked.select(["id"]).toArray()).map(({ id }) => id);
    },
  };
}

/** All indexes over vectors, ours first. */
export const VECTOR_ENGINES: readonly EngineKind<VectorEngine>[] = [
  { name: "ours", title: "ours, int8", library: undefined, open: () => ours(false) },
  { name: "ours-16", title: "ours, 16 bit", library: undefined, open: () => ours(true) },
  {
    ...{ name: "usearch-f32", title: "usearch, f32 (HNSW)", library: "usearch" },
    open: () => usearch("f32"),
  },
  {
    ...{ name: "usearch-i8", title: "usearch, i8 (HNSW)", library: "usearch" },
    open: () => usearch("i8"),
  },
  {
    ...{ name: "sqlite-vec", title: "sqlite-vec, float (exact)", library: "sqlite-vec" },
    open: () => sqliteVec("float"),
  },
  {
    ...{ name: "sqlite-vec-int8", title: "sqlite-vec, int8 (scan)", library: "sqlite-vec" },
    open: () => sqliteVec("int8"),
  },
  {
    ...{ name: "lancedb", title: "LanceDB, flat (exact)", library: "@lancedb/lancedb" },
    open: () => lance(false),
  },
  {
    ...{ name: "lancedb-hnsw", title: "LanceDB, HNSW_SQ, refined", library: "@lancedb/lancedb" },
    open: () => lance(true),
  },
];
