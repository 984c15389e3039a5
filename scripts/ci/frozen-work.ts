/**
 * Work like the engine's, that the engine is not part of: logs of runs that are made, written as canonical JSON, chained by
 * hashes, read again, sorted and counted. It is the unit in which the speed of a machine is told, so it never changes: a
 * test holds what comes out of it.
 */
import { createHash } from 'node:crypto'

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

interface Entry {
  readonly seq: number
  readonly runId: string
  readonly type: string
  readonly payload: Json
}

const types = [
  'run.created',
  'model.completed',
  'tool.completed',
  'run.transitioned',
  'timer.fired',
]
const entriesPerRun = 24

/** Makes and reads this many logs. Answers a digest of all that was found. */
export async function frozenWork(runs: number): Promise<string> {
  const found = new Map<string, number>()
  const unit = numbers(7)
  let chain = ''
  for (let run = 0; run < runs; run++) {
    const log = writeLog(`run-${run}`, unit)
    const text = log.map(canonical)
    for (const line of text) chain = sha256(chain + line)
    const read = text.map((line): Entry => JSON.parse(line))
    for (const entry of read.toSorted((a, b) => order(a, b))) {
      const seen = await Promise.resolve(found.get(entry.type))
      found.set(entry.type, (seen ?? 0) + weightOf(entry.payload))
    }
  }
  return sha256(chain + canonical(Object.fromEntries(found)))
}

function writeLog(runId: string, unit: () => number): readonly Entry[] {
  return Array.from({ length: entriesPerRun }, (_, n) => ({
    seq: n + 1,
    runId,
    type: types[Math.floor(unit() * types.length)] ?? '',
    payload: branch(3, unit),
  }))
}

function branch(depth: number, unit: () => number): Json {
  if (depth === 0) return unit() < 0.5 ? Math.floor(unit() * 1e6) : `text ${unit().toString(36)}`
  const entries = Array.from({ length: 3 }, (_, n): [string, Json] => [
    `${Math.floor(unit() * 100)}-${n}`,
    branch(depth - 1, unit),
  ])
  return unit() < 0.3 ? entries.map(([, value]) => value) : Object.fromEntries(entries)
}

/** Keys in order, as what is hashed is written. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(',')}}`
}

function weightOf(value: Json): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, each: Json) => sum + weightOf(each), 0)
}

const order = (a: Entry, b: Entry): number =>
  a.type === b.type ? b.seq - a.seq : a.type < b.type ? -1 : 1

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Mulberry32: numbers from 0 to 1 that a seed decides. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
