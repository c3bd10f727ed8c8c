// An agent of the SDK whose server is killed in the middle of a turn, and that is resumed on a
// machine without its transcript. A script stands in for the command line and its model.

import { globSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Options, query, type SessionStore } from "@anthropic-ai/claude-agent-sdk";
import { expect, test } from "vitest";
import { startSetting } from "../../../../../test/support/integrations/setting.ts";
import { makeTempDir } from "../../../../../test/support/kit/temp-dir.ts";
import { SidecarSessionStore } from "../src/store.ts";

interface Turn {
  readonly prompt: string;
  readonly folder: string;
  readonly sessionStore: SessionStore;
  readonly resume?: string;
  /** Called in the middle of the turn. */
  readonly onAnswer?: () => Promise<void>;
}

/** Runs one turn; gives the result, and the errors of the mirror. */
async function run({ prompt, folder, sessionStore, resume, onAnswer }: Turn) {
  const config = join(folder, "config");
  mkdirSync(config, { recursive: true });
  const options: Options = {
    ...{ sessionStore, sessionStoreFlush: "eager", cwd: folder, executable: "node" },
    env: { ...process.env, CLAUDE_CONFIG_DIR: config, ANTHROPIC_API_KEY: "none" },
    pathToClaudeCodeExecutable: join(import.meta.dirname, "scripted-cli.ts"),
    ...(resume === undefined ? {} : { resume }),
  };
  let result = "";
  let sessionId = "";
  const errors: string[] = [];
  for await (const message of query({ prompt, options })) {
    if (message.type === "assistant") await onAnswer?.();
    if (message.type === "system" && message.subtype === "mirror_error") errors.push(message.error);
    if (message.type !== "result") continue;
    sessionId = message.session_id;
    result = message.subtype === "success" ? message.result : message.subtype;
  }
  return { result, sessionId, errors };
}

/** The entries that the command line wrote to disk, by the names of their files. */
function writtenIn(folder: string): Record<string, unknown[]> {
  const names = globSync("config/projects/**/*.jsonl", { cwd: folder });
  const read = (name: string) => readFileSync(join(folder, name), "utf8").trim().split("\n");
  return Object.fromEntries(
    names.map((name) => [name.split("/").at(-1), read(name).map((line) => JSON.parse(line))]),
  );
}

test("an agent goes on after the server was killed, and resumes elsewhere", async () => {
  await using setting = await startSetting();
  await using first = await makeTempDir();
  await using second = await makeTempDir();
  const sessionStore = new SidecarSessionStore(setting.client());
  const one = await run({
    ...{ prompt: "Where are they?", folder: first.path, sessionStore },
    onAnswer: () => setting.restart(),
  });
  expect(one).toMatchObject({
    result: "I had 0 entries, and you said: Where are they?",
    errors: [],
  });
  const { sessionId } = one;
  const projectKey = first.path.replace(/[^a-zA-Z0-9]/g, "-");
  const written = writtenIn(first.path);
  expect(await sessionStore.load({ projectKey, sessionId })).toEqual(written[`${sessionId}.jsonl`]);
  expect(await sessionStore.listSubkeys({ projectKey, sessionId })).toEqual(["subagents/agent-a1"]);
  const sub = await sessionStore.load({ projectKey, sessionId, subpath: "subagents/agent-a1" });
  expect(sub).toEqual(written["agent-a1.jsonl"]);

  await setting.restart();
  // Another store on the same project stands for the other machine.
  const elsewhere: SessionStore = {
    append: (key, entries) => sessionStore.append({ ...key, projectKey }, entries),
    load: (key) => sessionStore.load({ ...key, projectKey }),
    listSubkeys: (key) => sessionStore.listSubkeys({ ...key, projectKey }),
  };
  const two = await run({
    ...{ prompt: "Sure?", folder: second.path, sessionStore: elsewhere, resume: sessionId },
  });
  expect(two).toEqual({ result: "I had 4 entries, and you said: Sure?", sessionId, errors: [] });
  const entries = await sessionStore.load({ projectKey, sessionId });
  expect(entries).toHaveLength(8);
  const [summary] = await sessionStore.listSessionSummaries(projectKey);
  expect(summary).toMatchObject({ sessionId, data: { firstPrompt: "Where are they?" } });
});
