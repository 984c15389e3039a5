/**
 * Conversations of whatever may happen to a run, with prunes and cuts anywhere in them (P1 and P2 of the context systems). Would catch: a correction, a
 * refusal, words that came late or a call without a result beside which a cut tears a call from its result, or that change the beginning of the next request.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  checkPairing,
  createProjection,
  decisionSchemas,
  type FoldableEvent,
  type Prompt,
  project,
} from '../../src/index.ts'
import { casesOf, timeout } from '../support/full.ts'
import { text } from '../support/log.ts'
import { play, type Script, scripts } from '../support/plays.ts'
import { compactedEvent, prunedEvent } from '../support/room.ts'

const reliefs = fc.array(
  fc.record({
    kind: fc.constantFrom('prune', 'cut'),
    /** Behind this event of the thread, up to that one. */
    behind: fc.nat(200),
    through: fc.nat(200),
    hasWords: fc.boolean(),
  }),
  { maxLength: 4 },
)
type Relief = typeof reliefs extends fc.Arbitrary<readonly (infer T)[]> ? T : never

const threads = fc.array(scripts, { minLength: 1, maxLength: 3 })

/** An event of a thread, and whether the model is asked right behind it. */
interface Step {
  readonly event: FoldableEvent & { readonly runId: string }
  readonly asks: boolean
}

function stepsOf(runs: readonly Script[]): readonly Step[] {
  return runs.flatMap((script, n) => {
    const runId = `01930000-0000-7000-8000-00000000000${n}`
    const { log, decisions } = play(script, runId)
    const asking = decisions.filter(({ decision }) =>
      decision.effects.some(({ kind }) => kind === 'model.call'),
    )
    const ends = new Set(asking.map(({ logged }) => logged))
    return log.map((event, at) => ({ event: { ...event, runId }, asks: ends.has(at + 1) }))
  })
}

const wordsKept = { words: { id: 'u_kept', parts: [text('Go on with it.')] } }

/** The steps with each relief behind the event that it names, at the number of that one: what events say of each other's numbers stays true. */
function relieved(steps: readonly Step[], wanted: readonly Relief[]): readonly Step[] {
  return steps.flatMap((step, n) => {
    const here = wanted.filter(({ behind }) => behind % steps.length === n)
    const put = here.flatMap(({ kind, through, hasWords }): readonly Step[] => {
      const place = steps[through % (n + 1)]?.event
      if (!place) return []
      const moment = { runId: place.runId, seq: place.seq }
      const made =
        kind === 'prune'
          ? prunedEvent(moment, { minChars: 1 })
          : compactedEvent(moment, hasWords ? wordsKept : {})
      const { runId, seq } = step.event
      return [{ event: { ...made, runId, seq }, asks: false }]
    })
    const last = put.at(-1)
    return last
      ? [{ ...step, asks: false }, ...put.slice(0, -1), { ...last, asks: step.asks }]
      : [step]
  })
}

const isRelief = ({ type }: FoldableEvent): boolean =>
  type === 'context.pruned' || type === 'context.compacted'

const numRuns = casesOf(300)

test(
  'P1: calls and results pair in every request',
  () => {
    let [asked, lightened] = [0, 0]
    fc.assert(
      fc.property(threads, reliefs, (runs, wanted) => {
        const projection = createProjection('Be brief.')
        const taken: FoldableEvent[] = []
        for (const { event, asks } of relieved(stepsOf(runs), wanted)) {
          projection.take(event)
          taken.push(event)
          if (isRelief(event)) lightened += 1
          if (!asks) continue
          asked += 1
          const prompt = projection.prompt()
          assert.deepEqual(checkPairing(prompt), [])
          assert.deepEqual(prompt, project('Be brief.', taken))
        }
      }),
      { numRuns },
    )
    expect(asked).toBeGreaterThan(numRuns)
    expect(lightened).toBeGreaterThan(numRuns)
  },
  timeout,
)

/** The runs without a call whose id no adapter gives: two turns might have the same, and one result. */
function wellNamed(steps: readonly Step[]): readonly Step[] {
  const misnamed = steps.filter(
    ({ event: { payload } }) =>
      payload['code'] === 'invalid_call_id' ||
      /"type":"tool_call","id":"(?!c_)/.test(JSON.stringify(payload)),
  )
  const runs = new Set(misnamed.map(({ event }) => event.runId))
  return steps.filter(({ event }) => !runs.has(event.runId))
}

/** Each run up to the first outcome of an effect that was not asked for, or that stands already: the register takes neither. */
function asKept(steps: readonly Step[]): readonly Step[] {
  const askedFor = new Set<string>()
  const outcomes = new Set<string>()
  const cut = new Set<string>()
  return steps.filter(({ event: { type, runId, payload } }) => {
    if (type === 'run.transitioned')
      for (const { id, callId } of effectsIn(payload)) askedFor.add(`${runId} ${id} ${callId}`)
    const { effectId, callId } = payload
    if (typeof effectId === 'string' && typeof callId === 'string') {
      const outcome = `${runId} ${type} ${JSON.stringify(payload)}`
      if (outcomes.has(outcome) || !askedFor.has(`${runId} ${effectId} ${callId}`)) cut.add(runId)
      outcomes.add(outcome)
    }
    return !cut.has(runId)
  })
}

/** The calls that a decision asks for. */
const effectsIn = (payload: FoldableEvent['payload']) =>
  decisionSchemas['run.transitioned']
    .parse(payload)
    .effects.flatMap((effect) => ('callId' in effect ? [effect] : []))

/** The pieces that the model reads, whichever message a piece is in. */
const piecesOf = (prompt: Prompt): readonly string[] =>
  prompt.flatMap((message) => {
    if (message.role === 'system') return [`system ${message.text}`]
    if (message.role === 'tool') return message.results.map((each) => JSON.stringify(each))
    return message.parts.map((part) => `${message.role} ${JSON.stringify(part)}`)
  })

/** Texts that are said once, behind everything else. */
const remindersOf = ({ type, payload }: FoldableEvent): readonly string[] => {
  const isReminder = ['loop.warned', 'budget.warned', 'turn.continued'].includes(type)
  const said = type === 'model.retried' ? payload['message'] : isReminder && payload['text']
  return typeof said === 'string' ? [said] : []
}

/** A request, and whose. */
interface Request {
  readonly runId: string
  readonly pieces: readonly string[]
}

/** A request without the reminders at its end. */
function lasting(prompt: Prompt, reminders: readonly string[]): readonly string[] {
  const pieces = piecesOf(prompt)
  const last = JSON.stringify(pieces.at(-1) ?? '')
  const isReminder = reminders.some((each) =>
    last.includes(JSON.stringify(JSON.stringify(each).slice(1, -1)).slice(1, -1)),
  )
  return isReminder ? pieces.slice(0, -1) : pieces
}

/** More than above: of runs that the register would have refused a part, less is left to compare. */
const comparedRuns = casesOf(900)

test(
  'P2: a request of a run begins with the one before, less its reminders, unless a prune or a cut lies between (I25)',
  () => {
    let compared = 0
    fc.assert(
      fc.property(threads, reliefs, (runs, wanted) => {
        const steps = asKept(wellNamed(stepsOf(runs)))
        const projection = createProjection('Be brief.')
        const reminders: string[] = []
        let before: Request = { runId: '', pieces: [] }
        for (const { event, asks } of relieved(steps, wanted)) {
          projection.take(event)
          reminders.push(...remindersOf(event))
          // A person may say what became of a call when the model has been told that nobody knows.
          if (isRelief(event) || event.type === 'tool.resolved') before = { runId: '', pieces: [] }
          if (!asks) continue
          const pieces = lasting(projection.prompt(), reminders)
          if (before.runId === event.runId) {
            assert.deepEqual(pieces.slice(0, before.pieces.length), before.pieces)
            compared += 1
          }
          before = { runId: event.runId, pieces }
        }
      }),
      { numRuns: comparedRuns },
    )
    expect(compared).toBeGreaterThan(comparedRuns / 4)
  },
  timeout,
)
