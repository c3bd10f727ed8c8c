// Access of other users to secret files: tokens of callers, keys of hooks, the key of TLS.

import { readFileSync, statSync } from "node:fs";

const GROUP_READS = 0o040;
const GROUP_WRITES = 0o020;
const OTHERS_READ_OR_WRITE = 0o006;
const ROOT = 0;

/** The state of a file: another one when its content, or who may read it, has changed. */
export function stampOf(path: string): string {
  const { mtimeMs, ctimeMs, size, ino } = statSync(path);
  return `${mtimeMs} ${ctimeMs} ${size} ${ino}`;
}

/**
 * Names who else can get at a secret file, and how to mend that; undefined when nobody can. The
 * group of a file of root may read it: whoever is not root reads such a file in no other way, and
 * Kubernetes mounts secrets like this. Throws when the file is not there.
 */
export function secretExposure(path: string): string | undefined {
  const { mode, uid } = statSync(path);
  let who: string | undefined;
  if ((mode & OTHERS_READ_OR_WRITE) !== 0) who = "every user of this machine may read it";
  else if ((mode & GROUP_WRITES) !== 0) who = "its group may write it";
  else if ((mode & GROUP_READS) !== 0 && uid !== ROOT) who = "its group may read it";
  if (who === undefined) return undefined;
  return (
    `${who} (mode ${(mode & 0o777).toString(8).padStart(4, "0")}). Run chmod 600 on it, mount it ` +
    "with defaultMode 0440 and an fsGroup in Kubernetes, or set --allow-exposed-secrets"
  );
}

/** Throws an Error when others can get at a secret file, unless that is allowed. */
export function checkSecretAccess(path: string, allowExposed: boolean): void {
  const exposure = allowExposed ? undefined : secretExposure(path);
  if (exposure !== undefined) throw new Error(exposure);
}

/** Gives the first token of a file of tokens. Throws an Error when it holds none. */
export function firstToken(path: string): string {
  const lines = readFileSync(path, "utf8").split("\n");
  const token = lines.map((line) => line.trim()).find((line) => line !== "" && line[0] !== "#");
  if (token === undefined) throw new Error(`${path} holds no token.`);
  return token;
}
