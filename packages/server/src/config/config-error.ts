/** Why a configuration cannot be used. Thrown at start only; the codes are stable. */

export type ConfigErrorCode =
  /** No configuration file where one was looked for. */
  | 'config_not_found'
  /** Several configuration files lie side by side, and nothing says which counts. */
  | 'config_ambiguous'
  /** The file cannot be read, parsed or imported. */
  | 'config_unreadable'
  /** A value is not what its key takes. */
  | 'config_invalid'
  /** A key that does not exist. */
  | 'config_unknown_key'
  /** An agent names a tool that nobody offers. */
  | 'config_unknown_tool'
  /** An agent has a tool that is an agent which does not exist, or a limit names such an agent. */
  | 'config_unknown_agent'
  /** An agent names an MCP server that is not configured. */
  | 'config_unknown_mcp_server'
  /** An agent names a safety detector that does not exist. */
  | 'config_unknown_detector'
  /** A skill cannot be used. */
  | 'config_skill'
  /** An environment variable is not what it should be. */
  | 'config_env'

/** A mistake in the configuration. The message says what would be right, and never holds a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly code: ConfigErrorCode
  /** Path of the field, e.g. `agents.writer.limits.maxTurns`; the variable's name for `config_env`. */
  readonly field: string | null

  constructor(
    code: ConfigErrorCode,
    message: string,
    about: { readonly field?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: about.cause })
    this.code = code
    this.field = about.field ?? null
  }
}

/** A path as people write it: `agents.writer.tools[0]`. */
export const fieldPath = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    return text === '' ? String(key) : `${text}.${String(key)}`
  }, '')
