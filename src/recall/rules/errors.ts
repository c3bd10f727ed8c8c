// Expected failures of recall and documents; see domain/errors.ts.

import { AppError, hookFailed, resourceError } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";

/** The document does not exist. */
export function documentNotFound(documentId: string): AppError {
  const problem = "The document does not exist in this collection.";
  return resourceError("DOCUMENT_NOT_FOUND", "Document", documentId, problem);
}

/** A record alone writes and deletes the document. */
export function documentOfRecord(documentId: string): AppError {
  return new AppError(
    "DOCUMENT_OF_RECORD",
    "The document belongs to a record, which its field `record` names. Put or delete that record.",
    { metadata: { document_id: documentId } },
  );
}

/** A collection that holds documents of records cannot be cleared. */
export function collectionOfRecords(collectionId: string, count: number): AppError {
  return new AppError(
    "DOCUMENT_OF_RECORD",
    `The collection holds ${count} documents of records. Delete those records first, or put them ` +
      "without documents.",
    { metadata: { collection_id: collectionId, documents: count } },
  );
}

/** The namespace has as many collections as it may. */
export function collectionLimitReached(): AppError {
  const limit = LIMITS.collections;
  return new AppError(
    "COLLECTION_LIMIT_REACHED",
    `The namespace has ${limit} collections, which is the limit. Clear one first.`,
    { metadata: { limit } },
  );
}

/** The model of some vectors, and how many values they have. */
export interface VectorKind {
  readonly model: string;
  readonly dimensions: number;
}

/**
 * A vector cannot be compared with those of this model. `own` is what callers gave with documents
 * that were searched; none by default.
 */
export function embeddingMismatch({ model, dimensions }: VectorKind, own?: VectorKind): AppError {
  const others = own === undefined ? "" : `, and than the collection's own, such as ${nameOf(own)}`;
  return new AppError(
    "EMBEDDING_MISMATCH",
    `The vector is of another model or length than ${nameOf({ model, dimensions })}${others}.`,
    { metadata: { model, dimensions } },
  );
}

function nameOf({ model, dimensions }: VectorKind): string {
  return `${JSON.stringify(model)} with ${dimensions} values`;
}

/** The embedder was too slow, busy or away. */
export function embedderUnavailable(cause?: unknown): AppError {
  return new AppError("EMBEDDER_UNAVAILABLE", "The embedder is slow, busy or unreachable. Retry.", {
    cause,
  });
}

/**
 * The embedder fails in a way that another try does not change as long as its settings stay what
 * they are.
 */
export function embedderFailed(hook: string, failure: string, cause: unknown): AppError {
  const problem =
    `The embedder returned no usable vectors (${failure}). Correct the settings of its hook, ` +
    "such as url, model, key_file and dimensions, or shorten the text.";
  return hookFailed(hook, problem, cause);
}

/** There are no vectors to compare with. */
export function embedderOff(problem = "The server has no embedder."): AppError {
  return new AppError("EMBEDDER_OFF", problem);
}
