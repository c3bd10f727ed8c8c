// Who calls. Without a token file everybody who reaches the server may: it then listens on loopback
// and Unix sockets only. With one, every call must bring one of its tokens.
//
// Tokens are held as SHA-256 hashes and compared in constant time. The file is read again when it
// has changed, looked at once a second at most; a file that has become unreadable or faulty leaves
// the tokens as they were, so that a slip of an editor locks nobody out.

import { hash, timingSafeEqual } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import type { Metadata } from "@grpc/grpc-js";
import type { Logger } from "pino";
import { AppError } from "../domain/errors.ts";
import { StartError } from "./start-error.ts";

/** The fewest characters of a token. */
export const TOKEN_CHARS_MIN = 32;

const LOOK_INTERVAL_MS = 1_000;
const BEARER = /^Bearer +(\S+)$/i;

/** Gives the name of the caller. Throws TOKEN_MISSING or TOKEN_INVALID. */
export type Authenticate = (metadata: Metadata) => string;

/** Lets everybody in, under the name `local`. */
export const authenticateNobody: Authenticate = () => "local";

interface Credential {
  readonly name: string;
  readonly digest: Buffer;
}

/**
 * Reads tokens: one a line, of 32 characters or more; empty lines and lines that begin with `#` do
 * not count. Throws an Error that names the line, not the token.
 */
export function parseTokens(text: string): readonly Credential[] {
  const credentials: Credential[] = [];
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    if (line.length < TOKEN_CHARS_MIN || /\s/.test(line)) {
      throw new Error(
        `line ${index + 1} must be one token of ${TOKEN_CHARS_MIN} characters or more, no spaces`,
      );
    }
    const digest = hash("sha256", line, "buffer");
    credentials.push({ name: `token-${digest.toString("hex").slice(0, 8)}`, digest });
  }
  if (credentials.length === 0) throw new Error("it holds no token");
  return credentials;
}

/** The tokens of a file, and the state of the file just before it was read. */
interface TokenFile {
  readonly stamp: string;
  readonly credentials: readonly Credential[];
}

function readTokens(path: string): TokenFile {
  try {
    const stamp = stampOf(path);
    return { stamp, credentials: parseTokens(readFileSync(path, "utf8")) };
  } catch (error) {
    throw new StartError(`The token file ${path} cannot be used: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

function stampOf(path: string): string {
  const { mtimeMs, size, ino } = statSync(path);
  return `${mtimeMs} ${size} ${ino}`;
}

function findCredential(credentials: readonly Credential[], token: string): Credential | undefined {
  const digest = hash("sha256", token, "buffer");
  let found: Credential | undefined;
  // All of them are looked at: the time says nothing about which one fits.
  for (const credential of credentials) {
    if (timingSafeEqual(credential.digest, digest)) found = credential;
  }
  return found;
}

/** Asks every call for a token of a file. Throws a StartError when it cannot be used. */
export function createTokenAuth(
  path: string,
  parts: { readonly nowMs: () => number; readonly log: Logger },
): Authenticate {
  let file = readTokens(path);
  let seen = file.stamp;
  let lookedMs = parts.nowMs();
  const refresh = (): void => {
    const now = parts.nowMs();
    if (now - lookedMs < LOOK_INTERVAL_MS) return;
    lookedMs = now;
    try {
      const current = stampOf(path);
      if (current === seen) return;
      seen = current;
      file = readTokens(path);
      seen = file.stamp;
      parts.log.info({ tokens: file.credentials.length }, "token file read again");
    } catch (error) {
      parts.log.error({ problem: (error as Error).message }, "token file kept as it was");
    }
  };
  return (metadata) => {
    refresh();
    const header = metadata.get("authorization")[0];
    if (typeof header !== "string") {
      throw new AppError(
        "TOKEN_MISSING",
        'The call has no token. Send the metadata "authorization: Bearer TOKEN".',
      );
    }
    const token = BEARER.exec(header)?.[1];
    const credential = token === undefined ? undefined : findCredential(file.credentials, token);
    if (credential === undefined) {
      throw new AppError("TOKEN_INVALID", "The token is not one that this server knows.");
    }
    return credential.name;
  };
}
