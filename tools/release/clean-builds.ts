// Builds the clients of the compiled languages as on a machine that has never built anything.

import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ROOT, run } from "../process.ts";

interface Build {
  readonly client: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

function builds(cache: string): Build[] {
  const cargo = join(cache, "cargo");
  const settings = join(process.env["CARGO_HOME"] ?? join(homedir(), ".cargo"), "config.toml");
  mkdirSync(cargo, { recursive: true });
  // It may name the registry that this machine uses.
  if (existsSync(settings)) copyFileSync(settings, join(cargo, "config.toml"));
  const repository = `-Dmaven.repo.local=${join(cache, "maven")}`;
  return [
    {
      client: "go",
      command: ["go", "build", "./..."],
      env: {
        GOMODCACHE: join(cache, "go-modules"),
        GOCACHE: join(cache, "go-build"),
        GOFLAGS: "-modcacherw",
      },
    },
    {
      client: "java",
      command: ["mvn", "-q", "-B", repository, "-DskipTests", "package"],
      env: {},
    },
    {
      client: "rust",
      command: ["cargo", "build", "--locked", "--quiet"],
      env: { CARGO_HOME: cargo, CARGO_TARGET_DIR: join(cache, "rust") },
    },
  ];
}

/** Builds the Go, Java and Rust clients with empty caches; names those that fail. */
export async function cleanBuildProblems(cache: string): Promise<string[]> {
  const problems: string[] = [];
  for (const { client, command, env } of builds(cache)) {
    const [program = "", ...args] = command;
    const cwd = join(ROOT, "clients", client);
    const { code, output } = await run(program, args, { cwd, env, quiet: true });
    const verdict = code === 0 ? "ok" : "FAIL";
    console.log(`${verdict.padEnd(5)} clients/${client} from a clean cache`);
    if (code !== 0) problems.push(`clients/${client} does not build:\n${output.slice(-4_000)}`);
  }
  return problems;
}
