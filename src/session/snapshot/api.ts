// The inputs and results of exports and imports, in domain terms. As everywhere in the service, a
// mutation takes an `encode` function for its answer.

import type { SnapshotFormat } from "../domain/event.ts";
import type { Policy } from "../domain/policy.ts";
import type { PolicyState, Session, SessionFields, SessionRef } from "../domain/session.ts";
import type { SeqRange } from "../domain/window/types.ts";
import type { StoredEntry } from "../storage/store.ts";
import type { MessageDraft, MessageStamp } from "./codec.ts";

/** A session as a snapshot says it was; checked, but for what needs its log. */
export interface ImportedSession {
  /** The id it had; empty when the snapshot names none. */
  readonly sessionId: string;
  readonly fields: Omit<SessionFields, "etagRevision">;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Sound in itself: rising, from 1 to the last seq. */
  readonly windowRanges: readonly SeqRange[];
  readonly policyState: PolicyState;
  readonly updateMs: number;
}

/** A message of a native snapshot, checked, and what it says of itself. */
export interface ImportedMessage {
  readonly draft: MessageDraft;
  readonly stamp: Omit<MessageStamp, "writer" | "etag">;
}

/** A session out of a document of another system. Its messages get their seqs in order. */
export interface DocumentSession {
  /** Unset where the document does not say: then that of the session that is replaced. */
  readonly userId?: string;
  readonly metadata?: Uint8Array;
  readonly policy?: Policy;
  /** The policy when neither the document nor a replaced session has one. */
  readonly defaultPolicy: Policy;
  /** Empty for none. */
  readonly summaryText: string;
  /** Those without an id get one from the server. */
  readonly messages: readonly MessageDraft[];
  /** How many of the oldest messages are in the log only. */
  readonly outside: number;
  readonly summaries: readonly DocumentSummary[];
}

/** A summary that stands among the messages of a document. */
export interface DocumentSummary {
  /** Empty asks the server for an id. */
  readonly messageId: string;
  readonly text: string;
  /** How many messages stand before it. */
  readonly after: number;
  readonly createMs: number;
}

/** Reads and writes the documents of other systems. Implemented by the transport. */
export interface DocumentCodec {
  /**
   * Reads a document, which may take a while and is done beside the main thread if so. Throws
   * SNAPSHOT_INVALID and WINDOW_FULL.
   */
  read(format: DocumentFormat, document: Uint8Array): Promise<DocumentSession>;
  /** Stops the reading under way. */
  close(): Promise<void>;
}

export type DocumentFormat = Exclude<SnapshotFormat, "native">;

/** What a chunk brings. */
export type ChunkContent =
  | {
      readonly kind: "native";
      /** Checks and gives the header. Throws SNAPSHOT_INVALID. Undefined when there is none. */
      readonly header: (() => ImportedSession) | undefined;
      readonly messageCount: number;
      /** Checks and gives a message. Throws SNAPSHOT_INVALID. */
      readonly message: (index: number) => ImportedMessage;
    }
  | { readonly kind: "document"; readonly bytes: Uint8Array };

/** A chunk of an import. */
export interface ImportChunk extends SessionRef {
  readonly format: SnapshotFormat;
  readonly replace: boolean;
  /** Empty for the first chunk. */
  readonly uploadId: string;
  readonly chunkIndex: number;
  readonly more: boolean;
  readonly content: ChunkContent;
  readonly encode: (result: ImportProgress) => Uint8Array;
}

/** How far an import has come. */
export type ImportProgress =
  | { readonly session: Session }
  | { readonly uploadId: string; readonly nextChunkIndex: number };

/** A window for a document, and the session it is of. */
export interface ExportedWindow {
  readonly session: Session;
  /** Inserts included, by rising position. */
  readonly entries: readonly StoredEntry[];
  /** When it was read. */
  readonly nowMs: number;
}
