// Messages of the AI SDK as the prompt that a middleware sees, which is stricter: content is always
// a list of parts, and a file says whether it is data or an address.

import type { LanguageModelMiddleware, ModelMessage } from "ai";

type Params = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"];

/** The messages of a call of a model. */
export type Prompt = Params["prompt"];

type Json = Readonly<Record<string, unknown>>;

/** Parts that only the SDK reads, before it makes a prompt. */
const LEFT_OUT: readonly unknown[] = ["tool-approval-request", "tool-approval-response"];

/** Gives the text of the newest message of the user; empty if there is none. */
export function newestUserText(prompt: Prompt): string {
  const newest = prompt.findLast(({ role }) => role === "user");
  const parts = newest?.role === "user" ? newest.content : [];
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** Makes a prompt of messages. Results of one step become one message, as providers want them. */
export function toPrompt(messages: readonly ModelMessage[]): Prompt {
  const prompt: Json[] = [];
  for (const message of messages) {
    const { content } = message;
    if (message.role === "system") {
      prompt.push(message);
      continue;
    }
    const given = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const parts = (given as readonly Json[]).filter(isKept).map(partOf);
    const last = prompt.at(-1);
    if (message.role === "tool" && last?.["role"] === "tool") {
      prompt[prompt.length - 1] = { ...last, content: [...(last["content"] as Json[]), ...parts] };
    } else if (parts.length > 0) {
      prompt.push({ ...message, content: parts });
    }
  }
  return prompt as unknown as Prompt;
}

function isKept({ type, text, providerOptions }: Json): boolean {
  if (type === "text") return text !== "" || providerOptions !== undefined;
  return !LEFT_OUT.includes(type);
}

function partOf(part: Json): Json {
  const { type, image, data, mediaType, ...rest } = part;
  if (type === "image") return { ...rest, type: "file", ...fileOf(image, mediaType, "image") };
  if (type !== "file" && type !== "reasoning-file") return part;
  return { ...rest, type, ...fileOf(data, mediaType, "application/octet-stream") };
}

function fileOf(data: unknown, mediaType: unknown, fallback: string): Json {
  const isTagged = typeof data === "object" && data !== null && "type" in data;
  if (isTagged) return { data, mediaType: mediaType ?? fallback };
  const text = data instanceof URL ? data.href : data;
  const [, ownType, base64] = /^data:([^;,]*);base64,(.*)$/s.exec(String(text)) ?? [];
  if (typeof text === "string" && base64 !== undefined) {
    return { data: { type: "data", data: base64 }, mediaType: mediaType ?? ownType ?? fallback };
  }
  if (typeof text === "string" && URL.canParse(text)) {
    return { data: { type: "url", url: new URL(text) }, mediaType: mediaType ?? fallback };
  }
  return { data: { type: "data", data }, mediaType: mediaType ?? fallback };
}
