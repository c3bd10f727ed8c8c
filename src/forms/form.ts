// The shape between the message forms of model APIs and our own messages. It has the vocabulary of
// Message, and the few things besides that only a form holds: they stay in the payload, never in
// the fields.

import type { Json } from "../compat/common/json.ts";
import { ROLE, type Role } from "../window/rules/types.ts";

/** The forms, by the names that clients use. */
export const FORM_NAMES = ["openai_chat", "openai_responses", "anthropic", "gemini"] as const;

export type FormName = (typeof FORM_NAMES)[number];

/** A message apart from any form. */
export interface FormMessage {
  readonly role: Role;
  /** The role as the form names it, where ours is less specific. */
  readonly providerRole: string;
  readonly name: string;
  readonly parts: readonly FormPart[];
  /** Names of what only the form of the message knows: marks for caches, citations and so on. */
  readonly extras: readonly string[];
}

/** Fields of all parts. */
interface AnyPart {
  /** The part as its form wrote it. Unset for one that the form writes otherwise. */
  readonly raw?: Json | undefined;
}

export interface TextPart extends AnyPart {
  readonly kind: "text";
  readonly text: string;
}

export interface ImagePart extends AnyPart {
  readonly kind: "image";
  readonly source: Source;
  readonly mediaType: string;
  readonly detail: string;
}

export interface FilePart extends AnyPart {
  readonly kind: "file";
  readonly source: Source;
  readonly mediaType: string;
  readonly name: string;
}

/** A place of bytes: an address, the bytes, or an id that only their provider knows. */
export type Source =
  | { readonly url: string }
  | { readonly base64: string }
  | { readonly id: string }
  /** Bytes of a stored message whose payload is gone. */
  | { readonly lost: true };

export interface ReasoningPart extends AnyPart {
  readonly kind: "reasoning";
  readonly text: string;
  readonly summaries: readonly string[];
  readonly signature: string;
  readonly id: string;
  readonly redacted: boolean;
}

export interface CallPart extends AnyPart {
  readonly kind: "call";
  readonly id: string;
  readonly name: string;
  /** As the model wrote them, or as compact JSON. */
  readonly arguments: string;
  /** The arguments are free text, of a tool without a schema. */
  readonly isCustom: boolean;
}

export interface ResultPart extends AnyPart {
  readonly kind: "result";
  /** Empty: answers the nearest call that has no result. */
  readonly callId: string;
  readonly parts: readonly FormPart[];
  readonly isError: boolean;
  /** Place of the id in the JSON of a request. */
  readonly path?: string;
}

/** A part of a message. */
export type FormPart =
  | TextPart
  | ImagePart
  | FilePart
  | ReasoningPart
  | CallPart
  | ResultPart
  /** The model declines. */
  | (AnyPart & { readonly kind: "refusal"; readonly text: string })
  /** JSON that the model sees. */
  | (AnyPart & { readonly kind: "json"; readonly text: string })
  /** A part that only its form knows. */
  | (AnyPart & { readonly kind: "other"; readonly type: string; readonly value: Json });

/** A message as it stands in a window or a log. */
export interface Line {
  readonly messageId: string;
  /** Position in the log; a fraction for what stands in the window only. */
  readonly seq: number;
  readonly message: FormMessage;
  /** The form whose payload the message has; undefined without one. */
  readonly origin: FormName | undefined;
  /** The JSON text of the message in its form, while the fields still say the same. */
  readonly exact: string | undefined;
}

/** Kinds of differences between messages and their form. */
export type NoteKind =
  | "dropped"
  | "as-text"
  | "attribute-dropped"
  | "moved"
  | "added"
  | "id-replaced";

/** A difference between a message and its form. */
export interface Note {
  /** Empty for what belongs to no message. */
  readonly messageId: string;
  readonly kind: NoteKind;
  /** The thing, for example `reasoning` or `cache_control`; never content. */
  readonly subject: string;
}

/** Messages in a form. */
export interface Rendered {
  /** The JSON text of a list. */
  readonly messages: string;
  /** The JSON text of the parameter for the system prompt; empty for none. */
  readonly system: string;
  readonly notes: readonly Note[];
  /** Texts that no message holds and that the API needs. */
  readonly added: readonly string[];
}

/** A form: how its elements are read, and how messages are written in it. */
export interface Form {
  /** `provider` of the payloads that hold its elements. */
  readonly provider: string;
  /** Reads an element. Throws REQUEST_INVALID. */
  readonly read: (element: Json, path: string) => FormMessage;
  /** Writes one message as elements, by itself, as ListMessages gives it. */
  readonly writeOne: (line: Line, notes: Notes) => readonly Json[];
  /** Writes a window by the rules of the API. */
  readonly writeWindow: (blocks: readonly Block[], notes: Notes) => Written;
}

/** Elements of a window as JSON texts. */
export interface Written {
  readonly elements: readonly string[];
  readonly system: string;
}

/** A piece of a window after calls and results were brought together. */
export type Block =
  | { readonly kind: "system"; readonly line: Line }
  | { readonly kind: "user"; readonly line: Line; readonly parts: readonly FormPart[] }
  | AssistantBlock;

/** Messages of the model between two inputs, with the results of all its calls. */
export interface AssistantBlock {
  readonly kind: "assistant";
  readonly lines: readonly Line[];
  readonly results: readonly BlockResult[];
}

export interface BlockResult {
  /** The message of the result; undefined for one that was added. */
  readonly line: Line | undefined;
  readonly part: ResultPart;
  readonly call: CallPart;
}

/** Collects notes, each once. */
export class Notes {
  readonly #found = new Map<string, Note>();
  readonly #texts: string[] = [];

  add(messageId: string, kind: NoteKind, subject: string): void {
    const key = JSON.stringify([messageId, kind, subject]);
    if (!this.#found.has(key)) this.#found.set(key, { messageId, kind, subject });
  }

  /** Notes a text that was added. */
  addText(messageId: string, subject: string, text: string): void {
    this.add(messageId, "added", subject);
    this.#texts.push(text);
  }

  get added(): readonly string[] {
    return this.#texts;
  }

  get all(): readonly Note[] {
    return [...this.#found.values()];
  }
}

/** An empty message of a role. */
export function emptyMessage(role: Role): FormMessage {
  return { role, providerRole: "", name: "", parts: [], extras: [] };
}

/** The line of a result that was added. */
export const ADDED: Line = {
  messageId: "",
  seq: 0,
  message: emptyMessage(ROLE.tool),
  origin: undefined,
  exact: undefined,
};
