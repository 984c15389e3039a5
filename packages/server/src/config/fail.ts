import { ConfigError, type ConfigErrorCode } from './config-error.ts'

/** Refuses the configuration. What is said begins with the field, and says what would be right. */
export function fail(
  code: ConfigErrorCode,
  field: string,
  why: string | { readonly message: string; readonly cause: unknown },
): never {
  const { message, cause } = typeof why === 'string' ? { message: why, cause: undefined } : why
  throw new ConfigError(code, `${field}: ${message}`, { field, cause })
}
