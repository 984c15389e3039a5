/** The fuzzer: so many requests from a seed, several at once, and the smallest one that shows what is wrong. */
import fc from 'fast-check'
import { KnownIds } from './known-ids.ts'
import { asCurl, type FuzzRequest } from './request.ts'
import { requests } from './requests.ts'
import { wrongWith } from './judge.ts'
import type { Scene } from './scene.ts'
import { createAgent, type Received, send } from './send.ts'

export interface Fuzzed {
  readonly sent: number
  /** How often each status was answered; `hang` and `cut` where none was. */
  readonly statuses: ReadonlyMap<string, number>
  /** Operations that answered 2xx at least once, as `GET /path`. */
  readonly reached: ReadonlySet<string>
  /** The longest time until an answer began. Milliseconds. */
  readonly slowest: { readonly ms: number; readonly what: string }
  readonly failures: readonly string[]
}

export interface FuzzOptions {
  readonly requests: number
  readonly seed: number
  /** Requests on their way at the same time. Each lane has its part of the seed. */
  readonly lanes?: number
}

const lanesDefault = 4

/** Sends requests and judges what comes back. */
export async function fuzz(scene: Scene, options: FuzzOptions): Promise<Fuzzed> {
  const { requests: total, seed, lanes = lanesDefault } = options
  const statuses = new Map<string, number>()
  const reached = new Set<string>()
  const agent = createAgent()
  let sent = 0
  let slowest = { ms: 0, what: '' }
  const known = new KnownIds()
  const judged = async (made: FuzzRequest): Promise<string | null> => {
    const request = known.filled(made)
    const began = performance.now()
    const outcome = await send(agent, scene.base, request)
    const ms = Math.round(performance.now() - began)
    if (ms > slowest.ms) slowest = { ms, what: `${request.method} ${request.path.slice(0, 100)}` }
    sent += 1
    const status = outcome.kind === 'answer' ? String(outcome.answer.status) : outcome.kind
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    const operation = scene.law.document.operationOf(request.method, request.path)
    if (operation && status.startsWith('2')) reached.add(`${operation.method} ${operation.path}`)
    if (outcome.kind === 'answer' && status.startsWith('2')) known.learn(jsonOf(outcome.answer))
    const wrong = wrongWith(scene.law, request, outcome)
    return wrong && `${wrong}\n  ${asCurl(scene.base, request)}`
  }
  const any = requests(scene.material)
  const lane = async (n: number): Promise<string[]> => {
    const property = fc.asyncProperty(any, async (request) => {
      const wrong = await judged(request)
      if (wrong !== null) throw new Error(wrong)
    })
    const numRuns = Math.floor(total / lanes) + (n < total % lanes ? 1 : 0)
    const details = await fc.check(property, { seed: seed + n, numRuns })
    if (!details.failed) return []
    const why =
      details.errorInstance instanceof Error ? details.errorInstance.message : 'it was interrupted'
    return [
      `${why}\n  seed ${seed}, request ${details.numRuns} of lane ${n}, smallest of ${details.numShrinks}`,
    ]
  }
  const failures = await Promise.all(Array.from({ length: lanes }, (_, n) => lane(n)))
  agent.destroy()
  return { sent, statuses, reached, slowest, failures: failures.flat() }
}

/** Null where it is no JSON, or only a part of it. */
function jsonOf({ headers, isWhole, text }: Received): unknown {
  if (!isWhole || !headers.get('content-type')?.startsWith('application/json')) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
