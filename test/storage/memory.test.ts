import { openMemoryEngine } from "../support/store/memory-engine.ts";
import { storageConformance } from "./conformance.ts";

storageConformance("the memory engine", openMemoryEngine);
