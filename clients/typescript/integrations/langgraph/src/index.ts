// Everything that the package offers.

export { SidecarSaver, type SidecarSaverOptions } from "./saver.ts";
