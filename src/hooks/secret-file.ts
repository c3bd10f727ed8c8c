// A key or a token in a separate file. It is read again when the file changes; if the file becomes
// unreadable, the last secret stays in use.

import { readFileSync } from "node:fs";
import type { Logger } from "pino";
import { checkSecretAccess, secretExposure, stampOf } from "../kit/secret-access.ts";

const LOOK_INTERVAL_MS = 1_000;
const CHARS_MAX = 8_192;
const SECRET = /^[\x21-\x7e]+$/;

/** Reads a secret. Throws an Error that names the problem and holds nothing of the secret. */
export function readSecret(path: string, allowExposed = false): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8").trim();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new Error(`the file cannot be read (${code})`);
  }
  checkSecretAccess(path, allowExposed);
  if (text === "") throw new Error("the file is empty");
  if (text.length > CHARS_MAX || !SECRET.test(text)) {
    throw new Error(
      `the file must hold one secret of at most ${CHARS_MAX} visible ASCII characters, no spaces`,
    );
  }
  return text;
}

/** Dependencies of a secret file. */
export interface SecretParts {
  /** The hook that it belongs to, for the log. */
  readonly hook: string;
  /** Reads the file though others can. Default: no. */
  readonly allowExposed?: boolean;
  readonly nowMs: () => number;
  readonly log: Logger;
}

/** A secret in a file. */
export class SecretFile {
  readonly #path: string;
  readonly #parts: SecretParts;
  #secret: string;
  #seen: string;
  #lookedMs: number;

  /** Reads the file. Throws as readSecret does. Warns when others can read it and may. */
  constructor(path: string, parts: SecretParts) {
    this.#path = path;
    this.#parts = parts;
    this.#secret = readSecret(path, parts.allowExposed);
    this.#seen = stampOf(path);
    this.#lookedMs = parts.nowMs();
    const problem = secretExposure(path);
    if (problem !== undefined) {
      parts.log.warn({ hook: parts.hook, file: path, problem }, "others can read this secret file");
    }
  }

  /** The current secret. Checks the file at most once a second. */
  current(): string {
    const now = this.#parts.nowMs();
    if (Math.abs(now - this.#lookedMs) < LOOK_INTERVAL_MS) return this.#secret;
    this.#lookedMs = now;
    const { hook, log, allowExposed } = this.#parts;
    try {
      const stamp = stampOf(this.#path);
      if (stamp === this.#seen) return this.#secret;
      this.#seen = stamp;
      this.#secret = readSecret(this.#path, allowExposed);
      log.info({ hook, file: this.#path }, "secret file read again");
    } catch (error) {
      const problem = (error as Error).message;
      log.error({ hook, file: this.#path, problem }, "secret file kept as it was");
    }
    return this.#secret;
  }
}
