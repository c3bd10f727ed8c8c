// The error of a command that cannot be done.

/** A mistake in a command of the model. Its message is for the model. */
export class MemoryToolError extends Error {}
