/**
 * Trees of runs: what a run's end means to the run that started it, and to those it has started. All of it is found again
 * by the reconciler; the follower of a decision only makes it fast.
 *
 * A1 The end of a child is the outcome of the effect that started it: told once, whoever tells it.
 * A2 A run that has ended, or is being cancelled, leaves no child running: each gets a cancel of its own.
 */
import {
  type ContentPart,
  decisionSchemas,
  type FactPayload,
  factSchemas,
  isObjection,
  limits,
  project,
  type RunState,
} from '@signalbox/core'
import { keepResult } from '../perform/read-result.ts'
import type { Register, RunRef, StoredEvent, WakeBus } from '../ports.ts'
import { canonical, type Writer } from '../record/draft.ts'
import type { Recorder } from '../record/recorder.ts'
import type { Views } from '../record/view.ts'
import { childAnswer, type ChildAnswerDeps, type EndedChild, plainWords } from './child-answer.ts'
import { type EachDeps, eachOf } from './each-of.ts'

export interface FamilyDeps extends ChildAnswerDeps {
  readonly register: Register
  readonly recorder: Recorder
  readonly writer: Writer
  readonly views: Views
  readonly wakeBus: Pick<WakeBus, 'publish'>
}

type Ended = FactPayload<'child.ended'>

/** Tells the parent of a run that has ended, if it still waits. */
export async function tellParent(deps: FamilyDeps, childId: string): Promise<void> {
  const { register } = deps
  const head = await register.head(childId)
  if (!head?.parent || !head.outcome) return
  const row = await register.effect(head.parent.effectId)
  if (row?.status !== 'started' || row.spec.kind !== 'run.start') return
  const child = await deps.views.load(childId)
  // The usage of a run that is newer than this build is known to others alone.
  if (!child || 'notMine' in child) return
  const { effectId, attempt, spec } = row
  const events = await register.events(childId, {})
  const agent = await deps.views.definition(row.definitionHash)
  const said = wordsIn(events)
  const ended = { head, events, said, row, call: { callId: spec.callId, tool: spec.tool }, agent }
  const answer = agent.subagents ? await childAnswer(deps, ended) : await plainAnswer(deps, ended)
  const payload: Ended = {
    effectId,
    callId: spec.callId,
    childRunId: childId,
    outcome: head.outcome,
    ...answer,
    spent: spentOf(child.view.state),
    verdicts: verdictsOf(events),
  }
  const fact = deps.writer.fact('child.ended', payload, {
    key: effectId,
    fence: { effectId, attempt, expect: 'started', becomes: 'done' },
    tool: spec.tool,
    verdict: head.outcome,
  })
  await deps.recorder.record({ runId: head.parent.runId, tenantId: head.tenantId }, [fact])
}

/** The last words of a run; null if its log cannot be read any more: then its parent must not wait for ever. */
function wordsIn(events: readonly StoredEvent[]): readonly ContentPart[] | null {
  try {
    const said = project('', events).findLast(({ role }) => role === 'assistant')
    const parts = said?.role === 'assistant' ? said.parts : []
    return parts.filter((part) => part.type === 'text' || part.type === 'blob')
  } catch {
    return null
  }
}

/** The words of the run, behind what became of it if that is not the plain end: of a parent that says nothing of the runs it starts. */
async function plainAnswer(
  deps: FamilyDeps,
  { head, said, row, agent }: EndedChild,
): Promise<Pick<Ended, 'output' | 'resultHash'>> {
  const whole = await plainWords(deps, { head, said })
  const content = await keepResult(deps, row, whole)
  const digest = await deps.digests.by(row.tenantId, agent)
  return {
    output: { content, isError: head.outcome !== 'completed' || said === null },
    resultHash: digest.short(canonical(content), 16),
  }
}

function spentOf({ context }: RunState): Ended['spent'] {
  const { turn, childTurns, calls, tokens, cost, activeMs } = context
  return { turns: turn + childTurns, calls, tokens, cost, activeMs }
}

/** The events that an auditor of the parent looks for. */
function verdictsOf(events: readonly StoredEvent[]): Ended['verdicts'] {
  return events
    .filter(({ type }) => isObjection(type))
    .slice(0, limits.childVerdictsMax)
    .map((event) => ({ seq: event.seq, type: event.type, tool: event.tool, code: codeOf(event) }))
}

/** Why, in one word; of an event whose payload is gone, as much as its columns say. */
function codeOf({ type, payload, verdict }: StoredEvent): string {
  const otherwise = verdict ?? type
  if (type === 'call.denied')
    return decisionSchemas['call.denied'].safeParse(payload).data?.code ?? otherwise
  if (type === 'tool.denied')
    return factSchemas['tool.denied'].safeParse(payload).data?.answer.reasons[0]?.code ?? otherwise
  return otherwise
}

/** Cancels whatever a run has started and that still lives. */
export async function cancelChildren(deps: FamilyDeps & EachDeps, runId: string): Promise<void> {
  const items = (await deps.register.children(runId)).filter(({ ended }) => !ended)
  await eachOf(deps, { name: 'children', items, idOf: (child) => child.runId }, (child) =>
    cancelChild(deps, child),
  )
}

/** Asks a run to end because its parent does. Asked twice, it is asked once. */
export async function cancelChild(
  { recorder, writer, wakeBus }: FamilyDeps,
  { runId, tenantId }: RunRef,
): Promise<void> {
  const payload = { action: 'interrupt', reason: 'parent' } as const
  const fact = writer.fact('cancel.requested', payload, { key: 'cancel' })
  const result = await recorder.record({ runId, tenantId }, [fact])
  if (result.factCodes[0] === 'ok') wakeBus.publish('cancel', [runId])
}
