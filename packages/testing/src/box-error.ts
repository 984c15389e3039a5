/** The kind of a mistake. Codes are stable. */
export type TestBoxErrorCode =
  /** The configuration has no such agent. */
  | 'unknown_agent'
  /** The agent has no such tool. */
  | 'unknown_tool'
  /** Options that contradict each other, or mean nothing. */
  | 'wrong_option'
  /** Nothing says what the model of the agent answers. */
  | 'no_answers'
  /** The run asked the model once more than the script has turns. */
  | 'out_of_turns'
  /** A recording is missing, cannot be read, or is of another model. */
  | 'recording'
  /** The run did not come to rest within its time. */
  | 'not_at_rest'
  /** Nothing of the run waits for what the test answers. */
  | 'nothing_waits'
  /** Signalbox refused what the test asked for. */
  | 'refused'
  /** The box was closed. */
  | 'closed'

/** A mistake in a test, or a run that a test cannot go on with. Failed assertions are an `AssertionError` instead. */
export class TestBoxError extends Error {
  override readonly name = 'TestBoxError'
  readonly code: TestBoxErrorCode

  constructor(code: TestBoxErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.code = code
  }
}
