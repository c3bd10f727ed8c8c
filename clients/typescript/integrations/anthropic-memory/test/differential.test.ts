// Random commands on the tool of the SDK that keeps files on a disk, and on ours.

import { readdirSync, readFileSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { BetaLocalFilesystemMemoryTool, betaMemoryTool } from "@anthropic-ai/sdk/tools/memory/node";
import type { MemorySidecar } from "@memory-sidecar/client";
import { afterAll, beforeAll, test } from "vitest";
import { compare } from "../../../../../test/support/integrations/differential.ts";
import { type Setting, startSetting } from "../../../../../test/support/integrations/setting.ts";
import type { Random } from "../../../../../test/support/kit/random.ts";
import { makeTempDir } from "../../../../../test/support/kit/temp-dir.ts";
import type { MemoryCommand } from "../src/commands.ts";
import { namesAt, rootOf } from "../src/paths.ts";
import { SidecarMemoryTool } from "../src/tool.ts";

/** A command, or a look at all files. */
type Operation = MemoryCommand | { readonly command: "tree" };

const ROOT = rootOf("claude-memory", {});
const NAMES = {
  a: 9,
  b: 9,
  "a b.txt": 3,
  ".h": 1,
  "ü.md": 1,
  "%41": 1,
  "x\ny": 1,
  "😀": 1,
  "\uff21": 1,
};
const LINES = ["one", "one\r", "two", "", "über", " one", "o".repeat(700), "\u2028", "😀", "\ttab"];
const PATHS = [
  "/memories",
  "/memories/",
  "/memories/../x",
  "/other",
  "/memoriesa",
  "memories/a",
  "",
];
const RANGES = [undefined, undefined, [1, -1], [2, 3], [0, 1], [3, 2], [5, 9], [-2, -2], [1]];
/** Texts with a break, and texts twice in a line, are compared with the description of the tool. */
const OLD = ["two", "über", "😀", " one", "\ttab", "e\r", "zzz", ""];

let setting: Setting;
let folder: Awaited<ReturnType<typeof makeTempDir>>;

beforeAll(async () => {
  setting = await startSetting();
  folder = await makeTempDir();
});

afterAll(async () => {
  await setting?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

function drawPath(random: Random): string {
  if (random.chance(0.4)) return random.pick(["/memories/f", "/memories/a/f"]);
  if (random.chance(0.04)) return random.pick(PATHS);
  const length = random.pick([1, 1, 1, 2, 2, 3]);
  const names: string[] = Array.from({ length }, () => random.weighted(NAMES));
  if (random.chance(0.1)) {
    names.splice(random.int(0, names.length), 0, random.pick([".", "", "b/..", "node_modules"]));
  }
  return `/memories/${names.join("/")}${random.chance(0.05) ? "/" : ""}`;
}

function drawText(random: Random): string {
  const lines = Array.from({ length: random.pick([0, 1, 2, 3, 8]) }, () => random.pick(LINES));
  return lines.join("\n") + random.pick(["", "", "\n", "\r\n"]);
}

function draw(random: Random): Operation {
  const path = drawPath(random);
  const command = random.weighted({
    ...{ view: 2, create: 3, str_replace: 2, insert: 2, delete: 1, rename: 1, tree: 1 },
  });
  switch (command) {
    case "view": {
      const range = random.pick(RANGES);
      return range === undefined ? { command, path } : { command, path, view_range: range };
    }
    case "create":
      return { command, path, file_text: drawText(random) };
    case "str_replace": {
      const added = random.pick([...LINES, "e\r\nt", "$&"]);
      return { command, path, old_str: random.pick(OLD), new_str: added };
    }
    case "insert": {
      const line = random.pick([-1, 0, 1, 2, 3, 9]);
      return { command, path, insert_line: line, insert_text: drawText(random) };
    }
    case "delete":
      return { command, path };
    case "rename":
      return { command, old_path: path, new_path: drawPath(random) };
    default:
      return { command: "tree" };
  }
}

/** Sizes of directories are a matter of the file system. */
function withoutSizes(told: string): string {
  return told.replace(/^\S+\t(?=.*\/$)/gm, "").replace(/(:\n)[\d.]+[BKMG]\t/, "$1");
}

function folders(root: string): string[] {
  const all = readdirSync(root, { recursive: true, encoding: "utf8" });
  return all.filter((path) => statSync(join(root, path)).isDirectory());
}

function treeOnDisk(root: string): object {
  const all = readdirSync(root, { recursive: true, encoding: "utf8" });
  const found = all.map((path): [string, string | null] => {
    const whole = join(root, path);
    return [path, statSync(whole).isDirectory() ? null : readFileSync(whole, "utf8")];
  });
  return Object.fromEntries(found.sort());
}

async function treeOfRecords(client: MemorySidecar): Promise<object> {
  const found: [string, string | null][] = [];
  for await (const record of client.listRecords(ROOT, { recursive: true, includeValues: true })) {
    const isFile = record.mediaType === "text/plain";
    found.push([namesAt(ROOT, record).join("/"), isFile ? record.value.toString() : null]);
  }
  return Object.fromEntries(found.sort());
}

let pairs = 0;

function pair() {
  pairs += 1;
  const base = join(folder.path, String(pairs));
  const root = join(base, "memories");
  const client = setting.client();
  const disk = BetaLocalFilesystemMemoryTool.init(base);
  const ours = betaMemoryTool(new SidecarMemoryTool(client));
  /** An error that the SDK passes on from the system: ours has an error of the tool for each. */
  let isOfSystem = false;
  return {
    theirs: async (operation: Operation) => {
      const theirs = await disk;
      isOfSystem = false;
      if (operation.command === "tree") return treeOnDisk(root);
      const before = new Set(folders(root));
      try {
        return withoutSizes(String(await betaMemoryTool(theirs).run(operation as never)));
      } catch (error) {
        // Theirs makes the folders above a file before it finds that it cannot make it.
        const made = folders(root).filter((path) => !before.has(path));
        for (const path of made.sort().reverse()) rmdirSync(join(root, path));
        isOfSystem = "code" in (error as Error);
        return { error: isOfSystem ? "of the system" : (error as Error).message };
      }
    },
    ours: async (operation: Operation) => {
      if (operation.command === "tree") return await treeOfRecords(client);
      try {
        return withoutSizes(String(await ours.run(operation as never)));
      } catch (error) {
        return { error: isOfSystem ? "of the system" : (error as Error).message };
      }
    },
  };
}

test("answers as the tool on a disk does", async () => {
  await compare<Operation>({
    name: ["Anthropic SDK (TypeScript)", "memory tool"],
    operations: 2_000,
    draw,
    pair,
  });
}, 300_000);
