// The wire form of events about documents.

import { EVENT_TYPE, type EventDetail } from "../../domain/event.ts";
import type * as wire from "../../gen/memorysidecar/v1/event.ts";

type DocumentDetail = Extract<
  EventDetail,
  {
    type:
      | typeof EVENT_TYPE.documentsUpserted
      | typeof EVENT_TYPE.documentsDeleted
      | typeof EVENT_TYPE.collectionCleared;
  }
>;

/** Whether an event is about documents. */
export function isDocumentDetail(detail: EventDetail): detail is DocumentDetail {
  const { type } = detail;
  return (
    type === EVENT_TYPE.documentsUpserted ||
    type === EVENT_TYPE.documentsDeleted ||
    type === EVENT_TYPE.collectionCleared
  );
}

/** Turns what happened to documents into its public form. */
export function toDocumentDetail(detail: DocumentDetail): wire.Event["detail"] {
  const { collectionId } = detail;
  switch (detail.type) {
    case EVENT_TYPE.documentsUpserted: {
      const documentIds = [...detail.documentIds];
      const value = { collectionId, documentIds, createdCount: detail.createdCount };
      return { $case: "documentsUpserted", value };
    }
    case EVENT_TYPE.documentsDeleted:
      return {
        $case: "documentsDeleted",
        value: { collectionId, documentIds: [...detail.documentIds] },
      };
    case EVENT_TYPE.collectionCleared: {
      const value = { collectionId, documentCount: BigInt(detail.documentCount) };
      return { $case: "collectionCleared", value };
    }
  }
}
