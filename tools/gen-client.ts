// Makes the code that ts-proto wrote for the TypeScript client friendly, where no option does.
//
//   - An enum value of a newer server survives: it is `UNKNOWN_7`, and 7 on the way back.
//   - A time keeps its nanoseconds, a 64-bit number that is not exact is an error.
//   - `JSON.stringify` writes every message in the JSON form of the contract.
//
// Every rewrite throws when the code does not look as expected, so that an update of ts-proto that
// changes it is found when the code is made.

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** The module that the rewritten code calls. */
const WIRE = "wire.ts";

/** Rewrites the files of a folder of generated code, which lies beside the module `wire.ts`. */
export function befriend(folder: string): void {
  for (const name of globSync("**/*.ts", { cwd: folder })) {
    const path = join(folder, name);
    const wire = relative(dirname(path), join(folder, "..", WIRE));
    writeFileSync(path, friendly(readFileSync(path, "utf8"), wire));
  }
}

/** Rewrites one file. `wire` is the path of `wire.ts` from it. */
export function friendly(source: string, wire: string): string {
  const code = withPrototypes(withExactValues(withUnknownValues(source)));
  const names = [
    ...["fromTimestamp", "toTimestamp", "longToNumber", "timeText", "durationText", "jsonOf"],
    ...["unknownNumber", "unknownValue"],
  ];
  const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(code));
  if (code.includes("| UnknownValue;")) used.push("type UnknownValue");
  if (used.length === 0) return code;
  const head = "/* eslint-disable */\n";
  if (!code.includes(head)) throw new Error("the generated code has no head");
  return code.replace(head, `${head}import { ${used.join(", ")} } from "${wire}";\n`);
}

const UNKNOWN =
  /throw new globalThis\.Error\("Unrecognized enum value " \+ object \+ " for enum (\w+)"\);/;

function withUnknownValues(source: string): string {
  const enums = [...source.matchAll(/^export type (\w+) = typeof \1\[keyof typeof \1\];$/gm)];
  let code = source;
  for (const [type, name] of enums) {
    code = code.replace(type, () => `${type.slice(0, -1)} | UnknownValue;`);
    const prefix = (name as string).replace(/^./, (first) => first.toLowerCase());
    for (const [suffix, result, answer] of [
      ["FromJSON", name, "return unknownValue(object);"],
      ["ToJSON", "string", `return unknownNumber(object, "${name}");`],
      ["ToNumber", "number", `return unknownNumber(object, "${name}");`],
    ] as const) {
      const head = new RegExp(`export function ${prefix}${suffix}\\((.*?)\\): ${result} \\{`);
      const start = code.search(head);
      const rest = code.slice(Math.max(start, 0));
      const fault = UNKNOWN.exec(rest);
      if (start < 0 || fault === null) throw new Error(`${name} has no function ${suffix}`);
      const changed = rest.replace(UNKNOWN, answer);
      const typed = suffix === "ToJSON" ? changed.replace("): string {", "): unknown {") : changed;
      code = code.slice(0, start) + typed;
    }
  }
  if (UNKNOWN.test(code)) throw new Error("an enum was left as it was");
  return code;
}

function withExactValues(source: string): string {
  return source
    .replace(/^function (toTimestamp|fromTimestamp|longToNumber)\([\s\S]*?^\}\n\n?/gm, "")
    .replace(/([\w.]+)\.toISOString\(\)/g, "timeText($1)")
    .replace(/\bDuration\.toJSON\(/g, "durationText(");
}

const BASE = /^function createBase(\w+)\(\): \1 \{\n {2}return \{([\s\S]*?)\};\n\}\n/gm;

/** Makes messages by constructors, as a literal with a prototype takes six times as long. */
function withPrototypes(source: string): string {
  const code = source.replace(BASE, (_, name: string, fields: string) => {
    const lines = fields
      .split(/,\s+/)
      .map((field) => field.trim().replace(/,$/, ""))
      .filter((field) => field !== "")
      .map((field) => {
        const [, key, value] = /^(\w+): (.*)$/.exec(field) ?? [];
        if (key === undefined) throw new Error(`${name} has the field "${field}"`);
        return `  this.${key} = ${value};\n`;
      });
    const toJSON =
      name === "Duration" ? "durationText" : `(message: ${name}) => ${name}.toJSON(message)`;
    return [
      `function Base${name}(this: any) {\n${lines.join("")}}\n`,
      `Base${name}.prototype = jsonOf(${toJSON});\n`,
      `function createBase${name}(): ${name} {\n  return new (Base${name} as any)();\n}\n`,
    ].join("");
  });
  const left = /^function createBase(\w+)\(\): \1 \{\n {2}return \{/m.exec(code);
  if (left !== null) throw new Error(`${left[1]} was left as it was`);
  return code;
}
