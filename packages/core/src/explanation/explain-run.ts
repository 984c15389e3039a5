/** Explains a run from its stored events, and from nothing else. Pure: the same events give the same document. */
import { checksOf } from './checks.ts'
import { explainAnswer } from './answers.ts'
import type { ErasedEvent, ExplainedCall, RunExplanation } from './document.ts'
import { endingOf } from './ending.ts'
import { endOfRun } from './end-of-run.ts'
import type { Explainable } from './place.ts'
import { storyOfEvents } from './sort-events.ts'
import { type CallStory, type Gone, proofOf, type Story } from './story.ts'

/** Which run the events are of: columns of all of them. */
export interface ExplainedRun {
  readonly runId: string
  readonly threadId: string
}

/** The explanation. `events` are all events of one run, in order. */
export function explainRun(about: ExplainedRun, events: readonly Explainable[]): RunExplanation {
  const story = storyOfEvents(events)
  const answers = story.answers.map((answer) => explainAnswer(story, answer))
  return {
    run: { ...runOf(about, story), events: events.length },
    answers,
    calls: story.calls.map((call) => explainCall(story, call)),
    erased: story.erased.map(erasedEvent),
    unreadable: story.unreadable.map(proofOf),
  }
}

function runOf(
  { runId, threadId }: ExplainedRun,
  story: Story,
): Omit<RunExplanation['run'], 'events'> {
  const created = story.run.find((event) => event.type === 'run.created')
  const said = created?.payload
  return {
    run_id: runId,
    thread_id: threadId,
    agent: said?.agent ?? null,
    definition_hash: said?.definitionHash ?? null,
    machine: said?.machine ?? null,
    machine_version: said?.machineVersion ?? null,
    created: created ? proofOf(created) : null,
    actor: created?.actor ?? null,
    user: said?.user ?? null,
    end_user: said?.endUser ?? null,
    parent: said?.parent ? { run_id: said.parent.runId, call_id: said.parent.callId } : null,
    rerun_of: said?.rerun?.runId ?? null,
    retry_of: said?.retry?.runId ?? null,
    ...endOfRun(story),
  }
}

function explainCall(story: Story, call: CallStory): ExplainedCall {
  const { id, tool, part, answer } = call
  const checks = checksOf(story, call)
  const asked = answer?.answer.type === 'model.completed' ? answer.answer : null
  const effect = asked ? story.effects.get(asked.payload.effectId) : undefined
  const dispatched = checks.find((each) => each.check === 'dispatch' && each.args_hash !== null)
  const judged = part?.type === 'tool_call' ? part.argsHash : null
  return {
    call_id: id,
    tool,
    args_hash: judged ?? (dispatched?.check === 'dispatch' && !part ? dispatched.args_hash : null),
    turn: effect?.kind === 'model.call' ? effect.turn : null,
    asked: asked ? proofOf(asked) : null,
    ...endingOf(story, call, checks),
    checks: [...checks],
  }
}

const erasedEvent = ({ event, record }: Gone): ErasedEvent => ({
  event: proofOf(event),
  tool: event.tool ?? null,
  verdict: event.verdict ?? null,
  actor: event.actor,
  erased_by: record ? proofOf(record) : null,
  reason: record ? record.payload.reason : null,
})
