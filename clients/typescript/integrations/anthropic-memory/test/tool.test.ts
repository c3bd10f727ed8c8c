// The tool: agents of both SDKs, races, kills, recall, sizes, erasure.

import { randomUUID } from "node:crypto";
import { createAnthropic } from "@ai-sdk/anthropic";
import Anthropic from "@anthropic-ai/sdk";
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import type { MemorySidecar } from "@memory-sidecar/client";
import { generateText, stepCountIs } from "ai";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  erase,
  type Setting,
  startSetting,
} from "../../../../../test/support/integrations/setting.ts";
import {
  expectNoUploads,
  recordUploads,
} from "../../../../../test/support/integrations/uploads.ts";
import { randomFrom, testSeed } from "../../../../../test/support/kit/random.ts";
import type { MemoryCommand } from "../src/commands.ts";
import { MemoryToolError } from "../src/errors.ts";
import { placeOf, rootOf } from "../src/paths.ts";
import { SidecarMemoryTool } from "../src/tool.ts";
import names from "./names.json" with { type: "json" };

const PLACE = "/memories/trip/plan.md";
/** Path of the files of a tool without a user and an agent. */
const SHARED = ["claude-memory", "no-user", "no-agent"];
let setting: Setting;

beforeAll(async () => {
  setting = await startSetting();
});

afterAll(async () => {
  await setting?.[Symbol.asyncDispose]();
});

const create = (path: string, file_text: string): MemoryCommand => {
  return { command: "create", path, file_text };
};
const view = (path: string): MemoryCommand => ({ command: "view", path });
const insert = (path: string, insert_line: number, insert_text: string): MemoryCommand => {
  return { command: "insert", path, insert_line, insert_text };
};
const remove = (path: string): MemoryCommand => ({ command: "delete", path });
const rename = (old_path: string, new_path: string): MemoryCommand => {
  return { command: "rename", old_path, new_path };
};
const replace = (path: string, old_str: string, new_str: string): MemoryCommand => {
  return { command: "str_replace", path, old_str, new_str };
};

/** Gives what the model is told of a command, errors as well. */
function told(tool: SidecarMemoryTool, command: MemoryCommand): Promise<string> {
  return tool.execute(command).catch((error: Error) => {
    if (error instanceof MemoryToolError) return error.message;
    throw error;
  });
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Gives what searches can find. */
function documents(client: MemorySidecar) {
  return collect(
    client.listDocuments({ collectionId: "claude-memory", filter: { everyone: true } }),
  );
}

const files = (client: MemorySidecar, path: string | string[] = "claude-memory") => {
  return collect(client.listRecords(path, { recursive: true }));
};

const COMMANDS = [
  create(PLACE, "Lisbon on Friday.\n"),
  insert(PLACE, 1, "A window seat."),
  rename("/memories/trip", "/memories/trips/lisbon"),
  view("/memories/trips/lisbon/plan.md"),
  view("/memories/none"),
];
const ANSWERS = [
  `File created successfully at: ${PLACE}`,
  `The file ${PLACE} has been edited.`,
  "Successfully renamed /memories/trip to /memories/trips/lisbon",
  "Here's the content of /memories/trips/lisbon/plan.md with line numbers:\n" +
    "     1\tLisbon on Friday.\n     2\tA window seat.\n     3\t",
  "The path /memories/none does not exist. Please provide a valid path.",
];

/** The API of Anthropic, with the answers of a model that were written before. */
function script(before: (turn: number) => Promise<void>) {
  const requests: { tools: object[]; messages: { content: { content: unknown }[] }[] }[] = [];
  const fetch = async (_: unknown, init?: { body?: unknown }): Promise<Response> => {
    const turn = requests.length;
    requests.push(JSON.parse(String(init?.body)));
    await before(turn);
    const input = COMMANDS[turn];
    const call = { type: "tool_use", id: `t${turn}`, name: "memory", input };
    return Response.json({
      ...{ id: `msg_${turn}`, type: "message", role: "assistant", model: "scripted" },
      content: [input === undefined ? { type: "text", text: "Done." } : call],
      ...{ stop_reason: input === undefined ? "end_turn" : "tool_use", stop_sequence: null },
      usage: { input_tokens: 1, output_tokens: 1 },
    });
  };
  /** Answers that the model was given, one for each command. */
  const results = () =>
    requests.slice(1).map(({ messages }) => {
      const told = messages.at(-1)?.content[0]?.content;
      const [first] = Array.isArray(told) ? told : [];
      return String(first?.text ?? told).replace(/^Error: /, "");
    });
  return { fetch: fetch as typeof globalThis.fetch, requests, results };
}

test("an agent of the SDK of Anthropic goes on while the server is killed", async () => {
  await using own = await startSetting();
  const { fetch, requests, results } = script(async (turn) => {
    if (turn === 2) await own.restart();
  });
  const tool = new SidecarMemoryTool(own.client(), { userId: "ana" });
  const final = await new Anthropic({ apiKey: "-", fetch }).beta.messages.toolRunner({
    ...{ model: "claude-sonnet-5-5", max_tokens: 100, tools: [betaMemoryTool(tool)] },
    messages: [{ role: "user", content: "Remember my trip." }],
  });
  expect(final.content).toMatchObject([{ text: "Done." }]);
  expect(results()).toEqual(ANSWERS);
  expect(requests[0]?.tools).toEqual([{ type: "memory_20250818", name: "memory" }]);
});

test("an agent of the AI SDK is told the same", async () => {
  const { fetch, requests, results } = script(async () => undefined);
  const tool = new SidecarMemoryTool(setting.client(), { userId: "ana" });
  const anthropic = createAnthropic({ apiKey: "-", fetch });
  const { text } = await generateText({
    ...{ model: anthropic("claude-sonnet-5-5"), prompt: "Remember my trip." },
    tools: { memory: anthropic.tools.memory_20250818({ execute: tool.execute }) },
    stopWhen: stepCountIs(9),
  });
  expect(text).toBe("Done.");
  expect(results()).toEqual(ANSWERS);
  expect(requests[0]?.tools).toEqual([{ type: "memory_20250818", name: "memory" }]);
});

test("loses no line and doubles none when the server is killed while it writes", async () => {
  await using own = await startSetting();
  const tool = new SidecarMemoryTool(own.client());
  await tool.execute(create(PLACE, ""));
  const written = Array.from({ length: 8 }, (_, number) =>
    tool.execute(insert(PLACE, 0, `line ${number}`)),
  );
  await own.restart();
  await Promise.all(written);
  const lines = (await tool.execute(view(PLACE))).match(/line \d/g) ?? [];
  expect(lines.sort()).toEqual(Array.from({ length: 8 }, (_, number) => `line ${number}`));
});

test("two writers lose no line", async () => {
  const namespace = `t-${randomUUID()}`;
  const writers = [0, 1].map(async (number) => {
    const tool = new SidecarMemoryTool(setting.client(namespace));
    await told(tool, create(PLACE, ""));
    for (let index = 0; index < 15; index += 1) {
      await tool.execute(insert(PLACE, 0, `${number}-${index}`));
    }
  });
  await Promise.all(writers);
  const client = setting.client(namespace);
  const { value } = await client.getWholeRecord([...SHARED, "trip"], "plan.md");
  const wanted = [0, 1].flatMap((number) =>
    Array.from({ length: 15 }, (_, index) => `${number}-${index}`),
  );
  expect(value.toString().trim().split("\n").sort()).toEqual(wanted.sort());
});

test("racing writers leave a whole tree", async () => {
  const namespace = `t-${randomUUID()}`;
  const names = ["a", "b", "a/x", "b/x", "a/x/y", "b/y"].map((name) => `/memories/${name}`);
  const seed = testSeed("memory tool race");
  const writers = [0, 1, 2].map(async (writer) => {
    const random = randomFrom(seed + writer);
    const tool = new SidecarMemoryTool(setting.client(namespace));
    let created = 0;
    for (let index = 0; index < 40; index += 1) {
      const [one, other] = [random.pick(names), random.pick(names)];
      const kind = random.int(0, 5);
      if (kind < 3) {
        const answer = await told(tool, create(`${one}/${writer}-${index}`, "text"));
        if (answer.includes("success")) created += 1;
      } else await told(tool, kind < 5 ? rename(one, other) : remove(one));
    }
    return created;
  });
  expect(Math.min(...(await Promise.all(writers)))).toBeGreaterThan(0);
  const client = setting.client(namespace);
  const kinds = new Map<string, string>();
  for (const { key, mediaType, path } of await files(client)) {
    kinds.set([...path, key].join("/"), mediaType);
  }
  for (const name of kinds.keys()) {
    for (
      let above = name.split("/").slice(0, -1);
      above.length > SHARED.length;
      above = above.slice(0, -1)
    ) {
      expect(kinds.get(above.join("/"))).toBe("inode/directory");
    }
  }
  const isFile = [...kinds].filter(([, kind]) => kind === "text/plain").map(([name]) => name);
  const found = (await documents(client)).map(({ metadata }) => metadata?.["path"]);
  expect(found.sort()).toEqual(
    isFile.map((name) => name.replace(SHARED.join("/"), "/memories")).sort(),
  );
});

test("a large file that changes while it moves arrives with its change", async () => {
  const client = setting.client();
  const [text, changed] = ["a".repeat(3_500_000), "b".repeat(3_500_000)];
  const tool = new SidecarMemoryTool(client, { search: false });
  await tool.execute(create(PLACE, text));
  const upload = client.uploadValue.bind(client);
  let isFirst = true;
  client.uploadValue = async (...call) => {
    const sent = await upload(...call);
    if (isFirst) {
      isFirst = false;
      await tool.execute(replace(PLACE, text, changed));
    }
    return sent;
  };
  await tool.execute(rename(PLACE, "/memories/moved.md"));
  const { value } = await client.getWholeRecord(SHARED, "moved.md");
  expect(value.toString() === changed).toBe(true);
});

test("leaves no upload behind, whatever comes between", async () => {
  const client = setting.client();
  const tool = new SidecarMemoryTool(client, { search: false });
  const other = new SidecarMemoryTool(client, { search: false });
  const large = "a".repeat(3_500_000);
  let between: MemoryCommand | undefined;
  const uploads = recordUploads(client, async () => {
    const command = between;
    between = undefined;
    if (command !== undefined) await other.execute(command);
  });
  // Another program creates the same file, makes the directory, edits the file, takes the place.
  between = create(PLACE, "short");
  expect(await told(tool, create(PLACE, large))).toBe(`File ${PLACE} already exists`);
  between = create("/memories/new/other.md", "");
  await tool.execute(create("/memories/new/large.md", large));
  between = insert(PLACE, 1, "more");
  await tool.execute(replace(PLACE, "short", large));
  between = create("/memories/taken.md", "");
  expect(await told(tool, rename(PLACE, "/memories/taken.md"))).toMatch(/already exists/);
  expect(uploads).toHaveLength(6);
  await expectNoUploads(client, uploads);
});

test("leaves no upload behind when a later one fails", async () => {
  const client = setting.client();
  const tool = new SidecarMemoryTool(client, { userId: "ana", search: false });
  for (const name of ["a", "b"]) {
    await tool.execute(create(`/memories/d/${name}`, name.repeat(3_500_000)));
  }
  const uploads = recordUploads(client, async (count) => {
    // The second fails as one fails that the namespace has no place for.
    if (count === 2) await client.getRecord("none", "none");
  });
  await expect(tool.execute(rename("/memories/d", "/memories/e"))).rejects.toThrow(/none/);
  expect(uploads).toHaveLength(2);
  await expectNoUploads(client, uploads.slice(0, 1));
  const kept = await files(client);
  expect(kept.map(({ key }) => key).sort()).toEqual(["a", "b", "d"]);
});

test("only one of two creates a file", async () => {
  const namespace = `t-${randomUUID()}`;
  const made = [0, 1].map(async (number) => {
    const tool = new SidecarMemoryTool(setting.client(namespace));
    const answers: boolean[] = [];
    for (let index = 0; index < 15; index += 1) {
      const answer = await told(tool, create(`/memories/d/${index}`, `${number}`));
      answers.push(answer.includes("already"));
    }
    return answers;
  });
  const [first = [], second = []] = await Promise.all(made);
  expect(first).toEqual(second.map((isLate) => !isLate));
});

test("recall finds files by their texts, those of one user", async () => {
  const client = setting.client();
  const tool = new SidecarMemoryTool(client, { userId: "ana" });
  const other = new SidecarMemoryTool(client, { userId: "bob" });
  await tool.execute(create(PLACE, "# Trip\n\nAna flies to Lisbon on Friday.\n"));
  await tool.execute(create("/memories/food.md", "Ana likes dark bread.\n"));
  await other.execute(create("/memories/trip.md", "Bob drives to Porto.\n"));
  await tool.execute(rename("/memories/trip", "/memories/old"));
  const options = { userId: "ana", includeRecords: true };
  const { hits } = await client.recall("Where does she fly?", options);
  const [best] = hits;
  const document = best?.record?.$case === "document" ? best.record.value : undefined;
  expect(document?.metadata).toEqual({ path: "/memories/old/plan.md" });
  expect(JSON.stringify(hits)).not.toContain("Bob");
  expect(await told(tool, view("/memories/trip.md"))).toContain("does not exist");
  await tool.execute(replace("/memories/food.md", "dark bread", "green tea"));
  await tool.execute(remove("/memories/old"));
  const texts = (await documents(client)).map(({ text }) => text);
  expect(texts.sort()).toEqual(["Ana likes green tea.\n", "Bob drives to Porto.\n"]);
});

test("a tool without search leaves nothing to recall", async () => {
  const client = setting.client();
  const options = { root: "quiet", agentId: "helper", search: false };
  await new SidecarMemoryTool(client, options).execute(create("/memories/a", "storks"));
  const [record] = await files(client, ["quiet", "no-user", "agent=helper"]);
  expect([record?.key, record?.search?.documentCount ?? 0]).toEqual(["a", 0]);
});

test("edits as the description of the tool says", async () => {
  const tool = new SidecarMemoryTool(setting.client());
  await tool.execute(create(PLACE, "one two\nthree two two\n"));
  const edited = await tool.execute(replace(PLACE, "two\nthree", "2\n3"));
  expect(edited.split("\n").slice(1)).toEqual(["     1\tone 2", "     2\t3 two two", "     3\t"]);
  expect(await told(tool, replace(PLACE, "two", "2"))).toContain("in lines: 2, 2. Please ensure");
  expect(await told(tool, replace(PLACE, "four", "4"))).toContain("did not appear verbatim");
});

test.each([0, 2_000, 700_000, 5_000_000])("files of %d bytes come back and move", async (size) => {
  const client = setting.client();
  const tool = new SidecarMemoryTool(client);
  const count = Math.floor(size / 10);
  const text = Array.from({ length: count }, (_, n) => `${`${n}`.padStart(8, "0")}é\n`).join("");
  await tool.execute(create(PLACE, text));
  await tool.execute(insert(PLACE, 0, "first"));
  await tool.execute(rename("/memories/trip", "/memories/a"));
  const record = await client.getWholeRecord([...SHARED, "a"], "plan.md");
  expect(record.value.toString() === `first\n${text}`).toBe(true);
  const pieces = Math.min(256, Math.ceil((count * 11 + 6) / 2_000) || 1);
  expect(record.search?.documentCount).toBe(pieces);
});

test("a large directory moves whole or not at all", async () => {
  const client = setting.client();
  const tool = new SidecarMemoryTool(client, { search: false });
  const make = async (path: string, count: number, from = 0, text = "") => {
    for (let index = from; index < from + count; index += 1) {
      await tool.execute(create(`${path}/${index}`, text));
    }
  };
  await tool.execute(create("/memories/a/large", "x".repeat(3_500_000)));
  await make("/memories/a", 124, 0, "x".repeat(10_000));
  expect(await told(tool, rename("/memories/a", "/memories/b/c"))).toContain("Successfully");
  await make("/memories/b", 5);
  const before = await files(client);
  const refused = await told(tool, rename("/memories/b", "/memories/z"));
  expect(refused).toContain("too large to rename at once");
  expect(await files(client)).toEqual(before);
  await make("/memories/b", 130, 5);
  expect(await told(tool, remove("/memories/b"))).toBe("Successfully deleted /memories/b");
  expect(await files(client)).toEqual([]);
  await tool.execute(create("/memories/a/b", ""));
  expect(await tool.clearAllMemory()).toBe("All memory cleared");
  expect(await files(client)).toEqual([]);
});

test("paths and texts that no record takes are errors of the tool", async () => {
  const client = setting.client();
  const tool = new SidecarMemoryTool(client, { userId: "ana" });
  const [deep, wide] = [
    `/memories${"/d".repeat(40)}`,
    `/memories${`/${"n".repeat(200)}`.repeat(6)}`,
  ];
  expect(await told(tool, create(deep, ""))).toContain("too long or too deep");
  expect(await told(tool, view(wide))).toContain("too long or too deep");
  expect(await told(tool, create(`/memories/${"n".repeat(256)}`, ""))).toContain("255 bytes");
  expect(await told(tool, create("/memories/a\0", ""))).toContain("NUL");
  expect(await told(tool, create("/memories/\ud800", ""))).toContain("valid Unicode");
  expect(await told(tool, create("/memories/a", "\ud800"))).toContain("valid Unicode");
  expect(await told(tool, view("/memories/../memories/a"))).toContain("would escape");
  expect(await told(tool, { command: "fly" } as never)).toBe("fly not implemented");
  await tool.execute(create("/memories/a", "x"));
  expect(await told(tool, insert("/memories/a", 0.5, ""))).toContain("insert_line");
  await client.putRecord(["claude-memory", "user=ana", "no-agent"], "raw", Buffer.of(255));
  expect(await told(tool, view("/memories/raw"))).toContain("not text");
});

test("files of the integration for Python are read and found", async () => {
  const client = setting.client();
  // As its tool writes them: the same names, media types and documents.
  const path = ["claude-memory", "user=ana", "no-agent"];
  await client.putRecord(path, "a%0Ab%25", "storks\n", { mediaType: "text/plain" });
  const tool = new SidecarMemoryTool(client, { userId: "ana" });
  expect(await tool.execute(view("/memories/a\nb%"))).toContain("1\tstorks");
  await tool.execute(create("/memories/a\nb%.md", ""));
  const keys = (await files(client)).map(({ key }) => key);
  expect(keys.sort()).toEqual(["a%0Ab%25", "a%0Ab%25.md"]);
});

test("names records as the integration for Python does", () => {
  for (const { root = "claude-memory", names: shown, record, ...owner } of names) {
    const { path, key } = placeOf(rootOf(root, owner), shown);
    expect([...path, key]).toEqual(record);
  }
});

test("no tool reaches the files of another user or agent", async () => {
  const client = setting.client();
  const owners = [
    {},
    { userId: "ana" },
    { agentId: "helper" },
    { userId: "ana", agentId: "helper" },
  ];
  const tools = owners.map((owner) => new SidecarMemoryTool(client, owner));
  for (const [index, tool] of tools.entries()) await tool.execute(create(PLACE, `${index}`));
  const kept = await files(client);
  const guesses = ["user=ana", "agent=helper", "user=ana/agent=helper", "no-user", "no-agent"];
  for (const [index, tool] of tools.entries()) {
    const seen = (await tool.execute(view("/memories"))).split("\t").slice(2);
    expect(seen.map((line) => line.split("\n")[0])).toEqual([
      "/memories/trip/",
      "/memories/trip/plan.md",
    ]);
    for (const guess of guesses) {
      expect(await told(tool, view(`/memories/${guess}`))).toContain("does not exist");
      expect(await told(tool, remove(`/memories/${guess}`))).toContain("does not exist");
    }
    await tool.execute(create(`/memories/user=ana/agent=helper/${index}`, ""));
    await tool.execute(remove("/memories/user=ana"));
  }
  expect(await files(client)).toEqual(kept);
  for (const [index, tool] of tools.entries()) {
    await tool.clearAllMemory();
    for (const [other, one] of tools.entries()) {
      const wanted = other <= index ? "does not exist" : `1\t${other}`;
      expect(await told(one, view(PLACE))).toContain(wanted);
    }
  }
});

test("a user is erased with the files", async () => {
  const client = setting.client();
  for (const [userId, text] of [
    ["ana", "storks"],
    ["bob", "herons"],
  ] as const) {
    await new SidecarMemoryTool(client, { userId }).execute(create(PLACE, text));
  }
  await erase(client, "ana");
  expect(new Set((await files(client)).map(({ path }) => path[1]))).toEqual(new Set(["user=bob"]));
  expect((await documents(client)).map(({ text }) => text)).toEqual(["herons"]);
});

test("errors of the server are not swallowed", async () => {
  const tool = new SidecarMemoryTool(setting.client(), { userId: "x".repeat(600) });
  await expect(tool.execute(create("/memories/a", ""))).rejects.toThrow("path");
});
