// Puts payloads to the documents of an answer. A payload is read on its own, after its document, so
// the two are compared by their revisions; a source gives its payload once, with its first chunk.

import type { CollectionRef, StoredDocument } from "../store/store.ts";
import type { RecallParts } from "./parts.ts";
import { chunkId } from "./rules/splitter.ts";

/** Number of times that a document replaced during a read is read again. */
const TRIES_MAX = 3;

/** Reads the payloads of one answer. */
export class PayloadReader {
  readonly #context: RecallParts["context"];
  /** The document that each payload was read with: a hit may be read again before it is taken. */
  readonly #given = new Map<string, string>();

  constructor({ context }: Pick<RecallParts, "context">) {
    this.#context = context;
  }

  /**
   * The document with its payload, both of one revision.
   *
   * @param isMeant - The test that the document has passed; one that replaced it must, too.
   * @returns Undefined when it is gone, no longer meant, or replaced over and over.
   */
  async complete(
    ref: CollectionRef,
    document: StoredDocument,
    isMeant: (document: StoredDocument) => boolean,
  ): Promise<StoredDocument | undefined> {
    let current: StoredDocument | undefined = document;
    for (let tries = 0; current !== undefined && tries < TRIES_MAX; tries++) {
      if (!isMeant(current)) return undefined;
      const completed = await this.#completed(ref, current);
      if (completed !== undefined) return completed;
      current = await this.#again(ref, current);
    }
    return undefined;
  }

  /** Undefined when the document or its payload was replaced meanwhile. */
  async #completed(
    ref: CollectionRef,
    document: StoredDocument,
  ): Promise<StoredDocument | undefined> {
    const { documentId, etagRevision, payloadBytes, sourceId } = document;
    const holderId = sourceId === "" ? documentId : chunkId(sourceId, 0);
    const name = JSON.stringify([ref.collectionId, holderId]);
    const isGiven = (this.#given.get(name) ?? documentId) !== documentId;
    if ((sourceId === "" && payloadBytes === 0) || isGiven) return document;
    const holder = await this.#context.store.readPayload(ref, holderId);
    // The payload of a source goes with its first chunk, when that is deleted on its own.
    if (sourceId !== "" && holder?.sourceId !== sourceId) return document;
    if (holder?.etagRevision !== etagRevision) return undefined;
    this.#given.set(name, documentId);
    return { ...document, payload: holder.payload };
  }

  async #again(
    { collectionId, namespace }: CollectionRef,
    { documentNo }: StoredDocument,
  ): Promise<StoredDocument | undefined> {
    const place = { after: documentNo - 1, last: documentNo, limit: 1 };
    const page = await this.#context.store.listDocuments({ namespace, collectionId, ...place });
    return page.documents[0];
  }
}
