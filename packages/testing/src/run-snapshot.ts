/** A run as the register shows it at one moment. */
import { type AgentDefinition, noPassports, type Outcome } from '@signalbox/core'
import type { PolicyHost, Register, StoredEvent } from '@signalbox/engine'
import { TestBoxError } from './box-error.ts'
import { replayProblem } from './replay-log.ts'
import { type RunStory, storyOf } from './run-story.ts'

/** A call that waits for a person, in the run or in one that it has started. */
export interface Pending {
  readonly runId: string
  readonly callId: string
  readonly tool: string
}

/** A run at one moment. */
export interface RunSnapshot {
  readonly definition: AgentDefinition
  readonly outcome: Outcome | null
  readonly events: readonly StoredEvent[]
  readonly story: RunStory
  readonly pending: readonly Pending[]
  /** The reason for which its log does not give the same decisions again; null: it does. */
  readonly replayProblem: string | null
}

/** The parts of a process that it is read from. */
export interface SnapshotSource {
  readonly register: Register
  /** Evaluates passports and the policies that have to be prepared. Null: there is none. */
  readonly policies: Pick<PolicyHost, 'evaluator' | 'passports'> | null
}

/** Reads it. @throws TestBoxError */
export async function snapshotOf(source: SnapshotSource, runId: string): Promise<RunSnapshot> {
  const { register, policies } = source
  const head = await register.head(runId)
  const definition = head && (await register.definition(head.definitionHash))
  if (!definition) throw new TestBoxError('closed', `There is no run ${runId} in this box.`)
  const events = await register.events(runId, {})
  const subject = {
    head,
    agent: definition,
    evaluatorOf: policies ? policies.evaluator.bind(policies) : () => null,
    passports: policies?.passports ?? noPassports,
  }
  return {
    definition,
    outcome: head.outcome,
    events,
    story: storyOf(events),
    pending: await pendingOf(register, runId, events),
    replayProblem: replayProblem(subject, events),
  }
}

async function pendingOf(
  register: Register,
  runId: string,
  events: readonly StoredEvent[],
): Promise<readonly Pending[]> {
  const own = storyOf(events)
    .approvals.filter(({ answer }) => answer === 'waiting')
    .map(({ callId, tool }) => ({ runId, callId, tool }))
  const children = (await register.children(runId)).filter(({ ended }) => !ended)
  const theirs = await Promise.all(
    children.map(async (child) =>
      pendingOf(register, child.runId, await register.events(child.runId, {})),
    ),
  )
  return [...own, ...theirs.flat()]
}
