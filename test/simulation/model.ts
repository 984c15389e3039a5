/**
 * A model that plays a random but fixed plan for each run, and fails in every way a provider can. What it says goes through
 * the stream guard of the request, split at random.
 */
import type { ModelTurn } from '@signalbox/core'
import type { Model, ModelRequest } from '@signalbox/engine'
import type { MemoryRegister } from '@signalbox/testing/memory'
import { bannedTerm } from './agents.ts'
import { beginsUnderLease } from './beginnings.ts'
import { cutMark, wordsOf } from './check-crowd.ts'
import type { Incarnation } from './process.ts'
import { seedOf, startsIn } from './families.ts'
import { isCommanding } from './files.ts'
import { askedOf } from './prompts.ts'
import { isSummaryRequest, stoppedWords, tokensIn, watchRequest } from './rooms.ts'
import { type Schedule } from './schedule.ts'
import { seeded } from './seeded.ts'
import { speak } from './speak.ts'
import { hear } from './steering.ts'
import { summarise, summaryMs } from './summaries.ts'
import type { World } from './world.ts'

type EffectRecord = MemoryRegister['tables']['effects'] extends Map<string, infer Row> ? Row : never

const names = ['look', 'put', 'pay', 'nobody'] as const

/**
 * The plan of one turn, counted from 0: the same whenever it is asked for, so a repeated call gives the same answer. Some
 * agents repeat themselves, some never come to an end.
 */
function planTurn({ seed, variant, turn }: Moment): readonly { tool: string; n: number }[] {
  const starts = startsIn(seed, turn)
  const started = Array.from({ length: starts }, (_, n) => ({ tool: 'start', n }))
  return [...started, ...ownCalls({ seed: seed + variant, turn, starts })]
}

/** A turn of a plan. Runs that were started differ by what they were asked for. */
interface Moment {
  readonly seed: number
  readonly variant: number
  readonly turn: number
}

/** What the run does itself; one that starts others does less. */
function ownCalls({
  seed,
  turn,
  starts,
}: {
  readonly seed: number
  readonly turn: number
  readonly starts: number
}): readonly { tool: string; n: number }[] {
  if (starts > 0) return seed % 3 === 0 ? [{ tool: names[turn % 3] ?? 'look', n: turn }] : []
  if (seed % 6 === 1) return [{ tool: 'look', n: 0 }]
  if (seed % 9 === 2) return [{ tool: 'look', n: turn }]
  const unit = seeded(seed * 1_000 + turn)
  const turns = 1 + Math.floor(unit() * 3)
  if (turn >= turns) return []
  const calls = 1 + Math.floor(unit() * 3)
  return Array.from({ length: calls }, () => ({
    tool: names[Math.floor(unit() * (unit() < 0.1 ? 4 : 3))] ?? 'look',
    n: Math.floor(unit() * 3),
  }))
}

const failures = ['interrupted', 'error', 'safety', 'length', 'refusal', 'empty'] as const
type Failure = (typeof failures)[number]

/** A title is asked for under the id of its effect. */
const namingOf =
  (world: World, tables: MemoryRegister['tables'], life: Incarnation) =>
  async (request: ModelRequest, effect: EffectRecord): Promise<ModelTurn> => {
    const { schedule } = world
    beginsUnderLease(world, life, tables, { effect, what: `the title ${effect.effectId}` })
    await life.clock.sleep(schedule.between(2, 40))
    if (schedule.faults && schedule.chance(0.2)) return failed(request, 'error', schedule)
    if (request.guard === null)
      return turnOf(request, 'complete', [{ type: 'text', text: 'A conversation' }])
    const text = schedule.chance(0.4) ? `About ${bannedTerm}` : 'A conversation'
    const said = speak(request.guard, text, schedule)
    const parts: Parts = [{ type: 'text', text: said.text }]
    return said.trip
      ? { ...turnOf(request, 'guardrail', parts), trip: said.trip }
      : turnOf(request, 'complete', parts)
  }

export function simulatedModel(world: World, { tables }: MemoryRegister, life: Incarnation): Model {
  const { schedule, complaints } = world
  const nameThread = namingOf(world, tables, life)
  return {
    call: async (request, _sink, signal) => {
      const { messageId } = request
      const title = tables.effects.get(messageId)
      if (title) return nameThread(request, title)
      if (isSummaryRequest(request)) {
        const asked = tables.effects.get(messageId.slice('s_'.length))
        beginsUnderLease(world, life, tables, { effect: asked, what: `the summary ${messageId}` })
        await life.clock.sleep(summaryMs(schedule), signal)
        signal.throwIfAborted()
        return summarise(world, request)
      }
      const asked = [...tables.effects.values()].filter(
        ({ spec }) => spec.kind === 'model.call' && spec.messageId === messageId,
      )
      const effect = asked.find(({ status }) => status === 'started')
      beginsUnderLease(world, life, tables, { effect, what: `the call for ${messageId}` })
      // Before the process may stand still: by the time it goes on, others may have asked for turns behind this one.
      if (effect && isRoomy(request))
        watchRequest(world, tables, { ...request, runId: effect.runId })
      await life.clock.sleep(schedule.between(2, 40), signal)
      signal.throwIfAborted()
      if (lacksResult(request))
        complaints.push(`I24 a prompt of ${request.messageId} lacks a result`)
      remember(world, request)
      if (effect && !isRoomy(request))
        world.asked.push(askedOf({ ...effect, owner: life.owner }, request))
      const seed = Number(request.model.baseURL)
      const turn = Number(request.callIdPrefix.split('_').at(-1)) - 1
      const variant = variantOf(request)
      const bad = schedule.faults && schedule.chance(0.06)
      // The own model of some agents breaks for good; another one may still serve.
      const broken = seed % 13 === 3 && turn === 1 && request.model.model === 'own'
      const picked = bad ? failures[Math.floor(schedule.unit() * failures.length)] : undefined
      // Some have nothing to say to results, however often they are asked.
      const mute = seed % 47 === 7 && turn > 0 ? 'empty' : picked
      const failure = broken ? 'interrupted' : mute
      if (isRoomy(request) && tokensIn(request) > (request.model.contextWindow ?? Infinity))
        return overflown(request)
      const answered = failure
        ? failed(request, failure, schedule)
        : answer(request, schedule, { seed, variant, turn })
      return isRoomy(request) ? weighed(request, answered) : answered
    },
  }
}

const isRoomy = ({ model }: ModelRequest): boolean => model.contextWindow !== undefined

/** The answer with what its request weighs; one that was stopped has words that no summary may say. */
function weighed(request: ModelRequest, turn: ModelTurn): ModelTurn {
  const usage = { inputTokens: tokensIn(request), outputTokens: 10 }
  const isStopped = turn.verdict === 'safety' || turn.verdict === 'length'
  if (!isStopped) return { ...turn, usage }
  const parts: Parts = [{ type: 'text', text: stoppedWords }]
  return { ...turn, usage, message: { ...turn.message, parts } }
}

const overflown = (request: ModelRequest): ModelTurn => ({
  ...turnOf(request, 'error', []),
  suppressed: [],
  usage: {},
  error: { class: 'context_overflow', retryable: false, message: 'too long' },
})

/** What a model is shown of what clients said. */
function remember(world: World, { prompt, callIdPrefix }: ModelRequest): void {
  const { prompts } = world
  const run = callIdPrefix.split('_')[1] ?? ''
  const texts = prompt.flatMap((message) =>
    message.role === 'user'
      ? message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
      : [],
  )
  hear(world, run, texts)
  const isCut = texts.some((text) => text.includes('<summary>'))
  const words = `${isCut ? cutMark : ''}${wordsOf(texts)}`
  const known = prompts.get(run)
  if (known) known.add(words)
  else prompts.set(run, new Set([words]))
}

/** What a run was started with: its first words are the arguments of the call. */
function variantOf({ prompt }: ModelRequest): number {
  const [first] = prompt.filter(({ role }) => role === 'user')
  const [part] = first?.role === 'user' ? first.parts : []
  const [, n] = (part?.type === 'text' && /"n":(\d+)/.exec(part.text)) || []
  return Number(n ?? 0)
}

/** Calls of this very run must have their results; those of an earlier run may have ended without. */
function lacksResult({ prompt, callIdPrefix }: ModelRequest): boolean {
  const run = callIdPrefix.slice(0, callIdPrefix.lastIndexOf('_'))
  return prompt.some(
    (message) =>
      message.role === 'tool' &&
      message.results.some(
        ({ callId, output }) =>
          callId.startsWith(run) && JSON.stringify(output).includes('has no result'),
      ),
  )
}

type Parts = ModelTurn['message']['parts']

const turnOf = (request: ModelRequest, verdict: ModelTurn['verdict'], parts: Parts): ModelTurn => ({
  verdict,
  message: { id: request.messageId, role: 'assistant', parts },
  suppressed: verdict === 'complete' ? [] : [{ name: 'pay', argsBytes: 3, argsHmac: 'x' }],
  evidence: [],
  finish: verdict === 'complete' ? { unified: 'stop' } : null,
  usage: { inputTokens: 10, outputTokens: 10 },
  provider: 'scripted',
  model: request.model.model,
})

function failed(request: ModelRequest, failure: Failure, schedule: Schedule): ModelTurn {
  if (failure === 'empty') return turnOf(request, 'complete', [])
  if (failure === 'length') return turnOf(request, 'length', [{ type: 'text', text: 'and so' }])
  const turn = turnOf(request, failure, [])
  if (failure !== 'error') return turn
  const retryable = schedule.chance(0.7)
  const error = { class: retryable ? 'overloaded' : 'auth', retryable, message: 'no' } as const
  return { ...turn, error }
}

const isPerilous = ({ day: { kind } }: Schedule): boolean =>
  kind === 'outage' || kind === 'late' || kind === 'freeze'

/** What the plan says, as far as the guard lets it. */
function answer(request: ModelRequest, schedule: Schedule, moment: Moment): ModelTurn {
  const plan = planTurn(moment)
  const calls = plan.map(({ tool, n }, index) => {
    // Where leases are in danger, most calls are such as may not be made again.
    const isAgain = isPerilous(schedule) && tool === 'look' && n > 0
    // Where commands are executed, they change files in place of some tools that do.
    const isCommand = tool === 'put' && n > 0 && isCommanding(seedOf(moment.seed))
    const name = isCommand ? 'bash' : isAgain ? 'pay' : tool
    const args = { n }
    const id = `${request.callIdPrefix}_${index}`
    return { type: 'tool_call' as const, id, name, args, argsHash: request.argsHash(args) }
  })
  if (request.guard === null)
    return turnOf(request, 'complete', calls.length > 0 ? calls : [{ type: 'text', text: 'done' }])
  const text = schedule.chance(0.4) ? `I say ${bannedTerm}, and more` : 'I say nothing of the kind'
  const said = speak(request.guard, text, schedule)
  const spoken: Parts = said.text === '' ? [] : [{ type: 'text', text: said.text }]
  const judged = calls.map(({ name, args }) =>
    request.guard?.judge({ type: 'tool_call', name, args }),
  )
  const tripped = judged.find((each) => each?.type === 'tripped')
  const trip = said.trip ?? (tripped?.type === 'tripped' ? tripped.trip : null)
  return trip
    ? { ...turnOf(request, 'guardrail', spoken), trip }
    : turnOf(request, 'complete', [...spoken, ...calls])
}
