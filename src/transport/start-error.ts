// Why a server cannot start, for whoever configured it.

/** Something outside the server is not as its configuration says; main exits with code 64. */
export class StartError extends Error {
  override readonly name = "StartError";
}
