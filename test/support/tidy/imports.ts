// Imports between files: the rooms of the house, cycles, and files that nothing reaches.

import { posix } from "node:path";
import { floorOf, isRule, mayImport, roomOf } from "./house.ts";
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

/** The one package that rules use: it computes and does nothing else. */
const CEL = /^@marcbachmann\/cel-js$/;

/** Packages and generated code with the files that may use them. */
const OWNERS: readonly {
  readonly what: RegExp;
  readonly isOwner: (path: string) => boolean;
  readonly text: string;
}[] = [
  {
    what: /^lmdb$/,
    isOwner: (path) => path.startsWith("src/store/"),
    text: "only src/store imports lmdb",
  },
  {
    what: CEL,
    isOwner: (path) => path.startsWith("src/window/conditions/"),
    text: "only src/window/conditions imports the CEL library",
  },
  {
    what: /^(@grpc\/|grpc-health-check$)/,
    isOwner: (path) => /^src\/(grpc|hooks|edge)\/|^src\/(server|routes)\.ts$/.test(path),
    text: "only src/grpc, src/hooks, src/edge, server.ts and routes.ts import gRPC packages",
  },
  {
    what: /^(@modelcontextprotocol\/|zod$|src\/gen\/client\/)/,
    isOwner: (path) => path.startsWith("src/mcp/"),
    text: "only src/mcp imports the SDK of its protocol, and the client",
  },
  {
    what: /^src\/gen\/(?!memorysidecar\/storage\/|client\/)/,
    isOwner: (path) =>
      roomOf(path) === "edge" || /^src\/(grpc|hooks)\/|^src\/routes\.ts$/.test(path),
    text: "types of the contract stop at files of the edge: rpc.ts, wire.ts, checks.ts",
  },
  {
    what: /^src\/gen\/memorysidecar\/storage\//,
    isOwner: (path) => path.startsWith("src/store/"),
    text: "only src/store knows the records on disk",
  },
];

/** An import that the order of rooms forbids and that is still there. */
export interface KnownImport {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/** Names every import that points up or at what belongs to another folder. */
export function layerProblems(project: Project, known: readonly KnownImport[] = []): string[] {
  const problems: string[] = [];
  const used = new Set<KnownImport>();
  for (const [path, text] of sourcesOf(project)) {
    if (!path.startsWith("src/") || path.endsWith(".test.ts") || isGenerated(path)) continue;
    for (const { specifier, line, target } of importsOf(path, text)) {
      const exception = known.find(({ from, to }) => from === path && to === target);
      if (exception !== undefined) used.add(exception);
      const reason = forbidden(path, target ?? specifier, target !== undefined);
      if (reason !== undefined && exception === undefined) {
        problems.push(`${path}:${line}: ${specifier}: ${reason}`);
      }
    }
  }
  for (const exception of known.filter((one) => !used.has(one))) {
    problems.push(
      `${exception.from}: does not import ${exception.to} any more; drop the exception`,
    );
  }
  return problems;
}

function forbidden(path: string, what: string, isFile: boolean): string | undefined {
  for (const { what: pattern, isOwner, text } of OWNERS) {
    if (pattern.test(what) && !isOwner(path)) return text;
  }
  const from = roomOf(path);
  if ((isRule(path) || from === "kit") && !CEL.test(what)) {
    const isOutside = !isFile && (isRule(path) || !what.startsWith("node:"));
    if (isOutside) return `${from} imports nothing from outside`;
  }
  if (!isFile) return undefined;
  if (!what.startsWith("src/")) return "src imports only src";
  if (isGenerated(what) || floorOf(from) === undefined) return undefined;
  const to = roomOf(what);
  return mayImport(from, to) ? undefined : `${from} is below ${to}; imports point down only`;
}

/** Names folders that have no place in the house. */
export function unknownLayerProblems(project: Project): string[] {
  const rooms = new Set(
    [...project.keys()]
      .filter((path) => path.startsWith("src/") && path.endsWith(".ts") && !isGenerated(path))
      .map(roomOf),
  );
  return [...rooms]
    .filter((room) => floorOf(room) === undefined)
    .map((room) => `src/${room}: give the folder a place in HOUSE`);
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

/** Entry points: processes, threads, tests and the configuration of tools. */
export interface EntryPoints {
  /** Entry points of the product. */
  readonly product: readonly string[];
  /** Entry points of scripts and tests, as patterns; test files need no entry. */
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
