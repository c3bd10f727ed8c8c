// Message forms: what model APIs take as messages, to our own and back.

import { requestInvalid } from "../kit/errors.ts";
import { ROLE } from "../window/rules/types.ts";
import { ANTHROPIC } from "./anthropic.ts";
import { blocksOf } from "./blocks.ts";
import { elementOf, elementsOf, refuse } from "./elements.ts";
import {
  FORM_NAMES,
  type Form,
  type FormMessage,
  type FormName,
  type Line,
  Notes,
  type Rendered,
} from "./form.ts";
import { GEMINI } from "./gemini.ts";
import { OPENAI_CHAT } from "./openai-chat.ts";
import { OPENAI_RESPONSES } from "./openai-responses.ts";

const FORMS: Readonly<Record<FormName, Form>> = {
  openai_chat: OPENAI_CHAT,
  openai_responses: OPENAI_RESPONSES,
  anthropic: ANTHROPIC,
  gemini: GEMINI,
};

/** `provider` of the payloads that hold elements of a form. */
export function providerOf(form: FormName): string {
  return FORMS[form].provider;
}

/** The form whose elements a payload holds, by its `provider`. */
export function formOfProvider(provider: string): FormName | undefined {
  return FORM_NAMES.find((name) => FORMS[name].provider === provider);
}

/** An element of a form, read. */
export interface ReadElement {
  readonly message: FormMessage;
  /** The JSON text as it came. */
  readonly text: string;
}

/** Reads a list of elements. Throws REQUEST_INVALID with the path inside the JSON. */
export function readElements(
  form: FormName,
  bytes: Uint8Array,
  { field, least }: { readonly field: string; readonly least: 0 | 1 },
): readonly ReadElement[] {
  return elementsOf(bytes, field, least).map(({ text, value }, index) => {
    return { message: FORMS[form].read(value, `${field}[${index}]`), text };
  });
}

/** Reads the element of a payload. Throws when it is none. */
export function readPayload(form: FormName, bytes: Uint8Array): ReadElement {
  const { text, value } = elementOf(bytes, "payload");
  return { message: FORMS[form].read(value, "payload"), text };
}

/** A result whose call must be in the window already. */
export interface WantedCall {
  readonly callId: string;
  /** Place of the result. */
  readonly field: string;
}

/**
 * Gives the results whose call does not stand before them among the elements. Throws
 * REQUEST_INVALID for one that answers a call for the second time.
 */
export function wantedCalls(messages: readonly FormMessage[]): readonly WantedCall[] {
  const open = new Map<string, boolean>();
  const wanted: WantedCall[] = [];
  for (const { parts, role } of messages) {
    for (const part of parts) {
      if (part.kind === "call" && role === ROLE.assistant) open.set(part.id, true);
      if (part.kind !== "result") continue;
      const { callId, path: field = "" } = part;
      const isOpen = open.get(callId);
      if (isOpen === false) refuse(field, "answers a call that has a result already");
      if (isOpen === undefined) wanted.push({ callId, field });
      open.set(callId, false);
    }
  }
  return wanted;
}

/** Refuses results whose call the window does not hold. Throws REQUEST_INVALID. */
export function checkWantedCalls(
  wanted: readonly WantedCall[],
  window: readonly { readonly callIds: readonly string[] }[],
): void {
  const calls = new Set(window.flatMap(({ callIds }) => callIds));
  const missing = wanted.filter(({ callId }) => !calls.has(callId));
  if (missing.length === 0) return;
  const description = "answers no tool call before it or in the window";
  throw requestInvalid(missing.map(({ field }) => ({ field, description })));
}

/** Writes messages one by one, as a log holds them. */
export function renderLog(form: FormName, lines: readonly Line[]): Rendered {
  const notes = new Notes();
  const texts = lines.flatMap((line) => {
    if (line.exact !== undefined && line.origin === form) return [line.exact];
    const elements = FORMS[form].writeOne(line, notes);
    if (elements.length === 0) notes.add(line.messageId, "dropped", "message");
    return elements.map((element) => JSON.stringify(element));
  });
  return { messages: `[${texts.join(",")}]`, system: "", notes: notes.all, added: notes.added };
}

/** The JSON text of a message by itself; undefined when it takes not just one element. */
export function renderOne(form: FormName, line: Line): string | undefined {
  const elements = FORMS[form].writeOne(line, new Notes());
  return elements.length === 1 ? JSON.stringify(elements[0]) : undefined;
}

/** Writes a window by the rules of the form's API. */
export function renderWindow(form: FormName, lines: readonly Line[]): Rendered {
  const notes = new Notes();
  const own = lines.map((line) => (line.origin === form ? line : { ...line, exact: undefined }));
  const written = FORMS[form].writeWindow(blocksOf(own, notes), notes);
  const messages = `[${written.elements.join(",")}]`;
  return { messages, system: written.system, notes: notes.all, added: notes.added };
}
