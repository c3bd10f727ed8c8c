// One tool: its schemas, its hints, and how a failure becomes an answer that a model can act on.

import type {
  CallToolResult,
  McpServer,
  StandardSchemaWithJSON,
} from "@modelcontextprotocol/server";
import type { z } from "zod";
import { isMemorySidecarError, type MemorySidecarError, Status } from "../gen/client/index.ts";

/** Effects of a tool, as hosts show them. */
export type Effect = "reads" | "adds" | "replaces" | "deletes";

/** A tool of the server. */
export interface ToolShape<In extends z.ZodObject, Out extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: In;
  readonly output: Out;
  readonly effect: Effect;
  /** Whether a repeat changes nothing more. Reads and deletes never do. */
  readonly isIdempotent?: boolean;
}

/** The answer of a tool: the same as a text for a model and as data for a program. */
export interface Answer<Data> {
  readonly text: string;
  readonly data: Data;
}

/** A call as the tools see it. */
export interface ToolCall {
  /** Ends the call to the server when the caller cancels or goes away. */
  readonly signal: AbortSignal;
}

/** A fault of the arguments, in words for the model. */
export class ToolFault extends Error {
  override readonly name = "ToolFault";
}

function hintsOf(effect: Effect, isIdempotent: boolean) {
  return {
    readOnlyHint: effect === "reads",
    destructiveHint: effect === "deletes" || effect === "replaces",
    idempotentHint: effect === "reads" || effect === "deletes" || isIdempotent,
    openWorldHint: false,
  };
}

/** Adds a tool to a server. */
export function addTool<In extends z.ZodObject, Out extends z.ZodObject>(
  server: McpServer,
  shape: ToolShape<In, Out>,
  run: (input: z.output<In>, call: ToolCall) => Promise<Answer<z.input<Out>>>,
): void {
  const { name, title, description, effect, isIdempotent = false } = shape;
  const inputSchema: StandardSchemaWithJSON = shape.input;
  const outputSchema: StandardSchemaWithJSON = shape.output;
  const annotations = hintsOf(effect, isIdempotent);
  const config = { title, description, inputSchema, outputSchema, annotations };
  server.registerTool(name, config, async (given: unknown, context): Promise<CallToolResult> => {
    try {
      const signal = context.mcpReq.signal;
      const { text, data } = await run(given as z.output<In>, { signal });
      return { content: [{ type: "text", text }], structuredContent: { ...data } };
    } catch (error) {
      return { content: [{ type: "text", text: faultText(error) }], isError: true };
    }
  });
}

const TO_DO: Readonly<Record<string, string>> = {
  SESSION_NOT_FOUND: "list_sessions names the sessions that there are.",
  MEMORY_NOT_FOUND: "recall and list_memories give the ids that there are.",
  ETAG_MISMATCH: "It has changed meanwhile: read it again, then repeat the change.",
  OVERLOADED: "Wait a moment, then repeat the call.",
  STORE_FULL: "The disk of the server is full: tell the operator. Reading still works.",
  TOKEN_MISSING: "The operator must configure the token of the server.",
  TOKEN_INVALID: "The operator must configure a token that the server knows.",
};

/** Gives the answer of a call outside of tools; a failure says what to do. */
export async function plainly<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw new Error(faultText(error));
  }
}

/** Says what went wrong and what to do. */
export function faultText(error: unknown): string {
  if (error instanceof ToolFault) return error.message;
  // The client itself refuses what no server would take.
  if (error instanceof TypeError || error instanceof RangeError) return error.message;
  if (!isMemorySidecarError(error)) return "The call was interrupted: repeat it.";
  const { reason, violations, code } = error;
  if (code === Status.DEADLINE_EXCEEDED) {
    return "The server did not answer in time. A repeat of the call is safe.";
  }
  const faults = violations.map(({ field, description }) => `${argumentOf(field)} ${description}`);
  const said = faults.length > 0 ? faults.join("; ") : ownText(error);
  return [said.replace(/[.]*$/, "."), TO_DO[reason] ?? ""].join(" ").trim();
}

/** The words of the server itself; those of the client name methods that a model cannot call. */
function ownText(error: MemorySidecarError): string {
  const { details } = error.cause as { details?: unknown };
  return error.reason !== "" && typeof details === "string" ? details : error.message;
}

/** The name of an argument from the path of a field: `memories[0].text` is the content. */
function argumentOf(field: string): string {
  const name = field.slice(field.lastIndexOf(".") + 1);
  return name === "text" ? "content" : name;
}
