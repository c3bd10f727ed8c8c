// What every format of a snapshot is turned into and made of: messages without any format, and what
// a format holds beside them.

import type { Role } from "../window/types.ts";
import type { Json, JsonObject } from "./json.ts";

/** A message apart from any format. */
export interface PlainMessage {
  /** Empty asks the server for one. */
  readonly messageId: string;
  readonly role: Role;
  readonly name: string;
  readonly text: string;
  readonly parts: readonly PlainPart[];
  readonly toolCalls: readonly PlainCall[];
  readonly agentCalls: readonly { readonly agentName: string; readonly request: string }[];
  readonly toolCallId: string;
  readonly toolError: boolean;
  readonly structuredData: JsonObject | undefined;
  /** What only the format itself understands, kept as a provider payload. */
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
    };

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

/** What of a message of a document its plain form does not say. */
export interface Leftovers {
  /** Which of the format's ways to write it comes closest; the first when unset. */
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
  /** How many messages stand before it. */
  readonly after: number;
  readonly createSeconds: number;
}

/** What a document says. */
export interface ReadDocument {
  readonly messages: readonly ReadMessage[];
  readonly summaries: readonly PlainSummary[];
  /** Empty for none. */
  readonly summary: string;
  /** Unset where the document does not say. */
  readonly userId?: string;
  readonly metadata?: JsonObject;
  /** The options of the format's preset. */
  readonly options: JsonObject;
  /** The document itself says the options: the policy follows it, whatever was there before. */
  readonly hasPolicy: boolean;
  /** How many of the oldest messages are not in the window. */
  readonly outside: number;
}

/** What a document is written from. */
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

/** What is known of a message beside itself when it is written. */
export interface WriteContext {
  readonly sessionId: string;
  readonly userId: string;
  /** When the message was stored. */
  readonly createSeconds: number;
  /** It stands for messages that left the window. */
  readonly isSummary: boolean;
}

/** Where the messages of a document stand. */
export type DocumentContext = Pick<WriteContext, "sessionId" | "userId">;

/** A format: how a message and a document are read and written. */
export interface Format {
  /** The ways in which it writes a message, the usual one first. */
  readonly shapes: readonly string[];
  /** Reads a message. Throws SNAPSHOT_INVALID. */
  readMessage(source: JsonObject, path: string): PlainMessage;
  writeMessage(message: PlainMessage, shape: string, context: WriteContext): JsonObject;
  /** Reads a document. Throws SNAPSHOT_INVALID. */
  readDocument(document: Json): ReadDocument;
  /** Gives what stands before and after the messages, which are separated by commas. */
  frame(session: WrittenSession): { readonly head: string; readonly tail: string };
  /** How the messages of this document are written. */
  context(session: WrittenSession): DocumentContext;
}
