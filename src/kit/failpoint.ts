// Places where a test can kill the process, to show that a crash there loses nothing. Unarmed, a
// failpoint is one comparison. Only main arms them, from the configuration.

/** The places, in the order of a write. */
export const FAILPOINTS = [
  "before-commit",
  "mid-trim",
  "after-commit",
  "before-index",
  "mid-flush",
  "mid-purge",
  "mid-copy",
  "after-hook",
  "before-exchange",
  "mid-exchange",
] as const;

/** The name of a failpoint. */
export type Failpoint = (typeof FAILPOINTS)[number];

let armed: Map<Failpoint, number> | undefined;

/**
 * Arms failpoints: `before-commit:17,after-commit:3` kills the process with SIGKILL at the 17th
 * pass of the one and the 3rd of the other, whichever comes first. An empty text disarms all.
 * Throws an Error when the text is malformed.
 */
export function armFailpoints(spec: string): void {
  armed = undefined;
  const passes = new Map<Failpoint, number>();
  for (const part of spec.split(",").filter((text) => text !== "")) {
    const match = /^([a-z-]+):([1-9]\d{0,8})$/.exec(part);
    const name = FAILPOINTS.find((known) => known === match?.[1]);
    if (match === null || name === undefined) {
      throw new Error(
        `"${part}" is not a failpoint: give NAME:COUNT with one of ${FAILPOINTS.join(", ")}.`,
      );
    }
    passes.set(name, Number(match[2]));
  }
  if (passes.size > 0) armed = passes;
}

/** Kills the process if this is the armed pass of the failpoint; else does nothing. */
export function failpoint(name: Failpoint): void {
  if (armed === undefined) return;
  const left = armed.get(name);
  if (left === undefined) return;
  armed.set(name, left - 1);
  if (left === 1) process.kill(process.pid, "SIGKILL");
}
