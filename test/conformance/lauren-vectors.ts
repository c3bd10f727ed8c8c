// lauren-ai: VectorStore. It is a collection of documents of a namespace; a search is one with
// TF-IDF scoring, which gives documents that score 0 as well.

import { Document } from "../../clients/typescript/src/gen/memorysidecar/v1/document.ts";
import type { MetadataCondition } from "../../clients/typescript/src/gen/memorysidecar/v1/filter.ts";
import { RecallFilter } from "../../clients/typescript/src/gen/memorysidecar/v1/recall.ts";
import { type Adapter, bindAdapter, type Context, type Table } from "./adapter.ts";
import { atLeast } from "./compare.ts";
import {
  type Json,
  type JsonObject,
  listOf,
  needNumber,
  needText,
  numberOf,
  objectOf,
  textOf,
} from "./json.ts";
import { ifFound } from "./session.ts";

/** The source's default number of hits. */
const K = 5;

interface State {
  readonly context: Context;
  ready: Promise<unknown> | undefined;
}

function documentOf(source: JsonObject): Document {
  const values = listOf(source["embedding"], "embedding");
  return Document.fromPartial({
    documentId: textOf(source["id"], "id") ?? "",
    text: textOf(source["content"], "content") ?? "",
    metadata: objectOf(source["metadata"], "metadata"),
    ...(values.length === 0
      ? {}
      : { embedding: { values: values.map((value) => needNumber(value, "a value")) } }),
  });
}

async function upsertAll({ rpc }: Context, documents: readonly Document[]): Promise<string[]> {
  if (documents.length === 0) return [];
  const answer = await rpc.call("upsertDocuments", { documents: [...documents] });
  return answer.documents.map(({ documentId }) => documentId);
}

/** Does something once the documents of the case are there. */
function filled<A>(act: (context: Context, argument: A) => unknown) {
  return async (state: State, argument: A): Promise<unknown> => {
    const { context } = state;
    const given = listOf(context.kase.given["documents"], "documents");
    state.ready ??= upsertAll(
      context,
      given.map((each) => documentOf(objectOf(each, "a document"))),
    );
    await state.ready;
    return await act(context, argument);
  };
}

function matchOf(document: Document | undefined, score: number): object {
  const { documentId = "", text, metadata, embedding } = document ?? {};
  return atLeast({
    id: documentId,
    content: text,
    score,
    // The contract has nothing where the source has an empty object.
    metadata: metadata ?? {},
    embedding: embedding?.values,
  });
}

async function upsert(context: Context, op: JsonObject): Promise<string> {
  const [id = ""] = await upsertAll(context, [documentOf(op)]);
  return id;
}

/** Every pair of the source's filter must be equal. */
function conditionsOf(filter: Json | undefined): MetadataCondition[] {
  return Object.entries(objectOf(filter, "filter")).map(([path, value]) => ({
    path,
    test: { $case: "equalTo", value },
  }));
}

async function search({ rpc }: Context, op: JsonObject): Promise<readonly object[]> {
  const query = needText(op["query"], "query");
  const pageSize = numberOf(op["k"], "k") ?? K;
  // None, and less than none, is none in the source; the contract has no such page.
  if (pageSize <= 0) return [];
  const metadata = conditionsOf(op["filter"]);
  const { hits } = await rpc.call("recall", {
    ...{ query, pageSize, scoring: "tf_idf", includeEmbeddings: true },
    filter: RecallFilter.fromPartial({ collectionIds: ["default"], metadata }),
  });
  return hits.map(({ record, score }) =>
    matchOf(record?.$case === "document" ? record.value : undefined, score),
  );
}

/** Gives a document with the score 1 that the source gives it; nothing when there is none. */
async function get({ rpc }: Context, op: JsonObject): Promise<object | null> {
  const documentId = needText(op["id"], "id");
  const call = rpc.call("getDocument", { documentId, includeEmbedding: true });
  const found = await ifFound(call, null);
  return found === null ? null : matchOf(found.document, 1);
}

async function remove({ rpc }: Context, op: JsonObject): Promise<void> {
  const ids = listOf(op["ids"] ?? [op["id"] ?? null], "ids").map((id) => needText(id, "an id"));
  if (ids.length > 0)
    await rpc.call("deleteDocuments", { documentIds: [...new Set(ids)], allowMissing: true });
}

const OPERATIONS: Table<State, JsonObject> = {
  upsert: filled(upsert),
  search: filled(search),
  get: filled(get),
  delete: filled(remove),
  clear: filled(async ({ rpc }) => {
    await rpc.call("clearCollection", { collectionId: "default" });
  }),
};

/** Opens the adapter of lauren-ai's vector store. */
export function vectorStore(context: Context): Adapter {
  return bindAdapter<State>({ context, ready: undefined }, OPERATIONS, {});
}
