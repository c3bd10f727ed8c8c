// Checks of arguments before a request is sent. A program without types may pass anything, and a
// condition that is silently ignored would widen the call.

/** The value of the name of an enum's value. */
export function choice<Values extends object>(
  what: string,
  values: Values,
  name: keyof Values,
): Values[keyof Values] {
  if (Object.hasOwn(values, name)) return values[name];
  const names = Object.keys(values).join(", ");
  throw new TypeError(`the ${what} is one of ${names}, not "${String(name)}"`);
}

/**
 * Conditions, each as it is given. An empty one is refused: it may be an id that the caller lost,
 * and must not mean any.
 */
export function conditions<Given extends Readonly<Record<string, string | undefined>>>(
  given: Given,
): Given {
  for (const [name, value] of Object.entries(given)) {
    if (value === "" || value === null) {
      throw new TypeError(`${name} is empty: leave it out, or name one`);
    }
  }
  return given;
}

/** The fields of a type, or of each type of a union. The compiler names one that is missing. */
export type FieldsOf<Type> = Readonly<Record<Type extends unknown ? keyof Type : never, unknown>>;

/** The fields of a message of the contract: it has them all, some undefined. */
export function fieldsOf<Message extends object>(message: Message): FieldsOf<Message> {
  return message as Required<Message>;
}

/** The fields that are known and not those of a type. */
type Excess<Known, Type> = Exclude<keyof Known, keyof FieldsOf<Type>>;

/**
 * Refuses options that a method does not have: they would be dropped without a word. The compiler
 * sees to it that the known options are those of the type, no less and no more.
 */
export function onlyOptions<Options extends object, Known extends FieldsOf<Options>>(
  method: string,
  options: Options,
  known: Known & Readonly<Record<Excess<Known, Options>, never>>,
): void {
  if (!isObject(options)) {
    throw new TypeError(`the options of ${method} are an object, not ${typeName(options)}`);
  }
  const fault = unknownField(options, Object.keys(known));
  if (fault !== undefined) throw new TypeError(`${method} has no option ${fault}`);
}

/** Refuses what has a field that there is not: it would be dropped without a word. */
export function onlyFields<Given>(what: string, given: Given, known: FieldsOf<Given>): void {
  const one = `${/^[aeio]/.test(what) ? "an" : "a"} ${what}`;
  if (!isObject(given)) throw new TypeError(`${one} is an object, not ${typeName(given)}`);
  const fault = unknownField(given, Object.keys(known));
  if (fault !== undefined) throw new TypeError(`${one} has no field ${fault}`);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function typeName(value: unknown): string {
  return value === null ? "null" : typeof value;
}

/** The first field that is not known, and what may be meant. Undefined values drop nothing. */
function unknownField(given: object, known: readonly string[]): string | undefined {
  const unknown = Object.entries(given).find(
    ([name, value]) => value !== undefined && !known.includes(name),
  );
  if (unknown === undefined) return undefined;
  const [name] = unknown;
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (known.includes(camel)) return `"${name}": it is "${camel}"`;
  const near = nearest(camel, known);
  if (near !== undefined) return `"${name}": did you mean "${near}"?`;
  return `"${name}": it has ${known.join(", ")}`;
}

/** The name that differs least, in no more than a third of the letters; a longer one by one. */
function nearest(name: string, known: readonly string[]): string | undefined {
  let least = Math.ceil(name.length / 3) + 1;
  let found: string | undefined;
  for (const one of known) {
    const isBegun = name.length > 2 && one.startsWith(name);
    const count = isBegun ? 1 : editCount(name.toLowerCase(), one.toLowerCase());
    if (count >= least) continue;
    least = count;
    found = one;
  }
  return found;
}

/** The number of letters to insert, delete or replace to make one word of another. */
function editCount(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      const inserted = (next[column] ?? 0) + 1;
      next.push(Math.min(replaced, inserted, (row[column + 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The position of a message, as a number or as a 64-bit integer. */
export type SeqInput = number | bigint;

/** Gives a whole number. Throws a RangeError for one that JavaScript cannot hold exactly. */
export function whole(value: number | bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new RangeError(`${value} is not a whole number up to ${Number.MAX_SAFE_INTEGER}`);
}
