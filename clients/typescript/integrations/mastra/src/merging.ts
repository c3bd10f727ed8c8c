// Changes of messages, as Mastra's own stores make them.

import type { MemoryStorage } from "@mastra/core/storage";
import type { Row } from "./rows.ts";

/** Change of a message. */
export type MessageUpdate = Parameters<MemoryStorage["updateMessages"]>[0]["messages"][number];

type Json = Readonly<Record<string, unknown>>;

/**
 * Changes a row: fields that are given replace those of the row. The content and its metadata are
 * merged by their keys.
 */
export function changed(row: Row, update: MessageUpdate): Row {
  const {
    content,
    resourceId = row.resourceId,
    role = row.role,
    threadId,
    type = row.type,
  } = update;
  // The type of an update leaves the time out, and Mastra's stores take it all the same.
  const { createdAt = row.createdAt } = update as { readonly createdAt?: Date };
  return {
    ...row,
    ...{ role, type, resourceId: resourceId || undefined, createdAt: new Date(createdAt) },
    threadId: threadId || row.threadId,
    ...(content === undefined ? {} : { content: merged(row.content, content as Json) }),
  };
}

function merged(before: unknown, content: unknown): unknown {
  if (!isObject(before) || !isObject(content)) return content;
  const [old, given] = [before["metadata"], content["metadata"]];
  const metadata = old && given ? { metadata: { ...(old as Json), ...(given as Json) } } : {};
  return { ...before, ...content, ...metadata };
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null;
}
