// Messages in the forms of model APIs: what `form` takes and gives.

import { aiSdkElements, aiSdkMessages, isJoined, type ToolNames } from "./ai-sdk.ts";
import { choice } from "./choice.ts";
import { foundError } from "./errors.ts";
import {
  type FormNote,
  MessageForm,
  type RenderedMessages,
} from "./gen/memorysidecar/v1/message.ts";
import type { PolicyPreview } from "./gen/memorysidecar/v1/policy.ts";
import type { AssembleContextResponse } from "./gen/memorysidecar/v1/recall_service.ts";
import {
  type AppendMessagesResponse,
  type GetWindowResponse,
  type PreviewPolicyResponse,
  type ReplyError,
  SessionServiceService as Sessions,
} from "./gen/memorysidecar/v1/session_service.ts";
import { langChainElements, langChainMessages, loadLangChain } from "./langchain.ts";
import type { JsonObject } from "./message.ts";

const FORMS = {
  openai_chat: MessageForm.OPENAI_CHAT,
  openai_responses: MessageForm.OPENAI_RESPONSES,
  anthropic: MessageForm.ANTHROPIC,
  gemini: MessageForm.GEMINI,
  // The messages of these travel as elements of Chat Completions.
  langchain: MessageForm.OPENAI_CHAT,
  ai_sdk: MessageForm.OPENAI_CHAT,
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
export function toFormMessages(messages: FormMessages, form: FormName): Buffer {
  if (typeof messages === "string") return Buffer.from(messages);
  const list: readonly object[] = Array.isArray(messages) ? messages : [messages];
  return Buffer.from(JSON.stringify(toElements(list, form)));
}

function toElements(list: readonly object[], form: FormName): readonly object[] {
  if (form === "langchain") return langChainElements(list);
  return form === "ai_sdk" ? aiSdkElements(list) : list;
}

/** Loads the SDK that has the message classes of a form. */
export async function loadForm(form: FormName | undefined): Promise<void> {
  if (form === "langchain") await loadLangChain();
}

/** Gives the elements of messages in the form of a model API. */
export function elementsOf(rendered: RenderedMessages | undefined): JsonObject[] {
  return rendered === undefined ? [] : JSON.parse(rendered.messages.toString());
}

/** Turns elements into messages of a form. */
export function fromElements<Element>(elements: JsonObject[], form?: FormName): Element[] {
  if (form === "langchain") return langChainMessages(elements) as Element[];
  return (form === "ai_sdk" ? aiSdkMessages(elements) : elements) as Element[];
}

/** Turns the elements of a list into messages of a form, one after the other. */
export async function* inForm(
  elements: AsyncIterable<JsonObject>,
  form: FormName,
): AsyncGenerator<JsonObject, void, undefined> {
  await loadForm(form);
  const tools: ToolNames = new Map();
  let group: JsonObject[] = [];
  const made = (): JsonObject[] =>
    form === "ai_sdk" ? (aiSdkMessages(group, tools) as JsonObject[]) : fromElements(group, form);
  for await (const element of elements) {
    if (group.length > 0 && !isJoined(element)) {
      yield* made();
      group = [];
    }
    group.push(element);
  }
  if (group.length > 0) yield* made();
}

/** Makes plain data of messages in a form. */
export function toRendered<Response, Element>(
  rendered: RenderedMessages | undefined,
  response: Response,
  form?: FormName,
): Rendered<Response, Element> {
  const system = rendered?.system.toString() ?? "";
  return {
    messages: fromElements(elementsOf(rendered), form),
    system: system === "" ? undefined : JSON.parse(system),
    notes: rendered?.notes ?? [],
    totalNoteCount: rendered?.totalNoteCount ?? 0,
    response,
  };
}

/** A reply that may hold rendered messages. */
type Reply = GetWindowResponse | AssembleContextResponse;

/**
 * Gives the messages of the window or context of an append that requested one in a form. Throws a
 * MemorySidecarError that says why the server could not make it; the messages are stored.
 */
export function renderedIn<Element = JsonObject>(
  answer: AppendMessagesResponse,
  form?: FormName,
): Rendered<Reply, Element>;
/**
 * Gives the messages of a window or context that was requested in a form, or of the whole answer of
 * an append. Name the form if it is `langchain` or `ai_sdk`. Throws a TypeError when there are
 * none.
 */
export function renderedIn<Element = JsonObject, Response extends Reply = Reply>(
  response: Response | undefined,
  form?: FormName,
): Rendered<Response | undefined, Element>;
export function renderedIn(
  given: AppendMessagesResponse | Reply | undefined,
  form?: FormName,
): Rendered<Reply | undefined> {
  const response = isAppend(given) ? replyOf(given) : given;
  if (response?.rendered === undefined) {
    const hint =
      "Pass the whole answer of an append: it says whether the server could not make it.";
    const fault = "There are no rendered messages: the reply was not requested in a form.";
    throw new TypeError(given === undefined ? `${fault} ${hint}` : fault);
  }
  return toRendered(response.rendered, response, form);
}

function isAppend(
  given: AppendMessagesResponse | Reply | undefined,
): given is AppendMessagesResponse {
  return given !== undefined && "windowError" in given;
}

/** The reply of an append that has rendered messages. */
function replyOf({
  context,
  contextError,
  window,
  windowError,
}: AppendMessagesResponse): Reply | undefined {
  const error = contextError ?? windowError;
  if (error !== undefined) throw replyError(error);
  if (context?.rendered !== undefined && window?.rendered !== undefined) {
    throw new TypeError("the answer has a window and a context in a form: give one of the two");
  }
  return context?.rendered === undefined ? window : context;
}

function replyError({ code, reason, message, metadata }: ReplyError): Error {
  const name = reason.replace(/^ERROR_REASON_/, "");
  const said = { code, reason: name, message: `${name}: ${message}`, metadata };
  return foundError(said, Sessions.appendMessages.path);
}

/**
 * Gives the windows of a preview that was requested in a form, one for each policy. Name the form
 * if it is `langchain` or `ai_sdk`.
 */
export function renderedPreviews<Element = JsonObject>(
  { previews, rendered }: PreviewPolicyResponse,
  form?: FormName,
): Rendered<PolicyPreview, Element>[] {
  return previews.flatMap((preview, index) => {
    const window = rendered[index];
    return window === undefined ? [] : [toRendered<PolicyPreview, Element>(window, preview, form)];
  });
}
