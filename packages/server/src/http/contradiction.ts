/** Answers of one request to what runs wait for. */

/** What an answer is about, and what it says. */
export interface SaidOfCall {
  readonly id: string
  readonly said: unknown
}

/**
 * The answer that says something else than one before it about the same call; null if none does. Such a request decides nothing: whoever
 * made it meant one of both, and the first that is recorded stands.
 */
export function contradiction<T extends SaidOfCall>(answers: readonly T[]): T | null {
  const known = new Map<string, string>()
  for (const answer of answers) {
    const said = JSON.stringify(answer.said)
    if ((known.get(answer.id) ?? said) !== said) return answer
    known.set(answer.id, said)
  }
  return null
}

export const contradicts = 'says something else than another answer about the same call'
