import { limits } from '@signalbox/core'
import { TooBroad } from '@signalbox/postgres'
import { Problem } from '../problem.ts'

/** Answers a question of the audit, or the problem that says it must be narrowed. */
export async function inBounds<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question()
  } catch (error) {
    if (!(error instanceof TooBroad)) throw error
    throw new Problem('question_too_broad', {
      detail: `The database has worked ${limits.auditMsMax} ms on it. Narrow it by time, type, thread, run, tool or verdict.`,
    })
  }
}
