// Messages in the forms of model APIs: what `form` takes and gives.

import { choice } from "./choice.ts";
import {
  type FormNote,
  MessageForm,
  type RenderedMessages,
} from "./gen/memorysidecar/v1/message.ts";
import type { PolicyPreview } from "./gen/memorysidecar/v1/policy.ts";
import type { AssembleContextResponse } from "./gen/memorysidecar/v1/recall_service.ts";
import type {
  GetWindowResponse,
  PreviewPolicyResponse,
} from "./gen/memorysidecar/v1/session_service.ts";
import type { JsonObject } from "./message.ts";

const FORMS = {
  openai_chat: MessageForm.OPENAI_CHAT,
  openai_responses: MessageForm.OPENAI_RESPONSES,
  anthropic: MessageForm.ANTHROPIC,
  gemini: MessageForm.GEMINI,
} as const;

/** A form of messages by its name. */
export type FormName = keyof typeof FORMS;

/** Messages in the form of a model API: its objects, or their JSON text. */
export type FormMessages = object | readonly object[] | string;

/** Messages in the form of a model API, ready for its call. */
export interface Rendered<Response, Element = JsonObject> {
  /** The messages, items or contents. */
  readonly messages: Element[];
  /**
   * The system prompt, for forms that have it apart: `system` of Anthropic, `systemInstruction` of
   * Gemini. Undefined when there is none.
   */
  readonly system: JsonObject | JsonObject[] | undefined;
  /** Differences between the messages and the form. At most 100. */
  readonly notes: readonly FormNote[];
  /** Number of differences. */
  readonly totalNoteCount: number;
  /** The whole answer of the server. */
  readonly response: Response;
}

/** Gives a form by its name. */
export function toForm(name: FormName | undefined): MessageForm {
  return name === undefined ? MessageForm.UNSPECIFIED : choice("form", FORMS, name);
}

/** Makes JSON of messages in a form. */
export function toFormMessages(messages: FormMessages): Buffer {
  if (typeof messages === "string") return Buffer.from(messages);
  return Buffer.from(JSON.stringify(Array.isArray(messages) ? messages : [messages]));
}

/** Gives the elements of messages in a form. */
export function elementsOf<Element>(rendered: RenderedMessages | undefined): Element[] {
  return rendered === undefined ? [] : (JSON.parse(rendered.messages.toString()) as Element[]);
}

/** Makes plain data of messages in a form. */
export function toRendered<Response, Element>(
  rendered: RenderedMessages | undefined,
  response: Response,
): Rendered<Response, Element> {
  const system = rendered?.system.toString() ?? "";
  return {
    messages: elementsOf(rendered),
    system: system === "" ? undefined : JSON.parse(system),
    notes: rendered?.notes ?? [],
    totalNoteCount: rendered?.totalNoteCount ?? 0,
    response,
  };
}

/**
 * Gives the messages of a window or a context that was asked for in a form, such as that of an
 * append.
 */
export function renderedIn<
  Element = JsonObject,
  Response extends GetWindowResponse | AssembleContextResponse =
    | GetWindowResponse
    | AssembleContextResponse,
>(response: Response | undefined): Rendered<Response | undefined, Element> {
  return toRendered(response?.rendered, response);
}

/** Gives the windows of a preview that was asked for in a form, one for each policy. */
export function renderedPreviews<Element = JsonObject>({
  previews,
  rendered,
}: PreviewPolicyResponse): Rendered<PolicyPreview, Element>[] {
  return previews.flatMap((preview, index) => {
    const window = rendered[index];
    return window === undefined ? [] : [toRendered<PolicyPreview, Element>(window, preview)];
  });
}
