// Tools that a model can call to remember, recall and forget, and what is known as a block of text.

import { onlyOptions } from "./choice.ts";
import { isMemorySidecarError, type MemorySidecarError } from "./errors.ts";
import type { Memory } from "./gen/memorysidecar/v1/memory.ts";
import type { MemoryMethods } from "./memories.ts";
import { scopeOf } from "./scope-filter.ts";

const DEFAULT_LIMIT = 5;
const LIMIT_MAX = 100;
const TRUE: readonly string[] = ["true", "yes", "1"];

interface Property {
  readonly type: string;
  readonly description: string;
}

interface Tool {
  readonly description: string;
  readonly properties: Readonly<Record<string, Property>>;
  readonly required: readonly string[];
}

const TOOLS = {
  remember: {
    description: "Stores a fact about the user or the work for later conversations.",
    properties: {
      content: {
        type: "string",
        description: "The fact, in one sentence that stands by itself.",
      },
      category: {
        type: "string",
        description: "What it is filed under, for example preference. Default: general.",
      },
      key: {
        type: "string",
        description:
          "What it is the current answer to, for example home_city: a new memory with the same " +
          "key takes the place of the old one. Optional.",
      },
      persistent: {
        type: "boolean",
        description: "Never forget it to make room. Default: false.",
      },
    },
    required: ["content"],
  },
  recall: {
    description: "Finds what was remembered in earlier conversations.",
    properties: {
      query: { type: "string", description: "What to look for, in words." },
      limit: {
        type: "integer",
        description: "The most memories to give, 1 to 100. Default: 5.",
      },
    },
    required: ["query"],
  },
  forget: {
    description: "Deletes a memory for good.",
    properties: {
      memory_id: {
        type: "string",
        description: "The id of the memory, as remember gave it.",
      },
    },
    required: ["memory_id"],
  },
} as const satisfies Readonly<Record<string, Tool>>;
/** The name of a tool. */
export type MemoryToolName = keyof typeof TOOLS;

/** The form in which a provider takes the definitions of tools. */
export type ToolShape = "openai" | "anthropic" | "mcp";

/** Whose memories tools reach, and how. */
export interface MemoryToolOptions {
  /** Whose memories they are. */
  readonly userId?: string;
  /** Of which agent. Default: what belongs to no agent, which all agents see. */
  readonly agentId?: string;
  /** Scoring of `recall`: `overlap`, `word_count`, `substring`, or by default as Recall does. */
  readonly scoring?: string;
  /** Whether `recall` tells ids, which `forget` needs. Default true. */
  readonly showIds?: boolean;
}

const TOOL_OPTIONS = { userId: true, agentId: true, scoring: true, showIds: true } as const;

/** Options of a block of known facts. */
export interface MemoryBlockOptions {
  readonly userId?: string;
  /** The most memories in it. Default 10. */
  readonly topK?: number;
  /** Those that fit it come first. Default: the most important ones. */
  readonly query?: string;
  /** The line above. Default: `## What I remember about you:`. */
  readonly heading?: string;
  /** Default 2,000. */
  readonly maxTokens?: number;
  readonly namespace?: string;
}

const BLOCK_OPTIONS = {
  ...{ userId: true, topK: true, query: true, heading: true, maxTokens: true, namespace: true },
} as const;

/**
 * Writes down what is known of a user, for a prompt, each memory with how sure it is. Empty when
 * nothing is known.
 */
export async function memoryBlock(
  client: MemoryMethods,
  options: MemoryBlockOptions = {},
): Promise<string> {
  onlyOptions("memoryBlock", options, BLOCK_OPTIONS);
  const { topK = 10, heading, maxTokens = 2_000, ...rest } = options;
  const context = await client.assembleContext({
    ...rest,
    maxTokens,
    profile: "lauren",
    sections: [{ kind: "long-term", limit: topK, ...(heading === undefined ? {} : { heading }) }],
    excludeConversation: true,
  });
  return context.text;
}

/**
 * Tools that a model can call to remember, recall and forget. It reaches the memories of this user
 * and agent only.
 */
export class MemoryTools {
  readonly #client: MemoryMethods;
  readonly #options: MemoryToolOptions;

  constructor(client: MemoryMethods, options: MemoryToolOptions = {}) {
    onlyOptions("MemoryTools", options, TOOL_OPTIONS);
    scopeOf(options);
    this.#client = client;
    this.#options = options;
  }

  /** The definitions of the tools, in the shape that a provider takes. */
  definitions(shape: ToolShape = "openai"): readonly object[] {
    return Object.entries(TOOLS).map(([name, tool]) => definition(name, tool, shape));
  }

  /**
   * Does what a model asks for, and gives what to answer it. What is wrong with the arguments is
   * said in the answer, so that the model can try again; a failure of the server is thrown.
   */
  async call(name: string, args: string | Readonly<Record<string, unknown>>): Promise<string> {
    if (!isTool(name)) return `Error: there is no tool "${name}".`;
    const given = objectOf(typeof args === "string" ? parsed(args) : args);
    if (given === undefined) return "Error: the arguments are not a JSON object.";
    const [wanted] = TOOLS[name].required;
    if (typeof given[wanted] !== "string") return `Error: ${wanted} must be a text.`;
    try {
      if (name === "remember") return await this.#remember(given);
      return name === "recall" ? await this.#recall(given) : await this.#forget(given);
    } catch (error) {
      if (isMemorySidecarError(error, "REQUEST_INVALID")) return refusal(error);
      throw error;
    }
  }

  async #remember(given: Readonly<Record<string, unknown>>): Promise<string> {
    const text = String(given["content"]).trim();
    if (text === "") return "Error: content must not be empty.";
    const { userId, agentId } = this.#options;
    const persistent = TRUE.includes(String(given["persistent"] ?? "").toLowerCase());
    const category = String(given["category"] ?? "");
    const key = String(given["key"] ?? "");
    const answer = await this.#client.remember(
      { text, category, key, persistent, userId, agentId },
      { conflict: "supersede", neutralizePromptMarkers: true },
    );
    return answer.results[0]?.memoryId ?? "";
  }

  async #recall(given: Readonly<Record<string, unknown>>): Promise<string> {
    const query = String(given["query"]);
    const { userId, agentId, scoring, showIds = true } = this.#options;
    const { hits } = await this.#client.recall(query, {
      ...{ userId, agentId, scoring, filter: { kinds: ["memory"] } },
      pageSize: limitOf(given["limit"]),
    });
    const matches = hits.flatMap(({ record }) =>
      record?.$case === "memory" ? [record.value] : [],
    );
    if (matches.length === 0) return `No memories found matching '${query}'.`;
    const lines = matches.map(({ category, text, memoryId }, at) => {
      const tag = category === "" || category === "general" ? "" : `[${category}] `;
      return `${at + 1}. ${tag}${text}${showIds ? ` (id: ${memoryId})` : ""}`;
    });
    const word = matches.length === 1 ? "memory" : "memories";
    return [`Found ${matches.length} ${word}:`, ...lines].join("\n");
  }

  async #forget(given: Readonly<Record<string, unknown>>): Promise<string> {
    const memoryId = String(given["memory_id"]);
    const own = await this.#own(memoryId);
    if (own === undefined) return `No memory has the id '${memoryId}'.`;
    await this.#client.forgetMemories(memoryId, { etag: own.etag });
    return "Forgotten.";
  }

  /** A memory that this user and agent may forget. */
  async #own(memoryId: string): Promise<Memory | undefined> {
    const { userId = "", agentId = "" } = this.#options;
    try {
      const memory = await this.#client.getMemory(memoryId);
      return memory.userId === userId && memory.agentId === agentId ? memory : undefined;
    } catch (error) {
      if (isMemorySidecarError(error, "MEMORY_NOT_FOUND")) return undefined;
      throw error;
    }
  }
}

function isTool(name: string): name is MemoryToolName {
  return Object.hasOwn(TOOLS, name);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}

/** Fields that the server refused, by the names of the arguments. */
function refusal({ violations, message }: MemorySidecarError): string {
  const said = violations.map(({ field, description }) => {
    const name = field.slice(field.lastIndexOf(".") + 1);
    return `${name === "text" ? "content" : name} ${description}`;
  });
  return `Error: ${said.join("; ") || message}.`;
}

/** A limit as models give it: a text may hold the number, and what is none is the default. */
function limitOf(value: unknown): number {
  const limit = Math.trunc(Number(value));
  return limit > 0 ? Math.min(limit, LIMIT_MAX) : DEFAULT_LIMIT;
}

function definition(name: string, tool: Tool, shape: ToolShape): object {
  const { description, properties, required } = tool;
  const schema = { type: "object", properties, required, additionalProperties: false };
  if (shape === "openai") {
    return { type: "function", function: { name, description, parameters: schema } };
  }
  if (shape === "anthropic") return { name, description, input_schema: schema };
  if (shape === "mcp") return { name, description, inputSchema: schema };
  throw new TypeError(`the shape is one of openai, anthropic, mcp, not "${String(shape)}"`);
}
