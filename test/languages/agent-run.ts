// Runs an agent of examples/ against a real server that is killed and restarted in the middle; then
// kills the agent itself and lets it go on. What the agent says must agree with what is stored.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { connect, EventType } from "../../clients/typescript/src/index.ts";
import { ROOT } from "../../tools/process.ts";
import { reservedPort } from "../support/kit/port.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { type RunningServer, startServer } from "../support/process/server.ts";

/** Start of an agent: it gets `--address`, `--token`, `--state` and `--turns` as well. */
export interface AgentCommand {
  readonly program: string;
  readonly args: readonly string[];
}

type Line = Readonly<Record<string, unknown>>;

const TOKEN = "a-token-that-only-the-agent-has-0123456789";
const TURNS = 12;
const AWAY_MS = 500;

/** An agent that runs, with the lines it wrote so far. */
class Agent {
  readonly lines: Line[] = [];
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #wanted: { holds: (line: Line) => boolean; found: () => void }[] = [];
  readonly #errors: string[] = [];

  constructor({ program, args }: AgentCommand) {
    this.#child = spawn(program, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
    onTestFinished(() => this.kill());
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream !== null)
        createInterface({ input: stream }).on("line", (line) => this.#take(line));
    }
    this.exited = once(this.#child, "close").then(([code]) => code);
  }

  #take(text: string): void {
    if (!text.startsWith("{")) {
      this.#errors.push(text);
      return;
    }
    const line = JSON.parse(text) as Line;
    this.lines.push(line);
    for (const { holds, found } of this.#wanted) if (holds(line)) found();
  }

  /** Settles when the agent has ended this turn; fails when it ends before. */
  async hasDone(turn: number): Promise<void> {
    const done = new Promise<void>((found) => {
      this.#wanted.push({
        holds: (line) => line["step"] === "turn" && line["turn"] === turn,
        found,
      });
    });
    const early = this.exited.then(() => {
      throw new Error(`The agent ended before turn ${turn}.\n${this.#errors.join("\n")}`);
    });
    await Promise.race([done, early]);
  }

  /** Waits for the end, which must be a good one. */
  async finish(): Promise<void> {
    const code = await this.exited;
    expect({ code, errors: code === 0 ? [] : this.#errors }).toEqual({ code: 0, errors: [] });
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.exited;
  }
}

/** Plays the whole story. */
export async function runAgent({ program, args }: AgentCommand): Promise<void> {
  const folder = await makeTempDir();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const tokens = join(folder.path, "tokens");
  writeFileSync(tokens, `${TOKEN}\n`, { mode: 0o600 });
  const address = `127.0.0.1:${await reservedPort()}`;
  const serve = (): Promise<RunningServer> =>
    startServer({
      dataDir: join(folder.path, "data"),
      listen: address,
      args: ["--token-file", tokens],
    });
  let server = await serve();
  onTestFinished(async () => {
    await server.kill();
  });
  const state = join(folder.path, "state.json");
  const options = ["--address", address, "--token", TOKEN, "--state", state, "--turns", `${TURNS}`];
  const command = { program, args: [...args, ...options] };

  const first = new Agent(command);
  await first.hasDone(3);
  await server.kill();
  await sleep(AWAY_MS);
  server = await serve();
  await first.hasDone(6);
  await first.kill();
  const second = new Agent(command);
  await second.finish();

  expect(first.lines.some(({ step }) => step === "interrupted")).toBe(true);
  checkTurns([...first.lines, ...second.lines]);
  checkMemory(second.lines);
  checkErrors(second.lines);
  await checkStored(address, [first.lines, second.lines]);
}

function of(lines: readonly Line[], step: string): Line[] {
  return lines.filter((line) => line["step"] === step);
}

/** Every turn was done, with a window that a model takes. */
function checkTurns(lines: readonly Line[]): void {
  const turns = of(lines, "turn");
  expect(new Set(turns.map(({ turn }) => turn)).size).toBe(TURNS);
  for (const { turn, messages, openCalls, answer } of turns) {
    const city = ["Lisbon", "Oslo", "Rome"][Number(turn) % 3];
    expect(openCalls).toBe(0);
    expect(messages).toBeGreaterThanOrEqual(4);
    expect(messages).toBeLessThanOrEqual(20);
    expect(answer).toBe(`The Anchor in ${city} has a table. It is sunny in ${city}.`);
  }
}

function checkMemory(lines: readonly Line[]): void {
  const fact = "Ada is allergic to peanuts.";
  expect(of(lines, "recalled").map(({ text }) => text)).toEqual([fact]);
  expect(String(of(lines, "context")[0]?.["text"])).toContain(fact);
}

/** Checks each class of error: the server's answer, and the agent's reaction. */
function checkErrors(lines: readonly Line[]): void {
  const change = "change the request";
  expect(of(lines, "error").map(({ step, ...rest }) => rest)).toEqual([
    { code: "UNAUTHENTICATED", reason: "TOKEN_MISSING", remedy: "call a person" },
    {
      code: "INVALID_ARGUMENT",
      reason: "REQUEST_INVALID",
      field: "messages[0].role",
      remedy: change,
    },
    { code: "NOT_FOUND", reason: "SESSION_NOT_FOUND", remedy: change },
    { code: "ALREADY_EXISTS", reason: "SESSION_ALREADY_EXISTS", remedy: change },
    { code: "FAILED_PRECONDITION", reason: "REQUEST_ID_REUSED", remedy: change },
    { code: "OUT_OF_RANGE", reason: "SEQ_OUT_OF_RANGE", remedy: change },
    { code: "DEADLINE_EXCEEDED", remedy: "send the same request again" },
    { code: "ABORTED", reason: "LAST_SEQ_MISMATCH", remedy: "read, then send a new request" },
  ]);
}

/** Each message is stored once, and each trim was seen once by an agent that was not killed. */
async function checkStored(address: string, runs: readonly (readonly Line[])[]): Promise<void> {
  const client = connect(address, { token: TOKEN });
  onTestFinished(() => client.close());
  const texts: string[] = [];
  for await (const message of client.listMessages("dinner")) {
    texts.push(message.toolCalls.length > 0 ? "calls" : message.text);
  }
  for (let turn = 1; turn <= TURNS; turn++) {
    expect(texts.filter((text) => text.startsWith(`Turn ${turn}:`))).toHaveLength(1);
  }
  // Five messages a turn; beside them the request that was late and the one that was aborted.
  expect(texts.filter((text) => text !== "Hello.")).toHaveLength(5 * TURNS);
  expect(texts.filter((text) => text === "Hello.")).toHaveLength(2);

  const stored: string[] = [];
  for await (const event of client.listEvents({
    filter: { sessionId: "dinner", eventTypes: [EventType.MESSAGES_TRIMMED] },
  })) {
    stored.push(`${event.revision}.${event.index}`);
  }
  const seen = runs.map((lines) =>
    of(lines, "trim").map(({ revision, index }) => `${String(revision)}.${String(index)}`),
  );
  for (const places of seen) expect(new Set(places).size).toBe(places.length);
  expect(new Set(seen.flat())).toEqual(new Set(stored));
  expect(stored.length).toBeGreaterThan(3);
}
