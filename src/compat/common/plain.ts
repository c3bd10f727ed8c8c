// The common form of all snapshot formats: messages without any format, and what
// a format holds beside them.

import type { Role } from "../../window/rules/types.ts";
import type { Json, JsonObject } from "./json.ts";

/** A message apart from any format. */
export interface PlainMessage {
  /** Empty asks the server for one. */
  readonly messageId: string;
  readonly role: Role;
  readonly name: string;
  readonly text: string;
  readonly parts: readonly PlainPart[];
  /** All of them, also those among the parts. */
  readonly toolCalls: readonly PlainCall[];
  readonly agentCalls: readonly { readonly agentName: string; readonly request: string }[];
  readonly toolCallId: string;
  readonly toolError: boolean;
  readonly structuredData: JsonObject | undefined;
  /** Content that only the format understands, kept as a provider payload. */
  readonly payload: Json | undefined;
  /** In seconds since 1970; undefined when the document does not say. */
  readonly sentSeconds: number | undefined;
}

export interface PlainCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote them, or as compact JSON. */
  readonly arguments: string;
}

export type PlainPart =
  | { readonly kind: "text"; readonly text: string }
  | PlainImage
  | { readonly kind: "data"; readonly value: JsonObject }
  | {
      readonly kind: "result";
      readonly toolCallId: string;
      readonly text: string;
      readonly parts: readonly PlainPart[];
      readonly error: boolean;
    }
  /** A tool call with its place, in a format that has such. */
  | { readonly kind: "call"; readonly call: PlainCall };

export interface PlainImage {
  readonly kind: "image";
  /** Either an address or bytes. */
  readonly source: { readonly url: string } | { readonly base64: string };
  readonly mediaType: string;
  readonly detail: string;
}

/** A message of which nothing is said yet. */
export const EMPTY_MESSAGE = {
  messageId: "",
  name: "",
  text: "",
  parts: [],
  toolCalls: [],
  agentCalls: [],
  toolCallId: "",
  toolError: false,
  structuredData: undefined,
  payload: undefined,
  sentSeconds: undefined,
} as const satisfies Omit<PlainMessage, "role">;

/** The part of a message, or of a document's fields, that the plain form cannot hold. */
export interface Leftovers {
  /** Closest spelling that the format has for it; the usual one if unset. */
  readonly shape?: string;
  /** Keys that this way writes and the document had not. */
  readonly absent?: readonly string[];
  /** Keys with the values that the document had. */
  readonly fields?: JsonObject;
}

/** A message with what its plain form does not say. */
export interface ReadMessage {
  readonly message: PlainMessage;
  /** Undefined when the plain form says everything. */
  readonly leftovers: Leftovers | undefined;
}

/** A summary that stands among the messages. */
export interface PlainSummary {
  readonly messageId: string;
  readonly text: string;
  /** Number of messages before it. */
  readonly after: number;
  /** When the first message that it stands for was said, in whole milliseconds. */
  readonly firstMs: number;
  readonly leftovers: Leftovers | undefined;
}

/** The content of a document. */
export interface ReadDocument {
  readonly messages: readonly ReadMessage[];
  readonly summaries: readonly PlainSummary[];
  /** Empty for none. */
  readonly summary: string;
  /** Unset where the document does not say. */
  readonly userId?: string;
  readonly metadata?: JsonObject;
  /** Stored in the session's metadata under the name of the format. */
  readonly kept?: JsonObject;
  /** The options of the format's preset. */
  readonly options: JsonObject;
  /** The document itself says the options: the policy follows it, whatever was there before. */
  readonly hasPolicy: boolean;
  /** Number of the oldest messages that are not in the window. */
  readonly outside: number;
}

/** Input for writing a document. */
export interface WrittenSession {
  readonly sessionId: string;
  readonly userId: string;
  readonly metadata: JsonObject;
  /** Empty for none. */
  readonly summary: string;
  readonly messageCount: number;
  /** Of the first stage that drops the oldest; undefined without one. */
  readonly maxMessages: number | undefined;
  readonly maxTokens: number | undefined;
  readonly stageCount: number;
  readonly nowSeconds: number;
}

/** The surroundings of a message that is written. */
export interface WriteContext {
  readonly sessionId: string;
  readonly userId: string;
  /** The document names messages. */
  readonly named: boolean;
  /** When the message was stored; for a summary, when the first that it stands for was said. */
  readonly createSeconds: number;
  /** The time of the message before it, where the order of a document is that of its times. */
  readonly notBefore: number;
  /** It stands for messages that left the window. */
  readonly isSummary: boolean;
}

/** Location of the messages in a document. */
export type DocumentContext = Pick<WriteContext, "sessionId" | "userId" | "named">;

/** A message by itself. */
export const NO_CONTEXT: WriteContext = {
  sessionId: "",
  userId: "",
  named: true,
  createSeconds: 0,
  notBefore: Number.NEGATIVE_INFINITY,
  isSummary: false,
};

/** A format: how a message and a document are read and written. */
export interface Format {
  /** Location of leftovers in metadata. */
  readonly name: string;
  /** The field with the messages. */
  readonly list: string;
  /** The field of a document that becomes the session's metadata, for faults. */
  readonly metadataField: string;
  /** Content parts may be tool calls. */
  readonly hasCallParts: boolean;
  /** A document is usually the list alone. */
  readonly isBare: boolean;
  /** The ways in which it writes a message, the usual one first. */
  readonly shapes: readonly string[];
  /** Fields of a message that have nothing to do with its content: an edit leaves them alone. */
  readonly lasting: readonly string[];
  /** Fields of a document that are written, once they say something, though it had none of them. */
  readonly telling: readonly string[];
  /** Reads a message. Throws SNAPSHOT_INVALID. */
  readMessage(source: JsonObject, path: string): PlainMessage;
  writeMessage(message: PlainMessage, shape: string, context: WriteContext): JsonObject;
  /** Reads a document. Throws SNAPSHOT_INVALID. */
  readDocument(document: Json): ReadDocument;
  /** Gives the fields of a document beside its messages. */
  fields(session: WrittenSession): JsonObject;
  /** Form of the messages of this document. */
  context(session: WrittenSession): DocumentContext;
}
