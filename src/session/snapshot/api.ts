// The inputs and results of exports and imports, in domain terms. As everywhere in the service, a
// mutation takes an `encode` function for its answer.

import type { MessageDraft, MessageStamp } from "../../core/codec.ts";
import type { StoredEntry } from "../../store/store.ts";
import type { Policy } from "../../window/policy/policy.ts";
import type { SeqRange } from "../../window/rules/types.ts";
import type { PolicyState, Session, SessionFields, SessionRef } from "../rules/session.ts";

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
  /** Gives the metadata, from that of a session that is replaced. Throws SNAPSHOT_INVALID. */
  readonly metadata: (before: Uint8Array) => Uint8Array;
  readonly policy?: Policy;
  /** The policy when neither the document nor a replaced session has one. */
  readonly defaultPolicy: Policy;
  /** Empty for none. */
  readonly summaryText: string;
  /** Those without an id get one from the server. */
  readonly messages: readonly MessageDraft[];
  /** Number of the oldest messages that are only in the log. */
  readonly outside: number;
  readonly summaries: readonly DocumentSummary[];
}

/** A summary that stands among the messages of a document. */
export interface DocumentSummary {
  /** Empty asks the server for an id. */
  readonly messageId: string;
  readonly text: string;
  /** Number of messages before it. */
  readonly after: number;
  /** When the first message that it stands for was said. */
  readonly firstMs: number;
  readonly metadata: Uint8Array;
}

/** Reads and writes the documents of other systems. Implemented by the transport. */
export interface DocumentCodec {
  /**
   * Reads a document, which may take a while and is done beside the main thread if so. Throws
   * SNAPSHOT_INVALID and WINDOW_FULL.
   */
  read(format: string, document: Uint8Array): Promise<DocumentSession>;
  /** Stops the reading under way. */
  close(): Promise<void>;
}

/** The content of a chunk. */
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
  /** The name of a known format. */
  readonly format: string;
  readonly replace: boolean;
  /** Empty for the first chunk. */
  readonly uploadId: string;
  readonly chunkIndex: number;
  readonly more: boolean;
  readonly content: ChunkContent;
  readonly encode: (result: ImportProgress) => Uint8Array;
}

/** Progress of an import. */
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
