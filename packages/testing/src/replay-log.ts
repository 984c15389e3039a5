/** Checks that the log of a run is enough to decide it again, as `signalbox replay` does. */
import {
  type AgentDefinition,
  type FoldableEvent,
  isCacheOf,
  machines,
  type PassportEvaluator,
  replay,
  type Subject,
} from '@signalbox/core'
import { messageOf, type RunHead } from '@signalbox/engine'

/** The inputs of a replay besides the log. */
export interface ReplaySubject {
  readonly head: RunHead
  readonly agent: AgentDefinition
  readonly evaluatorOf: NonNullable<Subject['evaluatorOf']>
  readonly passports: PassportEvaluator
}

/** The reason for which the log does not give the same decisions again; null: it does. */
export function replayProblem(
  { head, agent, evaluatorOf, passports }: ReplaySubject,
  events: readonly FoldableEvent[],
): string | null {
  const machine = machines.get(head.machineVersion)
  if (!machine) return `this build does not know version ${head.machineVersion} of the machine`
  try {
    const subject = { run: head.runId, agent, machine, evaluatorOf, passports }
    const { differences, state, decided } = replay(subject, events)
    const [difference] = differences
    if (difference) {
      const { seq, type, stored, computed } = difference
      return `event #${seq} (${type}) was ${JSON.stringify(stored)}, and is ${JSON.stringify(computed)} when it is decided again`
    }
    if (decided !== head.decided) return `decisions through #${head.decided} are not in the log`
    if (head.state !== null && !isCacheOf(machine, state, head.state))
      return 'the state that is kept beside the log is not what the log says'
    return null
  } catch (error) {
    return `the log cannot be read: ${messageOf(error)}`
  }
}
