// Page tokens: where the next page starts, bound to the query that began the list.

import { pageTokenInvalid } from "../domain/errors.ts";
import { openToken, sealToken, TOKEN_KIND } from "./token.ts";

const DIGEST_BYTES = 16;

/** Makes and reads the page tokens of one store. */
export interface PageTokens {
  /** @param digest - The digest of the query, of 16 bytes. */
  readonly make: (digest: Uint8Array, position: string) => string;
  /** Gives the position. Throws PAGE_TOKEN_INVALID. */
  readonly read: (digest: Uint8Array, token: string) => string;
}

/** Makes the page tokens of a store: those of another store are refused. */
export function createPageTokens(historyId: string): PageTokens {
  const history = Buffer.from(historyId, "hex");
  return {
    make: (digest, position) =>
      sealToken(TOKEN_KIND.page, Buffer.concat([history, digest, Buffer.from(position)])),
    read: (digest, token) => {
      const content = openToken(TOKEN_KIND.page, token);
      if (content === undefined) throw pageTokenInvalid();
      const head = history.length + DIGEST_BYTES;
      if (!content.subarray(0, history.length).equals(history)) throw pageTokenInvalid();
      if (Buffer.compare(content.subarray(history.length, head), digest) !== 0) {
        throw pageTokenInvalid();
      }
      return content.subarray(head).toString();
    },
  };
}

/** Reads a position that is a number. Throws PAGE_TOKEN_INVALID. */
export function numberPosition(position: string): number {
  const value = Number(position);
  const valid = /^[0-9]{1,16}$/.test(position) && Number.isSafeInteger(value);
  if (!valid) throw pageTokenInvalid();
  return value;
}

/** Reads a position that may lie between whole numbers. */
export function fractionPosition(position: string): number {
  const value = Number(position);
  if (position === "" || !Number.isFinite(value)) throw pageTokenInvalid();
  return value;
}
