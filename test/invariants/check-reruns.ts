/** What must hold of reruns: nothing of one happens in the world, and each result is one that was recorded, for the same call. */
import { decisionSchemas, factSchemas } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { comparable } from './digest.ts'
import { callOf, effectOf, type Execution, parentOf, type RunRecord } from './run-record.ts'

export function rerunViolations(
  runs: readonly RunRecord[],
  executions: readonly Execution[],
): readonly string[] {
  return runs.flatMap((run) => {
    const source = sourceOf(run)
    if (source === null) return []
    const repeated = runs.find(({ head }) => head.runId === source)
    if (!repeated) return [`R2 ${run.head.runId} repeats a run that is not there`]
    return [...worldViolations(run, runs, executions), ...resultViolations(run, repeated)]
  })
}

/** The run that a run repeats; null if none. */
export function sourceOf({ log: [first] }: RunRecord): string | null {
  const created = factSchemas['run.created'].safeParse(first?.payload)
  return created.data?.rerun?.runId ?? null
}

/** R1: no effect of it may do anything, no tool ran for it, it has no child, and nobody was asked. */
function worldViolations(
  { head: { runId }, log, effects }: RunRecord,
  runs: readonly RunRecord[],
  executions: readonly Execution[],
): readonly string[] {
  const deeds = effects.filter(({ spec }) => spec.kind === 'tool.call' || spec.kind === 'run.start')
  const ran = executions.filter((each) => each.runId === runId)
  const children = runs.filter((other) => parentOf(other)?.runId === runId)
  const asked = log.filter(({ type }) => type === 'approval.requested')
  return [
    ...deeds.map(({ effectId }) => `R1 ${effectId} is an effect of a rerun that does something`),
    ...ran.map(({ effectId }) => `R1 ${effectId} of a rerun executed`),
    ...children.map(({ head }) => `R1 ${head.runId} was started by a rerun`),
    ...asked.map(({ seq }) => `R1 a human is asked at ${seq} of the rerun ${runId}`),
  ]
}

const results = new Set(['tool.completed', 'tool.failed', 'tool.denied'])

/** R2: a result is one of the same call, says the same, and each recorded one answers once, in their order. */
function resultViolations({ log, effects, head }: RunRecord, source: RunRecord): readonly string[] {
  const bad: string[] = []
  const last = new Map<string, number>()
  const inOrder = log
    .filter(({ type }) => results.has(type))
    .toSorted((a, b) => numberOf(effectOf(a)) - numberOf(effectOf(b)))
  for (const event of inOrder) {
    const at = `${head.runId} at ${event.seq}`
    const from = source.log.find(({ seq }) => seq === recalledFrom(event))
    const spec = effects.find(({ effectId }) => effectId === effectOf(event))?.spec
    if (!from || !spec || !('argsHash' in spec)) {
      bad.push(`R2 ${at} has a result that was never recorded`)
      continue
    }
    const call = `${spec.tool} ${comparable(source, spec.argsHash)}`
    if (callIn(source, from) !== call) bad.push(`R2 ${at} has the result of another call`)
    // What an operator said of a call is told in other words.
    if (from.type !== 'tool.resolved' && wordsOf(event) !== wordsOf(from))
      bad.push(`R2 ${at} says something else than was recorded`)
    const place = placeOf(source, from)
    if (place <= (last.get(call) ?? -1)) bad.push(`R2 ${at} has a result out of order`)
    last.set(call, place)
  }
  const missed = log.some(({ type }) => type === 'rerun.stopped')
  if (missed && head.status === 'ended' && log.at(-1) && head.stateName !== 'failed')
    bad.push(`R3 ${head.runId} went on without a result`)
  return bad
}

const numberOf = (effectId: string): number => Number(effectId.split('.').at(-1))

function recalledFrom({ payload }: StoredEvent): number {
  const { recalled } = payload
  return typeof recalled === 'object' && recalled !== null && 'seq' in recalled
    ? Number(recalled.seq)
    : 0
}

/** The call that a recorded end is about: by its effect, or, of one that a human refused, by what he was asked. */
function callIn(run: RunRecord, event: StoredEvent): string {
  const { log, effects } = run
  const spec = effects.find(({ effectId }) => effectId === effectOf(event))?.spec
  if (spec && 'argsHash' in spec) return `${spec.tool} ${comparable(run, spec.argsHash)}`
  const asked = log.find(
    (each) => each.type === 'approval.requested' && callOf(each) === callOf(event),
  )
  const said = asked && decisionSchemas['approval.requested'].parse(asked.payload)
  return `${event.tool} ${comparable(run, said?.argsHash)}`
}

/** Where the call stands among those of the log: effects by the decision that asked for them, refusals by themselves. */
function placeOf({ log }: RunRecord, event: StoredEvent): number {
  const id = effectOf(event)
  if (id === '') return event.seq * 1000
  const step = log.find(
    ({ type, payload }) =>
      type === 'run.transitioned' && JSON.stringify(payload['effects']).includes(`"${id}"`),
  )
  return (step?.seq ?? 0) * 1000 + (numberOf(id) % 1000)
}

/** What was said, whoever said it. */
function wordsOf({ type, payload }: StoredEvent): string {
  const { output, error, answer, code } = payload
  if (type === 'call.denied') return JSON.stringify(code)
  if (type === 'tool.denied') {
    const { reasons } = factSchemas[type].parse(payload).answer
    return JSON.stringify(reasons[0]?.code)
  }
  return JSON.stringify(output ?? error ?? answer)
}
