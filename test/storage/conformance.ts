// The conformance suite of the storage interface: what src/store/store.ts says, as tests that run
// on every engine.

import { describe } from "vitest";

import type { OpenEngine } from "./scene.ts";
import { changeSuite } from "./suites/changes.ts";
import { collectionSuite } from "./suites/collections.ts";
import { commitSuite } from "./suites/commits.ts";
import { concurrencySuite } from "./suites/concurrency.ts";
import { consumerSuite } from "./suites/consumers.ts";
import { copySuite } from "./suites/copies.ts";
import { documentSuite } from "./suites/documents.ts";
import { dueSuite } from "./suites/due.ts";
import { erasureSuite } from "./suites/erasures.ts";
import { eventSuite } from "./suites/events.ts";
import { findSuite } from "./suites/finds.ts";
import { memorySuite } from "./suites/memories.ts";
import { memoryJobSuite } from "./suites/memory-jobs.ts";
import { messageSuite } from "./suites/messages.ts";
import { payloadSuite } from "./suites/payloads.ts";
import { recordDocumentSuite } from "./suites/record-documents.ts";
import { recordSuite } from "./suites/records.ts";
import { replySuite } from "./suites/replies.ts";
import { sessionSuite } from "./suites/sessions.ts";
import { snapshotSuite } from "./suites/snapshots.ts";
import { summarySuite } from "./suites/summaries.ts";
import { taskSuite } from "./suites/tasks.ts";
import { upkeepSuite } from "./suites/upkeep.ts";
import { vectorSuite } from "./suites/vectors.ts";
import { wallSuite } from "./suites/walls.ts";
import { wholePlanSuite } from "./suites/whole-plans.ts";
import { windowSuite } from "./suites/windows.ts";

/** Declares the tests of an engine. Every test opens an engine on an empty store. */
export function storageConformance(name: string, open: OpenEngine): void {
  describe(`storage on ${name}`, () => {
    changeSuite(open);
    concurrencySuite(open);
    replySuite(open);
    sessionSuite(open);
    messageSuite(open);
    findSuite(open);
    windowSuite(open);
    copySuite(open);
    snapshotSuite(open);
    consumerSuite(open);
    taskSuite(open);
    dueSuite(open);
    summarySuite(open);
    documentSuite(open);
    collectionSuite(open);
    vectorSuite(open);
    payloadSuite(open);
    recordSuite(open);
    recordDocumentSuite(open);
    memorySuite(open);
    memoryJobSuite(open);
    wholePlanSuite(open);
    erasureSuite(open);
    eventSuite(open);
    commitSuite(open);
    wallSuite(open);
    upkeepSuite(open);
  });
}
