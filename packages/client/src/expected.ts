import { SignalboxError } from './error.ts'

/** Answers for refusals that are no surprise, by their code; rejects for every other one. */
export async function orElse<Good, Other>(
  asked: Promise<Good>,
  expected: Readonly<Record<string, (error: SignalboxError) => Other>>,
): Promise<Good | Other> {
  try {
    return await asked
  } catch (error) {
    const answer = error instanceof SignalboxError ? expected[error.code] : undefined
    if (!(error instanceof SignalboxError) || answer === undefined) throw error
    return answer(error)
  }
}
