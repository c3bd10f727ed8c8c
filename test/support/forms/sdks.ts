// The SDKs that judge the message forms: fetched when a test needs them, never part of a package.

import { join } from "node:path";
import { installPackages } from "../../../tools/package/install.ts";

/** The folder whose `node_modules` has them. */
export const SDKS = join(import.meta.dirname, "../../model-types");

/** Installs them unless they are there as the lock file names them. */
export function installSdks(): void {
  installPackages(SDKS);
}
