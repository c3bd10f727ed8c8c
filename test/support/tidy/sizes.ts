// Limits on the length of files, functions, lines and parameter lists, and on the size of folders.

import { posix } from "node:path";
import { isNode, type Node, nameOf, parseModule, walk } from "./parse.ts";
import { isGenerated, isTest, type Project, sourcesOf } from "./project.ts";

const FUNCTION_LINES = 70;
const PARAMETERS = 4;
const COLUMNS = 100;
const FOLDER_FILES = 25;
const SMALL_LINES = 30;

/** Files that may be small. */
export interface SmallFiles {
  readonly files: RegExp;
  readonly reason: string;
}

/** The most lines that a file may have; undefined where any length goes. */
function lineLimit(path: string): number | undefined {
  if (isGenerated(path)) return undefined;
  if (path.endsWith(".proto")) return path.startsWith("third_party/") ? undefined : 1_450;
  if (path.endsWith(".ts") || path.endsWith(".py")) return isTest(path) ? 800 : 600;
  return undefined;
}

/** Names files that are longer than their kind may be. */
export function fileLengthProblems(project: Project): string[] {
  const problems: string[] = [];
  for (const [path, text] of project) {
    const limit = lineLimit(path);
    const lines = text.split("\n").length - 1;
    if (limit !== undefined && lines > limit) {
      problems.push(`${path}: ${lines} lines, at most ${limit}; split it by idea`);
    }
  }
  return problems;
}

/** Names small files of src that have no reason to be files, and reasons that no file needs. */
export function smallFileProblems(project: Project, reasons: readonly SmallFiles[]): string[] {
  const small = sourcesOf(project)
    .filter(([path]) => path.startsWith("src/") && !isTest(path))
    .filter(([, text]) => text.split("\n").length - 1 < SMALL_LINES)
    .map(([path]) => path);
  const mayBeSmall = (path: string): boolean => reasons.some(({ files }) => files.test(path));
  return [
    ...small
      .filter((path) => !mayBeSmall(path))
      .map((path) => `${path}: under ${SMALL_LINES} lines; join it to a neighbour or say why not`),
    ...reasons
      .filter(({ files }) => !small.some((path) => files.test(path)))
      .map(({ files }) => `${files}: no small file needs this reason`),
  ];
}

/** Names folders of src that hold too many files to see at a glance; tests do not count. */
export function folderProblems(project: Project): string[] {
  const counts = new Map<string, number>();
  for (const path of project.keys()) {
    if (!path.startsWith("src/") || !path.endsWith(".ts")) continue;
    if (path.endsWith(".test.ts") || isGenerated(path)) continue;
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > FOLDER_FILES)
    .map(([folder, count]) => `${folder}: ${count} files, at most ${FOLDER_FILES}; make a room`);
}

const HAS_COLUMNS = /\.(ts|proto|py|sh|yaml|toml)$|(^|\/)(Dockerfile|run)$/;

/** Names lines that do not fit. The formatter judges code: it leaves only long texts alone. */
export function lineLengthProblems(project: Project): string[] {
  const problems: string[] = [];
  for (const [path, text] of project) {
    if (!HAS_COLUMNS.test(path) || isGenerated(path) || path.startsWith("third_party/")) continue;
    text.split("\n").forEach((line, index) => {
      if (line.length <= COLUMNS || !/\S\s+\S.*\s/.test(line)) return;
      if (!/^\s*(\/\/|\/?\*|#)/.test(line) && /["'`]/.test(line)) return;
      problems.push(`${path}:${index + 1}: ${line.length} columns, at most ${COLUMNS}`);
    });
  }
  return problems;
}

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

/** Names functions that are too long or take too much. */
export function functionProblems(project: Project): string[] {
  const problems: string[] = [];
  for (const [path, text] of sourcesOf(project)) {
    const module = parseModule(path, text);
    walk(module.program, (node, parent) => {
      if (!FUNCTIONS.has(node.type)) return;
      const line = module.lineOf(node.start);
      const length = module.lineOf(node.end) - line + 1;
      if (length > FUNCTION_LINES && !isSuite(parent) && !(isTest(path) && holdsTests(node))) {
        problems.push(`${path}:${line}: function of ${length} lines, at most ${FUNCTION_LINES}`);
      }
      const count = parameterCount(node);
      if (count > PARAMETERS) {
        problems.push(
          `${path}:${line}: ${count} parameters, at most ${PARAMETERS}; pass an object`,
        );
      }
    });
  }
  return problems;
}

/** Whether a call is `describe(...)` or a variant, whose function only groups tests. */
function isSuite(parent: Node | undefined): boolean {
  if (parent?.type !== "CallExpression") return false;
  let callee = parent["callee"];
  while (isNode(callee) && callee.type !== "Identifier")
    callee = callee["object"] ?? callee["callee"];
  return nameOf(callee) === "describe";
}

/** Whether a function declares tests itself, so that it is a list of tests and not one thing. */
function holdsTests(node: Node): boolean {
  const body = node["body"];
  const statements = isNode(body) && Array.isArray(body["body"]) ? body["body"] : [];
  return statements.some((statement: unknown) => {
    const call = isNode(statement) ? statement["expression"] : undefined;
    const callee = isNode(call) ? nameOf(call["callee"]) : undefined;
    return callee === "test" || callee === "describe";
  });
}

function parameterCount(node: Node): number {
  const params = node["params"];
  if (!Array.isArray(params)) return 0;
  return params.filter((param) => nameOf(param) !== "this").length;
}
