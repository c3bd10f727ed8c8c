// The options of presets: what each is called, what it takes, and what it is when left out. A
// table of them reads a plain JSON object and names whatever is wrong with it.

/** A plain JSON value. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** A fault of an option. */
export interface OptionFault {
  /** The path of the option, for example `conditions[1]`; empty for the object as a whole. */
  readonly field: string;
  readonly description: string;
  /** The limit that is broken, if it is one. */
  readonly limit?: number;
}

/** An option as ListPolicyPresets shows it. */
export interface OptionInfo {
  /** The path: a dot leads into an object. */
  readonly name: string;
  /** Its meaning, with its limits. */
  readonly description: string;
  readonly defaultValue: Json;
  /** The group that it belongs to; empty for none. */
  readonly group: string;
  readonly required: boolean;
}

/** The result of reading one value. */
export type Read<T> = { readonly value: T } | { readonly faults: readonly OptionFault[] };

/** An option of a table. Its name is its key there. */
export interface Option<T> {
  /** Its meaning; the limits are added to it. */
  readonly meaning: string;
  /** The limits in words; empty for none. */
  readonly limits: string;
  readonly defaultValue: Json;
  readonly required: boolean;
  /** The value of an option that is left out. */
  readonly initial: T;
  /** The options inside an object, for an option that is one. */
  readonly table?: OptionTable;
  /** Reads a value; `field` is the path to name in faults. */
  readonly read: (field: string, value: unknown) => Read<T>;
}

/** Options by name. */
export type OptionTable = { readonly [name: string]: Option<unknown> };

/** The values of a table: each option given or its default. */
export type OptionValues<T extends OptionTable> = {
  readonly [K in keyof T]: T[K] extends Option<infer V> ? V : never;
};

/** The result of reading options: all values, sound only when there is no fault. */
export interface OptionReading<T extends OptionTable> {
  readonly values: OptionValues<T>;
  readonly faults: readonly OptionFault[];
  /** The names of the options that were given, null for left out. */
  readonly given: ReadonlySet<string>;
}

/** An option that may be left out altogether. */
export function optional<T>(option: Option<T>): Option<T | undefined> {
  return { ...option, defaultValue: null, initial: undefined };
}

/** An option that may not be left out. */
export function required<T>(option: Option<T>): Option<T> {
  return { ...option, defaultValue: null, required: true };
}

/**
 * Reads an object by a table. Null stands for an option that is left out. Names every unknown
 * field and every value that the table does not take; `path` goes before their names.
 */
export function readOptions<T extends OptionTable>(
  table: T,
  object: { readonly [name: string]: unknown },
  path = "",
): OptionReading<T> {
  const faults: OptionFault[] = [];
  const given = new Set<string>();
  for (const name of Object.keys(object)) {
    if (Object.hasOwn(table, name)) continue;
    // Every name that is given may be unknown: one list of the known ones is enough.
    const description =
      faults.length === 0
        ? `is not an option; the options are ${Object.keys(table).join(", ")}`
        : "is not an option";
    faults.push({ field: `${path}${name}`, description });
  }
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(table)) {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    values[name] = option.initial;
    if (value === undefined || value === null) {
      if (option.required) {
        faults.push({ field: `${path}${name}`, description: `${path}${name} is required` });
      }
      continue;
    }
    given.add(name);
    const read = option.read(`${path}${name}`, value);
    if ("faults" in read) faults.push(...read.faults);
    else values[name] = read.value;
  }
  return { values: values as OptionValues<T>, faults, given };
}

/** Lists the options of a table for callers; behind an object those inside it, by their paths. */
export function describeOptions(table: OptionTable, group = "", path = ""): readonly OptionInfo[] {
  return Object.entries(table).flatMap(([key, option]) => {
    const { meaning, limits, defaultValue, required } = option;
    const name = `${path}${key}`;
    const end = limits === "" ? "" : ` ${limits.charAt(0).toUpperCase()}${limits.slice(1)}.`;
    const own = { name, description: `${meaning}${end}`, defaultValue, group, required };
    return [own, ...describeOptions(option.table ?? {}, group, `${name}.`)];
  });
}
