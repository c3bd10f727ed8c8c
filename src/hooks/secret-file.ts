// A key or a token in a file of its own. It is read again when the file changes; a file that has
// become unreadable leaves the secret as it was.

import { readFileSync, statSync } from "node:fs";
import type { Logger } from "pino";

const LOOK_INTERVAL_MS = 1_000;
const CHARS_MAX = 8_192;
const SECRET = /^[\x21-\x7e]+$/;
const OTHERS_READ = 0o004;

/** Reads a secret. Throws an Error that says what is wrong, and nothing of the secret. */
export function readSecret(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8").trim();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new Error(`the file cannot be read (${code})`);
  }
  if (text === "") throw new Error("the file is empty");
  if (text.length > CHARS_MAX || !SECRET.test(text)) {
    throw new Error(
      `the file must hold one secret of at most ${CHARS_MAX} visible ASCII characters, no spaces`,
    );
  }
  return text;
}

function stampOf(path: string): string {
  const { mtimeMs, size, ino } = statSync(path);
  return `${mtimeMs} ${size} ${ino}`;
}

/** What a secret file needs. */
export interface SecretParts {
  /** The hook that it belongs to, for the log. */
  readonly hook: string;
  readonly nowMs: () => number;
  readonly log: Logger;
}

/** A secret in a file. */
export class SecretFile {
  private readonly path: string;
  private readonly parts: SecretParts;
  private secret: string;
  private seen: string;
  private lookedMs: number;

  /** Reads the file. Throws as readSecret does. Warns when everybody on the machine can read it. */
  constructor(path: string, parts: SecretParts) {
    this.path = path;
    this.parts = parts;
    this.secret = readSecret(path);
    this.seen = stampOf(path);
    this.lookedMs = parts.nowMs();
    if ((statSync(path).mode & OTHERS_READ) !== 0) {
      parts.log.warn({ hook: parts.hook, file: path }, "every user can read this secret file");
    }
  }

  /** The secret as it is now. Looks at the file once a second at most. */
  current(): string {
    const now = this.parts.nowMs();
    if (Math.abs(now - this.lookedMs) < LOOK_INTERVAL_MS) return this.secret;
    this.lookedMs = now;
    const { hook, log } = this.parts;
    try {
      const stamp = stampOf(this.path);
      if (stamp === this.seen) return this.secret;
      this.seen = stamp;
      this.secret = readSecret(this.path);
      log.info({ hook, file: this.path }, "secret file read again");
    } catch (error) {
      const problem = (error as Error).message;
      log.error({ hook, file: this.path, problem }, "secret file kept as it was");
    }
    return this.secret;
  }
}
