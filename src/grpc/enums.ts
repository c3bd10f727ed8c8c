// Enums of the contract, as the generated code has them.

/** The names of an enum and their numbers. */
export type WireEnum = Readonly<Record<string, number>>;

const knownNumbers = new WeakMap<WireEnum, ReadonlySet<number>>();

/** Whether the contract gives a number of an enum a name. */
export function isKnown(names: WireEnum, value: number): boolean {
  let known = knownNumbers.get(names);
  if (known === undefined) {
    // The generated code stands for numbers that have no name with -1.
    known = new Set(Object.values(names).filter((number) => number >= 0));
    knownNumbers.set(names, known);
  }
  return known.has(value);
}

/** The word of the domain for a name: `token-limit` for TOKEN_LIMIT. */
type WordOf<Name> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}-${WordOf<Rest>}`
  : Lowercase<Name & string>;

/** Names that stand for no value of the domain. */
type NoWord = "UNSPECIFIED" | "UNRECOGNIZED";

type Words<Enum> = WordOf<Exclude<keyof Enum, NoWord>>;

/** The numbers of an enum by the words of the domain for their names. */
export function numbersByWord<Enum extends WireEnum>(
  names: Enum,
): { readonly [Name in Exclude<keyof Enum, NoWord> as WordOf<Name>]: Enum[Name] } {
  const numbers = Object.entries(names)
    .filter(([, number]) => number > 0)
    .map(([name, number]) => [name.toLowerCase().replaceAll("_", "-"), number]);
  return Object.fromEntries(numbers);
}

/** The words of the domain by the numbers of an enum; `unset` is what 0 stands for. */
export function wordsByNumber<
  Enum extends WireEnum,
  Unset extends Words<Enum> | undefined = Words<Enum>,
>(names: Enum, unset: Unset): readonly (Words<Enum> | Unset)[] {
  const words: (Words<Enum> | Unset)[] = [unset];
  for (const [word, number] of Object.entries<number>(numbersByWord(names))) {
    words[number] = word as Words<Enum>;
  }
  return words;
}
