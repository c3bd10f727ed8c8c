// Executes a Dockerfile with its .dockerignore in plain folders, for a machine without a container
// engine. Each stage is a folder that represents its root file system.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, statSync } from "node:fs";
import { basename, dirname, join, matchesGlob } from "node:path";

/** One instruction: `COPY`, its flags and the rest. */
export interface Instruction {
  readonly name: string;
  readonly flags: ReadonlyMap<string, string>;
  readonly text: string;
}

/** A `FROM` with its instructions. */
export interface Stage {
  readonly base: string;
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

/** Parses a Dockerfile. Here-documents and ARG are not supported. */
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

/** Whether a file of the context is in the build: the last matching pattern decides. */
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

/** Folders of a running build. */
export interface Build {
  /** Copy of the context. */
  readonly context: string;
  /** Folder of every stage so far, by its name. */
  readonly stages: Map<string, string>;
  /** Environment of `RUN`, in addition to ENV. */
  readonly env: Readonly<Record<string, string>>;
}

/** Finished stage: its folder and the command that starts it. */
export interface Result {
  readonly root: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly settings: ReadonlyMap<string, string>;
}

/** Executes the instructions of one stage below `root`. Throws when one fails. */
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

/** COPY: a folder contributes its content; a file goes into a target with a final slash. */
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

/** Copies all files that .dockerignore lets through. */
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
