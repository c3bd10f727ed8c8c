// Entries of transcripts as the SDK writes them.

import { randomUUID } from "node:crypto";
import type { SessionKey, SessionStoreEntry } from "@anthropic-ai/claude-agent-sdk";

export const KEY: SessionKey = { projectKey: "-home-ana-trip", sessionId: "8f1c" };

/** A question, a call of a tool, its result and an answer. */
export function turn(number: number): SessionStoreEntry[] {
  const id = `toolu_${number}`;
  const use = { type: "tool_use", id, name: "Read", input: { path: `${number}.md` } };
  const found = [{ type: "text", text: `Note ${number}: the storks are back.` }];
  const result = { type: "tool_result", tool_use_id: id, content: found };
  return [
    said("user", `What does note ${number} say?`),
    said("assistant", [{ type: "text", text: "I look." }, use]),
    said("user", [result]),
    said("assistant", [{ type: "text", text: `Storks, says note ${number}.` }]),
  ];
}

/** A message of somebody. */
export function said(role: "user" | "assistant", content: unknown): SessionStoreEntry {
  return {
    ...{ type: role, uuid: randomUUID(), timestamp: "2026-11-24T10:00:00.000Z" },
    message: { role, content },
  };
}
