/** Why the embedded server is not there, as a stable word. */
export type EmbeddedPostgresErrorCode =
  /** Another process owns the data directory. `pid` names it where it is known. */
  | 'data_dir_in_use'
  /** Root runs Postgres as another user, and that user cannot enter the directory. */
  | 'data_dir_unreachable'
  /** The directory holds something that is not a cluster of this version and this user. */
  | 'data_dir_invalid'
  /** There is no room left for the data directory. */
  | 'disk_full'
  | 'password_missing'
  | 'no_unprivileged_user'
  | 'binaries_missing'
  | 'setting_refused'
  | 'initdb_failed'
  | 'port_in_use'
  | 'start_failed'

/** Why the embedded server cannot be had. The message says what the operator should do; it never holds a secret. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError'
  readonly code: EmbeddedPostgresErrorCode
  readonly pid: number | null

  constructor(
    code: EmbeddedPostgresErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly pid?: number } = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.pid = options.pid ?? null
  }
}
