// Rankers of conversations: by the words of each library, by our words alone, and by our whole
// index. All get the same text of a message: its speaker, its date in words, and its content.

import { EVERYONE } from "../../src/memory/rules/scopes.ts";
import { loadStaticEmbedder } from "../../src/recall/embed/static.ts";
import { createEngine, type IndexSettings } from "../../src/recall/index/local.ts";
import type { IndexChange, IndexedRecord, IndexQuery } from "../../src/recall/index/port.ts";
import { LexicalIndex } from "../../src/recall/lexical/index.ts";
import { POOL_PER_LEG, WIDE_POOL_PER_LEG } from "../../src/recall/rank/weights.ts";
import type { RecallFilter } from "../../src/recall/rules/filter.ts";
import { TRUE_MEMORIES } from "../../src/recall/rules/item-tests.ts";
import { indexTextOf, passagesOf } from "../../src/recall/text/passages.ts";
import { indexTerms, queryTerms } from "../../src/recall/text/terms.ts";
import type { SetConversation, SetQuestion, SetTurn } from "../recall/conversation-set.ts";
import { TEXT_ENGINES } from "./text-engines.ts";

const HITS = 10;

/** Returns the turns for a question, best first. */
export type Rank = (question: SetQuestion) => number[] | Promise<number[]>;

/** A way to rank the turns of a conversation. */
export interface Ranker {
  readonly name: string;
  readonly title: string;
  readonly library: string | undefined;
  /** Indexes a conversation. */
  index(conversation: SetConversation): Rank | Promise<Rank>;
}

function textOf({ author, role, timeMs }: SetTurn, passage: string): string {
  const time = timeMs === 0 ? undefined : timeMs;
  return indexTextOf({ speaker: author, role, timeMs: time, passage });
}

/** BM25 over passages; the score of a turn is that of its best passage. */
function ourWords({ turns }: SetConversation): Rank {
  const index = new LexicalIndex();
  const turnOf: number[] = [];
  for (const [at, turn] of turns.entries()) {
    for (const { start, end } of passagesOf(turn.text)) {
      index.add(turnOf.length, indexTerms(textOf(turn, turn.text.slice(start, end))));
      turnOf.push(at);
    }
  }
  return ({ query }) => {
    const best = index.search(queryTerms(query)).top(10 * HITS);
    return [...new Set(best.map(({ row }) => turnOf[row] ?? 0))].slice(0, HITS);
  };
}

const NOTHING: RecallFilter = {
  ...{ kinds: new Set(), sessionIds: [], excludeSessionIds: [], scope: EVERYONE },
  ...{ sessionLabels: new Map(), roles: new Set([1, 2] as const), collectionIds: [] },
  ...{ labels: new Map(), metadata: [], fromMs: undefined, beforeMs: undefined },
  ...{ minTrust: undefined, sourceDocumentId: "", ...TRUE_MEMORIES },
};

function queryOf({ query, askedMs }: SetQuestion, mode: IndexQuery["mode"]): IndexQuery {
  return {
    ...{ text: query, filter: NOTHING, mode, fusion: "scores", weights: {} },
    ...{ minScore: undefined, minRelevance: 0, diversity: 0, hitsPerGroup: undefined },
    ...{ offset: 0, limit: HITS, nowMs: 0, referenceMs: askedMs ?? 0 },
    perLeg: mode === "hybrid" ? POOL_PER_LEG : WIDE_POOL_PER_LEG,
  };
}

function recordOf({ text, author, role, timeMs }: SetTurn): IndexedRecord {
  return {
    ...{ text, author, role: role === "user" ? 1 : 2, trust: 2, timeMs },
    ...{ labels: new Map(), metadata: new Map(), importance: undefined },
    ...{ documentId: "", sourceDocumentId: "" },
  };
}

type Model = Pick<IndexSettings, "model" | "embedText">;

/** The server's index, run in this process. */
function ourRecall({ turns }: SetConversation, mode: IndexQuery["mode"], model: Model): Rank {
  const numberIn = (bytes: Uint8Array): number => new DataView(bytes.buffer).getUint32(0);
  const read = (bytes: Uint8Array): IndexedRecord => {
    const turn = turns[numberIn(bytes)];
    if (turn === undefined) throw new Error("a turn is unknown");
    return recordOf(turn);
  };
  const engine = createEngine({
    codec: { readMessage: read, readDocument: read, readMemory: read },
    ...model,
  });
  const turnsOf = Map.groupBy(turns.keys(), (at) => turns[at]?.session ?? "");
  for (const [id, places] of turnsOf) {
    const info = { userId: "", agentId: "", labels: new Map(), expireMs: undefined };
    const container = { kind: "session", id } as const;
    const items = places.map((at, place) => {
      const bytes = new Uint8Array(4);
      new DataView(bytes.buffer).setUint32(0, at);
      return { position: place + 1, bytes };
    });
    const range = { firstPosition: 1, lastPosition: places.length };
    const changes: IndexChange[] = [
      { kind: "container", container: { ...container, ...info } },
      { kind: "items", container, ...range, items },
    ];
    engine.apply("n", changes);
  }
  while (engine.step());
  return (question) => {
    const { hits } = engine.search("n", queryOf(question, mode));
    return hits.map(({ containerId, position }) => turnsOf.get(containerId)?.[position - 1] ?? 0);
  };
}

function withStatic(): Model {
  const { model: id, dimensions, embedText } = loadStaticEmbedder();
  return { model: { id, dimensions, isLocal: true }, embedText };
}

const LIBRARIES: readonly Ranker[] = TEXT_ENGINES.slice(1).map(({ open, ...kind }) => ({
  ...kind,
  index: async ({ turns }) => {
    const engine = await open();
    await engine.build(turns.map((turn) => textOf(turn, turn.text)));
    return ({ query }) => engine.search(query, HITS);
  },
}));

/** All rankers, ours first. */
export const RANKERS: readonly Ranker[] = [
  {
    ...{ name: "ours", title: "ours, recall by words", library: undefined },
    index: (conversation) => ourRecall(conversation, "lexical", {}),
  },
  {
    ...{ name: "ours-hybrid", title: "ours, recall with `static`", library: undefined },
    index: (conversation) => ourRecall(conversation, "hybrid", withStatic()),
  },
  { name: "ours-bm25", title: "ours, BM25 alone", library: undefined, index: ourWords },
  ...LIBRARIES,
];
