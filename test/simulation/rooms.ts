/**
 * Windows in the simulation: some agents have one that their conversations fill. What is old is cleared, and summed up by a model that fails
 * at it in every way (`summaries.ts`). What must hold of what models are shown then:
 *
 * Z1 Every request pairs calls and results, and each begins with the one before it, unless the log tells of a prune or a summary between
 *    them, or another model is asked: a summary that failed changes nothing.
 * Z2 A result that no summary stands for is in the next request, whole or as its line.
 * Z3 Nothing that was stopped is in what is summed up, and no answer that is no summary is kept for one.
 * Z4 One outcome for each summary that was asked for (`test/invariants/check-rooms.ts`, as for what follows).
 * Z5 No more summaries, failures in a row and tokens than the agent allows, and each saves some.
 * Z6 Each summary of a run goes further than the one before it.
 */
import { checkPairing, factSchemas, payloadOf } from '@signalbox/core'
import type { ModelRequest, StoredEvent } from '@signalbox/engine'
import type { MemoryRegister } from '@signalbox/testing/memory'
import { isResult } from '../invariants/check-rooms.ts'
import { imageTokensIn } from './images.ts'
import { seeded } from './seeded.ts'
import type { World } from './world.ts'

type Tables = MemoryRegister['tables']

/** How many plans have an agent with a window. */
const roomy = 0.16

/** The window of a plan's agent, and what it does about it; null for most. Drawn by itself, so that the other plans are played as before. */
export function roomOf(
  seed: number,
): { readonly contextWindow: number; readonly context: object } | null {
  const unit = seeded(seed * 43 + 29)
  if (unit() >= roomy) return null
  const pick = (...values: readonly number[]): number =>
    values[Math.floor(unit() * values.length)] ?? 0
  const contextWindow = pick(1_000, 1_500, 2_500)
  const prune = { at: 0.3, minTokens: pick(1, 200), minChars: 100, keepTurns: pick(1, 2) }
  const compact = {
    at: pick(0.5, 0.9),
    keep: pick(1, 300),
    summaryTokens: 256,
    maxPerRun: pick(1, 5, 20),
    failuresMax: pick(1, 2, 3),
  }
  return { contextWindow, context: { ...(unit() < 0.5 ? { prune } : {}), compact } }
}

/** Two bytes of a request are a token; an image has its own. */
export const tokensIn = ({ prompt, tools }: Pick<ModelRequest, 'prompt' | 'tools'>): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify({ prompt, tools })) / 2) + imageTokensIn({ prompt })

/** The text that is added to the results of tools, so that a few of them fill a window. */
export function paddingFor({ runs, definitions }: Tables, runId: string): string {
  const agent = definitions.get(runs.get(runId)?.definitionHash ?? '')
  return agent?.context ? ` ${'w'.repeat(600)}` : ''
}

/** Is a model asked for a summary? */
export const isSummaryRequest = ({ prompt }: Pick<ModelRequest, 'prompt'>): boolean =>
  JSON.stringify(prompt.at(-1)).includes('Sum up all of it so far')

/** Stands for what a provider cut off, or stopped. The models of agents with a window say it then. */
export const stoppedWords = 'words of a turn that was stopped'
/** Stands in every answer to the task of summing up that is no summary. */
export const unkeptWords = 'no summary'

/** The last request that the model of a run was sent. */
export interface LastAsked {
  readonly model: string
  /** Prunes and summaries of the run before it. */
  readonly reliefs: number
  /** The parts that the next request begins with. */
  readonly stable: readonly string[]
}

/** A message part by part: where a reminder goes, neighbours of one role become one message. */
function partsOf(message: ModelRequest['prompt'][number]): readonly string[] {
  if (message.role === 'system') return [`system ${message.text}`]
  const parts = message.role === 'tool' ? message.results : message.parts
  return parts.map((part) => `${message.role} ${JSON.stringify(part)}`)
}

const isRelief = ({ type }: StoredEvent): boolean =>
  type === 'context.pruned' || type === 'context.compacted'

/** No summary may say it (Z3). */
export const unkept = [stoppedWords, unkeptWords]

/** Looks at what the model of a run is asked (Z1, Z2). */
export function watchRequest(world: World, { events }: Tables, request: Watched): void {
  const { complaints, lastAsked } = world
  const { runId, prompt, model } = request
  const log = events.get(runId) ?? []
  for (const violation of checkPairing(prompt))
    complaints.push(`Z1 a prompt of ${runId}: ${JSON.stringify(violation)}`)
  const reliefs = log.filter(isRelief).length
  const parts = prompt.flatMap(partsOf)
  const before = lastAsked.get(runId)
  if (before?.model === model.model && before.reliefs === reliefs) {
    const at = before.stable.findIndex((part, n) => part !== parts[n])
    if (at >= 0) complaints.push(`Z1 a prompt of ${runId} differs from the one before at ${at}`)
  }
  // The last message may be a reminder, or end with one.
  const stable = prompt.slice(0, -1).flatMap(partsOf)
  lastAsked.set(runId, { model: model.model, reliefs, stable })
  const shown = new Set(
    prompt.flatMap((each) => (each.role === 'tool' ? each.results.map((it) => it.callId) : [])),
  )
  for (const callId of resultsBehindCut(runId, log))
    if (!shown.has(callId)) complaints.push(`Z2 a prompt of ${runId} lacks the result of ${callId}`)
}

interface Watched extends Pick<ModelRequest, 'prompt' | 'model'> {
  readonly runId: string
}

/** The calls whose results no summary of the run stands for. */
function resultsBehindCut(runId: string, log: readonly StoredEvent[]): readonly string[] {
  const cut = log.findLast(({ type }) => type === 'context.compacted')
  const through = cut && payloadOf(factSchemas['context.compacted'], cut).through
  const from = through?.runId === runId ? through.seq : 0
  return log
    .filter((event) => isResult(event) && event.seq > from)
    .flatMap(({ payload }) => (typeof payload['callId'] === 'string' ? [payload['callId']] : []))
}
