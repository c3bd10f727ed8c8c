// Reads a Dockerfile and a .dockerignore and does what they say in plain folders, for a machine
// without a container engine. Each stage is a folder that stands for the root of its file system.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, statSync } from "node:fs";
import { basename, dirname, join, matchesGlob } from "node:path";

/** One instruction: `COPY`, its flags and the rest. */
export interface Instruction {
  readonly name: string;
  readonly flags: ReadonlyMap<string, string>;
  readonly text: string;
}

/** One `FROM` with what follows it. */
export interface Stage {
  readonly base: string;
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

/** Parses a Dockerfile. Here-documents and ARG are not known. */
export function parseDockerfile(text: string): Stage[] {
  const stages: { base: string; name: string; instructions: Instruction[] }[] = [];
  const lines = text.replace(/^\s*#.*\n/gm, "").replace(/\\\n/g, " ");
  for (const line of lines.split("\n").filter((part) => part.trim() !== "")) {
    const [name = "", ...words] = line.trim().split(/\s+/);
    if (name === "FROM") {
      stages.push({ base: words[0] ?? "", name: words[2] ?? "", instructions: [] });
      continue;
    }
    const flags = new Map<string, string>();
    while (words[0]?.startsWith("--") === true && name !== "RUN") {
      const [flag = "", value = ""] = (words.shift() ?? "").slice(2).split("=");
      flags.set(flag, value);
    }
    stages.at(-1)?.instructions.push({ name, flags, text: words.join(" ") });
  }
  return stages;
}

/** Whether a file of the context reaches the build: the last pattern that fits it decides. */
export function inContext(path: string, ignore: string): boolean {
  let kept = true;
  for (const line of ignore.split("\n").map((part) => part.trim())) {
    if (line === "" || line.startsWith("#")) continue;
    const negated = line.startsWith("!");
    const pattern = negated ? line.slice(1) : line;
    if (selfAndParents(path).some((part) => matchesGlob(part, pattern))) kept = negated;
  }
  return kept;
}

function selfAndParents(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Where things are while a Dockerfile is carried out. */
export interface Build {
  /** The folder that the context was copied to. */
  readonly context: string;
  /** The folder of every stage so far, by its name. */
  readonly stages: Map<string, string>;
  /** What `RUN` gets beside ENV. */
  readonly env: Readonly<Record<string, string>>;
}

/** What a finished stage is: its folder and how it would be started. */
export interface Result {
  readonly root: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly settings: ReadonlyMap<string, string>;
}

/** Carries out the instructions of one stage below `root`. Throws when one fails. */
export function buildStage(stage: Stage, root: string, build: Build): Result {
  let workdir = root;
  const env: Record<string, string> = {};
  const settings = new Map<string, string>();
  mkdirSync(root, { recursive: true });
  for (const { name, flags, text } of stage.instructions) {
    if (name === "WORKDIR") {
      workdir = join(root, text);
      mkdirSync(workdir, { recursive: true });
    } else if (name === "ENV") {
      const [key = "", ...value] = text.split("=");
      env[key] = value.join("=");
    } else if (name === "COPY") {
      const from = flags.get("from");
      const source = from === undefined ? build.context : build.stages.get(from);
      if (source === undefined) throw new Error(`COPY --from=${from}: no such stage`);
      copy(source, { root, workdir }, text.split(" "));
    } else if (name === "RUN") {
      runStep(text, workdir, { ...build.env, ...env });
    } else {
      settings.set(name, text);
    }
  }
  build.stages.set(stage.name, root);
  return { root, workdir, env, settings };
}

function runStep(text: string, cwd: string, env: Readonly<Record<string, string>>): void {
  const { status, stdout, stderr } = spawnSync("sh", ["-euc", text], { cwd, env });
  if (status !== 0) throw new Error(`RUN ${text} ended with ${status}\n${stdout}${stderr}`);
}

/** COPY: a folder gives its content, a file goes into a target that ends with a slash. */
function copy(
  source: string,
  { root, workdir }: { readonly root: string; readonly workdir: string },
  words: readonly string[],
): void {
  const target = words.at(-1) ?? "";
  const into = target.startsWith("/") ? join(root, target) : join(workdir, target);
  for (const pattern of words.slice(0, -1)) {
    const found = globSync(pattern.replace(/^\//, ""), { cwd: source });
    if (found.length === 0) throw new Error(`COPY ${pattern}: nothing there`);
    for (const path of found) {
      const from = join(source, path);
      const folder = statSync(from).isDirectory();
      const asIs = !folder && (target.endsWith("/") || words.length > 2);
      const to = asIs ? join(into, basename(path)) : into;
      mkdirSync(folder ? to : dirname(to), { recursive: true });
      cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    }
  }
}

/** Copies what .dockerignore lets through. */
export function copyContext(root: string, ignore: string, context: string): void {
  const list = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
    cwd: root,
    encoding: "utf8",
  });
  for (const path of new Set(list.split("\0"))) {
    if (path === "" || !inContext(path, ignore) || !existsSync(join(root, path))) continue;
    cpSync(join(root, path), join(context, path), { recursive: true });
  }
}
