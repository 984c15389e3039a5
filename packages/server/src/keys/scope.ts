/** What a key may do. A key has any number of scopes, none of which includes another. */
export const scopes = [
  'enqueue',
  'read',
  'approve',
  'audit',
  'admin',
  'memory:read',
  'memory:write',
] as const

/**
 * `enqueue`: threads and runs are made and cancelled. `read`: what was said and done is seen. `approve`: calls that wait for
 * a human are answered. `audit`: the log of all runs is searched and exported. `admin`: keys and settings of the tenant. `memory:read`: what is known of users is seen.
 * `memory:write`: it is changed, paused and erased.
 */
export type Scope = (typeof scopes)[number]

/** The scopes among these words; a word that is none opens nothing. */
export const scopesIn = (words: readonly string[]): readonly Scope[] =>
  scopes.filter((scope) => words.includes(scope))
