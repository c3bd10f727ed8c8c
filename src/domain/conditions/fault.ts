// What is wrong with a condition.

/** The longest message of a fault, in characters. */
const MESSAGE_CHARS_MAX = 180;

/** Says why an expression is refused. */
export class ConditionFault extends Error {
  override readonly name = "ConditionFault";
  /** Where, in characters from the start of the expression; the first is 0. */
  readonly position: number;

  constructor(position: number, message: string) {
    super(message.slice(0, MESSAGE_CHARS_MAX));
    this.position = position;
  }
}
