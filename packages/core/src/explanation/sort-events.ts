/** Sorts the events of a run into its story. Each goes where its type has its place, and nowhere else. */
import { eventClass, isEventType } from '../event/upcast.ts'
import { timedCall } from '../verdict/approval/event.ts'
import {
  type CallType,
  type Explainable,
  isOfCall,
  isOfRun,
  isPlacedAtVerdict,
  type Known,
  known,
  type VerdictType,
} from './place.ts'
import {
  type AnswerStory,
  type AnsweredTurn,
  type CallEvent,
  type CallStory,
  type Gone,
  type TransitionEvent,
  Story,
} from './story.ts'

/** Sorts the events of one run, given in order. */
export function storyOfEvents(events: readonly Explainable[]): Story {
  const story = new Story()
  const records = recordsIn(events)
  for (const event of events) {
    if (event.salt === '' && Object.keys(event.payload).length === 0) {
      takeErased(story, { type: 'erased', event, record: records.get(event.seq) ?? null })
      continue
    }
    const read = readable(event)
    if (read) take(story, read)
    else story.unreadable.push(event)
  }
  flush(story)
  return story
}

function readable(event: Explainable): Known | null {
  if (!isEventType(event.type)) return null
  try {
    return known(event, event.type)
  } catch {
    return null
  }
}

function recordsIn(events: readonly Explainable[]): ReadonlyMap<number, Known<'payload.erased'>> {
  const records = new Map<number, Known<'payload.erased'>>()
  for (const event of events) {
    if (event.type !== 'payload.erased') continue
    const record = readable(event)
    if (record?.type === 'payload.erased') records.set(record.payload.seq, record)
  }
  return records
}

function flush({ pending }: Story): void {
  for (const { call, event } of pending.splice(0)) call.events.push(event)
}

function take(story: Story, event: Known): void {
  if (event.type === 'run.transitioned' || eventClass(event.type) !== 'decision') flush(story)
  story.bySeq.set(event.seq, event)
  if (event.type === 'run.transitioned') return takeStep(story, event)
  if (event.type === 'model.completed') return takeAnswer(story, event)
  if (event.type === 'model.aborted') return void begin(story, event)
  if (event.type === 'effect.started') return takeOfEffect(story, event.payload.effectId, event)
  if (isOfRun(event)) {
    story.run.push(event)
    if (event.type === 'timer.fired') takeTimer(story, event)
    return
  }
  if (isPlacedAtVerdict(event)) return takeVerdict(story, event)
  if (isOfCall(event)) takeOfCall(story, event)
}

function begin(story: Story, answer: AnswerStory['answer']): AnswerStory {
  const begun: AnswerStory = { answer, step: null, verdicts: [], calls: [] }
  story.answers.push(begun)
  return begun
}

function takeAnswer(story: Story, event: AnsweredTurn): void {
  const answer = begin(story, event)
  for (const part of event.payload.turn.message.parts) {
    if (part.type !== 'tool_call' && part.type !== 'provider_tool') continue
    const first = story.byId.get(part.id)
    // A provider may repeat an id: within an answer only the first call can run under it.
    const isTwin = first?.answer === answer
    const call = newCall(story, part.id, part.name)
    call.part = part
    call.answer = answer
    answer.calls.push(call)
    if (isTwin) first.twins.push(call)
    else story.byId.set(part.id, call)
  }
}

function newCall(story: Story, id: string, tool: string): CallStory {
  const call: CallStory = { id, tool, part: null, answer: null, events: [], twins: [] }
  call.twins.push(call)
  story.calls.push(call)
  return call
}

/** The call of this id. One whose answer was erased is known from here on. */
function callOf(story: Story, id: string, tool: string | null): CallStory {
  const found = story.byId.get(id)
  if (!found) {
    const call = newCall(story, id, tool ?? '')
    story.byId.set(id, call)
    return call
  }
  if (found.part === null && found.tool === '' && tool !== null) found.tool = tool
  return found
}

const seqOf = ({ answer }: AnswerStory): number =>
  answer.type === 'erased' ? answer.event.seq : answer.seq

function takeStep(story: Story, step: TransitionEvent): void {
  story.steps.push(step)
  const { from, through, effects, retries } = step.payload
  for (const answer of story.answers.toReversed()) {
    if (seqOf(answer) <= from) break
    if (seqOf(answer) > through) continue
    answer.step = step
    for (const call of answer.calls) call.events.push({ type: 'judged', step })
  }
  for (const effect of effects) {
    story.effects.set(effect.id, effect)
    if (effect.kind === 'policy.evaluate')
      for (const id of effect.callIds)
        callOf(story, id, null).events.push({ type: 'passed_on', step })
    if (!('callId' in effect)) continue
    const call = callOf(story, effect.callId, effect.tool)
    story.pending.push({ call, event: { type: 'dispatched', step, effect } })
  }
  for (const effectId of retries) takeOfEffect(story, effectId, { type: 'again', step, effectId })
}

/** The event is about the call that the effect is of, if it is of one. */
function takeOfEffect(story: Story, effectId: string, event: CallEvent): void {
  const effect = story.effects.get(effectId)
  if (effect && 'callId' in effect) callOf(story, effect.callId, effect.tool).events.push(event)
}

/** The answer that the last decision was about. */
function takeVerdict(story: Story, event: Known<VerdictType>): void {
  const step = story.steps.at(-1)
  const answer = story.answers.findLast((each) => each.step === step)
  answer?.verdicts.push(event)
  if (event.type !== 'guardrail.redacted' || event.payload.callId === undefined) return
  // A call that was taken out with its answer has no entry of its own.
  story.byId.get(event.payload.callId)?.events.push(event)
}

function takeTimer(story: Story, event: Known<'timer.fired'>): void {
  const callId = timedCall(event.payload.timerId)
  if (callId !== null) story.byId.get(callId)?.events.push(event)
}

function takeOfCall(story: Story, event: Known<CallType>): void {
  if (event.type === 'policy.answered') {
    for (const { callId } of event.payload.decisions) story.byId.get(callId)?.events.push(event)
    return
  }
  if (event.type === 'event.ignored') return takeIgnored(story, event)
  if (event.type === 'call.denied') return takeDenied(story, event)
  const { payload } = event
  if (event.type === 'budget.refused' && payload.callId === undefined)
    return void begin(story, event)
  if (payload.callId === undefined) return
  // An event that names another call's effect is about no call: nobody is told that it ran for it.
  if ('effectId' in payload && callOfEffect(story, payload.effectId) !== payload.callId) return
  // Decisions name calls that there are, also where the answer that asked for them was erased.
  if (event.type === 'approval.requested' || event.type === 'approval.reused')
    callOf(story, payload.callId, event.payload.tool).events.push(event)
  else story.byId.get(payload.callId)?.events.push(event)
}

function callOfEffect(story: Story, effectId: string): string | null {
  const effect = story.effects.get(effectId)
  return effect && 'callId' in effect ? effect.callId : null
}

/** The event that was ignored is a fact about a call, or an answer with calls. */
function takeIgnored(story: Story, event: Known<'event.ignored'>): void {
  const { seq } = event.payload
  for (const call of story.calls)
    if (call.events.some((each) => 'seq' in each && each.seq === seq)) call.events.push(event)
  for (const answer of story.answers)
    if (seqOf(answer) === seq) for (const call of answer.calls) call.events.push(event)
}

/** Calls that share an id are denied one by one: all, or all but the first. */
function takeDenied(story: Story, event: Known<'call.denied'>): void {
  const { callId, tool } = event.payload
  const call = callOf(story, callId, tool)
  const { twins } = call
  if (twins.length === 1 || call.answer?.step !== story.steps.at(-1)) {
    call.events.push(event)
    return
  }
  const denials = [...twins.flatMap(({ events }) => events.filter(isDenial)), event]
  const spared = denials.length < twins.length ? 1 : 0
  for (const [n, twin] of twins.entries()) {
    const others = twin.events.filter((each) => !isDenial(each))
    const denial = denials[n - spared]
    twin.events.splice(0, twin.events.length, ...others, ...(denial ? [denial] : []))
  }
}

const isDenial = (event: CallEvent): event is Known<'call.denied'> => event.type === 'call.denied'

/** By its key an erased event may still be told to be about an effect or a call. */
function takeErased(story: Story, gone: Gone): void {
  flush(story)
  story.erased.push(gone)
  const { type, key, tool } = gone.event
  if (type === 'model.completed') return void begin(story, gone)
  for (const word of (key ?? '').split(':')) {
    const call = story.byId.get(callOfEffect(story, word) ?? word)
    if (!call) continue
    if (call.part === null && call.tool === '' && tool) call.tool = tool
    call.events.push(gone)
    return
  }
}
