// Stubbed answers of a model, in the order of the calls.

import { isObject, type Json } from "./json.ts";

/** A model that answers what a case says. */
export interface Stub {
  /** What it was asked, in order. */
  readonly inputs: readonly unknown[];
  /** Whether the case gives a model at all. */
  readonly present: boolean;
  /** Answers; undefined when the case says that it fails, or has no answer left. */
  answer(input: unknown): string | undefined;
}

/** Makes a stub of the answers of a case: one, or a list of them. */
export function openStub(answers: Json | undefined): Stub {
  const inputs: unknown[] = [];
  const list = Array.isArray(answers) ? answers : undefined;
  return {
    inputs,
    present: answers !== undefined && answers !== null,
    answer: (input) => {
      const answer = list === undefined ? answers : list[inputs.length];
      inputs.push(input);
      return typeof answer === "string" && !isObject(answer) ? answer : undefined;
    },
  };
}
