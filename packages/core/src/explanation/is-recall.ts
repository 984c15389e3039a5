import type { Check } from './check.ts'

/** Is the recorded result of the call looked up, in a rerun? Then nothing executes. */
export const isRecall = (checks: readonly Check[]): boolean =>
  checks.some((each) => each.check === 'dispatch' && each.verdict === 'recall')
