// Reads a recorded conversation: see ../README.md for its format.

import { readFileSync } from "node:fs";
import type { JsonObject, MessageFields } from "../../clients/typescript/src/index.ts";

/** A recorded conversation. */
export interface Conversation {
  readonly title: string;
  readonly description: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly agentId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly metadata: JsonObject;
  readonly appends: readonly { readonly messages: readonly MessageFields[] }[];
}

/** Reads a conversation. Throws when the file is not one. */
export function readConversation(path: string): Conversation {
  const value = JSON.parse(readFileSync(path, "utf8")) as Partial<Conversation>;
  if (!Array.isArray(value.appends)) throw new Error(`${path} is not a recorded conversation`);
  return {
    title: value.title ?? path,
    description: value.description ?? "",
    sessionId: value.sessionId ?? "recorded",
    userId: value.userId ?? "",
    agentId: value.agentId ?? "",
    labels: value.labels ?? {},
    metadata: value.metadata ?? {},
    appends: value.appends,
  };
}
