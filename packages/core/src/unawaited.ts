/**
 * A promise where a value was expected, from a function of the user's own. Nobody awaits it, so its rejection must not become one that
 * ends the process.
 */
export function unawaited(value: unknown): void {
  if (value instanceof Promise) value.catch(() => undefined)
}
