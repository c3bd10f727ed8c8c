// Everything that the package offers.

export { SidecarMemory, type SidecarMemoryOptions } from "./memory.ts";
