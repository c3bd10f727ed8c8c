// Paths of the memory tool as names of records.
//
// A path is a list of names below `/memories`; that directory itself has none. The record of a file
// or directory has the root of the tool and all names but the last as its path, and the last as
// key. The integration for Python names records in the same way: both serve the same files.

import type { ScopeInput } from "@memory-sidecar/client";
import { MemoryToolError } from "./errors.ts";

export const MEMORIES = "/memories";
const MAX_NAME_BYTES = 255;
const MAX_SEGMENTS = 32;
const MAX_BYTES = 1_024;

/** Names below `/memories`. */
export type Names = readonly string[];

/** The name of a record. */
export interface Place {
  readonly path: Names;
  readonly key: string;
}

/**
 * Gives the names of a path as the model wrote it. `.` and `..` are resolved; a path that leaves
 * `/memories` on its way is refused.
 */
export function namesOf(shown: string): Names {
  if (typeof shown !== "string" || !shown.startsWith(MEMORIES)) {
    throw new MemoryToolError(`Path must start with ${MEMORIES}, got: ${shown}`);
  }
  const names: string[] = [];
  for (const name of shown.slice(MEMORIES.length).split("/")) {
    if (name === "..") {
      if (names.pop() === undefined) {
        throw new MemoryToolError(`Path ${shown} would escape ${MEMORIES} directory`);
      }
    } else if (name !== "" && name !== ".") {
      names.push(name);
    }
  }
  if (shown.includes("\0") || !isUnicode(shown)) {
    throw new MemoryToolError("Path must be valid Unicode text without NUL characters");
  }
  return names;
}

/** Whether a text has no lone surrogates. */
export function isUnicode(text: string): boolean {
  return !/\p{Cs}/u.test(text);
}

/** Gives the path of a file in its plain form. */
export function textOf(names: Names): string {
  return [MEMORIES, ...names].join("/");
}

/**
 * Gives the path of the records of a tool. Each user, each agent of a user, and those without one
 * have a path of the same length, so that none of them lies below another.
 */
export function rootOf(
  root: string,
  { userId, agentId }: Pick<ScopeInput, "userId" | "agentId">,
): Names {
  const user = userId === undefined ? "no-user" : `user=${userId}`;
  const agent = agentId === undefined ? "no-agent" : `agent=${agentId}`;
  return [root, user, agent];
}

/** Names the record of a file or directory below `/memories`. */
export function placeOf(root: Names, names: Names): Place {
  const segments = names.map(escaped);
  const path = [...root, ...segments.slice(0, -1)];
  const key = segments.at(-1) ?? "";
  const sizes = [...path, key].map((segment) => Buffer.byteLength(segment));
  if (Math.max(...sizes.slice(root.length)) > MAX_NAME_BYTES) {
    throw new MemoryToolError(
      `A name in a path has at most ${MAX_NAME_BYTES} bytes: ${textOf(names)}`,
    );
  }
  const total = sizes.reduce((sum, size) => sum + size, path.length);
  if (total > MAX_BYTES || path.length > MAX_SEGMENTS) {
    throw new MemoryToolError(`The path is too long or too deep: ${textOf(names)}`);
  }
  return { path, key };
}

/** Gives the names of the file or directory that a record keeps. */
export function namesAt(root: Names, { path, key }: Place): Names {
  return [...path.slice(root.length), key].map((segment) => decodeURIComponent(segment));
}

/** Percent-encodes what a name of a record must not have, and `%`. */
function escaped(name: string): string {
  return name.replace(/[%\p{Cc}]/gu, (character) => {
    const bytes = [...Buffer.from(character)];
    return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
  });
}
