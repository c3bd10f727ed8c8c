// Who imports whom: the layers, cycles, and files that nothing reaches.

import { posix } from "node:path";
import { nameOf, parseModule, stringOf, walk } from "./parse.ts";
import { isGenerated, isTest, type Project, sourcesOf } from "./project.ts";

/** One import or re-export of a file. */
export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** The path of the imported file, for a relative specifier. */
  readonly target: string | undefined;
  readonly names: readonly string[];
}

const IMPORTING = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
]);

/** Lists what a file imports, also by `import()` and `export from`. */
export function importsOf(path: string, text: string): Import[] {
  const module = parseModule(path, text);
  const found: Import[] = [];
  walk(module.program, (node) => {
    if (!IMPORTING.has(node.type)) return;
    const specifier = stringOf(node["source"]);
    if (specifier === undefined) return;
    const relative = specifier.startsWith(".");
    const names = Array.isArray(node["specifiers"]) ? node["specifiers"] : [];
    found.push({
      specifier,
      line: module.lineOf(node.start),
      target: relative ? posix.join(posix.dirname(path), specifier) : undefined,
      names: names.flatMap((name) => nameOf(name.imported ?? name.local) ?? []),
    });
  });
  return found;
}

/** The layers from the edge inward; a layer imports only itself and what stands after it. */
export const LAYERS = [
  ...["transport", "hooks", "service", "recall", "embed", "storage", "domain", "lib"],
] as const;

const COMPOSITION = /^src\/[^/]+\.ts$/;

/** The one package that domain uses: it computes and does nothing else. */
const CEL = /^@marcbachmann\/cel-js$/;
const CONDITIONS = /^src\/domain\/conditions\//;

/** Packages and generated code with the one folder that may use them. */
const OWNERS: readonly { what: RegExp; owner: RegExp; text: string }[] = [
  { what: /^lmdb$/, owner: /^src\/storage\/lmdb\//, text: "only src/storage/lmdb imports lmdb" },
  { what: CEL, owner: CONDITIONS, text: "only src/domain/conditions imports the CEL library" },
  {
    what: /^(@grpc\/|grpc-health-check$)/,
    owner: /^src\/(transport|hooks)\//,
    text: "only src/transport and src/hooks import gRPC packages",
  },
  {
    what: /^src\/gen\/(?!memorysidecar\/storage\/)/,
    owner: /^src\/(transport|hooks)\//,
    text: "the public contract's types stop at src/transport and src/hooks",
  },
  {
    what: /^src\/gen\/memorysidecar\/storage\//,
    owner: /^src\/storage\//,
    text: "only src/storage knows the records on disk",
  },
];

/** Names every import that points up, sideways or at what belongs to another folder. */
export function layerProblems(project: Project): string[] {
  const problems: string[] = [];
  for (const [path, text] of sourcesOf(project)) {
    if (!path.startsWith("src/") || path.endsWith(".test.ts")) continue;
    for (const { specifier, line, target } of importsOf(path, text)) {
      const reason = forbidden(path, target ?? specifier, target !== undefined);
      if (reason !== undefined) problems.push(`${path}:${line}: ${specifier}: ${reason}`);
    }
  }
  return problems;
}

function forbidden(path: string, what: string, isFile: boolean): string | undefined {
  for (const { what: pattern, owner, text } of OWNERS) {
    if (pattern.test(what) && !owner.test(path)) return text;
  }
  const from = layerOf(path);
  if ((from === "domain" || from === "lib") && !CEL.test(what)) {
    const outside = !isFile && (from === "domain" || !what.startsWith("node:"));
    if (outside) return `${from} imports nothing from outside`;
  }
  if (!isFile || COMPOSITION.test(path)) return undefined;
  if (!what.startsWith("src/")) return "src imports only src";
  if (isGenerated(what)) return undefined;
  if (COMPOSITION.test(what)) return "only the composition root imports a file of src itself";
  const order: readonly string[] = LAYERS;
  if (order.indexOf(layerOf(what)) < order.indexOf(from)) {
    return `${from} is below ${layerOf(what)}; imports point down only`;
  }
  return undefined;
}

function layerOf(path: string): string {
  return path.split("/")[1] ?? "";
}

/** Whether a path is in a layer that the table knows; a new folder needs a place in it. */
export function unknownLayerProblems(project: Project): string[] {
  const known = new Set<string>([...LAYERS, "gen"]);
  const folders = new Set(
    [...project.keys()].filter((path) => /^src\/[^/]+\//.test(path)).map(layerOf),
  );
  return [...folders]
    .filter((folder) => !known.has(folder))
    .map((folder) => `src/${folder}: give the folder a place in LAYERS`);
}

/** Names every circle of imports, types included, once. */
export function cycleProblems(project: Project): string[] {
  const problems: string[] = [];
  const state = new Map<string, "open" | "done">();
  const trail: string[] = [];
  const visit = (path: string): void => {
    const text = project.get(path);
    if (text === undefined || state.get(path) === "done" || isGenerated(path)) return;
    if (state.get(path) === "open") {
      problems.push(`cycle: ${[...trail.slice(trail.indexOf(path)), path].join(" -> ")}`);
      return;
    }
    state.set(path, "open");
    trail.push(path);
    for (const { target } of importsOf(path, text)) if (target !== undefined) visit(target);
    trail.pop();
    state.set(path, "done");
  };
  for (const [path] of sourcesOf(project)) visit(path);
  return problems;
}

/** What starts by itself: processes, threads, tests and the configuration of tools. */
export interface EntryPoints {
  /** What the product starts. */
  readonly product: readonly string[];
  /** What scripts and tests start, as patterns; tests are known anyway. */
  readonly development: readonly RegExp[];
}

/** Names files that no entry point reaches. Tests alone keep no file of src alive. */
export function deadFileProblems(project: Project, entries: EntryPoints): string[] {
  const all = sourcesOf(project).map(([path]) => path);
  const product = reach(project, entries.product);
  const others = all.filter(
    (path) => path.endsWith(".test.ts") || entries.development.some((entry) => entry.test(path)),
  );
  const development = reach(project, others);
  const missing = entries.product.filter((path) => !project.has(path));
  const dead = all.filter((path) => {
    if (path.startsWith("src/") && !isTest(path)) return !product.has(path);
    return !development.has(path) && !product.has(path);
  });
  return [
    ...missing.map((path) => `${path}: is an entry point but does not exist`),
    ...dead.map((path) => `${path}: nothing that runs imports it; delete it`),
  ];
}

function reach(project: Project, from: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [...from];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const text = project.get(path);
    if (text === undefined || reached.has(path)) continue;
    reached.add(path);
    if (!path.endsWith(".ts")) continue;
    for (const { target } of importsOf(path, text)) if (target !== undefined) open.push(target);
  }
  return reached;
}
