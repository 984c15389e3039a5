/** Why Signalbox cannot start, in one line for an operator. */
export type StartErrorCode =
  | 'port_in_use'
  | 'listen_failed'
  /** Postgres does not answer, or refuses us. */
  | 'database_unreachable'
  /** The disk of the database is full. */
  | 'database_full'
  /** The database is not one that this version may use. */
  | 'database_refused'
  /** The schema lacks what this build needs, and this process may not change it. */
  | 'schema_outdated'
  /** The embedded Postgres cannot be had; its own code stands in the message. */
  | 'embedded_postgres'
  /** Everybody who can reach the address could do everything, and nobody said that this is meant. */
  | 'open_refused'
  /** Commands cannot be executed as the configuration asks for; nothing weaker is used instead. */
  | 'sandbox_unavailable'
  /** The key of the pseudonyms can neither be read nor made. */
  | 'pseudonym_key'

/** A start that failed. The message says what to do about it, and holds no secret. */
export class StartError extends Error {
  override readonly name = 'StartError'
  readonly code: StartErrorCode

  constructor(code: StartErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}
