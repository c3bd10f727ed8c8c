import { openMemoryEngine } from "../support/memory-engine.ts";
import { storageConformance } from "./conformance.ts";

storageConformance("the memory engine", openMemoryEngine);
