/** The events of the loop check, with the words the model or the user reads. */
import type { Verdict } from '../../event/decision.ts'
import { loopStop, loopWarning } from './texts.ts'
import type { LoopVerdict } from './verdict.ts'

const about = ({ layer, set, tools, count, threshold }: LoopVerdict) => ({
  layer,
  set,
  tools: [...tools],
  count,
  threshold,
})

/** `loop.warned`, if it is a warning. */
export function loopEvent(verdict: LoopVerdict | null): readonly Verdict[] {
  if (verdict?.action !== 'warn') return []
  const payload = { ...about(verdict), text: loopWarning(verdict) }
  return [{ type: 'loop.warned', payload, tool: null, verdict: 'warned' }]
}

/** `loop.stopped`: the run ends with these words in the place of the calls. */
export function loopStopped(verdict: LoopVerdict, messageId: string): Verdict {
  const payload = { ...about(verdict), messageId, text: loopStop(verdict) }
  return { type: 'loop.stopped', payload, tool: null, verdict: 'stopped' }
}
