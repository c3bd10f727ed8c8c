// The compared indexes over texts: ours, and those of libraries with their defaults. Each searches
// for any of the words of a query.

import { DatabaseSync } from "node:sqlite";
import { LexicalIndex } from "../../src/recall/lexical/index.ts";
import { indexTerms, queryTerms } from "../../src/recall/text/terms.ts";
import { STOP_WORDS } from "../../src/recall/text/word.ts";
import type { EngineKind, TextEngine } from "./engines.ts";
import { type LanceTable, loadArrow, loadLance, loadMiniSearch, tableFolder } from "./libraries.ts";

function ours(): TextEngine {
  const index = new LexicalIndex();
  return {
    bytes: () => index.bytes(),
    build: (texts) => {
      for (const [row, text] of texts.entries()) index.add(row, indexTerms(text));
    },
    search: (query, count) =>
      index
        .search(queryTerms(query))
        .top(count)
        .map(({ row }) => row),
  };
}

async function miniSearch(withoutStopWords: boolean): Promise<TextEngine> {
  const { default: MiniSearch } = await loadMiniSearch();
  const processTerm = (term: string): string | false => {
    const word = term.toLowerCase();
    return STOP_WORDS.has(word) ? false : word;
  };
  const index = new MiniSearch({
    fields: ["text"],
    ...(withoutStopWords ? { processTerm } : {}),
  });
  return {
    build: (texts) => index.addAll(texts.map((text, id) => ({ id, text }))),
    search: (query, count) =>
      index
        .search(query)
        .slice(0, count)
        .map(({ id }) => id),
  };
}

/**
 * Node's built-in FTS5 without the texts: only an index, like the others here. It has no stop
 * words, so queries omit them.
 */
function sqliteFts(): TextEngine {
  const database = new DatabaseSync(":memory:");
  database.exec("create virtual table t using fts5(text, content='', tokenize='porter unicode61')");
  return {
    build: (texts) => {
      const insert = database.prepare("insert into t(rowid, text) values (?, ?)");
      database.exec("begin");
      for (const [row, text] of texts.entries()) insert.run(row, text);
      database.exec("commit");
    },
    search: (query, count) => {
      const all = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
      const words = all.filter((word) => !STOP_WORDS.has(word));
      if (words.length === 0) return [];
      const select = `select rowid as id from t where t match ? order by rank limit ${count}`;
      const found = database.prepare(select).all(words.map((word) => `"${word}"`).join(" OR "));
      return found.map(({ id }) => Number(id));
    },
  };
}

async function lance(): Promise<TextEngine> {
  const { connect, Index, MatchQuery } = await loadLance();
  const arrow = await loadArrow();
  let table: LanceTable | undefined;
  return {
    build: async (texts) => {
      const ids = Int32Array.from(texts, (_, row) => row);
      const id = arrow.makeVector(arrow.makeData({ type: new arrow.Int32(), data: ids }));
      const data = new arrow.Table({ id, text: arrow.vectorFromArray(texts, new arrow.Utf8()) });
      table = await (await connect(tableFolder())).createTable("t", data);
      const config = Index.fts({ stem: true, removeStopWords: true });
      await table.createIndex("text", { config });
    },
    search: async (query, count) => {
      const asked = table?.query().fullTextSearch(new MatchQuery(query, "text"));
      const found = await asked?.select(["id"]).limit(count).toArray();
      return (found ?? []).map(({ id }) => id);
    },
  };
}

/** All indexes over texts, ours first. */
export const TEXT_ENGINES: readonly EngineKind<TextEngine>[] = [
  { name: "ours", title: "ours", library: undefined, open: ours },
  {
    ...{ name: "minisearch", title: "minisearch", library: "minisearch" },
    open: () => miniSearch(false),
  },
  {
    ...{ name: "minisearch-stop", title: "minisearch, our stop words", library: "minisearch" },
    open: () => miniSearch(true),
  },
  { name: "fts5", title: "SQLite FTS5, porter", library: undefined, open: sqliteFts },
  { name: "lancedb", title: "LanceDB full text", library: "@lancedb/lancedb", open: lance },
];
