// Authentication of callers. Without a token file everybody may call: the server then listens on
// loopback and Unix sockets only. With one, every call must bring one of its tokens.
//
// Tokens are held as SHA-256 hashes and compared in constant time. The file is looked at four times
// a second, whether calls come or not: a token that it no longer holds ends the streams and waits
// that were opened with it. Whatever is wrong with the file, it never brings back a token that was
// taken away: a faulty line grants nothing, and a file that is empty or gone lets nobody in.

import { hash, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Metadata } from "@grpc/grpc-js";
import type { Logger } from "pino";
import { AppError } from "../kit/errors.ts";
import { checkSecretAccess, stampOf } from "../kit/secret-access.ts";
import { StartError } from "./address.ts";

/** The fewest characters of a token. */
export const TOKEN_CHARS_MIN = 32;

const LOOK_INTERVAL_MS = 250;
const BEARER = /^Bearer +(\S+)$/i;

/** An authenticated caller. */
export interface Caller {
  readonly name: string;
  /** Aborted when the token is taken away. */
  readonly revoked: AbortSignal;
}

/** Tells callers apart. */
export interface Auth {
  /** Gives the caller. Throws TOKEN_MISSING or TOKEN_INVALID. */
  readonly authenticate: (metadata: Metadata) => Caller;
  /** Whether `authenticate` would give a caller. */
  readonly isKnown: (metadata: Metadata) => boolean;
  /** Looks at the token file no more. */
  readonly close: () => void;
}

const LOCAL: Caller = { name: "local", revoked: new AbortController().signal };

/** Lets everybody in, under the name `local`. */
export const OPEN_AUTH: Auth = {
  authenticate: () => LOCAL,
  isKnown: () => true,
  close: () => {},
};

/** The token of a call is not, or no longer, one of the server's. */
export function tokenInvalid(): AppError {
  return new AppError("TOKEN_INVALID", "The token is unknown to this server.");
}

interface Credential {
  readonly caller: Caller;
  readonly digest: Buffer;
  readonly revoke: () => void;
}

/** The tokens of a file by their digests in hexadecimal, and what is wrong with its lines. */
interface TokenList {
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly problems: readonly string[];
}

function credentialOf(digest: Buffer): Credential {
  const controller = new AbortController();
  const name = `token-${digest.toString("hex").slice(0, 8)}`;
  return { caller: { name, revoked: controller.signal }, digest, revoke: () => controller.abort() };
}

/**
 * Reads tokens: one a line, of 32 characters or more; empty lines and lines that begin with `#` do
 * not count. Problems name lines, not tokens.
 */
function parseTokens(text: string): TokenList {
  const credentials = new Map<string, Credential>();
  const problems: string[] = [];
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    if (line.length < TOKEN_CHARS_MIN || /\s/.test(line)) {
      const rule = `one token of ${TOKEN_CHARS_MIN} characters or more, no spaces`;
      problems.push(`line ${index + 1} must be ${rule}`);
      continue;
    }
    const digest = hash("sha256", line, "buffer");
    credentials.set(digest.toString("hex"), credentialOf(digest));
  }
  if (credentials.size === 0) problems.push("it holds no token");
  return { credentials, problems };
}

/** Dependencies of the tokens of a file. */
export interface TokenAuthParts {
  /** Takes tokens from a file that others can read. */
  readonly allowExposed: boolean;
  readonly log: Logger;
}

class TokenAuth implements Auth {
  readonly #path: string;
  readonly #parts: TokenAuthParts;
  readonly #timer: NodeJS.Timeout;
  #stamp: string;
  /** The stamp of a file without tokens, which may be half written. */
  #emptyStamp: string | undefined;
  #credentials: ReadonlyMap<string, Credential>;

  constructor(path: string, parts: TokenAuthParts) {
    this.#path = path;
    this.#parts = parts;
    // Taken before the content: a change in between is seen at the next look.
    this.#stamp = stampOf(path);
    checkSecretAccess(path, parts.allowExposed);
    const { credentials, problems } = parseTokens(readFileSync(path, "utf8"));
    if (problems.length > 0) throw new Error(problems.join("; "));
    this.#credentials = credentials;
    this.#timer = setInterval(() => this.#look(), LOOK_INTERVAL_MS).unref();
  }

  readonly authenticate = (metadata: Metadata): Caller => {
    const caller = this.#callerOf(metadata);
    if (caller !== undefined) return caller;
    if (metadata.get("authorization").length > 0) throw tokenInvalid();
    throw new AppError(
      "TOKEN_MISSING",
      'The call has no token. Send the metadata "authorization: Bearer TOKEN".',
    );
  };

  readonly isKnown = (metadata: Metadata): boolean => this.#callerOf(metadata) !== undefined;

  readonly close = (): void => clearInterval(this.#timer);

  #callerOf(metadata: Metadata): Caller | undefined {
    const token = BEARER.exec(String(metadata.get("authorization")[0]))?.[1];
    if (token === undefined) return undefined;
    const digest = hash("sha256", token, "buffer");
    let found: Caller | undefined;
    // All of them are looked at: the time says nothing about which one fits.
    for (const credential of this.#credentials.values()) {
      if (timingSafeEqual(credential.digest, digest)) found = credential.caller;
    }
    return found;
  }

  #look(): void {
    const stamp = this.#currentStamp();
    if (stamp === this.#stamp) return;
    const { credentials, problems } = this.#read();
    // Editors empty a file before they write it: it counts as empty when it still is a look later.
    if (credentials.size === 0 && stamp !== this.#emptyStamp) {
      this.#emptyStamp = stamp;
      return;
    }
    this.#emptyStamp = undefined;
    this.#stamp = stamp;
    this.#replace(credentials, problems);
  }

  #currentStamp(): string {
    try {
      return stampOf(this.#path);
    } catch (error) {
      return String((error as NodeJS.ErrnoException).code);
    }
  }

  /** The tokens that count now. From a file that others can read, only those known before do. */
  #read(): TokenList {
    try {
      const { credentials, problems } = parseTokens(readFileSync(this.#path, "utf8"));
      try {
        checkSecretAccess(this.#path, this.#parts.allowExposed);
        return { credentials, problems };
      } catch (error) {
        const known = [...credentials].filter(([digest]) => this.#credentials.has(digest));
        const problem = `${(error as Error).message}; its new tokens do not count until then`;
        return { credentials: new Map(known), problems: [...problems, problem] };
      }
    } catch (error) {
      return { credentials: new Map(), problems: [(error as Error).message] };
    }
  }

  #replace(credentials: TokenList["credentials"], problems: TokenList["problems"]): void {
    const before = this.#credentials;
    // A token that stays keeps its credential: its streams go on.
    this.#credentials = new Map(
      [...credentials].map(([digest, credential]) => [digest, before.get(digest) ?? credential]),
    );
    let removed = 0;
    for (const [digest, credential] of before) {
      if (this.#credentials.has(digest)) continue;
      removed += 1;
      credential.revoke();
    }
    const { log } = this.#parts;
    const fields = { tokens: this.#credentials.size, removed };
    if (problems.length === 0) log.info(fields, "token file read again");
    else log.error({ ...fields, problems }, "token file read again, with problems");
  }
}

/** Asks every call for a token of a file. Throws a StartError when it cannot be used. */
export function createTokenAuth(path: string, parts: TokenAuthParts): Auth {
  try {
    return new TokenAuth(path, parts);
  } catch (error) {
    throw new StartError(`The token file ${path} cannot be used: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}
