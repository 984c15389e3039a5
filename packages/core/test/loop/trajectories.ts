/**
 * Trajectories of agents, written as an agent works: what it asks for and what comes back. Honest ones repeat tools, files and
 * pages, and get somewhere; loops do not.
 */
import type { EffectMode } from '../../src/definition.ts'
import type { JsonObject } from '../../src/json.ts'

export interface Step {
  readonly tool: string
  readonly args: JsonObject
  readonly gives: string
}

/** Sets of calls, in order. */
export type Trajectory = readonly (readonly Step[])[]

export const effects: Readonly<Record<string, EffectMode>> = {
  mcp__fs__write_file: 'once',
  read_file: 'read',
  sql: 'read',
  sql_exec: 'once',
  http_request: 'once',
  fetch: 'read',
  search: 'read',
  list_items: 'read',
  job_status: 'read',
  run_command: 'once',
  update_file: 'idempotent',
  get_ticket: 'read',
  update_ticket: 'once',
  send_mail: 'once',
  think: 'read',
}

const one = (tool: string, args: JsonObject, gives: string): readonly Step[] => [
  { tool, args, gives },
]
const range = (n: number): readonly number[] => Array.from({ length: n }, (_, at) => at)

type Shape = (size: number, seed: number) => Trajectory

const drafts: Shape = (size, seed) =>
  range(size).map((n) =>
    n % 5 === 4
      ? one('read_file', { path: `notes-${seed}-${n}.md` }, `notes ${n}`)
      : one('mcp__fs__write_file', { path: `report-${seed}.md`, content: `draft ${n}` }, 'ok'),
  )

const pages: Shape = (size, seed) =>
  range(size).flatMap((n) =>
    n % 12 === 11
      ? [one('think', { note: `page ${n} of ${seed}` }, `noted ${n}`)]
      : [
          one(
            'list_items',
            { query: `open ${seed}`, page: n },
            `items ${n * 20} to ${n * 20 + 19}`,
          ),
        ],
  )

const cursors: Shape = (size, seed) =>
  range(size).map((n) =>
    one(
      n % 2 ? 'fetch' : 'search',
      n % 2 ? { url: `https://api/${seed}?cursor=${n}` } : { query: `q${seed}`, cursor: `c${n}` },
      `rows ${n}`,
    ),
  )

const polling: Shape = (size, seed) =>
  range(size).map((n) =>
    n % 7 === 6
      ? one('send_mail', { to: `team-${seed}@example.com`, body: `at ${n}` }, 'sent')
      : one('job_status', { id: `job-${seed}` }, `${Math.floor(n / 2)} of ${size} parts`),
  )

const queries: Shape = (size, seed) =>
  range(size).map((n) =>
    n % 3 === 2
      ? one(
          'sql_exec',
          { query: 'update orders set state = $1 where id = $2', params: ['paid', n + seed] },
          '1 row',
        )
      : one(
          'sql',
          { query: 'select * from orders where id = $1', params: [n + seed] },
          `order ${n + seed}`,
        ),
  )

const requests: Shape = (size, seed) =>
  range(size).map((n) =>
    n % 4 === 3
      ? one('fetch', { url: `https://shop/${seed}/orders/${n}` }, `order ${n}`)
      : one(
          'http_request',
          { method: 'POST', url: `https://shop/${seed}/orders`, body: { item: n } },
          '201',
        ),
  )

const retries: Shape = (size, seed) =>
  range(size).map((n) => {
    const task = Math.floor(n / 3)
    const failed = n % 3 < 2 && task % 2 === 0
    return one(
      'http_request',
      { method: 'PUT', url: `https://cms/${seed}/${task}`, body: { v: task } },
      failed ? '503' : `saved ${n}`,
    )
  })

const repository: Shape = (size, seed) =>
  range(size).map((n) =>
    n % 3 === 0
      ? one('read_file', { path: `src/${seed}/${n % 9}.ts`, start_line: 1 + 300 * n }, `lines ${n}`)
      : one(
          'update_file',
          { repo: 'app', path: `src/${seed}.ts`, content: `version ${n}` },
          'committed',
        ),
  )

const testing: Shape = (size, seed) =>
  range(size).map((n) =>
    n % 2
      ? one('run_command', { command: 'npm test' }, `${size - n} failed in ${900 + n * 3} ms`)
      : one(
          'update_file',
          { repo: `r${seed}`, path: 'src/a.ts', content: `fix ${n}` },
          'committed',
        ),
  )

const tickets: Shape = (size, seed) =>
  range(size).map((n) =>
    n % 2
      ? one('update_ticket', { id: seed * 100 + n, state: 'done' }, 'ok')
      : [
          { tool: 'get_ticket', args: { id: seed * 100 + n + 1 }, gives: `ticket ${n}` },
          { tool: 'search', args: { query: `ticket ${seed * 100 + n}` }, gives: `hits ${n}` },
        ],
  )

const shapes = [
  drafts,
  pages,
  cursors,
  polling,
  queries,
  requests,
  retries,
  repository,
  testing,
  tickets,
]

/** A hundred honest ones, of 20 to 56 sets. */
export const honest: readonly (readonly [string, Trajectory])[] = shapes.flatMap((shape) =>
  range(10).map((seed) => {
    const size = 20 + seed * 4
    return [`${shape.name}, ${size} sets`, shape(size, seed)] as const
  }),
)

const repeat = (sets: Trajectory): Trajectory => range(60).map((n) => sets[n % sets.length] ?? [])
const varied =
  (tool: string, args: JsonObject) =>
  (n: number): readonly Step[] =>
    one(tool, { ...args, reason: `attempt ${n}`, limit: n }, 'nothing')

const same: readonly Trajectory[] = [
  repeat([one('search', { query: 'ports' }, 'nothing')]),
  range(60).map(varied('search', { query: 'ports' })),
  range(60).map(varied('fetch', { url: 'https://a' })),
  range(60).map(varied('read_file', { path: 'a.md', start_line: 3 })),
  range(60).map((n) => one('read_file', { path: 'a.md', start_line: 1 + n, end_line: 40 }, 'text')),
  repeat([one('sql', { query: 'select 1', params: [] }, '1')]),
  repeat([one('send_mail', { to: 'ann@example.com', body: 'hello' }, 'sent')]),
  repeat([one('http_request', { method: 'POST', url: 'https://a', body: {} }, '500')]),
  repeat([one('mcp__fs__write_file', { path: 'a', content: 'b' }, 'ok')]),
  repeat([[...one('search', { query: 'a' }, 'x'), ...one('search', { query: 'b' }, 'y')]]),
]

const inTurns = (length: number): readonly Trajectory[] =>
  range(10).map((seed) =>
    repeat(
      range(length).map((n) =>
        (n + seed) % 2
          ? one('read_file', { path: `${seed}-${n}.md` }, `text ${n}`)
          : one('update_ticket', { id: seed, state: `s${n}` }, 'ok'),
      ),
    ),
  )

const drift: readonly Trajectory[] = range(10).map((seed) =>
  range(60).map((n) =>
    one(seed % 2 ? 'search' : 'sql', { query: `ports ${seed} ${n}` }, 'nothing'),
  ),
)

/** Forty loops, and the set at which the documentation says that they end. */
export const loops: readonly (readonly [string, Trajectory, number])[] = [
  ...same.map((sets, n) => [`the same call, ${n}`, sets, 5] as const),
  ...inTurns(2).map((sets, n) => [`two in turns, ${n}`, sets, 8] as const),
  ...inTurns(3).map((sets, n) => [`three in turns, ${n}`, sets, 12] as const),
  ...drift.map((sets, n) => [`other words, nothing new, ${n}`, sets, 50] as const),
]
