/** What a run in `context` waits for a summary for: `relieved` of its context. 0: a turn that is to begin. 1 is a turn that was pruned. */
import { early } from '../../verdict/context/verdict.ts'

/** A turn that overflowed, and is asked again with the summary. */
export const recovering = 2

/** Nothing but the summary: somebody asked for it by hand. */
export const byHand = 3

/** Is a turn that got no answer asked again, once the summary is there? */
export const asksAgain = (relieved: number): boolean =>
  relieved === recovering || relieved === early
