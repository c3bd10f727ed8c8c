// Texts of a value, by which searches find it.

const TOKEN = /\[[^\]]*\]|\{[^}]*\}|[^.[\]{}]+/g;

/**
 * Gives the texts at a path: `$` is the whole value as JSON, `a.b` a field, `a[0]` and `a[-1]` an
 * element, `a[*].b` the field of all elements, `{a,b}` several fields, `*` all of them.
 */
export function textsAt(value: unknown, path: string): string[] {
  if (path === "" || path === "$") return [JSON.stringify(value, null, 2)];
  return walk(value, path.match(TOKEN) ?? []);
}

function walk(value: unknown, tokens: readonly string[]): string[] {
  const [token, ...rest] = tokens;
  if (token === undefined) return textsOf(value);
  if (token.startsWith("[")) {
    if (!Array.isArray(value)) return [];
    const index = token.slice(1, -1);
    if (index === "*") return value.flatMap((one) => walk(one, rest));
    return walk(value.at(Number.parseInt(index, 10)), rest);
  }
  if (typeof value !== "object" || value === null) return [];
  if (token === "*") return Object.values(value).flatMap((one) => walk(one, rest));
  if (!token.startsWith("{")) return walk((value as Record<string, unknown>)[token], rest);
  const fields = token.slice(1, -1).split(",");
  return fields.flatMap((field) => walk(value, [...(field.trim().match(TOKEN) ?? []), ...rest]));
}

function textsOf(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (typeof value === "object") return [JSON.stringify(value, null, 2)];
  return [String(value)];
}
