// Everything that the package offers.

export { SidecarSaver, type SidecarSaverOptions } from "./saver.ts";
export { SidecarStore, type SidecarStoreOptions } from "./store.ts";
