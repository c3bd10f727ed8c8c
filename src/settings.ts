// Reads settings of a table from words: the flags of a command line, and the text of a value.

import type { Setting } from "./config-table.ts";
import { nearest } from "./kit/text.ts";

/** The value of a setting. */
export type Value = string | number | boolean | readonly string[];

/** The text of each setting that was given, by its name. */
export type Raw<Name extends string> = Map<Name, string>;

/** Settings by their names. */
export type SettingTable<Name extends string> = Readonly<Record<Name, Setting>>;

/**
 * Reads the words of a command line. A list may be given several times.
 *
 * @param fileFlag - A flag that names a file of settings.
 */
export function readFlags<Name extends string>(
  table: SettingTable<Name>,
  args: readonly string[],
  problems: string[],
  fileFlag?: string,
): { raw: Raw<Name>; file?: string } {
  const names = Object.keys(table) as Name[];
  const byFlag = new Map<string, Name>(names.map((name) => [table[name].flag, name]));
  const known = [...byFlag.keys(), ...(fileFlag === undefined ? [] : [fileFlag])];
  const raw: Raw<Name> = new Map();
  let file: string | undefined;
  for (let index = 0; index < args.length; index++) {
    const word = args[index] as string;
    if (!word.startsWith("--")) {
      problems.push(`"${word}" is not a flag: flags begin with --`);
      continue;
    }
    const equals = word.indexOf("=");
    const flag = word.slice(2, equals < 0 ? undefined : equals);
    const name = byFlag.get(flag);
    if (name === undefined && flag !== fileFlag) {
      problems.push(unknown(`flag --${flag}`, flag, known, "--"));
      // The word after it is most likely its value, not a fault of its own.
      if (equals < 0 && args[index + 1]?.startsWith("--") === false) index += 1;
      continue;
    }
    let value = equals < 0 ? undefined : word.slice(equals + 1);
    const next = args[index + 1];
    if (value === undefined && name !== undefined && table[name].type === "boolean") {
      value = "true";
    } else if (value === undefined && next !== undefined && !next.startsWith("--")) {
      value = next;
      index += 1;
    }
    if (value === undefined) problems.push(`--${flag} needs a value`);
    else if (name === undefined) file = value;
    else if (table[name].type === "list" && raw.has(name)) {
      raw.set(name, `${raw.get(name)},${value}`);
    } else raw.set(name, value);
  }
  return file === undefined ? { raw } : { raw, file };
}

/** Says that a name is not known, and which one was most likely meant. */
export function unknown(what: string, name: string, known: readonly string[], prefix = ""): string {
  const near = nearest(name, known);
  return `unknown ${what}${near === undefined ? "" : `: did you mean ${prefix}${near}?`}`;
}

/** Turns the text of a setting into its value; adds a problem when it cannot. */
export function parseSetting(
  setting: Setting,
  text: string,
  problems: string[],
): Value | undefined {
  const label = `--${setting.flag}`;
  switch (setting.type) {
    case "boolean":
      if (text === "true" || text === "1") return true;
      if (text === "false" || text === "0") return false;
      problems.push(`${label} must be true or false, not "${text}"`);
      return undefined;
    case "integer": {
      const value = Number(text);
      const { min = 0, max = Number.MAX_SAFE_INTEGER } = setting;
      if (/^\d{1,16}$/.test(text) && value >= min && value <= max) return value;
      problems.push(`${label} must be a whole number of ${min} to ${max}, not "${text}"`);
      return undefined;
    }
    case "number": {
      const value = Number(text);
      const { min = 0, max = Number.MAX_SAFE_INTEGER } = setting;
      if (/^\d{1,16}(\.\d{1,16})?$/.test(text) && value >= min && value <= max) return value;
      problems.push(`${label} must be a number of ${min} to ${max}, not "${text}"`);
      return undefined;
    }
    case "list":
      return text
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "");
    case "text":
      if (setting.oneOf !== undefined && !setting.oneOf.includes(text)) {
        problems.push(`${label} must be one of ${setting.oneOf.join(", ")}, not "${text}"`);
        return undefined;
      }
      return text;
  }
}
