/**
 * Tells whether a run has come to rest: it has ended, or goes on only when a person does something. Otherwise it names, in words, the
 * work that the run waits for: a test that waits in vain shows it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { outlivesRun } from '@signalbox/core'
import type { EffectRow, Register, RunHead } from '@signalbox/engine'

/** The standing of a run at one moment. */
export interface RunStanding {
  /** `waiting`: for a person. `busy`: something of it is under way. */
  readonly how: 'ended' | 'waiting' | 'busy'
  /** Its state, and what it waits for. */
  readonly words: string
}

/** The reads of the register that it takes. */
export type StandingReader = Pick<Register, 'head' | 'openEffects' | 'children'>

/** The standing of a run right now. */
export async function standingOfRun(register: StandingReader, runId: string): Promise<RunStanding> {
  const head = await register.head(runId)
  if (!head) return busy('is not created yet')
  if (head.status === 'ended') return { how: 'ended', words: `ended: ${head.outcome}` }
  const state = `is in the state "${head.stateName}"`
  if (head.status === 'queued')
    return busy(`${state} and waits for the runs before it on its thread`)
  if (head.decided < head.facts) return busy(`${state} and is about to be decided`)
  if (head.status === 'waiting') return { how: 'waiting', words: `${state} and waits for a person` }
  const open = (await register.openEffects(runId)).filter(({ kind }) => !outlivesRun(kind))
  if (open.length === 0) return busy(`${state} and is about to be decided`)
  return standingOfOpen(register, head, open)
}

/** A run waits with the runs that it has started: when nothing else of it is under way, and all of them wait. */
async function standingOfOpen(
  register: StandingReader,
  head: RunHead,
  open: readonly EffectRow[],
): Promise<RunStanding> {
  const state = `is in the state "${head.stateName}"`
  const own = open.filter(({ kind, status }) => kind !== 'run.start' && status !== 'unknown')
  const children = (await register.children(head.runId)).filter(({ ended }) => !ended)
  const starts = open.filter(({ kind }) => kind === 'run.start')
  const theirs = await Promise.all(
    children.map(async ({ runId }) => ({ runId, ...(await standingOfRun(register, runId)) })),
  )
  const isWaiting =
    own.length === 0 &&
    starts.every(({ status, effectId }) => status === 'started' && hasChild(children, effectId)) &&
    theirs.length > 0 &&
    theirs.every(({ how }) => how === 'waiting')
  const parts = [
    ...own.map(effectWords),
    ...theirs.map(({ runId, words }) => `its run ${runId}, which ${words}`),
  ]
  const waitsFor = parts.length === 0 ? 'the start of a run' : parts.join(', and for ')
  return { how: isWaiting ? 'waiting' : 'busy', words: `${state} and waits for ${waitsFor}` }
}

const hasChild = (children: readonly { readonly effectId: string }[], effectId: string): boolean =>
  children.some((child) => child.effectId === effectId)

const busy = (words: string): RunStanding => ({ how: 'busy', words })

function effectWords({ kind, spec, status, attempt }: EffectRow): string {
  if (kind === 'model.call')
    return status === 'started' ? 'the model to answer' : 'the next call of its model'
  if (kind === 'policy.evaluate') return 'a policy to answer'
  if (kind === 'context.compact') return 'a summary of its conversation'
  const tool = 'tool' in spec ? spec.tool : kind
  return status === 'started' ? `the tool ${tool} (attempt ${attempt})` : `a worker for ${tool}`
}

/** Looks until it is there, or the time is over: then null. */
export async function lookUntil<T>(
  look: () => Promise<T | null>,
  { withinMs, everyMs }: { readonly withinMs: number; readonly everyMs: number },
): Promise<T | null> {
  const end = performance.now() + withinMs
  for (;;) {
    const found = await look()
    if (found !== null) return found
    if (performance.now() >= end) return null
    await sleep(everyMs)
  }
}
