// The use cases of erasures, as the edge calls them.

import type { Call } from "../kit/call.ts";
import type { ErasureRef } from "../store/store.ts";
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

export interface ErasureServiceApi {
  eraseSubject(call: Call, input: EraseSubjectInput): Promise<Uint8Array>;
  getErasure(call: Call, ref: ErasureRef): Promise<Receipt>;
}
