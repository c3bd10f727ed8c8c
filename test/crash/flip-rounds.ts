// One flip after the other: a copy of the scene with one bit or byte changed, a server on it, every
// question asked again, and verify at the end.

import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { verifyDirectory } from "../../src/store/verify/verify.ts";
import { writeHooks } from "../support/hooks/cover-hook.ts";
import type { Random } from "../support/kit/random.ts";
import { type RunningServer, startServer } from "../support/process/server.ts";
import { type Answer, type JsonCall, JsonClient, valuesUnder } from "./flip-client.ts";
import { type Place, Places } from "./flip-places.ts";
import { SCENE_HOOKS, Scene } from "./flip-scene.ts";

const FACTS = new URL("../../src/session/facts-wire.ts", import.meta.url);
const DATA_FILE = "data.mdb";
const AT_ONCE = 16;
/** An answer or a start that takes longer is counted as a hang. */
const HANG_MS = 30_000;
const START_MS = 90_000;

/** Outcomes of a flip, the worst first. */
export const OUTCOMES = [
  "crash loop",
  "hang",
  "silent wrong",
  "other error",
  "refused at start",
  "stopped with a log line",
  "data loss",
  "said incomplete",
  "verify only",
  "harmless",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

type Finding = readonly [Outcome, string];

/** A flip and what came of it. */
export interface Round {
  readonly place: Place;
  readonly outcome: Outcome;
  readonly detail: string;
}

/**
 * Values that are made anew, or change with time. The list of what did not fit into a context
 * follows from scores, which change with the texts of other records. Coverage is read apart.
 */
const PASSING = new Set([
  ...["etag", "resumeToken", "nextPageToken", "score", "relevance", "parts"],
  ...["cuts", "totalCutCount", "coverage"],
]);

/** An answer without what may differ, as text. */
function essence(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(essence);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !PASSING.has(name));
  return Object.fromEntries(kept.map(([name, one]) => [name, essence(one)]));
}

function textOf({ rpc }: JsonCall, json: JsonObject): string {
  if (rpc !== "Recall") return JSON.stringify(essence(json));
  // Scores change with time, and the order with them.
  const hits = (json["hits"] ?? []) as JsonValue[];
  return JSON.stringify(hits.map(idOf).sort());
}

/** Whether an answer says that it may lack something. */
function isPartial(json: JsonObject): boolean {
  return valuesUnder(json, "coverage").some(
    (coverage) => (coverage as JsonObject)["complete"] !== true,
  );
}

function idOf(hit: JsonValue): string {
  return ["messageId", "memoryId", "documentId"].flatMap((name) => valuesUnder(hit, name)).join();
}

/** The scene, its questions and their right answers. */
export class FlipScene {
  readonly #directory: string;
  readonly #args: readonly string[];
  readonly #random: Random;
  #questions: readonly JsonCall[] = [];
  #right: readonly string[] = [];
  #bytes = Buffer.alloc(0);
  #places: Places | undefined;
  #copies = 0;

  private constructor(directory: string, args: readonly string[], random: Random) {
    this.#directory = directory;
    this.#args = args;
    this.#random = random;
  }

  /** Writes the scene below a directory. */
  static async make(directory: string, random: Random): Promise<FlipScene> {
    const args = ["--hooks-file", await writeHooks(directory, SCENE_HOOKS)];
    const scene = new FlipScene(directory, args, random);
    await scene.#write();
    return scene;
  }

  get questionCount(): number {
    return this.#questions.length;
  }

  get #golden(): string {
    return join(this.#directory, "golden");
  }

  async #write(): Promise<void> {
    await this.#serve(this.#golden, async (client) => {
      const scene = new Scene(client, this.#random);
      await scene.write();
      await scene.churn();
      this.#questions = scene.questions();
    });
    const file = join(this.#golden, DATA_FILE);
    this.#bytes = readFileSync(file);
    this.#places = new Places(file, this.#bytes);
    this.#right = await this.#answersOfCopy();
    // Questions whose answers change by themselves would be counted as wrong.
    const again = await this.#answersOfCopy();
    const unstable = this.#questions.filter((_, at) => again[at] !== this.#right[at]);
    if (unstable.length > 0) throw new Error(`unstable: ${JSON.stringify(unstable)}`);
  }

  async #answersOfCopy(): Promise<readonly string[]> {
    const directory = this.#copy();
    let answers: readonly string[] = [];
    await this.#serve(directory, async (client) => {
      answers = (await this.#askAll(client)).map((answer, at) => {
        const question = this.#questions[at];
        if (question === undefined || answer.kind === "failure" || isPartial(answer.json)) {
          throw new Error(`${JSON.stringify(question)}: ${JSON.stringify(answer)}`);
        }
        return textOf(question, answer.json);
      });
    });
    const { problems } = await verifyDirectory(directory, { factsModule: FACTS });
    if (problems.length > 0) throw new Error(`the scene is damaged: ${JSON.stringify(problems)}`);
    rmSync(directory, { recursive: true });
    return answers;
  }

  async #serve(dataDir: string, run: (client: JsonClient) => Promise<void>): Promise<void> {
    const server = await startServer({ dataDir, args: this.#args });
    const client = new JsonClient(server.address);
    try {
      await run(client);
    } finally {
      client.close();
      await server.stop();
    }
  }

  #copy(): string {
    const directory = join(this.#directory, `copy-${++this.#copies}`);
    cpSync(this.#golden, directory, { recursive: true });
    return directory;
  }

  async #askAll(client: JsonClient): Promise<readonly Answer[]> {
    const answers = new Array<Answer>(this.#questions.length);
    const asked = this.#questions.map((question, at) => ({ question, at }));
    // A context takes what the index holds by then: it is asked for once all is loaded.
    const [late = [], early = []] = [true, false].map((isLate) =>
      asked.filter(({ question: { rpc } }) => (rpc === "AssembleContext") === isLate),
    );
    for (const some of [early, late]) {
      const left = some.values();
      const ask = async (): Promise<void> => {
        for (const { at, question } of left) answers[at] = await client.ask(question, HANG_MS);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, ask));
    }
    return answers;
  }

  /** Flips a bit or a byte at a place of one kind, and sees what comes of it. */
  async flip(place: Place, random: Random): Promise<Round> {
    const at = this.#places?.pick(place, random) ?? 0;
    const mask = random.chance(0.7) ? 1 << random.int(0, 7) : random.int(1, 255);
    return await this.flipAt(place, at, mask);
  }

  /** Flips these bits of one byte. */
  async flipAt(place: Place, at: number, mask: number): Promise<Round> {
    const directory = this.#copy();
    const changed = Buffer.from(this.#bytes);
    changed[at] = (changed[at] ?? 0) ^ mask;
    writeFileSync(join(directory, DATA_FILE), changed);
    const [outcome, why] = await this.#tryOut(directory);
    rmSync(directory, { recursive: true });
    return { place, outcome, detail: `byte ${at} ^ ${mask}: ${why}` };
  }

  async #tryOut(directory: string): Promise<Finding> {
    const options = { dataDir: directory, args: this.#args, startTimeoutMs: START_MS };
    let server: RunningServer;
    try {
      server = await startServer(options);
    } catch (error) {
      return refusalOf(error as Error);
    }
    const client = new JsonClient(server.address);
    const answers = await this.#askAll(client);
    client.close();
    const { code, signal } = await server.stop();
    const findings = this.#findings(answers);
    const { clean, problems } = await verifyDirectory(directory, { factsModule: FACTS });
    const last = clean ? (["harmless", ""] as const) : verifyOnly(problems);
    if (signal === "SIGKILL") findings.unshift(["hang", "the server does not stop"]);
    else if (signal !== null) findings.unshift(["crash loop", signal]);
    else if (code !== 0) findings.unshift(["stopped with a log line", lastLine(server)]);
    return findings.sort(([a], [b]) => OUTCOMES.indexOf(a) - OUTCOMES.indexOf(b))[0] ?? last;
  }

  /** Answers that are not as they were. A server that stopped is counted by that. */
  #findings(answers: readonly Answer[]): Finding[] {
    return answers.flatMap((answer, at) => {
      const question = this.#questions[at];
      if (question === undefined) return [];
      const what = JSON.stringify(question);
      if (answer.kind === "failure") return [[outcomeOf(answer), `${answer.reason} ${what}`]];
      const text = textOf(question, answer.json);
      const right = this.#right[at] ?? "";
      if (text === right) return [];
      const from = [...text].findIndex((letter, place) => letter !== right[place]);
      const difference = `${what} gives ${text.slice(Math.max(0, from - 40), from + 80)}`;
      return [[isPartial(answer.json) ? "said incomplete" : "silent wrong", difference]];
    });
  }
}

function verifyOnly(problems: readonly { readonly kind: string }[]): Finding {
  return ["verify only", problems.map(({ kind }) => kind).join("; ")];
}

function outcomeOf({ code, reason }: Answer & { readonly kind: "failure" }): Outcome {
  if (reason === "RECORD_CORRUPT") return "data loss";
  if (code === "DEADLINE_EXCEEDED") return "hang";
  // The server ended, which is counted by its exit.
  if (code === "UNAVAILABLE") return "stopped with a log line";
  return reason === "INTERNAL" || reason === "" ? "other error" : "silent wrong";
}

/** A server that ends without a line in its log says nobody why. */
function refusalOf({ message }: Error): Finding {
  const isSaid =
    !/ended with SIG/.test(message) && /memory-sidecar: |"level":"fatal"/.test(message);
  const line = message.split("\n").at(-1)?.slice(0, 200) ?? "";
  if (message.includes("did not serve in time")) return ["hang", line];
  return [isSaid ? "refused at start" : "crash loop", line];
}

function lastLine(server: RunningServer): string {
  return JSON.stringify(server.logs.at(-1) ?? server.output.at(-1) ?? "").slice(0, 200);
}
