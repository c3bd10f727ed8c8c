// Port for reading and writing messages without knowing their wire form, which is the
// transport's: drafts that callers gave, what the server adds, and what is made for a window.

import type { Event, EventType } from "../events/rules/event.ts";
import type { MemoryScope } from "../memory/rules/memory.ts";
import type { TextPiece } from "../recall/rules/splitter.ts";
import type { KeptRecord, RecordDocumentDraft } from "../records/rules/record.ts";
import type { WindowInsert } from "../session/rules/session.ts";
import type { Trust } from "../summary/rules/summary.ts";
import type { TokenRule } from "../window/policy/policy.ts";
import type { CountedContent } from "../window/policy/token-rules.ts";
import type { MessageDetail, Role, SeqRange, WindowFacts } from "../window/rules/types.ts";

/** A message as a caller gave it, before the server's fields. */
export interface MessageDraft {
  /** Empty asks the server for one. */
  readonly messageId: string;
  readonly role: Role;
  /** The name of the speaker or of the tool; may be empty. */
  readonly name: string;
  readonly callIds: readonly string[];
  /** As in WindowFacts. */
  readonly answers: readonly string[];
  readonly isResult: boolean;
  /** For a tool message: the tool failed. */
  readonly toolError: boolean;
  /** Those of `answers` whose tool failed, by the message or by the part that answers. */
  readonly failedIds: readonly string[];
  /** Token count from the caller; undefined asks the server to count. */
  readonly tokenCount: number | undefined;
  readonly imageCount: number;
  /** Content that costs tokens, split for the rules. Made on demand. */
  counted(): CountedContent;
  /** The decoded wire message; only the codec looks inside. */
  readonly wire: unknown;
}

/** Fields of a message that the server sets. */
export interface MessageStamp {
  readonly messageId: string;
  readonly seq: number;
  readonly tokenCount: number;
  readonly tokenRule: TokenRule;
  readonly writer: string;
  readonly createMs: number;
  readonly updateMs: number;
  readonly etag: string;
}

/** A stored message with changes applied. */
export interface MergedMessage {
  /** The message after the change. Its `tokenCount` is set only when the change gives one. */
  readonly draft: MessageDraft;
  /** As stored, before the change. */
  readonly stamp: MessageStamp;
  /** Something that costs tokens was among the paths. */
  readonly contentChanged: boolean;
}

/** The fields in which a draft and a stored message differ. */
export interface MessageChanges {
  /** As UpdateMessage names them; none for a draft of the same content. */
  readonly paths: readonly string[];
  /** Something that costs tokens is among them. */
  readonly contentChanged: boolean;
}

/** Reads and writes the wire forms that are stored. Implemented by the transport. */
export interface Codec {
  /** The wire form of a message. Source and trust follow from the role. */
  encodeMessage(draft: MessageDraft, stamp: MessageStamp): Uint8Array;
  /** Facts of a stored message for the window rules. */
  readFacts(bytes: Uint8Array): WindowFacts;
  /** Details for conditions, duplicates and shortening. */
  readDetail(bytes: Uint8Array): MessageDetail;
  /** The text of a message and its time. */
  readSpeech(bytes: Uint8Array): Speech;
  /**
   * The wire form of a stored message with its texts cut to about `keptChars` code points in all,
   * and with this token count.
   */
  shortenMessage(
    bytes: Uint8Array,
    keptChars: number,
    tokenCount: number,
    marker?: string,
  ): Uint8Array;
  /** Trust of a stored message. */
  readTrust(bytes: Uint8Array): Trust;
  /** The wire form of a stored message with a text behind its own, and with this token count. */
  appendText(bytes: Uint8Array, suffix: string, tokenCount: number): Uint8Array;
  /** A message of a mere text, as a caller could have given it. */
  draftOf(said: PlainMessage): MessageDraft;
  /** The wire form of a document that holds a summary, or of a chunk of one. */
  encodeSummaryDocument(
    summary: {
      readonly trust: Trust;
      readonly labels: ReadonlyMap<string, string>;
      /** Whom it belongs to. */
      readonly scope: MemoryScope;
    },
    stamp: DocumentStamp,
  ): Uint8Array;
  /** The wire form of a document of a record: it has the owner and the ttl of this. */
  encodeRecordDocument(
    draft: RecordDocumentDraft,
    record: Pick<KeptRecord, "path" | "key" | "owner" | "ttlMs"> & { readonly index: number },
    stamp: DocumentStamp,
  ): Uint8Array;
  /** The wire form of a message that the server makes and that is not in the log. */
  encodeMade(made: MadeMessage): Uint8Array;
  /** A stored message as it came, its count apart, and the fields of the server. */
  decodeMessage(stored: Uint8Array): Pick<MergedMessage, "draft" | "stamp">;
  /** The changes of a stored message if every field of a draft is taken. */
  changesOf(stored: Uint8Array, draft: MessageDraft): MessageChanges;
  /** Applies the fields named by `paths` of `draft` to a stored message. */
  mergeMessage(stored: Uint8Array, draft: MessageDraft, paths: readonly string[]): MergedMessage;
  /** The wire form of an event. */
  encodeEvent(event: Event): Uint8Array;
  /**
   * The seqs of the messages that an event appends, changes or deletes, also by a trim that
   * discards; undefined for others.
   */
  readEventSeqs(body: Uint8Array): readonly SeqRange[] | undefined;
  /** Whether the change of an event erased texts from the store. */
  readEventErases(event: { readonly type: EventType; readonly body: Uint8Array }): boolean;
}

/** Fields of a document that the server sets. */
export interface DocumentStamp {
  readonly documentId: string;
  readonly collectionId: string;
  /** The text to store: that of the chunk, for a chunk. */
  readonly text: string;
  readonly chunk: TextPiece["chunk"];
  readonly writer: string;
  readonly createMs: number;
  readonly updateMs: number;
  readonly etag: string;
  /** Size of its payload, for a chunk that of its source. Default 0. */
  readonly payloadBytes?: number;
}

/** A message that is nothing but a text. */
export interface PlainMessage {
  readonly role: Role;
  readonly text: string;
  /** When it was said; undefined for when it is stored. */
  readonly sentMs: number | undefined;
}

/** Speech of a stored message. */
export interface Speech {
  /** The text and the text parts, joined by line breaks; results of tools are not among them. */
  readonly text: string;
  /** When it was said, or else stored. */
  readonly saidMs: number;
}

/** A message that stands in the window only. */
export interface MadeMessage {
  readonly messageId: string;
  readonly kind: WindowInsert["kind"] | "call";
  /** A filled result is a tool message; what a summary is follows from its shape. */
  readonly role: Role;
  readonly trust: Trust;
  readonly text: string;
  readonly tokenCount: number;
  /** For a result: the call it answers and the tool; for a call its id, also the tool's name. */
  readonly toolCallId: string;
  readonly name: string;
  /** For a call: its arguments, a JSON object. */
  readonly arguments?: string;
  /** For a result: the tool did not fail. Default false. */
  readonly succeeded?: boolean;
  /** 0 for a result that is made for one read. */
  readonly createMs: number;
  /** Metadata from an imported document. */
  readonly metadata?: Uint8Array;
}
