/**
 * What must hold of the budget that a tree of runs shares (G1, G2 of the budget port): exceeded by at most
 * one reservation, turns and calls not at all, and refused only when it is used up.
 */
import {
  costOf,
  type Effect,
  factSchemas,
  modelOf,
  type RunStartEffect,
  summaryModelOf,
} from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { type Execution, isAbout, parentOf, type RunRecord } from './run-record.ts'

/** `runs`: all of the register, with positions in the feed; `executions`: of all of them. */
export function budgetViolations(
  runs: readonly RunRecord[],
  executions: readonly Execution[],
): readonly string[] {
  const trees = new Map<string, RunRecord[]>()
  for (const run of runs) {
    const top = parentOf(run)?.rootId
    if (top !== undefined) trees.set(top, [...(trees.get(top) ?? []), run])
  }
  const byId = new Map(runs.map((run) => [run.head.runId, run]))
  return [...trees].flatMap(([top, below]) => {
    const root = byId.get(top)
    return root ? treeViolations({ root, below }, executions) : []
  })
}

interface Tree {
  readonly root: RunRecord
  readonly below: readonly RunRecord[]
}

type Left = RunStartEffect['left']

const at = (event: StoredEvent | undefined): string => event?.position ?? '~'

const startOf = ({ log }: RunRecord, effectId: string): StoredEvent | undefined =>
  log.find((event) => event.type === 'effect.started' && isAbout(event, effectId))

/** The most that the run at the top can have brought in, and when. Null if it brought in nothing. */
function broughtIn(root: RunRecord): { readonly left: Left; readonly since: string } | null {
  const opening = root.effects
    .flatMap(({ effectId, spec }) =>
      spec.kind === 'run.start' && !root.log.some((event) => opensNothing(event, effectId))
        ? [{ left: spec.left, since: at(startOf(root, effectId)) }]
        : [],
    )
    .toSorted((a, b) => (a.since < b.since ? -1 : 1))
  const [first] = opening
  if (!first || first.since === '~') return null
  const most = (pick: (left: Left) => number): number =>
    Math.max(...opening.map(({ left }) => pick(left)))
  const cost = most(({ maxCost }) => maxCost ?? Infinity)
  const left = {
    maxTurns: most(({ maxTurns }) => maxTurns),
    maxToolCalls: most(({ maxToolCalls }) => maxToolCalls),
    maxTokens: most(({ maxTokens }) => maxTokens),
    timeoutMs: most(({ timeoutMs }) => timeoutMs),
    maxCost: Number.isFinite(cost) ? cost : null,
  }
  return { left, since: first.since }
}

/** The effect came to nothing before the budget was opened. */
const opensNothing = (event: StoredEvent, effectId: string): boolean =>
  isAbout(event, effectId) &&
  (event.type === 'tool.denied' ||
    (event.type === 'tool.failed' && JSON.stringify(event.payload['error']).includes('_changed')))

function treeViolations(tree: Tree, executions: readonly Execution[]): readonly string[] {
  const { root, below } = tree
  const brought = broughtIn(root)
  if (!brought) return []
  const { left, since } = brought
  const name = `the tree of ${root.head.runId}`
  const asked = [root, ...below].flatMap((run) => answersOf(run, since))
  const turns = asked.filter(({ retry }) => retry === 0).length
  const calls = callsMade(tree, since, executions)
  const bad: string[] = []
  if (turns > left.maxTurns) bad.push(`G1 ${name} took ${turns} of ${left.maxTurns} turns`)
  if (calls > left.maxToolCalls) bad.push(`G1 ${name} made ${calls} of ${left.maxToolCalls} calls`)
  const money = left.maxCost === null ? Infinity : Math.round(left.maxCost * 1_000_000)
  for (const [what, limit] of [
    ['tokens', left.maxTokens],
    ['cost', money],
  ] as const) {
    const each = asked.map((answer) => answer[what])
    // Whoever reserved last had the others below the limit.
    if (sum(each) > 0 && sum(each) - Math.max(...each) >= limit)
      bad.push(`G1 ${name} used ${sum(each)} of ${limit} in ${what}`)
  }
  return [...bad, ...refusalViolations(tree)]
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

interface Asked {
  readonly retry: number
  readonly tokens: number
  /** Millionths. */
  readonly cost: number
}

/** The answers of models under the budget, turns and summaries. */
const answersOf = (run: RunRecord, since: string): readonly Asked[] => [
  ...turnsOf(run, since),
  ...summariesOf(run, since),
]

/** Summaries take tokens and money, and no turn. */
function summariesOf({ log, effects, agent }: RunRecord, since: string): readonly Asked[] {
  return log.flatMap((event) => {
    const { type, payload } = event
    if (type !== 'context.compacted' && type !== 'context.unchanged') return []
    const { effectId, usage } = factSchemas[type].parse(payload)
    const spec = effects.find((effect) => effect.effectId === effectId)?.spec
    if (spec?.kind !== 'context.compact' || spec.shared !== true || at(event) <= since) return []
    const { inputTokens = 0, outputTokens = 0 } = usage
    const cost = agent ? costOf(summaryModelOf(agent, spec.model), usage) : 0
    return [{ retry: 1, tokens: inputTokens + outputTokens, cost }]
  })
}

/** Answers of models that were asked under the budget: a circuit that is open asks nobody. */
function turnsOf({ log, effects, agent }: RunRecord, since: string): readonly Asked[] {
  return log
    .filter((event) => event.type === 'model.completed' && at(event) > since)
    .flatMap(({ payload }) => {
      const { effectId, turn } = factSchemas['model.completed'].parse(payload)
      const spec = effects.find((effect) => effect.effectId === effectId)?.spec
      if (spec?.kind !== 'model.call' || spec.shared !== true || turn.error) return []
      const { inputTokens = 0, outputTokens = 0 } = turn.usage
      const cost = agent ? costOf(modelOf(agent, spec.model), turn.usage) : 0
      return [{ retry: spec.retry, tokens: inputTokens + outputTokens, cost }]
    })
}

/** Calls of the tree that ran on a worker, or became runs, under the budget. */
function callsMade({ root, below }: Tree, since: string, executions: readonly Execution[]): number {
  const ran = new Set([
    ...executions.map(({ effectId }) => effectId),
    ...below.flatMap((run) => parentOf(run)?.effectId ?? []),
  ])
  return [root, ...below].flatMap((run) =>
    run.effects.filter(
      ({ effectId, spec }) =>
        'callId' in spec &&
        spec.shared === true &&
        ran.has(effectId) &&
        // The calls of one turn may begin before the budget is opened by one of them.
        at(run.log.find((event) => isAbout(event, spec.source))) > since,
    ),
  ).length
}

interface Begun {
  readonly effectId: string
  readonly spec: Effect
  /** Where its first attempt stands in the feed. */
  readonly since: string
}

/** Who is refused is told of a budget that is used up, and of no more turns or calls than others have begun (G2). */
function refusalViolations({ root, below }: Tree): readonly string[] {
  const all = [root, ...below]
  const refusals = all.flatMap(({ log }) => log.filter(({ type }) => type === 'budget.refused'))
  if (refusals.length === 0) return []
  const begun = all.flatMap((run) =>
    run.effects.map(({ effectId, spec }): Begun => ({
      effectId,
      spec,
      since: at(startOf(run, effectId)),
    })),
  )
  return refusals.flatMap((event) => {
    const { effectId, budget, used, limit } = factSchemas['budget.refused'].parse(event.payload)
    const others = begun.filter((each) => each.effectId !== effectId && each.since < at(event))
    const most = others.filter(({ spec }) => countsAs(spec, budget)).length
    const counted = budget === 'turns' || budget === 'calls'
    return used < limit || (counted && used > most)
      ? [`G2 ${event.runId} was refused ${budget} at ${used} of ${limit}, with ${most} begun`]
      : []
  })
}

const countsAs = (spec: Effect, budget: string): boolean =>
  'shared' in spec &&
  spec.shared === true &&
  (budget === 'turns' ? spec.kind === 'model.call' && spec.retry === 0 : 'callId' in spec)
