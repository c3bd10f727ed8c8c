// Everything that the package offers.

export type { MemoryCommand } from "./commands.ts";
export { MemoryToolError } from "./errors.ts";
export { SidecarMemoryTool, type SidecarMemoryToolOptions } from "./tool.ts";
