/** Runs that read so much that their window does not hold it: what was said before a place is summed up. */
import type { AgentDefinition, JsonObject, ModelTurn } from '@signalbox/core'
import type { AppendItem, Model, ModelRequest, Register, StoredEvent } from '@signalbox/engine'
import { isSummary } from './counting.ts'
import { carries, type Death } from './faulty.ts'
import { agent, functionTools, toolSpec, type Turn, turnModel } from './world.ts'

/** A window of 32,000 tokens: from 20,480 on there is a summary, and of the newest conversation 2,560 stay. */
export const roomy = {
  model: { provider: 'scripted', model: 'test', contextWindow: 32_000 },
  context: {},
  limits: { maxTurns: 1_000, maxToolCalls: 1_000, maxTokens: 1_000_000_000 },
  loop: { enabled: false },
}

/** The same agent with a window that nothing fills. */
export const wide = { ...roomy, model: { ...roomy.model, contextWindow: 1_000_000 } }

/** An agent that reads by `dump`. */
export const readerAgent = (more: JsonObject = {}): AgentDefinition =>
  agent([toolSpec('dump')], { ...roomy, ...more })

/** The n-th result, of some 2,000 tokens. */
export const resultNo = (n: number): string => `#${n} ${'w'.repeat(8_000)}`

/** The tools of a reader. */
export const dumping = () => functionTools({ dump: async ({ n }) => resultNo(Number(n ?? 0)) })

/** The call that asks for the n-th result. */
export const dump = (n: number): Turn => [{ tool: 'dump', args: { n } }]

/** The answer of a model that is asked for a summary. */
export const said = (text: string, patch: Partial<ModelTurn> = {}): Partial<ModelTurn> => ({
  message: { id: 's', role: 'assistant', parts: [{ type: 'text', text }] },
  ...patch,
})

/** The summary of most tests. */
export const summaryText = 'Some are read.'

/** A request to a model, and the signal that ends it. */
interface Request {
  readonly request: ModelRequest
  readonly signal: AbortSignal
}

/**
 * Plays each turn of a run by its number, from 1, whatever was cut of the conversation and however often the turn is asked. A summary is
 * what `summary` says.
 */
export function byTurn(
  play: (turn: number, of: Request) => Turn | Promise<Turn>,
  summary: (of: Request) => Partial<ModelTurn> | Promise<Partial<ModelTurn>> = () =>
    said(summaryText),
): Model {
  return {
    async call(request, sink, signal) {
      const of = { request, signal }
      if (isSummary(request)) {
        const answer = await turnModel([]).call(request, sink, signal)
        return { ...answer, ...(await summary(of)) }
      }
      const turn = await play(turnOf(request), of)
      const index = request.prompt.filter(({ role }) => role === 'assistant').length
      return turnModel(Array.from({ length: index + 1 }, () => turn)).call(request, sink, signal)
    },
  }
}

/** The turn of its run that a request is of, from 1. */
export const turnOf = ({ callIdPrefix }: Pick<ModelRequest, 'callIdPrefix'>): number =>
  Number(callIdPrefix.split('_').at(-1))

/** Reads `count` results, one per turn, and is done. */
export const reads =
  (count: number) =>
  (turn: number): Turn =>
    turn <= count ? dump(turn) : 'done'

/** The prompt of a request without what differs from run to run. */
const textOf = ({ prompt }: Pick<ModelRequest, 'prompt'>, runId: string): string =>
  JSON.stringify(prompt).replaceAll(runId.slice(-12), 'run')

/**
 * The texts that a run asked its model, by turn, and those of the summaries before turns: each text once, because a request that is made again
 * is the same.
 */
export function asked(
  requests: readonly ModelRequest[],
  runId: string,
): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  const tail = runId.slice(-12)
  for (const request of requests) {
    const isOwn = request.callIdPrefix.includes(tail) || request.messageId.includes(runId)
    if (!isOwn) continue
    const key = `${isSummary(request) ? 'summary' : 'turn'} ${turnOf(request)}`
    const texts = found.get(key) ?? new Set<string>()
    found.set(key, texts.add(textOf(request, runId)))
  }
  return found
}

/** The events of a type. */
export const eventsOf = async (
  register: Pick<Register, 'events'>,
  runId: string,
  type: string,
): Promise<readonly StoredEvent[]> =>
  (await register.events(runId, {})).filter((event) => event.type === type)

const asksForSummary = ({ decision }: AppendItem): string | null =>
  decision?.effects.find(({ kind }) => kind === 'context.compact')?.id ?? null

/** An append of a compaction: the decision that asks for it, the claim, and the fact about it, with which the next decision may come. */
const appends: Readonly<Record<string, (item: AppendItem, effectId: string) => boolean>> = {
  'the decision that asks for it': (item) => asksForSummary(item) !== null,
  'its claim': (item, effectId) =>
    item.claims?.some((claim) => claim.effectId === effectId) ?? false,
  'the fact about it': (item) =>
    carries(item, 'context.compacted') || carries(item, 'context.unchanged'),
}

/** Every place at which a process may die while it sums up, by name; and the death of a process there. */
export const deaths: readonly (readonly [string, () => Death])[] = (
  ['before', 'after'] as const
).flatMap((when) =>
  Object.entries(appends).map(([what, is]): readonly [string, () => Death] => [
    `${when} ${what}`,
    () => {
      let effectId = ''
      const matches = (item: AppendItem): boolean => {
        effectId = asksForSummary(item) ?? effectId
        return is(item, effectId)
      }
      return when === 'before' ? { before: matches } : { after: matches }
    },
  ]),
)
