import { limits } from '@signalbox/core'
import { TooBroad } from '@signalbox/postgres'
import { Problem } from '../problem.ts'

/** What a question over runs is narrowed by. */
export const narrowingRuns = 'status, outcome, agent, end_user, thread_id, since or until'

/** Answers a question, or the problem that says it must be narrowed, and by which filters. */
export async function inBounds<T>(
  question: () => Promise<T>,
  filters = 'time, type, thread, run, tool or verdict',
): Promise<T> {
  try {
    return await question()
  } catch (error) {
    if (!(error instanceof TooBroad)) throw error
    throw new Problem('question_too_broad', {
      detail: `The database has worked ${limits.auditMsMax} ms on it. Narrow it by ${filters}.`,
    })
  }
}
