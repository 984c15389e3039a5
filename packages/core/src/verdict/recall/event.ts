/** The verdict on a rerun that asks for a call that the run it repeats does not answer. */
import type { Verdict } from '../../event/decision.ts'
import type { FactPayload } from '../../event/fact.ts'
import type { MissedRecall } from '../../missed-recall.ts'

type Missed = FactPayload<'recall.missed'>

const whys: Readonly<Record<MissedRecall, string>> = {
  never_made: 'the run that it repeats never made this call with these arguments',
  used_up: 'the run that it repeats made this call less often',
  unknown: 'nobody knows what became of this call in the run that it repeats',
  no_result: 'in the run that it repeats this call was cut off before it had a result',
  erased: 'the result that was recorded has been erased',
}

/** `rerun.stopped`, with the words that stand in the place of an answer. */
export function rerunStopped(
  { callId, tool, reason, recorded }: Missed,
  messageId: string,
): Verdict {
  const code = 'call_not_recorded'
  const text =
    `[The rerun stopped (${code}): the model asked for a call of ${tool} (${callId}) that was ` +
    `never recorded: ${whys[reason]}. Nothing was executed.]`
  const payload = { callId, tool, code, reason, recorded, messageId, text } as const
  return { type: 'rerun.stopped', payload, tool, verdict: code }
}
