/** Walks the loop check through sets and their results, as the machine would: judge, take in the results, close. */
import type { z } from 'zod'
import type { Json } from '../../src/index.ts'
import { LoopConfig } from '../../src/verdict/loop/config.ts'
import { setKey } from '../../src/verdict/loop/keys.ts'
import { closeSet, takeResult } from '../../src/verdict/loop/results.ts'
import { emptyLoop, type LoopState } from '../../src/verdict/loop/state.ts'
import { judgeSet, type LoopVerdict } from '../../src/verdict/loop/verdict.ts'
import { digest } from '../support/facts.ts'

export interface Call {
  readonly name: string
  readonly args: Json
  /** What the call gives; default: always the same. */
  readonly gives?: string
  /** Default: false, so that sets do not stagnate. */
  readonly reads?: boolean
}

export type Loop = z.input<typeof LoopConfig>

export interface Walked {
  readonly state: LoopState
  readonly verdicts: readonly (LoopVerdict | null)[]
  /** State after each set. */
  readonly states: readonly LoopState[]
}

export const toolNames = ['search', 'read_file', 'write_file', 'status', 'constructor']

export const call = (name: string, query: string, gives = 'same'): Call => ({
  name,
  args: { query },
  gives,
})

export const search = (query: string, gives?: string): readonly Call[] => [
  call('search', query, gives),
]

/** A set of one reading call. */
export const look = (query: string, gives: string): readonly Call[] => [
  { ...call('search', query, gives), reads: true },
]

export const times = <T>(n: number, one: T): readonly T[] => Array.from({ length: n }, () => one)

export const callSet = (calls: readonly Call[]): string =>
  calls.length === 0 ? '' : digest(setKey(calls))

/** All sets, one after the other; a stopped one is not executed, what follows is still judged. */
export function walk(
  loop: Loop,
  sets: readonly (readonly Call[])[],
  from: LoopState = emptyLoop,
): Walked {
  const config = LoopConfig.parse(loop)
  let state = from
  const verdicts: (LoopVerdict | null)[] = []
  const states: LoopState[] = []
  for (const calls of sets) {
    const asked = { set: callSet(calls), tools: calls.map(({ name }) => name) }
    const judged = judgeSet({ config, toolNames }, state, asked)
    state = judged.state
    for (const { gives = 'same', reads = false } of calls)
      state = takeResult(state, { digest: digest(gives), reads })
    state = closeSet(config, state)
    verdicts.push(judged.verdict)
    states.push(state)
  }
  return { state, verdicts, states }
}

/** Verdicts as `action count`, of one layer; empty for none. */
export const told = (walked: Walked, layer: LoopVerdict['layer']): readonly string[] =>
  walked.verdicts.map((verdict) =>
    verdict?.layer === layer ? `${verdict.action} ${verdict.count}` : '',
  )
