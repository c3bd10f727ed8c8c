// Subjects of erasures.

import { MUTATION_OPTIONS, type MutationOptions } from "./call.ts";
import { conditions, onlyFields } from "./choice.ts";
import type { ErasureSubject } from "./gen/memorysidecar/v1/admin_service.ts";

/** Whose data, or which, an erasure is about. */
export type SubjectInput =
  | { readonly userId: string }
  | { readonly agentId: string }
  | { readonly sessionId: string }
  | { readonly sessionId: string; readonly messageIds: readonly string[] }
  | { readonly collectionId: string; readonly documentId: string };

export interface EraseOptions extends MutationOptions {
  /** Counts what would be erased, and changes nothing. Default: false. */
  readonly dryRun?: boolean;
}

export const ERASE_OPTIONS = { ...MUTATION_OPTIONS, dryRun: true } as const;

interface Subjects extends Record<Id, string> {
  readonly messageIds: readonly string[];
}

type Id = "userId" | "agentId" | "sessionId" | "collectionId" | "documentId";

const SUBJECT_FIELDS = {
  ...{ userId: true, agentId: true, sessionId: true, messageIds: true },
  ...{ collectionId: true, documentId: true },
} as const;

/** The subject of a request. Refuses an empty id, which may be one that the caller lost. */
export function toSubject(given: SubjectInput): ErasureSubject {
  onlyFields("subject", given, SUBJECT_FIELDS);
  const { messageIds, ...ids }: Partial<Subjects> = given;
  conditions(ids);
  const names = Object.keys(given).sort().join(" ");
  const { userId = "", agentId = "", sessionId = "", collectionId = "", documentId = "" } = ids;
  switch (names) {
    case "userId":
      return { subject: { $case: "userId", value: userId } };
    case "agentId":
      return { subject: { $case: "agentId", value: agentId } };
    case "sessionId":
      return { subject: { $case: "sessionId", value: sessionId } };
    case "messageIds sessionId":
      return {
        subject: { $case: "messages", value: { sessionId, messageIds: [...(messageIds ?? [])] } },
      };
    case "collectionId documentId":
      return { subject: { $case: "document", value: { collectionId, documentId } } };
    default:
      throw new TypeError(
        "a subject is one of userId, agentId, sessionId, sessionId with messageIds, and " +
          `collectionId with documentId, not "${names}"`,
      );
  }
}
