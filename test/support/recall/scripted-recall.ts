// A recall service that notes what it is asked for and answers what a test says: for what the edge
// makes of requests and answers, whatever the service finds.

import type { Services } from "../../../src/edge/services-api.ts";
import type { Call } from "../../../src/kit/call.ts";
import { ENDLESS } from "../../../src/kit/life.ts";
import type { RecallHit, RecallResult } from "../../../src/recall/api.ts";
import { DOCUMENT_FORMS, toDocumentDraft } from "../../../src/recall/documents/wire.ts";
import type { StoredDocument } from "../../../src/store/store.ts";
import type { TestServer } from "../contract/client.ts";
import { document } from "../contract/samples.ts";

type Recall = Services["recall"];
type Method = keyof Recall;
type InputOf<M extends Method> = Parameters<Recall[M]>[1];
type AnswerOf<M extends Method> = Awaited<ReturnType<Recall[M]>>;

/** Outcomes that a test can script for the service. */
export type RecallScript = {
  readonly [M in Method]?: (input: InputOf<M>, call: Call) => AnswerOf<M> | Promise<AnswerOf<M>>;
};

/** Gives a server a recall service that does what a script says; what it leaves out fails. */
export function scriptRecall(server: TestServer, script: RecallScript): void {
  const recall = new Proxy(script, {
    get: (target, name) => {
      const answer = Reflect.get(target, name) as
        | ((input: unknown, call: Call) => unknown)
        | undefined;
      if (answer === undefined) throw new Error(`not in the script: ${String(name)}`);
      return async (call: Call, input: unknown) => await answer(input, call);
    },
  });
  Object.assign(server.app.services, { recall });
}

/** Answer of a recall without hits. */
export const NOTHING_FOUND: RecallResult = {
  isCalibrated: true,
  hits: [],
  next: undefined,
  groups: [],
  coverage: {
    complete: true,
    pendingCount: 0,
    leftOutCount: 0,
    dense: "off",
    embeddingModel: "",
    withoutVectorCount: 0,
    rerank: "off",
  },
};

/** A document as it is stored, with this text. */
export function storedDocument(
  documentId: string,
  text: string,
  fields: Partial<StoredDocument> = {},
): StoredDocument {
  const draft = toDocumentDraft(document({ documentId, text }));
  const stamp = {
    documentId,
    collectionId: "default",
    text,
    chunk: undefined,
    writer: "local",
    createMs: 1_000,
    updateMs: 1_000,
    etag: "e1",
  };
  return {
    documentId,
    documentNo: 1,
    sourceId: "",
    bytes: DOCUMENT_FORMS.encodeDocument(draft, stamp),
    embedding: undefined,
    createMs: 1_000,
    etagRevision: 1,
    payloadBytes: 0,
    ...ENDLESS,
    ...fields,
  };
}

/** A hit on a document. */
export function documentHit(stored: StoredDocument, fields: Partial<RecallHit> = {}): RecallHit {
  return {
    score: 1,
    relevance: 0.5,
    parts: [],
    record: { kind: "document", collectionId: "docs", document: stored },
    passage: "",
    rerankScore: undefined,
    ...fields,
  };
}
