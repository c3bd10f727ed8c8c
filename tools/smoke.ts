// `npm run smoke`: proves in under a minute that this checkout works on this machine. It starts the
// server from the sources on a store in a temporary directory, and prints a line for each proof.

import { equal, ok } from "node:assert/strict";
import { join } from "node:path";
import { connect, dropOldest, type MemorySidecar } from "../clients/typescript/src/index.ts";
import { makeTempDir } from "../test/support/kit/temp-dir.ts";
import { type RunningServer, startServer } from "../test/support/process/server.ts";
import { ROOT, run, secondsSince } from "./process.ts";

const SESSION = "trip";
const WRITERS = 8;
const CALL_ID = "call-1";

/** The seqs of a range of messages. */
const seqs = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index).join();

async function loggedTexts(client: MemorySidecar): Promise<string[]> {
  const texts: string[] = [];
  let seq = 0;
  for await (const message of client.listMessages(SESSION, { pageSize: 1_000 })) {
    seq += 1;
    equal(message.seq, seq, "the seqs have a hole");
    texts.push(message.text);
  }
  return texts;
}

/** An agent's memory through a kill -9 and a stop; each step is a proof. */
class Smoke {
  readonly #dataDir: string;
  #server: RunningServer | undefined;
  #client: MemorySidecar | undefined;
  readonly #acknowledged: string[] = [];

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  get #memory(): MemorySidecar {
    if (this.#client === undefined) throw new Error("the server does not run");
    return this.#client;
  }

  async start(): Promise<string> {
    this.#server = await startServer({ dataDir: this.#dataDir });
    this.#client = connect(this.#server.address);
    const { version } = await this.#client.serverInfo();
    return `version ${version} serves on ${this.#server.address}`;
  }

  /** Kills the remaining processes of a failed run. */
  async end(): Promise<void> {
    this.#client?.close();
    await this.#server?.kill();
  }

  async append(): Promise<string> {
    const fit = dropOldest("fit", { maxMessages: 4 }, { unit: "message" });
    await this.#memory.createSession({ sessionId: SESSION, policy: { stages: [fit] } });
    const call = { toolCallId: CALL_ID, name: "weather", arguments: '{"city":"Porto"}' };
    const conversation = [
      { role: "user", text: "We leave for Porto on Friday." },
      { role: "assistant", text: "Noted." },
      { role: "user", text: "How is the weather there?" },
      { role: "assistant", toolCalls: [call] },
      { role: "tool", toolCallId: CALL_ID, text: "Sunny, 24 degrees." },
      { role: "assistant", text: "Sunny." },
    ] as const;
    const { lastSeq } = await this.#memory.append(SESSION, conversation);
    equal(lastSeq, 6);
    return "an append of 6 messages is answered";
  }

  async window(): Promise<string> {
    const { messages, outsideTotals } = await this.#memory.window(SESSION);
    equal(messages.map(({ seq }) => seq).join(), seqs(3, 6));
    equal(outsideTotals?.messageCount, 2);
    return "the window holds what the policy says, the tool call with its result";
  }

  async once(): Promise<string> {
    const options = { requestId: "smoke-once" };
    const first = await this.#memory.append(SESSION, "Thank you.", options);
    const again = await this.#memory.append(SESSION, "Thank you.", options);
    equal(again.revision, first.revision);
    equal((await loggedTexts(this.#memory)).length, 7);
    return "a repeated request changes nothing and gets the first answer";
  }

  async find(): Promise<string> {
    const { hits } = await this.#memory.recall("When do we go to Porto?", { pageSize: 1 });
    ok(hits[0]?.passage.includes("Friday"), `recall found ${hits[0]?.passage ?? "nothing"}`);
    return "recall finds a message that has left the window";
  }

  async remember(): Promise<string> {
    await this.#memory.remember([{ text: "Ana is vegetarian.", key: "diet", userId: "ana" }]);
    const about = { sessionId: SESSION, userId: "ana", query: "What does Ana eat?" };
    const { text } = await this.#memory.assembleContext({ ...about, maxTokens: 400 });
    ok(text.includes("Ana is vegetarian."), text);
    return "a memory is remembered and is part of the context of a prompt";
  }

  async kill(): Promise<string> {
    const before = await loggedTexts(this.#memory);
    const write = async (writer: number): Promise<void> => {
      for (let number = 0; ; number++) {
        const text = `note ${writer}/${number}`;
        await this.#memory.append(SESSION, text);
        this.#acknowledged.push(text);
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer).catch(() => {}));
    while (this.#acknowledged.length < 10 * WRITERS) await this.#memory.getSession(SESSION);
    await this.#server?.kill("SIGKILL");
    this.#client?.close();
    await Promise.all(writers);
    await this.start();
    const after = await loggedTexts(this.#memory);
    equal(after.slice(0, before.length).join("\n"), before.join("\n"));
    const found = new Set(after);
    equal(found.size, after.length, "a note is there twice");
    const lost = this.#acknowledged.filter((text) => !found.has(text));
    equal(lost.join(), "", "acknowledged messages are lost");
    return `after kill -9 all ${this.#acknowledged.length} acknowledged writes are there`;
  }

  async stop(): Promise<string> {
    this.#client?.close();
    const exit = await this.#server?.stop();
    equal(exit?.code, 0);
    await this.start();
    const { messages } = await this.#memory.window(SESSION);
    equal(messages.length, 4);
    this.#client?.close();
    await this.#server?.stop();
    return "a stop in order ends with 0, and a restart serves the same window";
  }

  async verify(): Promise<string> {
    const main = join(ROOT, "src/main.ts");
    const args = [main, "verify", this.#dataDir];
    const { code, output } = await run(process.execPath, args, { quiet: true });
    equal(code, 0, output);
    return "memory-sidecar verify finds no damage in the files";
  }
}

const startMs = performance.now();
await using directory = await makeTempDir();
const smoke = new Smoke(join(directory.path, "data"));
const PROOFS = [
  "start",
  "append",
  "window",
  "once",
  "find",
  "remember",
  "kill",
  "stop",
  "verify",
] as const;
for (const proof of PROOFS) {
  try {
    console.log(`ok    ${await smoke[proof]()}`);
  } catch (error) {
    console.log(`FAIL  ${proof}: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
    break;
  }
}
await smoke.end();
const verdict = process.exitCode === 1 ? "this installation does not work" : "all proofs hold";
console.log(`${verdict}, in ${secondsSince(startMs).toFixed(1)} s`);
