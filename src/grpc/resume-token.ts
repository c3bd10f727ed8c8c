// Resume tokens: a position in the events of one namespace of one store.
//
// Layout: id of the history of the store (8 bytes), hash of the namespace (8), revision (8),
// index (4), then the state of the store that the token was given out in (16). Older servers gave
// out tokens without the last part.

import type { EventPosition } from "../events/rules/event.ts";
import { resumeTokenForeign, resumeTokenInvalid } from "../kit/errors.ts";
import type { Lineage } from "../store/store.ts";
import {
  isOfLineage,
  MARK_BYTES,
  markOf,
  openToken,
  sealToken,
  shortHash,
  TOKEN_KIND,
} from "./page-token.ts";

const CONTENT_BYTES = 28;
const NAMESPACE_AT = 8;
const REVISION_AT = 16;
const INDEX_AT = 24;

/** Makes and reads the resume tokens of one store. */
export interface ResumeTokens {
  /** Makes the token of a position, of this history unless another one is named. */
  readonly make: (namespace: string, position: EventPosition, historyId?: string) => string;
  /** Gives the position. Throws RESUME_TOKEN_INVALID or RESUME_TOKEN_FOREIGN. */
  readonly read: (namespace: string, token: string) => EventPosition;
}

/**
 * Makes the resume tokens of a history of a store.
 *
 * @param historyId - 16 hexadecimal digits.
 */
export function createResumeTokens(historyId: string, lineage?: Lineage): ResumeTokens {
  const history = Buffer.from(historyId, "hex");
  return {
    make: (namespace, position, of = historyId) => {
      const content = Buffer.alloc(CONTENT_BYTES);
      (of === historyId ? history : Buffer.from(of, "hex")).copy(content, 0, 0, NAMESPACE_AT);
      shortHash(namespace).copy(content, NAMESPACE_AT);
      content.writeBigUInt64BE(BigInt(position.revision), REVISION_AT);
      content.writeUInt32BE(position.index, INDEX_AT);
      return sealToken(TOKEN_KIND.resume, Buffer.concat([content, markOf(lineage)]));
    },
    read: (namespace, token) => {
      const content = openToken(TOKEN_KIND.resume, token);
      const markBytes = (content?.length ?? 0) - CONTENT_BYTES;
      if (content === undefined || (markBytes !== 0 && markBytes !== MARK_BYTES)) {
        throw resumeTokenInvalid();
      }
      if (!content.subarray(0, NAMESPACE_AT).equals(history)) throw resumeTokenForeign("store");
      if (!content.subarray(NAMESPACE_AT, REVISION_AT).equals(shortHash(namespace))) {
        throw resumeTokenForeign("namespace");
      }
      if (!isOfLineage(lineage, content.subarray(CONTENT_BYTES))) {
        throw resumeTokenForeign("state of this store");
      }
      const revision = Number(content.readBigUInt64BE(REVISION_AT));
      if (!Number.isSafeInteger(revision)) throw resumeTokenInvalid();
      return { revision, index: content.readUInt32BE(INDEX_AT) };
    },
  };
}
