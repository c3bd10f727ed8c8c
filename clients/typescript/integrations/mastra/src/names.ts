// Names of the sessions and messages that keep threads, and of the records beside them.
//
// Below the path `mastra`, with the names of records after the slash:
//
// - `threads` / thread: the thread, and facts about its log
// - `of-resource`, resource / thread: lists the threads with something of a resource
// - `messages` / message: the thread of a message, as ids of messages are global
// - `contents`, thread / message: a message that is too large for a log
// - `resources` / resource: the working memory of a resource
// - `observations`, owner / record, and its `list`: observational memory of a thread or a resource
// - `observed` / record: the owner of a record of observational memory

import type { RecordNameInput } from "@memory-sidecar/client";
import { digestOf, isName, MAX_KEY_BYTES, segment } from "@memory-sidecar/client/adapters";

/** First segment of all paths. */
export const ROOT = "mastra";
const MAX_SESSION_ID_BYTES = 512;
const MAX_MESSAGE_ID_BYTES = 256;

/** The session that keeps the messages of a thread: it has the id of the thread. */
export function sessionIdOf(threadId: string): string {
  return idOf(threadId, MAX_SESSION_ID_BYTES);
}

/** The id of a message in its log. */
export function messageIdOf(id: string): string {
  return idOf(id, MAX_MESSAGE_ID_BYTES);
}

/** Path of the records of all threads. */
export const THREADS = [ROOT, "threads"];

/** Name of the record of a thread. */
export function threadName(threadId: string): RecordNameInput {
  return { path: THREADS, key: keyOf(threadId) };
}

/** Path of the records that list the threads of a resource. */
export function pathOfResource(resourceId: string): string[] {
  return [ROOT, "of-resource", segment(resourceId)];
}

/** Name of the record that lists a thread for a resource. */
export function listingName(resourceId: string, threadId: string): RecordNameInput {
  return { path: pathOfResource(resourceId), key: keyOf(threadId) };
}

/** Name of the record with the thread of a message. */
export function placeName(messageId: string): RecordNameInput {
  return { path: [ROOT, "messages"], key: keyOf(messageId) };
}

/** Path of the records with the large messages of a thread. */
export function contentsPath(threadId: string): string[] {
  return [ROOT, "contents", segment(threadId)];
}

/** Name of the record with a large message. */
export function contentName(threadId: string, messageId: string): RecordNameInput {
  return { path: contentsPath(threadId), key: keyOf(messageId) };
}

/** Name of the record of a resource. */
export function resourceName(resourceId: string): RecordNameInput {
  return { path: [ROOT, "resources"], key: keyOf(resourceId) };
}

/** Path of the observational memory of a thread, or without one that of a resource. */
export function observationsPath(threadId: string | null, resourceId: string): string[] {
  const owner = threadId ? `thread:${threadId}` : `resource:${resourceId}`;
  return [ROOT, "observations", segment(owner)];
}

/** Name of the record with the owner of a record of observational memory. */
export function observedName(id: string): RecordNameInput {
  return { path: [ROOT, "observed"], key: keyOf(id) };
}

/** Makes a key of any text. */
export function keyOf(text: string): string {
  return segment(text, MAX_KEY_BYTES);
}

function idOf(text: string, maxBytes: number): string {
  return isName(text, maxBytes) && !text.startsWith("#") ? text : `#${digestOf(text)}`;
}
