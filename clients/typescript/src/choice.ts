// Names for the values of enums.

/** The value of a name. Programs without types may give any; it is never passed over. */
export function choice<Values extends object>(
  what: string,
  values: Values,
  name: keyof Values,
): Values[keyof Values] {
  if (Object.hasOwn(values, name)) return values[name];
  const names = Object.keys(values).join(", ");
  throw new TypeError(`the ${what} is one of ${names}, not "${String(name)}"`);
}
