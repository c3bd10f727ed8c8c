// The input and the result of the use cases of erasures.

import type { Erasure, ErasureSubject } from "./rules/erasure.ts";

export interface EraseSubjectInput {
  readonly namespace: string;
  readonly subject: ErasureSubject;
  readonly dryRun: boolean;
  readonly encode: (receipt: Receipt) => Uint8Array;
}

/** An erasure with what the server knows of what it leaves. */
export interface Receipt {
  readonly erasure: Erasure;
  /** When retention drops the last event of before the erasure was done. */
  readonly eventsDropMs: number;
}
