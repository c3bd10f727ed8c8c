// Answers of two memories in a form in which they can be compared.

/** The times of tests begin here; later than a day after it is now. */
export const EPOCH = Date.UTC(2020, 0, 1);
const DAY_MS = 86_400_000;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const NOW = new Set(["updatedAt", "clonedAt"]);

/** An answer as JSON, without what each memory makes: times of now, and ids. */
export function shown(value: unknown): unknown {
  const text = JSON.stringify(value ?? null, (key, one) => {
    if (NOW.has(key)) return undefined;
    return key.endsWith("At") && Date.parse(one) > EPOCH + DAY_MS ? "now" : one;
  });
  return JSON.parse(text.replace(UUID, "made"));
}
