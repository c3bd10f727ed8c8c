// Provokes the failures of the rpcs on documents and of recall.

import { MessageForm } from "../../../../src/gen/memorysidecar/v1/message.ts";
import { type Hook, HookFailure, type Hooks } from "../../../../src/hooks/port.ts";
import { hooksOf, MANUAL_HOOKS, TEST_HOOK_SETTINGS } from "../../hooks/hooks.ts";
import { type Failure, startContractServer, type TestClient } from "../client.ts";
import { document, embedding, message, recallFilter, record } from "../samples.ts";
import { failInForm } from "./messages.ts";
import { type ErrorScene, sameWay, type Ways } from "./scene.ts";

const filter = recallFilter({ collectionIds: ["default"] });

/** Rpcs that need vectors. */
const EMBEDS: Readonly<Record<string, (client: TestClient) => Promise<Failure>>> = {
  Embed: (client) => client.fail("embed", { texts: ["otter"] }),
  Recall: (client) => client.fail("recall", { query: "otter", scoring: "cosine", filter }),
};

/** Hooks with an embedder that fails in this way. */
function failingEmbedder(failure: HookFailure): Hooks {
  const vectors: Hook = {
    ...{ name: "vectors", kind: "grpc", settings: TEST_HOOK_SETTINGS },
    embedder: {
      ...{ model: "vectors:otter:2", dimensions: 2, batchSize: 2 },
      embed: async () => {
        throw failure;
      },
    },
  };
  return { ...hooksOf([vectors]), embedder: { kind: "hook", hook: "vectors" } };
}

function embedderWays(reason: string, hooks: Hooks): Ways {
  return Object.fromEntries(
    Object.entries(EMBEDS).map(([rpc, ask]) => [
      `${rpc} ${reason}`,
      async () => {
        await using server = await startContractServer({ hooks });
        const documents = [document({ documentId: "page", text: "An otter." })];
        await server.client.call("upsertDocuments", { documents });
        return await ask(server.client);
      },
    ]),
  );
}

/** A document of a record, in a collection of its own. */
async function ofRecord({ client, fresh }: ErrorScene) {
  const collectionId = fresh();
  const search = { collectionId, documents: [document({ text: "An otter." })], documentCount: 0 };
  await client.call("putRecord", { record: record({ path: ["p"], key: collectionId, search }) });
  const { documents } = await client.call("listDocuments", { collectionId });
  return { collectionId, documentId: documents[0]?.documentId ?? "" };
}

/** Creates a collection in a namespace that has as many as it may. */
async function upsertTooMany(scene: ErrorScene): Promise<Failure> {
  const { client, fresh, whileMemoryIsFull } = scene;
  const documents = [document({ documentId: "page", text: "x" })];
  const request = { namespace: fresh(), collectionId: "new", documents };
  return await whileMemoryIsFull(() => client.fail("upsertDocuments", request));
}

/** Creates a collection with the document `page`. */
async function collected({ client, fresh }: ErrorScene): Promise<string> {
  const collectionId = fresh();
  const documents = [document({ documentId: "page", text: "An otter." })];
  await client.call("upsertDocuments", { collectionId, documents });
  return collectionId;
}

/** The failures of documents and recall, by rpc. */
export const RECALL_WAYS: Ways = {
  ...sameWay("DOCUMENT_NOT_FOUND", ["getDocument", "deleteDocuments"], { allowMissing: false }),
  ...sameWay("PAGE_TOKEN_INVALID", ["listDocuments", "listCollections", "recall"], {
    pageToken: "x",
  }),
  "UpsertDocuments ETAG_MISMATCH": async (scene) => {
    const collectionId = await collected(scene);
    const documents = [document({ documentId: "page", text: "Two otters.", etag: "x" })];
    return await scene.client.fail("upsertDocuments", { collectionId, documents });
  },
  "UpsertDocuments COLLECTION_LIMIT_REACHED": upsertTooMany,
  "UpsertDocuments DOCUMENT_OF_RECORD": async (scene) => {
    const { collectionId, documentId } = await ofRecord(scene);
    const documents = [document({ documentId, text: "Own." })];
    return await scene.client.fail("upsertDocuments", { collectionId, documents });
  },
  "DeleteDocuments DOCUMENT_OF_RECORD": async (scene) => {
    const { collectionId, documentId } = await ofRecord(scene);
    const request = { collectionId, documentIds: [documentId] };
    return await scene.client.fail("deleteDocuments", request);
  },
  "ClearCollection DOCUMENT_OF_RECORD": async (scene) => {
    const { collectionId } = await ofRecord(scene);
    return await scene.client.fail("clearCollection", { collectionId });
  },
  "DeleteDocuments ETAG_MISMATCH": async (scene) => {
    const collectionId = await collected(scene);
    const request = { collectionId, documentIds: ["page"], etag: "x" };
    return await scene.client.fail("deleteDocuments", request);
  },
  "AssembleContext WINDOW_FULL": (scene) => failInForm(scene, "assembleContext"),
  "AssembleContext CONTEXT_BUDGET_TOO_SMALL": async ({ client }) => {
    const sessionId = "small-budget";
    const messages = [message({ text: "A question of some words." })];
    await client.call("appendMessages", { sessionId, createSession: true, messages });
    const form = MessageForm.OPENAI_CHAT;
    return await client.fail("assembleContext", { sessionId, form, maxTokens: 2 });
  },
  ...sameWay("EMBEDDING_MISMATCH", ["recall"], { embedding: embedding() }),
  ...sameWay("HOOK_NOT_CONFIGURED", ["recall"], { rerank: { hook: "nobody", candidates: 0 } }),
  ...embedderWays(
    "EMBEDDER_UNAVAILABLE",
    failingEmbedder(new HookFailure("unreachable", "It is down.")),
  ),
  ...embedderWays("HOOK_FAILED", failingEmbedder(new HookFailure("refused", "It refuses."))),
  ...embedderWays("EMBEDDER_OFF", { ...MANUAL_HOOKS, embedder: { kind: "none" } }),
};
