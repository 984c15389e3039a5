/** The words about a loop, for the model and for whoever reads the conversation. */
import type { LoopVerdict } from './verdict.ts'

/** A model may invent names: a few, and not long ones. */
const namesMax = 8
const nameCharsMax = 64

function namesOf(tools: readonly string[]): string {
  const names = [...new Set(tools)]
  const more = names.length - namesMax
  const shown = names.slice(0, namesMax).map((name) => name.slice(0, nameCharsMax))
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)

function seen({ layer, tools, count }: LoopVerdict): string {
  switch (layer) {
    case 'identical_call_set':
      return `You have asked for the same calls (${namesOf(tools)}) ${times(count)}.`
    case 'alternating_cycle':
      return `You ask for the same sets of calls in turns (now ${namesOf(tools)}), ${times(count)} so far.`
    case 'tool_frequency':
      return `You have called the tool ${namesOf(tools)} ${times(count)}.`
    case 'stagnant_results':
      return count === 1
        ? 'Your last call gave nothing new.'
        : `Your last ${count} different sets of calls all gave the same results.`
  }
}

/** The words that the model reads once, after all results, in the request that follows a warning. Never stored history. */
export const loopWarning = (verdict: LoopVerdict): string =>
  `[LOOP DETECTED] ${seen(verdict)} Stop repeating yourself: use what you have, or do something else.`

/** The words that are appended to a message whose calls are refused, under the same id. */
export const loopStop = (verdict: LoopVerdict): string =>
  `[FORCED STOP] ${seen(verdict)} The limit is ${verdict.threshold}: the calls of this message were not executed, and the run ends here.`
