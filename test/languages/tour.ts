// Runs the tour of a client: one program, written anew in each language, that must print the lines
// of tour.txt. The server is killed in the middle while the program works, and then the program.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { ROOT } from "../../tools/process.ts";
import { reservedPort } from "../support/kit/port.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { startServer } from "../support/process/server.ts";

/** Start of a tour. It gets the address and the token as well, and then the word `resume`. */
export interface TourCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const TOKEN = "a-token-that-only-the-tour-has-0123456789";
const AWAY_MS = 500;
const EXPECTED = join(import.meta.dirname, "tour.txt");

/** A tour that runs, with what it wrote so far. */
class Tour {
  output = "";
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcess;
  #errors = "";
  #wake: () => void = () => {};

  constructor({ program, args, env }: TourCommand) {
    this.#child = spawn(program, args, { cwd: ROOT, env: { ...process.env, ...env } });
    onTestFinished(() => this.kill());
    this.#child.stdout?.on("data", (chunk: Buffer) => {
      this.output += chunk.toString();
      this.#wake();
    });
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      this.#errors += chunk.toString();
    });
    this.exited = once(this.#child, "close").then(([code]) => code);
  }

  /** Waits for a line, with which the tour asks for something. */
  async asks(start: string): Promise<void> {
    let hasEnded = false;
    this.exited.then(() => {
      hasEnded = true;
      this.#wake();
    });
    const line = new RegExp(`^${start}.*\n`, "m");
    while (!line.test(this.output)) {
      if (hasEnded) throw new Error(`It ended before "${start}".\n${this.output}${this.#errors}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Presses Enter. */
  enter(): void {
    this.#child.stdin?.write("\n");
  }

  async finish(): Promise<void> {
    const code = await this.exited;
    expect({ code, errors: this.#errors }).toEqual({ code: 0, errors: "" });
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.exited;
  }
}

/** Takes the whole tour and compares what it prints. */
export async function takeTour({ program, args, env = {} }: TourCommand): Promise<void> {
  const folder = await makeTempDir();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const tokens = join(folder.path, "tokens");
  writeFileSync(tokens, `${TOKEN}\n`, { mode: 0o600 });
  const dataDir = join(folder.path, "data");
  const address = `127.0.0.1:${await reservedPort()}`;
  const serve = () => startServer({ dataDir, listen: address, args: ["--token-file", tokens] });
  let server = await serve();
  onTestFinished(async () => {
    await server.kill();
  });

  const first = new Tour({ program, args: [...args, address, TOKEN], env });
  await first.asks("Kill the server");
  await server.kill();
  first.enter();
  await sleep(AWAY_MS);
  server = await serve();
  await first.asks("Kill this program");
  await first.kill();
  const second = new Tour({ program, args: [...args, address, TOKEN, "resume"], env });
  await second.finish();
  expect(first.output + second.output).toBe(readFileSync(EXPECTED, "utf8"));
}
