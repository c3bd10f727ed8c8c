// Filters of values, as the stores of LangGraph.js understand them.

type Json = Readonly<Record<string, unknown>>;

const OPERATORS: Readonly<Record<string, (value: unknown, wanted: unknown) => boolean>> = {
  $eq: (value, wanted) => value === wanted,
  $ne: (value, wanted) => value !== wanted,
  $gt: (value, wanted) => Number(value) > Number(wanted),
  $gte: (value, wanted) => Number(value) >= Number(wanted),
  $lt: (value, wanted) => Number(value) < Number(wanted),
  $lte: (value, wanted) => Number(value) <= Number(wanted),
  $in: (value, wanted) => Array.isArray(wanted) && wanted.includes(value),
  $nin: (value, wanted) => !Array.isArray(wanted) || !wanted.includes(value),
};

/** Tests a value against a filter: each key must be equal, or satisfy all its operators. */
export function matches(value: Json, filter: Json | undefined): boolean {
  return Object.entries(filter ?? {}).every(([key, wanted]) => holds(value[key], wanted));
}

function holds(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null) return value === wanted;
  const operators = Object.entries(wanted);
  // An object with any other key matches nothing: objects are not compared by their content.
  return operators.every(([name, limit]) => OPERATORS[name]?.(value, limit) ?? false);
}
