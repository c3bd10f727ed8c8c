// Lives of a process that writes into a store of its own, says on its output what it intends and
// what was answered, and is killed.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Random } from "../support/kit/random.ts";

const LIFE_MS = 120_000;

/** Expected state of what is written: each `sessionId` has one writer, with one call at a time. */
interface Account<A> {
  readonly answered: number;
  intend(action: A): void;
  answer(sessionId: string): void;
}

type Line<A> =
  | { readonly intended: A }
  | { readonly answered: { readonly sessionId: string; readonly saved: boolean } };

/** A life of the writer. */
interface Life {
  /** The module that writes. */
  readonly writer: string;
  readonly directory: string;
  readonly seed: number;
  readonly failpoint: string;
}

/** One life of the writer. Without a failpoint it is killed after some answers. Gives its end. */
export async function live<A>(account: Account<A>, random: Random, kill: Life): Promise<string> {
  const args = [kill.writer, kill.directory, String(kill.seed), kill.failpoint];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const exit = new Promise<string>((resolve) => {
    child.on("close", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const lines = createInterface({ input: child.stdout });
  // A slow machine must show something, too: so the kill waits for some answers first.
  const enough = account.answered + random.int(1, 60);
  let isTooLong = false;
  const limit = setTimeout(() => {
    isTooLong = true;
    child.kill("SIGKILL");
  }, LIFE_MS);
  let isKilled = kill.failpoint !== "";
  let torn = false;
  for await (const text of lines) {
    if (torn) throw new Error("a line in the middle is no JSON");
    const line = lineOf<A>(text);
    // The kill may cut off the last line. What it tells of was not begun, or not answered: if it
    // was done all the same, the account finds it.
    torn = line === undefined;
    if (line === undefined) continue;
    if ("intended" in line) account.intend(line.intended);
    else account.answer(line.answered.sessionId);
    if (!isKilled && account.answered >= enough) {
      isKilled = true;
      setTimeout(() => child.kill("SIGKILL"), random.int(0, 40));
    }
  }
  clearTimeout(limit);
  return isTooLong ? "reached no end" : await exit;
}

/** A line of the writer; undefined when it is cut off. */
function lineOf<A>(text: string): Line<A> | undefined {
  try {
    return JSON.parse(text) as Line<A>;
  } catch {
    return undefined;
  }
}
