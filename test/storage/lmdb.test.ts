import { openLmdbEngine } from "../support/store/lmdb-engine.ts";
import { storageConformance } from "./conformance.ts";

storageConformance("the LMDB engine", openLmdbEngine);
