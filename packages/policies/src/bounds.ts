/** How much a policy may read, say and take. Each is asserted where the value enters. */
export const bounds = {
  /** Arguments of a call that a policy with I/O is asked about. Beyond it the call is denied unasked. */
  ioArgsBytesMax: 64 * 1024,
  /** The answer of a policy server. */
  answerBytesMax: 64 * 1024,
  /** All Cedar policies of one spec with their schema, as text. */
  cedarTextBytesMax: 256 * 1024,
  /** Cedar policies in one spec. */
  cedarPoliciesMax: 500,
  /** Arguments of a call that Cedar is asked about: it runs inside a decision. */
  cedarArgsBytesMax: 256 * 1024,
  /** Values within such arguments. Measured: Cedar takes about 10 µs for each. */
  cedarValuesMax: 5000,
  /** Policy sets that stay preparsed in a process; the one unused for longest goes first. */
  cedarSetsMax: 256,
  /** A living passport. */
  passportBytesMax: 256 * 1024,
  /** A passport's file is read again after this time. */
  passportFileMsMax: 1000,
  /** A passport's address is asked again after this time. */
  passportHttpMsMax: 2000,
  /** One look at a passport, file or address. */
  passportLookMsMax: 2000,
  /** The passport as it was last read holds for this time while its source is down. The kill switch's promise. */
  passportStaleMsMax: 5000,
  /** Living passports a process keeps in mind. */
  passportsMax: 1000,
} as const
