// The version of the server. A test compares it with package.json.

/** As in semantic versioning. */
export const VERSION = "0.1.0";
