// Tools by which a model remembers, recalls and forgets.

import {
  type MemorySidecar,
  type MemoryToolName,
  type MemoryToolOptions,
  MemoryTools,
} from "@memory-sidecar/client";
import { jsonSchema, type Tool, tool } from "ai";

type Input = Readonly<Record<string, unknown>>;

/** A tool in the form in which `MemoryTools` defines it. */
interface Definition {
  readonly name: MemoryToolName;
  readonly description: string;
  readonly inputSchema: Parameters<typeof jsonSchema>[0];
}

/**
 * Makes the tools `remember`, `recall` and `forget` for `generateText`, `streamText` and agents.
 * The options say whose memories they reach; the model cannot choose that. A mistake of the model
 * is answered with a text that says what to correct; a failure of the server is thrown.
 */
export function memoryTools(
  client: MemorySidecar,
  options: MemoryToolOptions = {},
): Record<MemoryToolName, Tool<Input, string>> {
  const memory = new MemoryTools(client, options);
  const definitions = memory.definitions("mcp") as readonly Definition[];
  const made = definitions.map(({ name, description, inputSchema }) => {
    const execute = (input: Input) => memory.call(name, input);
    return [name, tool({ description, inputSchema: jsonSchema<Input>(inputSchema), execute })];
  });
  return Object.fromEntries(made);
}
