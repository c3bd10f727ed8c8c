import { extname } from "node:path";

/** The module that reads messages for the processes that check a store. */
export const FACTS_MODULE = new URL(
  `./session/facts-wire${extname(import.meta.filename)}`,
  import.meta.url,
);
