/** Asks every case over HTTP and by hand, one request at a time: first with nothing in Postgres' own cache, then warm. */
import pg from 'pg'
import { round } from '../../cost.ts'
import { spreadOf, type Tell } from '../result.ts'
import { type Case, feedCases, questionCases, statsCases } from './cases.ts'
import { readSamples } from './samples.ts'

const timesMax = 120
const timesMin = 5
/** A case that is slow is asked less often. */
const msPerCase = 4_000

interface Asked {
  readonly coldMs: number
  readonly times: readonly number[]
  /** Requests that were told to be narrower; the database gives up on them after five seconds. */
  readonly refused: number
}

export async function measureAudit(
  at: { readonly url: string; readonly adminUrl: string },
  tell: Tell,
): Promise<void> {
  const samples = await readSamples(at.adminUrl)
  const client = new pg.Client(at.adminUrl)
  await client.connect()
  try {
    await client.query(
      'create extension if not exists pg_buffercache; set statement_timeout = 20000',
    )
    const cases = [...feedCases(samples), ...statsCases(samples), ...questionCases(samples)]
    for (const each of cases) await measureCase(each, { client, url: at.url }, tell)
  } finally {
    await client.end()
  }
}

async function measureCase(
  { name, path, sql }: Case,
  { client, url }: { readonly client: pg.Client; readonly url: string },
  tell: Tell,
): Promise<void> {
  const forget = async () => {
    await client.query('select pg_buffercache_evict_all()')
  }
  const ours = await ask(forget, async (n) => {
    const response = await fetch(`${url}${path(n)}`)
    await response.arrayBuffer()
    if (response.status === 200) return true
    if (response.status === 422) return false
    throw new Error(`${path(n)} answered ${response.status}`)
  })
  const hand = await ask(forget, async (n) => {
    try {
      JSON.stringify((await client.query(sql(n))).rows)
      return true
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === '57014') return false
      throw error
    }
  })
  const figures = spreadOf(ours.times)
  const floor = spreadOf(hand.times)
  tell({
    bench: 'audit',
    what: name,
    figures: { ...figures, ...about(ours) },
    floor: { ...floor, ...about(hand) },
    ratio: round(figures.p50Ms / floor.p50Ms),
  })
}

const about = ({ coldMs, times, refused }: Asked) => ({
  coldMs: round(coldMs),
  asked: times.length,
  ...(refused > 0 ? { refused } : {}),
})

async function ask(
  forget: () => Promise<void>,
  once: (n: number) => Promise<boolean>,
): Promise<Asked> {
  const times: number[] = []
  let refused = 0
  const timed = async (n: number): Promise<number> => {
    const began = performance.now()
    if (!(await once(n))) refused += 1
    return performance.now() - began
  }
  await forget()
  const coldMs = await timed(0)
  const until = performance.now() + msPerCase
  while (times.length < timesMax && (times.length < timesMin || performance.now() < until))
    times.push(await timed(times.length + 1))
  return { coldMs, times, refused }
}
