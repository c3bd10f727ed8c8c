// Every check of `npm run verify`, the quick ones first.

import { existsSync, globSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { withConfigTable, withMcpTable } from "../config-readme.ts";
import { withHouse } from "../house-doc.ts";
import { withIntegrations } from "../integrations-doc.ts";
import { runBiome } from "../lint/biome.ts";
import { INTEGRATIONS, integrationFolder } from "../package/integrations.ts";
import { untoldOptions, withPolicyFacts } from "../policies-doc.ts";
import { ROOT, run } from "../process.ts";
import { staleOptions } from "../proto-options.ts";
import { withRecallWeights } from "../recall-doc.ts";
import { type Check, inScratch, NotPossible, program } from "./check.ts";
import {
  breakingProblems,
  goProblems,
  pythonProblems,
  referenceProblems,
  typeScriptProblems,
} from "./generated.ts";
import {
  addressProblems,
  documentProblems,
  lowestProblems,
  type Manifest,
  rangeProblems,
} from "./manifests.ts";

/** Folders whose packages have a lock file. */
const LOCKED = [
  ".",
  "bench/compare",
  "tools/lint",
  "test/mcp",
  "test/model-types",
  "test/object-store",
  ...INTEGRATIONS.map(integrationFolder),
];
const MANIFESTS = [...LOCKED, "clients/typescript"].map((folder) => join(folder, "package.json"));
const LOCKS = LOCKED.map((folder) => join(folder, "package-lock.json"));

/** Files of the built server beside main.js that no import names. */
const BUILT = ["main.js", "recall-worker.js", "core/bpe-worker.js", "store/verify/verify-child.js"];

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

function manifest(path: string): Manifest {
  return JSON.parse(read(path)) as Manifest;
}

function vitest(name: string, path: string): Check {
  const runner = join(ROOT, "node_modules/vitest/vitest.mjs");
  const args = [runner, "run", path, "--reporter=default"];
  return { ...program(name, process.execPath, ...args), isTest: true };
}

/** Builds into a scratch folder and runs `--version` of the result with plain Node. */
function buildProblems(): Promise<readonly string[]> {
  return inScratch(async (folder) => {
    for (const link of ["node_modules", "proto", "package.json"]) {
      symlinkSync(join(ROOT, link), join(folder, link));
    }
    const dist = join(folder, "dist");
    const client = join(folder, "client");
    for (const [config, out] of [
      ["tsconfig.build.json", dist],
      ["clients/typescript/tsconfig.json", client],
    ] as const) {
      const { code, output } = await run("tsc", ["-p", config, "--outDir", out], { quiet: true });
      if (code !== 0) return [output.trim()];
    }
    const missing = BUILT.filter((path) => !existsSync(join(dist, path)));
    const { output } = await run(
      process.execPath,
      ["--no-strip-types", join(dist, "main.js"), "version"],
      {
        quiet: true,
      },
    );
    const version = /^\d+\.\d+\.\d+$/.test(output.trim());
    return [
      ...missing.map((path) => `dist/${path} is missing`),
      ...(version ? [] : [`dist/main.js version says: ${output.trim()}`]),
    ];
  });
}

function lowestVersionProblems(): readonly string[] {
  const manifests = globSync("clients/python/integrations/*/pyproject.toml", { cwd: ROOT });
  return manifests.flatMap((path) => {
    const lowest = join(dirname(path), "requirements-lowest.txt");
    return lowestProblems(lowest, {
      manifest: read(path),
      newest: read(join(dirname(path), "requirements.txt")),
      lowest: existsSync(join(ROOT, lowest)) ? read(lowest) : undefined,
    });
  });
}

async function biomeProblems(): Promise<readonly string[]> {
  const args = ["ci", "--colors=off", "--error-on-warnings", "."];
  const { code, output } = await runBiome(args, { quiet: true }).catch((error: Error) => {
    throw new NotPossible(error.message);
  });
  return code === 0 ? [] : [output.trim()];
}

const BENCH = ["--config=pyproject.toml", "../../bench"];

/** A check by a Python tool of the client's environment. */
function python(name: string, tool: string, ...args: readonly string[]): Check {
  const command = join(ROOT, "clients/python/.venv/bin", tool);
  return {
    name,
    problems: async () => {
      if (!existsSync(command))
        throw new NotPossible(`${tool} is missing: run clients/python/setup.sh`);
      const cwd = join(ROOT, "clients/python");
      const { code, output } = await run(command, args, { quiet: true, cwd });
      return code === 0 ? [] : [output.trim()];
    },
  };
}

/** The checks in the order in which they run. */
export const CHECKS: readonly Check[] = [
  {
    name: "exact versions",
    problems: () => MANIFESTS.flatMap((path) => rangeProblems(path, manifest(path))),
  },
  {
    name: "lock files",
    problems: () => LOCKS.flatMap((path) => addressProblems(path, read(path))),
  },
  { name: "lowest versions", problems: lowestVersionProblems },
  {
    name: "dependencies told",
    problems: () => documentProblems(manifest("package.json"), read("docs/dependencies.md")),
  },
  {
    name: "README settings",
    problems: () => {
      const readme = read("README.md");
      return withConfigTable(readme) === readme
        ? []
        : ["the table of README.md differs from src/config.ts; run npm run fix"];
    },
  },
  {
    name: "settings of mcp",
    problems: () => {
      const page = read("docs/integrations/mcp.md");
      return withMcpTable(page) === page
        ? []
        : ["the table of docs/integrations/mcp.md differs from src/config.ts; run npm run fix"];
    },
  },
  {
    name: "pictures of policies",
    problems: () => {
      const pages = ["docs/presets.md", "docs/compat/profiles.md"];
      const stale = pages
        .filter((page) => withPolicyFacts(read(page)) !== read(page))
        .map((page) => `${page} differs from what the rules do; run npm run fix`);
      return [...stale, ...untoldOptions(read("docs/compat/profiles.md"))];
    },
  },
  {
    name: "weights of recall",
    problems: () => {
      const page = read("docs/recall.md");
      return withRecallWeights(page) === page
        ? []
        : ["the table of docs/recall.md differs from its weights; run npm run fix"];
    },
  },
  {
    name: "picture of the house",
    problems: () => {
      const page = read("docs/architecture.md");
      return withHouse(page) === page
        ? []
        : ["the picture of docs/architecture.md differs from the imports; run npm run fix"];
    },
  },
  {
    name: "overview of the integrations",
    problems: () => {
      const page = read("docs/integrations/README.md");
      return withIntegrations(page) === page
        ? []
        : ["docs/integrations/README.md differs from the packages and tests; run npm run fix"];
    },
  },
  { name: "biome", problems: biomeProblems },
  {
    name: "language options",
    problems: () =>
      staleOptions(ROOT, { write: false }).map(
        (path) =>
          `${path}: its language options differ from tools/proto-options.ts; run npm run gen`,
      ),
  },
  program("buf format", "buf", "format", "--diff", "--exit-code"),
  program("buf lint", "buf", "lint"),
  { name: "buf breaking", problems: breakingProblems },
  { name: "generated TypeScript", problems: typeScriptProblems },
  { name: "generated Python", problems: pythonProblems },
  { name: "generated Go", problems: goProblems },
  { name: "reference", problems: referenceProblems },
  program("types", "tsc", "-p", "."),
  python("Python types", "mypy"),
  python("Python lint", "ruff", "check", "."),
  // Scripts of the bench start programs by their names, as tests do.
  python("Python lint of the bench", "ruff", "check", ...BENCH, "--ignore=S101,S603,S607"),
  python("Python format", "ruff", "format", "--check", "."),
  python("Python format of the bench", "ruff", "format", "--check", ...BENCH),
  { name: "build", problems: buildProblems },
  vitest("tidy", "test/tidy.test.ts"),
  vitest("documents", "test/docs"),
];
