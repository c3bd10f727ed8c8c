// Names of what a store keeps: the sessions of transcripts, and the records that list them.

import type { SessionKey } from "@anthropic-ai/claude-agent-sdk";
import { digestOf } from "@memory-sidecar/client/adapters";

// The SDK for Python writes summaries with other fields, so its transcripts have another root.
const ROOT = "claude-agent-ts";
const MAX_SESSION_ID_BYTES = 512;
const MAX_SEGMENT_BYTES = 255;

/** Name of a record. */
export interface Place {
  readonly path: readonly string[];
  readonly key: string;
}

/** Name of the session of the server that keeps a transcript. Throws for an empty subpath. */
export function sessionIdOf(key: SessionKey): string {
  const text = [ROOT, ...partsOf(key).map(encodeURIComponent)].join("/");
  return text.length <= MAX_SESSION_ID_BYTES ? text : `${ROOT}/${digestOf(text)}`;
}

/** Path of the records with the summaries of a project's sessions. */
export function summariesOf(projectKey: string): string[] {
  return [ROOT, "sessions", segmentOf(projectKey)];
}

/** Path of the records that name the subagents of a session. */
export function subkeysOf(key: Pick<SessionKey, "projectKey" | "sessionId">): string[] {
  return [ROOT, "subagents", segmentOf(key.projectKey), segmentOf(key.sessionId)];
}

/** Path of the records with the large entries of a transcript. */
export function entriesOf(key: SessionKey): string[] {
  return [ROOT, "entries", ...partsOf(key).map(segmentOf)];
}

/** Name of the record that lists a transcript. */
export function placeOf(key: SessionKey): Place {
  return key.subpath === undefined
    ? { path: summariesOf(key.projectKey), key: segmentOf(key.sessionId) }
    : { path: subkeysOf(key), key: segmentOf(key.subpath) };
}

/** The text that `segmentOf` encoded. */
export function textOf(segment: string): string {
  return decodeURIComponent(segment.slice(1));
}

function partsOf({ projectKey, sessionId, subpath }: SessionKey): string[] {
  if (subpath === "") throw new TypeError("subpath is empty: leave it out for the main transcript");
  return subpath === undefined ? [projectKey, sessionId] : [projectKey, sessionId, subpath];
}

/** Makes a segment of a path. A segment must not be empty, so `_` precedes the text. */
function segmentOf(text: string): string {
  const segment = `_${encodeURIComponent(text)}`;
  if (segment.length <= MAX_SEGMENT_BYTES) return segment;
  throw new RangeError(`a key takes at most ${MAX_SEGMENT_BYTES - 1} bytes, percent-encoded`);
}
