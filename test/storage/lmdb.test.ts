import { openLmdbEngine } from "../support/lmdb-engine.ts";
import { storageConformance } from "./conformance.ts";

storageConformance("the LMDB engine", openLmdbEngine);
