/** The index was closed, or its thread ended: what it held is forgotten. */
export class IndexStopped extends Error {
  override readonly name = "IndexStopped";

  constructor(problem = "The index was stopped.") {
    super(problem);
  }
}
