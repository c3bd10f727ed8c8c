// The types of events.

/** Numbers as in the public `EventType` enum. */
export const EVENT_TYPE = {
  sessionCreated: 1,
  sessionUpdated: 2,
  sessionDeleted: 3,
  sessionForked: 4,
  sessionReset: 5,
  messagesAppended: 6,
  messagesTrimmed: 7,
  messageUpdated: 8,
  messageDeleted: 9,
  messagesRestored: 10,
  summarySet: 11,
  toolResultsFilled: 12,
  sessionImported: 13,
  policyWarned: 14,
  turnEnded: 15,
  summaryRequested: 16,
  summaryFailed: 17,
  summarySuperseded: 18,
  taskDead: 19,
  documentsUpserted: 20,
  documentsDeleted: 21,
  collectionCleared: 22,
  memoriesRemembered: 23,
  memoryUpdated: 24,
  memoriesReinforced: 25,
  memoriesDecayed: 26,
  memoriesDeleted: 27,
  taskAttempted: 28,
} as const;
export type EventType = (typeof EVENT_TYPE)[keyof typeof EVENT_TYPE];
