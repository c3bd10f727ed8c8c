// The overview in docs/integrations/README.md: a row for each integration, made from its manifests,
// its page, its tests, and the tables of that page, which the tests compare with their counts.

import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { blocksOf } from "../test/docs/blocks.ts";
import { ROOT } from "./process.ts";
import { withTable } from "./tables.ts";

const PAGES = "docs/integrations";
const HEAD = [
  "| Integration | Package | Framework | Lines | Upstream tests | Operations | Kill test |",
  "| --- | --- | --- | --- | --- | --- | --- |",
];
const OWN = /memory-?sidecar/i;
/** Titles of tests that kill the server. */
const KILL_TEST = /(?:def test_\w*kill|test\(\s*"[^"]*kill|void \w*[kK]ill\w*\()/;

/** An integration, as its manifest describes it. */
interface Integration {
  readonly folder: string;
  /** The language behind the framework's name in the tables; empty for Python. */
  readonly language: "" | " (TypeScript)" | " (Java)";
  /** Languages of its code blocks. */
  readonly code: "python" | "ts" | "java";
  readonly description: string;
  readonly package: string;
  readonly framework: string;
  readonly lowest: string;
  readonly newest: string;
}

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** Gives the first group of a pattern, which the text must have. */
function found(text: string, pattern: RegExp): string {
  const [, group] = pattern.exec(text) ?? [];
  if (group === undefined) throw new Error(`no text fits ${pattern} in ${text.slice(0, 60)}`);
  return group;
}

function pythonIntegration(folder: string): Integration {
  const manifest = read(`${folder}/pyproject.toml`);
  const [, framework = "", lowest = ""] =
    /^dependencies = \["([\w.-]+)(?:\[\w+\])?>=([\d.]+)/m.exec(manifest) ?? [];
  return {
    ...{ folder, language: "", code: "python", framework, lowest },
    description: found(manifest, /^description = "(.+)"/m),
    package: found(manifest, /^name = "(.+)"/m),
    newest: found(read(`${folder}/requirements.txt`), new RegExp(`^${framework}==([\\w.]+)`, "m")),
  };
}

interface NpmManifest {
  readonly name: string;
  readonly description: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

function npmIntegration(folder: string): Integration {
  const { name, description, devDependencies } = JSON.parse(
    read(`${folder}/package.json`),
  ) as NpmManifest;
  const lowest = devDependencies["lowest"] ?? "";
  const framework = found(lowest, /^npm:(.+)@/);
  return {
    ...{ folder, language: " (TypeScript)", code: "ts", description, package: name, framework },
    lowest: found(lowest, /@([^@]+)$/),
    newest: devDependencies[framework] ?? "",
  };
}

function mavenIntegration(folder: string): Integration {
  const manifest = read(`${folder}/pom.xml`);
  const dependencies = manifest.slice(manifest.indexOf("<dependencies>"));
  const framework = found(
    dependencies,
    /<groupId>(?!io\.memorysidecar)[^<]*<\/groupId>\s*<artifactId>([^<]+)</,
  );
  const newest = found(manifest, new RegExp(`<${framework}\\.version>([^<]+)<`));
  const [, lowest = newest] = /<[\w-]+-lowest\.version>([^<]+)</.exec(manifest) ?? [];
  return {
    ...{ folder, language: " (Java)", code: "java", framework, lowest, newest },
    description: found(manifest, /<description>([^<]+)</),
    package: found(manifest, /<artifactId>([^<]+)</),
  };
}

/** Integrations that have a page. */
function integrations(): Integration[] {
  const below = (pattern: string): string[] => globSync(pattern, { cwd: ROOT }).map(dirname).sort();
  const all = [
    ...below("clients/python/integrations/*/pyproject.toml").filter(hasPage).map(pythonIntegration),
    ...below("clients/typescript/integrations/*/package.json").filter(hasPage).map(npmIntegration),
    ...below("clients/java/integrations/*/pom.xml").filter(hasPage).map(mavenIntegration),
  ];
  return all.sort((a, b) => (basename(a.folder) < basename(b.folder) ? -1 : 1));
}

function hasPage(folder: string): boolean {
  return existsSync(join(ROOT, PAGES, `${basename(folder)}.md`));
}

/** Number of lines of the first example that use the integration or its client. */
function linesOf({ folder, code }: Integration): number {
  const page = read(`${PAGES}/${basename(folder)}.md`);
  const plugIn = page.slice(page.indexOf("## Plug in"));
  const example =
    code === "java"
      ? /^```java\n(.*?)^```$/ms.exec(plugIn)?.[1]
      : blocksOf(folder, plugIn).find(({ language }) => language === code)?.code;
  const lines = example?.split("\n") ?? [];
  const names = lines
    .filter((line) => /\bimport\b/.test(line) && OWN.test(line))
    .map((line) => line.replace(/\bimport [\w.]+\.(\w+);$/, "import $1"))
    .map((line) => line.replace(/.*\bimport\b(?!.*\bimport\b)/, ""))
    .map((line) => line.replace(/\bfrom ".*/, "client"))
    .flatMap((line) => line.match(/[A-Za-z]\w+/g) ?? [])
    .filter((name) => !OWN.test(name) && name !== "from" && name !== "type");
  const isOwn = (line: string): boolean =>
    OWN.test(line) || names.some((name) => new RegExp(`\\b${name}\\b`).test(line));
  const count = lines.filter(isOwn).length;
  if (count === 0) throw new Error(`${PAGES}: the page of ${folder} plugs nothing in`);
  return count;
}

/** The numbers that the tests have compared with the page, for a framework. */
function judged(page: string, framework: string): { upstream: string; operations: string } {
  let [passed, applicable, operations, declared] = [0, 0, 0, 0];
  for (const line of page.split("\n")) {
    const [, name, , passes, of] =
      /^\| ([^|]+) \| ([^|]+) \| (\d+)(?: of (\d+))? \|$/.exec(line) ?? [];
    if (name !== framework) continue;
    if (of === undefined) operations += Number(passes);
    else [passed, applicable] = [passed + Number(passes), applicable + Number(of)];
  }
  for (const [, name, count] of page.matchAll(/^- ([^,:]+), [^:]*?(\d+) cases:/gm))
    if (name === framework) declared += Number(count);
  const rest = declared === 0 ? "" : `; ${declared} do not apply`;
  return {
    upstream: applicable === 0 ? "" : `${passed} of ${applicable}${rest}`,
    operations: operations === 0 ? "" : String(operations),
  };
}

function rowOf(integration: Integration, page: string): string {
  const { folder, language, description, lowest, newest } = integration;
  const name = basename(folder);
  const title = found(read(`${PAGES}/${name}.md`), /^# ([^:\n]+)/);
  const { upstream, operations } = judged(page, title + language);
  const tests = globSync(`${folder}/{test,tests,src/test}/**/*.{py,ts,java}`, { cwd: ROOT });
  const isKilled = tests.some((path) => KILL_TEST.test(read(path)));
  const label = description.replace(/( on Memory Sidecar)?\.$/, "") + language;
  const isOne = lowest === newest || newest === `${lowest}.0`;
  const versions = `\`${integration.framework}\` ${isOne ? newest : `${lowest} to ${newest}`}`;
  const cells = [`[${label}](${name}.md)`, `\`${integration.package}\``, versions];
  const counts = [linesOf(integration), upstream, operations, isKilled ? "yes" : "no"];
  return `| ${[...cells, ...counts].join(" | ")} |`.replaceAll("|  |", "| |");
}

/** Writes the overview between its two marks. Throws when a mark is missing. */
export function withIntegrations(page: string): string {
  const rows = integrations().map((integration) => rowOf(integration, page));
  return withTable(page, "integrations", [...HEAD, ...rows].join("\n"));
}
