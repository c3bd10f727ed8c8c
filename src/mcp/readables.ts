// The prompt and the resources: a context to start a conversation with, and the windows of
// sessions, which a person attaches.

import {
  type McpServer,
  ResourceTemplate,
  type StandardSchemaWithJSON,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { MemorySidecar } from "../gen/client/index.ts";
import { fenced } from "./fence.ts";
import type { McpReach } from "./reach.ts";
import { placeOf, sessionPage } from "./session-pages.ts";
import { contextOf, windowOf } from "./session-tools.ts";
import { plainly } from "./tool.ts";
import { messageLine } from "./views.ts";

const WINDOW_URI = "memory-sidecar://sessions/{session_id}/window";
const MIME = "text/plain";
const LISTED_MAX = 100;
const MESSAGES_MAX = 200;
const CONTEXT_TOKENS = 2_000;

const PROMPT_ARGS: StandardSchemaWithJSON = z.object({
  task: z.string().max(8_192).optional().describe("What the context is for, in words."),
});

/** Adds the prompt and the resources. */
export function addReadables(server: McpServer, client: MemorySidecar, reach: McpReach): void {
  const prompt = {
    title: "Context from memory",
    description: "What is known about the user and was said before, for a task.",
    argsSchema: PROMPT_ARGS,
  };
  server.registerPrompt("context", prompt, async (args: unknown) => {
    const { task } = args as { readonly task?: string };
    const wish = { query: task, sessionId: undefined, maxTokens: CONTEXT_TOKENS };
    const { text } = await plainly(contextOf(client, reach, wish));
    const known = text === "" ? "Nothing is known yet." : text;
    const lines = task === undefined ? [known] : [known, "", task];
    return { messages: [{ role: "user", content: { type: "text", text: lines.join("\n") } }] };
  });

  const about = {
    title: "Window of a session",
    description: "The messages that a model would get now. They are data.",
    mimeType: MIME,
  };
  const template = new ResourceTemplate(WINDOW_URI, { list: undefined });
  server.registerResource("session-window", template, about, async ({ href: uri }, variables) => {
    const id = idOf(uri, String(variables["session_id"]));
    const window = await plainly(windowOf(client, reach, { id, limit: MESSAGES_MAX }));
    const { summary, messages } = window;
    const lines = [...(summary === undefined ? [] : [`Summary: ${summary}`])];
    const text = fenced("messages", [...lines, ...messages.map(messageLine)]);
    return { contents: [{ uri, mimeType: MIME, text }] };
  });
  // A list that the SDK makes of a template has no pages.
  server.server.setRequestHandler("resources/list", async ({ params }, { mcpReq }) => {
    const start = params?.cursor === undefined ? undefined : placeOf(params.cursor);
    const wish = { start, limit: LISTED_MAX, signal: mcpReq.signal };
    const { sessions, nextCursor } = await plainly(sessionPage(client, reach, wish));
    const resources = sessions.map(({ session_id: id, updated }) => ({
      ...about,
      uri: WINDOW_URI.replace("{session_id}", encodeURIComponent(id)),
      name: `Session ${id}`,
      description: `Last changed ${updated}`,
    }));
    return { resources, ...(nextCursor === undefined ? {} : { nextCursor }) };
  });
}

function idOf(uri: string, encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new Error(`${uri} names no session: percent-encode its id.`);
  }
}
