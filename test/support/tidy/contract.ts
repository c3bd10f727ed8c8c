// That code and tests cover the contract: every rpc and every reason of failure.

import { importsOf } from "./imports.ts";
import { type Node, nameOf, parseModule, stringOf, walk } from "./parse.ts";
import { isTest, type Project, sourcesOf } from "./project.ts";

/**
 * Gives the names of the rpcs that are served. Those of `memorysidecar.hook.v1` are not among them:
 * hooks implement them and we call them.
 */
export function rpcNames(project: Project): string[] {
  const found: string[] = [];
  for (const [path, text] of project) {
    if (!path.startsWith("proto/memorysidecar/v1/")) continue;
    for (const [, rpc = ""] of text.matchAll(/^\s*rpc (\w+)\(/gm)) found.push(rpc);
  }
  return found;
}

/** Names rpcs that not exactly one file of rpcs serves, or that have no contract test. */
export function rpcProblems(project: Project): string[] {
  const served = [...project].filter(([path]) => /^src\/.*\brpc\.ts$/.test(path));
  const tests = [...project].filter(([path]) => path.startsWith("test/contract/"));
  const problems: string[] = [];
  for (const rpc of rpcNames(project)) {
    const method = `${rpc.charAt(0).toLowerCase()}${rpc.slice(1)}`;
    const name = new RegExp(`\\b(${rpc}|${method})\\b`);
    const rpcOf = new RegExp(`^export const ${method}\\b`, "m");
    const files = served.filter(([, text]) => rpcOf.test(text)).map(([path]) => path);
    if (files.length === 0) problems.push(`src: no rpc serves ${rpc}`);
    if (files.length > 1) problems.push(`src: ${files.join(" and ")} serve ${rpc}`);
    if (!tests.some(([, text]) => name.test(text))) {
      problems.push(`test/contract: no test names ${rpc}`);
    }
  }
  return problems;
}

const ERRORS = "src/kit/errors.ts";

/** Those that take the reason first. */
const ERROR_MAKERS = new Set(["AppError", "resourceError"]);

/** Gives the reasons of the public `ErrorReason` enum, without the prefix. */
export function errorReasons(project: Project): string[] {
  const text = project.get("proto/memorysidecar/v1/error_reason.proto") ?? "";
  return [...text.matchAll(/^\s*ERROR_REASON_(\w+) = [1-9]/gm)].map(([, name]) => name ?? "");
}

/** The functions that make an error of each reason. */
function makersOf(project: Project): ReadonlyMap<string, string> {
  const makers = new Map<string, string>();
  const module = parseModule(ERRORS, project.get(ERRORS) ?? "");
  walk(module.program, (node) => {
    if (node.type !== "FunctionDeclaration") return;
    walk(node, (inner) => {
      const reason = reasonMadeBy(inner);
      if (reason !== undefined) makers.set(reason, nameOf(node["id"]) ?? "");
    });
  });
  return makers;
}

/** The reason of the error that an expression makes. */
function reasonMadeBy(node: Node): string | undefined {
  const isCall = node.type === "NewExpression" || node.type === "CallExpression";
  if (!isCall || !ERROR_MAKERS.has(nameOf(node["callee"]) ?? "")) return undefined;
  return stringOf(asList(node["arguments"])[0]);
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Names reasons that nothing raises, and reasons that no test expects. */
export function reasonProblems(project: Project): string[] {
  const makers = makersOf(project);
  const product = sourcesOf(project).filter(
    ([path]) => path.startsWith("src/") && !isTest(path) && path !== ERRORS,
  );
  const imported = new Set(
    product.flatMap(([path, text]) => importsOf(path, text).flatMap(({ names }) => names)),
  );
  const raised = new Set(product.flatMap(([path, text]) => reasonsMadeIn(path, text)));
  const tests = [...project].filter(([path]) => isTest(path) || path.includes("/tests/"));
  const problems: string[] = [];
  for (const reason of errorReasons(project)) {
    const maker = makers.get(reason);
    if (!raised.has(reason) && (maker === undefined || !imported.has(maker))) {
      problems.push(`${reason}: nothing in src raises it`);
    }
    const name = new RegExp(`\\b(ERROR_REASON_)?${reason}\\b`);
    if (!tests.some(([, text]) => name.test(text))) problems.push(`${reason}: no test expects it`);
  }
  return problems;
}

/** The reasons of the errors that a file makes without a named constructor. */
function reasonsMadeIn(path: string, text: string): string[] {
  const found: string[] = [];
  walk(parseModule(path, text).program, (node) => {
    const reason = reasonMadeBy(node);
    if (reason !== undefined) found.push(reason);
  });
  return found;
}
