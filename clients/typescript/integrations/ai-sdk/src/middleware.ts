// A middleware that gives a model its memory: what is known goes into each prompt.

import type {
  AssembleContextResponse,
  ContextOptions,
  MemorySidecar,
  SectionInput,
} from "@memory-sidecar/client";
import type { LanguageModelMiddleware, ModelMessage } from "ai";
import { newestUserText, type Prompt, toPrompt } from "./prompt.ts";

/** Sections of the block, unless the options name others. */
const SECTIONS = [
  ...(["summary", "long-term", "entities", "relations", "episodes"] as const),
  ...(["recalled-messages", "documents"] as const),
];
const FENCE = "memory";
const MAX_QUERY_CHARS = 32_768;

/** Options of the middleware. Those of a context have the meaning that `assembleContext` gives. */
export interface MemoryMiddlewareOptions
  extends Pick<
    ContextOptions,
    | "agentId"
    | "collectionIds"
    | "customTokenRule"
    | "maxTokens"
    | "minBestRelevance"
    | "minRelevance"
    | "namespace"
    | "sessionId"
    | "timeoutMs"
    | "tokenPreset"
    | "tokenRule"
    | "userId"
    | "weights"
  > {
  /**
   * Puts the window of the session in front of the messages of the prompt, within `maxTokens`: tool
   * calls with all their results, and the summary of what left it. Then pass only new messages to
   * the model, and append them to the session once, at the end of the turn. Needs `sessionId`.
   * Default false.
   */
  readonly window?: boolean | undefined;
  /**
   * Sections of the block, in this order: all but `conversation`, which is the window. Default:
   * summary, long-term memory, entities, relations, episodes, recalled messages, documents.
   */
  readonly sections?: readonly SectionInput[] | undefined;
}

/**
 * Makes a middleware for `wrapLanguageModel`. Each call of the model gets what the memory holds for
 * the newest message of the user: one message directly before it, between marks that declare it as
 * data, and nothing when nothing fits. `maxTokens` limits all that is added, 4,000 by default. The
 * options say whose memory it is. A failure of the server fails the call of the model.
 */
export function memoryMiddleware(
  client: MemorySidecar,
  options: MemoryMiddlewareOptions = {},
): LanguageModelMiddleware {
  const { window = false, sections = SECTIONS, ...rest } = options;
  if (window && !options.sessionId) throw new TypeError("window needs a sessionId");
  const kinds = sections.map((one) => (typeof one === "string" ? one : one.kind));
  const block = { name: "memory", place: "user-message", sections: kinds, fence: FENCE } as const;
  const context = { ...rest, blocks: [block] };
  return {
    specificationVersion: "v4",
    transformParams: async ({ params }) => {
      const { prompt, abortSignal: signal } = params;
      const query = newestUserText(prompt).slice(0, MAX_QUERY_CHARS);
      const asked = { ...context, query, signal };
      if (!window) {
        const answer = await client.assembleContext({
          ...{ ...asked, sections, excludeConversation: true },
        });
        return { ...params, prompt: withMemory(prompt, [], textOf(answer)) };
      }
      const { messages, response } = await client.assembleContext<ModelMessage>({
        ...{ ...asked, sections: [...sections, "conversation"], form: "ai_sdk" },
      });
      const text = textOf(response);
      // The server puts the block before the newest message of the user that it knows; the prompt
      // has a newer one.
      const at = messages.findIndex(({ role, content }) => role === "user" && content === text);
      const before = at < 0 ? messages : messages.toSpliced(at, 1);
      return { ...params, prompt: withMemory(prompt, toPrompt(before), text) };
    },
  };
}

function textOf({ blocks }: AssembleContextResponse): string {
  return blocks[0]?.text ?? "";
}

/**
 * Puts a window behind the system messages of a prompt, and the text of the memory before its
 * newest message of the user, or at the end if it has none.
 */
function withMemory(prompt: Prompt, window: Prompt, text: string): Prompt {
  const firstOther = prompt.findIndex(({ role }) => role !== "system");
  const start = firstOther < 0 ? prompt.length : firstOther;
  const system = [...prompt.slice(0, start), ...window.filter(({ role }) => role === "system")];
  const earlier = window.filter(({ role }) => role !== "system");
  const own = prompt.slice(start);
  if (text === "") return [...system, ...earlier, ...own];
  const newest = own.findLastIndex(({ role }) => role === "user");
  const at = newest < 0 ? own.length : newest;
  const memory: Prompt[number] = { role: "user", content: [{ type: "text", text }] };
  return [...system, ...earlier, ...own.slice(0, at), memory, ...own.slice(at)];
}
