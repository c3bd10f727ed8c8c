// Code and words that do not belong here, each with the reason and what to write instead.

import { isRule } from "./house.ts";
import { type Node, nameOf, parseModule, walk } from "./parse.ts";
import { isTest, type Project, sourcesOf } from "./project.ts";

/** Places where something that is banned elsewhere is allowed, with the reason. */
export interface Allowed {
  readonly path: string;
  readonly reason: string;
}

interface BannedCode {
  /** Names the fault of a node, or gives undefined. */
  readonly find: (node: Node, parent: Node | undefined) => string | undefined;
  readonly where: (path: string) => boolean;
  readonly instead: string;
  readonly allowed?: readonly Allowed[];
}

const inSrc = (path: string): boolean => path.startsWith("src/") && !isTest(path);
const aboveKit = (path: string): boolean => inSrc(path) && !path.startsWith("src/kit/");
const inProduct = (path: string): boolean =>
  inSrc(path) || (path.startsWith("clients/") && !isTest(path) && !path.includes("/examples/"));
const inRules = (path: string): boolean => inSrc(path) && isRule(path);

/** Gives `object.property` for a plain member access. */
function memberOf(node: Node): string | undefined {
  if (node.type !== "MemberExpression") return undefined;
  const object = nameOf(node["object"]);
  return object === undefined ? undefined : `${object}.${nameOf(node["property"]) ?? "?"}`;
}

const CLOCKS = new Set(["Date.now", "performance.now", "process.hrtime"]);

function clock(node: Node): string | undefined {
  const member = memberOf(node);
  if (member !== undefined && CLOCKS.has(member)) return member;
  const callee = node.type === "NewExpression" ? nameOf(node["callee"]) : undefined;
  const bare = Array.isArray(node["arguments"]) && node["arguments"].length === 0;
  return callee === "Date" && bare ? "new Date()" : undefined;
}

/** Globals that make a function impure. */
const IMPURE = new Set([
  ...["process", "performance", "crypto", "fetch", "console", "globalThis", "queueMicrotask"],
  ...["setTimeout", "setInterval", "setImmediate"],
]);

function impure(node: Node): string | undefined {
  const user = node.type === "MemberExpression" ? node["object"] : node["callee"];
  const name = nameOf(user);
  return name !== undefined && IMPURE.has(name) ? name : undefined;
}

function focused(node: Node, parent: Node | undefined): string | undefined {
  const member = memberOf(node);
  if (member === undefined || parent === undefined) return undefined;
  return /^(test|describe|suite|bench)\.(only|skip|todo|fails)$/.test(member) ? member : undefined;
}

/** Gives the rules about code. */
export function bannedCode(allowed: Readonly<Record<string, readonly Allowed[]>>): BannedCode[] {
  const rule = (name: string, found: BannedCode): BannedCode => {
    const exceptions = allowed[name];
    return exceptions === undefined ? found : { ...found, allowed: exceptions };
  };
  const member = (pattern: RegExp) => (node: Node) => {
    const text = memberOf(node);
    return text !== undefined && pattern.test(text) ? text : undefined;
  };
  return [
    rule("clock", { find: clock, where: aboveKit, instead: "take a clock as an argument" }),
    rule("random", {
      find: member(/^Math\.random$/),
      where: aboveKit,
      instead: "take the random source as an argument, or use node:crypto",
    }),
    rule("console", {
      find: member(/^console\./),
      where: inProduct,
      instead: "use the logger that is passed in; it redacts",
    }),
    rule("environment", {
      find: member(/^process\.env$/),
      where: inSrc,
      instead: "read it in src/config.ts, which checks it and reports all problems at once",
    }),
    rule("exit", {
      find: member(/^process\.(exit|abort)$/),
      where: inProduct,
      instead: "throw, or set process.exitCode in src/main.ts, so that the store is closed",
    }),
    rule("impure", { find: impure, where: inRules, instead: "domain is pure; pass the value in" }),
    rule("any", {
      find: (node) => (node.type === "TSAnyKeyword" ? "any" : undefined),
      where: () => true,
      instead: "write the type, or unknown and a check",
    }),
    rule("default export", {
      find: (node) => (node.type === "ExportDefaultDeclaration" ? "export default" : undefined),
      where: () => true,
      instead: "export by name, so that the same thing has the same name everywhere",
    }),
    rule("private member", {
      find: (node) =>
        node["accessibility"] === "private" && node["kind"] !== "constructor"
          ? `private ${nameOf(node["key"]) ?? "member"}`
          : undefined,
      where: () => true,
      instead: "write #name: one style, and the engine enforces it",
    }),
    rule("it", {
      find: (node) =>
        node.type === "ImportSpecifier" && nameOf(node["imported"]) === "it" ? "it" : undefined,
      where: (path) => /\.ts$/.test(path),
      instead: "write test(), as every other test does",
    }),
    rule("focused test", {
      find: focused,
      where: () => true,
      instead: "fix the test or delete it; use runIf for what a machine may lack",
    }),
  ];
}

/** Names every use of banned code, and every exception that nothing needs any more. */
export function bannedCodeProblems(
  project: Project,
  allowed: Readonly<Record<string, readonly Allowed[]>>,
): string[] {
  const rules = bannedCode(allowed);
  const problems: string[] = [];
  const used = new Set<Allowed>();
  for (const [path, text] of sourcesOf(project)) {
    const here = rules.filter((rule) => rule.where(path));
    const module = parseModule(path, text);
    walk(module.program, (node, parent) => {
      for (const { find, instead, allowed: exceptions } of here) {
        const what = find(node, parent);
        if (what === undefined) continue;
        const exception = exceptions?.find((entry) => covers(entry.path, path));
        if (exception !== undefined) used.add(exception);
        else problems.push(`${path}:${module.lineOf(node.start)}: ${what}: ${instead}`);
      }
    });
  }
  for (const [name, entries] of Object.entries(allowed)) {
    for (const entry of entries) {
      if (!used.has(entry)) problems.push(`${entry.path}: needs no exception for "${name}"`);
    }
  }
  return problems;
}

function covers(allowed: string, path: string): boolean {
  return allowed.endsWith("/") ? path.startsWith(allowed) : path === allowed;
}

/** Words that are banned in every text; the patterns are written so that they miss themselves. */
const WORDS: readonly {
  pattern: RegExp;
  instead: string;
  /** Default: every file. */
  where?: (path: string) => boolean;
}[] = [
  {
    pattern: /\b(TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b/,
    instead: "do it now, or open an issue",
  },
  {
    pattern: /@ts-[i]gnore|@ts-[n]ocheck|@ts-[e]xpect-error/,
    instead: "fix the type; a cast to a named type says what is meant",
  },
  {
    pattern: /(^|[\s"'`=(:])\/(work|root|home\/\w+|Users)\//,
    instead: "name no path of one machine; use the repository's root or a temporary folder",
  },
  {
    pattern:
      /registry\.[n]pmjs|[n]pmmirror|[p]ypi\.org|[p]ythonhosted|deb\.[d]ebian|[g]hcr\.io|[q]uay\.io/,
    instead: "name no registry host; the tools of the machine know theirs",
  },
  {
    pattern: /selectools|lauren|marsys|alquimia|definable/i,
    instead: "only src/compat names other systems; take what differs from its tables",
    where: (path) => inSrc(path) && !/^src\/(compat|gen)\//.test(path),
  },
];

/** Names banned words in any file that people write. */
export function bannedWordProblems(project: Project): string[] {
  const problems: string[] = [];
  for (const [path, text] of project) {
    if (path.startsWith("third_party/")) continue;
    const words = WORDS.filter(({ where }) => where === undefined || where(path));
    text.split("\n").forEach((line, index) => {
      for (const { pattern, instead } of words) {
        const found = pattern.exec(line);
        if (found !== null) problems.push(`${path}:${index + 1}: ${found[0].trim()}: ${instead}`);
      }
    });
  }
  return problems;
}

/** Names READMEs and documents without a title or with more than one. */
export function titleProblems(project: Project): string[] {
  const problems: string[] = [];
  for (const [path, text] of project) {
    if (!path.endsWith(".md") || path.startsWith("third_party/")) continue;
    const prose = text.replace(/^(```+|~~~+)[\s\S]*?^\1\s*$/gm, "");
    const titles = prose.match(/^# .+$/gm)?.length ?? 0;
    if (titles !== 1) problems.push(`${path}: ${titles} titles, exactly one line begins with "# "`);
  }
  return problems;
}
