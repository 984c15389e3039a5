/**
 * Patterns that are compiled when they are first looked for. Compiling all of them took a tenth of a process's start, and
 * most processes never look.
 */
import { RE2JS } from 're2js'

/** Compiles at the first call, once. @throws at that call if the pattern is wrong */
export function whenNeeded(pattern: string): () => RE2JS {
  let compiled: RE2JS | null = null
  return () => (compiled ??= RE2JS.compile(pattern))
}
