/** How an open call settles, becomes unknown, or is run once more. */
import { redacted } from '../../verdict/stream/event.ts'
import { timeoutIn } from '../clock.ts'
import { effectId, type MachineEvent, type OpenStatus, type RunContext } from '../context.ts'
import { openCall, settled, withOpen } from '../settle.ts'
import { activateSkills } from './skills.ts'
import { quiet, type Step, type Taken } from './step.ts'

type Completed = Extract<MachineEvent, { type: 'tool.completed' }>

/**
 * The call has its result, or will have none; what was taken out of a result, or of the words of a failure, is recorded, and the skill that a
 * result answers is loaded.
 */
export const settle: Step = ({ context, event }) => {
  const after = settled(context, event)
  if (event.type !== 'tool.completed' && event.type !== 'tool.failed') return quiet(after)
  const verdicts = redacted(context, event.fact.payload.redactions)
  const loaded = event.type === 'tool.completed' ? loadedBy(after, event) : quiet(after)
  const told = [...verdicts, ...(loaded.emission.verdicts ?? [])]
  return { context: loaded.context, emission: { verdicts: told } }
}

function loadedBy(context: RunContext, { agent, fact: { payload } }: Completed): Taken {
  const { skill, callId } = payload
  return skill
    ? activateSkills(context, agent, { skills: [skill], by: 'model', callId })
    : quiet(context)
}

/** The open call that the fact is about waits for something else. */
export function becomes(status: OpenStatus): Step {
  return ({ context, event }) => {
    const found = openCall(context, event.fact)
    return quiet(found ? withOpen(context, found.index, { ...found.call, status }) : context)
  }
}

/** Nobody knows whether the call was executed: somebody is asked. */
export const becomeUnknown: Step = becomes('unknown')

/** The same effect runs once more, under the same id: the tool sees the same idempotency key (I9). */
export const runAgain: Step = ({ context, event }) => {
  const found = openCall(context, event.fact)
  if (!found) return quiet(context)
  return {
    context: withOpen(context, found.index, { ...found.call, status: 'running' }),
    emission: { retries: [effectId(context.run, found.call.effect)] },
  }
}

/** A timeout that fired early is set to what is left. */
export const setTimeoutAgain: Step = ({ context, event }) => ({
  context,
  emission: { timers: [timeoutIn(event.agent, context, event.fact.at)] },
})
