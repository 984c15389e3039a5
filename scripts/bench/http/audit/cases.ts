/** What is asked of the audit: every filter alone, in the easy and in the hard way, pairs, counts and saved queries. */
import type { Samples } from './samples.ts'

export interface Case {
  readonly name: string
  /** Path and query, each time with other values where there are some. */
  readonly path: (n: number) => string
  /** The plainest SQL that means the same: what follows `where`, or a whole statement. */
  readonly sql: (n: number) => string
}

type Words = Readonly<Record<string, string>>

const start = "select * from signalbox.event e where e.tenant_id = 'default'"
const visible = 'e.xid < pg_snapshot_xmin(pg_current_snapshot())'
const page = 'order by e.xid, e.gpos limit 100'

/** A page of the feed where these filters hold, and the conditions that say so. */
const feed = (
  name: string,
  of: (n: number) => { readonly query: Words; readonly where: readonly string[] },
): Case => ({
  name,
  path: (n) => `/events?${new URLSearchParams({ ...of(n).query, limit: '100' })}`,
  sql: (n) => [start, visible, ...of(n).where].join(' and ') + ` ${page}`,
})

/** Values are our own: letters, digits, dots, colons and dashes. */
const is = (column: string, value: string): string => `e.${column} = '${value}'`
const ofRun = (column: string, value: string): string =>
  `exists (select from signalbox.run r where r.id = e.run_id and r.${column} = '${value}')`
const ofEndUser = (value: string): string =>
  `exists (select from signalbox.end_user_run u where u.run_id = e.run_id and u.end_user = '${value}')`
const between = (since: string, until: string): string => `e.at >= '${since}' and e.at < '${until}'`

const plain = (column: string, value: string): Case =>
  feed(`${column}=${value}`, () => ({ query: { [column]: value }, where: [is(column, value)] }))
const aboutRun = (column: string, value: string): Case =>
  feed(`${column}=${value}`, () => ({ query: { [column]: value }, where: [ofRun(column, value)] }))

/** One value of a list each time. */
const turn = <T>(values: readonly T[], n: number): T => {
  const value = values[n % values.length]
  if (value === undefined) throw new Error('the register has none of these')
  return value
}

/** Pages of the feed. */
export const feedCases = (samples: Samples): readonly Case[] => {
  const { from, to, days, newest } = samples
  const dayOf = (n: number) => turn(days, n)
  return [
    feed('no filter', () => ({ query: {}, where: [] })),
    feed('after', (n) => {
      const { position, xid, gpos } = turn(samples.positions, n)
      return { query: { after: position }, where: [`(e.xid, e.gpos) > ('${xid}', ${gpos})`] }
    }),
    plain('type', 'model.completed'),
    plain('type', 'call.denied'),
    plain('type', 'guardrail.tripped'),
    feed('thread_id', (n) => ({
      query: { thread_id: turn(samples.threads, n) },
      where: [is('thread_id', turn(samples.threads, n))],
    })),
    feed('run_id', (n) => ({
      query: { run_id: turn(samples.runs, n) },
      where: [is('run_id', turn(samples.runs, n))],
    })),
    plain('tool', 'search'),
    plain('tool', 'refund'),
    plain('actor', 'host-0.1.f00d'),
    plain('actor', 'host-9.1.beef'),
    feed('actor=user', (n) => ({
      query: { actor: `user:${n % 500}` },
      where: [is('actor', `user:${n % 500}`)],
    })),
    plain('verdict', 'complete'),
    plain('verdict', 'denied'),
    plain('verdict', 'pii'),
    aboutRun('agent', 'writer'),
    aboutRun('agent', 'newcomer'),
    aboutRun('outcome', 'completed'),
    aboutRun('outcome', 'safety_stopped'),
    feed('end_user', (n) => ({
      query: { end_user: turn(samples.endUsers, n) },
      where: [ofEndUser(turn(samples.endUsers, n))],
    })),
    feed('since the last day', () => ({ query: { since: newest }, where: [between(newest, to)] })),
    feed('until the first day', () => ({
      query: { until: days[0]?.[1] ?? to },
      where: [between(from, days[0]?.[1] ?? to)],
    })),
    feed('since+until, a day', (n) => {
      const [since, until] = dayOf(n)
      return { query: { since, until }, where: [between(since, until)] }
    }),
    feed('type+tool, both new', () => ({
      query: { type: 'tool.failed', tool: 'refund' },
      where: [is('type', 'tool.failed'), is('tool', 'refund')],
    })),
    feed('type+since+until', (n) => {
      const [since, until] = dayOf(n)
      const query = { type: 'model.completed', since, until }
      return { query, where: [is('type', 'model.completed'), between(since, until)] }
    }),
    feed('tool+verdict', () => ({
      query: { tool: 'search', verdict: 'denied' },
      where: [is('tool', 'search'), is('verdict', 'denied')],
    })),
    feed('type+agent, a new one', () => ({
      query: { type: 'call.denied', agent: 'newcomer' },
      where: [is('type', 'call.denied'), ofRun('agent', 'newcomer')],
    })),
    feed('agent+since, the last day', () => ({
      query: { agent: 'newcomer', since: newest },
      where: [ofRun('agent', 'newcomer'), between(newest, to)],
    })),
    feed('type+outcome', () => ({
      query: { type: 'safety.suppressed', outcome: 'completed' },
      where: [is('type', 'safety.suppressed'), ofRun('outcome', 'completed')],
    })),
    feed('type+end_user', (n) => ({
      query: { type: 'model.completed', end_user: turn(samples.endUsers, n) },
      where: [is('type', 'model.completed'), ofEndUser(turn(samples.endUsers, n))],
    })),
    search('river'),
    search('platypus'),
    search('nowhere'),
  ]
}

/** A step of a search looks at ten thousand events; by hand, as text. */
const search = (word: string): Case => ({
  name: `q=${word}`,
  path: () => `/events?q=${word}&limit=100`,
  sql: () =>
    `select * from (${start} and ${visible} order by e.xid, e.gpos limit 10000) e
     where e.payload::text ilike '%${word}%' limit 100`,
})

const statsBy = ['type', 'tool', 'verdict', 'actor', 'hour', 'day'] as const
const statsByRun = ['agent', 'outcome', 'end_user'] as const

const grouped: Readonly<Record<(typeof statsBy)[number] | (typeof statsByRun)[number], string>> = {
  type: 'type',
  tool: 'tool',
  verdict: 'verdict',
  actor: 'actor',
  hour: "date_trunc('hour', at)",
  day: "date_trunc('day', at)",
  agent: 'r.agent',
  outcome: 'r.outcome',
  end_user: 'u.end_user',
}

const joined = (key: keyof typeof grouped): string => {
  if (key === 'end_user') return 'left join signalbox.end_user_run u on u.run_id = e.run_id'
  return key === 'agent' || key === 'outcome' ? 'join signalbox.run r on r.id = e.run_id' : ''
}

/** Counts by each key: of a day, of a month, and of everything. */
export const statsCases = ({ days, months, from, to }: Samples): readonly Case[] =>
  [...statsBy, ...statsByRun].flatMap((key) =>
    [
      { of: 'a day', spans: days },
      { of: 'a month', spans: months },
      { of: 'everything', spans: [[from, to] as const] },
    ].map(({ of, spans }) => ({
      name: `stats by ${key}, ${of}`,
      path: (n: number) => {
        const [since, until] = turn(spans, n)
        return `/events/stats?${new URLSearchParams({ group_by: key, since, until })}`
      },
      sql: (n: number) => {
        const [since, until] = turn(spans, n)
        return `select ${grouped[key]}, count(*) from signalbox.event e ${joined(key)}
          where e.tenant_id = 'default' and ${visible} and ${between(since, until)} group by 1`
      },
    })),
  )

const answering = (
  types: string,
  name: string,
  query: (n: number) => Words = () => ({}),
): Case => ({
  name: `query ${name}`,
  path: (n) => `/events/queries/${name}?${new URLSearchParams({ ...query(n), limit: '100' })}`,
  sql: (n) => {
    const { since, until } = query(n)
    const span = since && until ? [between(since, until)] : []
    return [start, visible, `e.type in (${types})`, ...span].join(' and ') + ` ${page}`
  },
})

/** Saved queries; by hand only the events that answer them, without what is told of their calls. */
export const questionCases = ({ days }: Samples): readonly Case[] => [
  answering("'call.denied', 'tool.denied'", 'denied_calls'),
  answering("'tool.unknown'", 'unknown_outcomes'),
  answering("'approval.answered', 'approval.reused', 'approval.expired'", 'approvals'),
  answering("'safety.suppressed'", 'safety_stops'),
  answering("'effect.started'", 'executed_calls', (n) => {
    const [since, until] = turn(days, n)
    return { since, until }
  }),
  answering("'effect.started'", 'file_changes', (n) => ({ path: `reports/${n % 5000}.md` })),
]
