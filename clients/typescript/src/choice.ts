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

/** Refuses what has a field that there is not: it would be dropped without a word. */
export function onlyFields(what: string, given: unknown, known: ReadonlySet<string>): void {
  if (typeof given !== "object" || given === null) {
    throw new TypeError(`a ${what} is an object, not ${given === null ? "null" : typeof given}`);
  }
  const unknown = Object.keys(given).find((name) => !known.has(name));
  if (unknown === undefined) return;
  const camel = unknown.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const hint = known.has(camel) ? `: it is "${camel}"` : `: it has ${[...known].join(", ")}`;
  throw new TypeError(`a ${what} has no field "${unknown}"${hint}`);
}

/** Refuses fields that a filter does not have. */
export function noOthers(unknown: object): void {
  const [name] = Object.keys(unknown);
  if (name !== undefined) throw new TypeError(`the filter has no field "${name}"`);
}

/** The position of a message, as a number or as a 64-bit integer. */
export type SeqInput = number | bigint;

/** Gives a whole number. Throws a RangeError for one that JavaScript cannot hold exactly. */
export function whole(value: number | bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new RangeError(`${value} is not a whole number up to ${Number.MAX_SAFE_INTEGER}`);
}
