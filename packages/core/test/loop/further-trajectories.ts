/**
 * Trajectories that the hundred do not hold: work that repeats a call with the same result because something else went on between, and loops
 * that vary what makes no difference. Each is a kind of its own.
 */
import type { EffectMode } from '../../src/definition.ts'
import type { JsonObject } from '../../src/json.ts'
import type { Step, Trajectory } from './trajectories.ts'

export const furtherEffects: Readonly<Record<string, EffectMode>> = {
  bash: 'once',
  edit_file: 'once',
  todo_write: 'once',
  browser_click: 'once',
  browser_read: 'read',
  scroll: 'read',
  wait: 'read',
  sleep: 'read',
  status: 'read',
  graphql: 'read',
  tail_log: 'read',
  mcp__crm__find: 'once',
  mcp__db__query: 'once',
  grep: 'read',
  read_file: 'read',
  fetch: 'read',
  search: 'read',
  get_item: 'read',
  pay: 'once',
  move: 'once',
  look: 'read',
  upload_part: 'idempotent',
  translate: 'read',
  ask_user: 'once',
}

const one = (tool: string, args: JsonObject, gives: string): readonly Step[] => [
  { tool, args, gives },
]
/** What a tool that failed, or was denied, gives. */
export const failed = ''
const range = (n: number): readonly number[] => Array.from({ length: n }, (_, at) => at)
const bash = (command: string, gives: string) => one('bash', { command }, gives)
const edit = (n: number) => one('edit_file', { path: `src/${n % 3}.ts`, text: `v${n}` }, 'edited')
const flat = (n: number, sets: (n: number) => Trajectory): Trajectory => range(n).flatMap(sets)

/** Forty kinds of honest work. */
export const furtherHonest: readonly (readonly [string, Trajectory])[] = [
  [
    'tests that fail alike after each edit',
    flat(8, (n) => [edit(n), bash('npm test', '3 failed')]),
  ],
  ['git status between edits', flat(8, (n) => [edit(n), bash('git status -s', ' M src/a.ts')])],
  ['a type check that stays clean', flat(9, (n) => [edit(n), edit(n + 50), bash('npx tsc', '')])],
  [
    'test, edit, test of one part, then all',
    flat(7, (n) => [edit(n), bash(`npm test -- ${n}`, 'ok'), bash('npm test', 'ok')]),
  ],
  [
    'edit, build, deploy, look',
    flat(6, (n) => [
      edit(n),
      bash('make', 'built'),
      bash('make deploy', 'deployed'),
      one('browser_read', {}, `page with edit ${n}`),
    ]),
  ],
  [
    'pages behind one button',
    flat(28, (n) => [
      one('browser_click', { selector: '#next' }, 'clicked'),
      one('browser_read', {}, `page ${n}`),
    ]),
  ],
  [
    'pages behind one button, in one set each',
    flat(28, (n) => [
      [
        ...one('browser_click', { selector: '#next' }, 'clicked'),
        ...one('browser_read', {}, `page ${n}`),
      ],
    ]),
  ],
  ['scrolling on without a look', flat(12, () => [one('scroll', { by: 600 }, 'scrolled')])],
  [
    'scrolling and looking',
    flat(20, (n) => [one('scroll', { by: 600 }, 'scrolled'), one('browser_read', {}, `part ${n}`)]),
  ],
  [
    'waiting for a deployment that says nothing new',
    flat(20, (n) => [
      one('wait', { seconds: 30 }, 'waited'),
      one('status', { id: 'd-1' }, n < 19 ? 'running' : 'done'),
    ]),
  ],
  [
    'polling with a growing pause',
    flat(12, (n) => [
      one('sleep', { seconds: 2 ** Math.min(n, 6) }, 'slept'),
      one('status', { id: 'job' }, 'queued'),
    ]),
  ],
  [
    'waiting and looking in one set',
    flat(20, () => [
      [...one('wait', { seconds: 5 }, 'waited'), ...one('status', { id: 'x' }, 'running')],
    ]),
  ],
  ['a job that counts up slowly', flat(30, (n) => [one('status', { id: 'j' }, `${n >> 1} %`)])],
  [
    'a log that grows',
    flat(25, (n) => [one('tail_log', { path: '/var/log/app', lines: 50 }, `line ${n}`)]),
  ],
  [
    'a log that stands still while things are tried',
    flat(6, (n) => [
      bash(`curl -X POST localhost/${n}`, `answer ${n}`),
      one('tail_log', { path: '/var/log/app' }, 'no errors'),
    ]),
  ],
  [
    'GraphQL with variables',
    flat(30, (n) => [
      one(
        'graphql',
        { query: 'query($a: ID) { item(id: $a) { name } }', variables: { a: n } },
        'x',
      ),
    ]).map((set, n) => set.map((step) => ({ ...step, gives: `item ${n}` }))),
  ],
  [
    'GraphQL cursors in nested objects',
    flat(30, (n) => [
      one(
        'graphql',
        { query: 'query($p: Page)', variables: { page: { after: `c${n}`, first: 20 } } },
        `rows ${n}`,
      ),
    ]),
  ],
  [
    'GraphQL that finds nothing in many places',
    flat(25, (n) => [one('graphql', { query: 'q', variables: { place: n } }, 'null')]),
  ],
  [
    'tools of unknown effect that find nothing in many places',
    flat(30, (n) => [one('mcp__crm__find', { name: `customer ${n}` }, '[]')]),
  ],
  [
    'a parametrised statement of a tool of unknown effect',
    flat(30, (n) => [one('mcp__db__query', { sql: 'select $1', params: [n] }, '1 row')]),
  ],
  [
    'a cursor in an object of its own',
    flat(30, (n) => [one('get_item', { page: { cursor: `c${n}`, size: 10 } }, `rows ${n}`)]),
  ],
  ['many ids that are not there', flat(30, (n) => [one('get_item', { id: n }, 'not found')])],
  ['many words that are nowhere', flat(25, (n) => [one('grep', { pattern: `word${n}` }, '')])],
  [
    'a list of tasks between tasks',
    flat(18, (n) => [one('todo_write', { done: n, items: [`task ${n}`] }, 'ok'), edit(n)]),
  ],
  [
    'reading one file again after each edit of it',
    flat(20, (n) => [
      one('edit_file', { path: 'a.md', text: `v${n}` }, 'edited'),
      one('read_file', { path: 'a.md' }, `text ${n}`),
    ]),
  ],
  [
    'reading one guide again for each file',
    flat(7, (n) => [
      one('read_file', { path: 'STYLE.md' }, 'the style'),
      one('read_file', { path: `src/${n}.ts` }, `code ${n}`),
      edit(n),
    ]),
  ],
  [
    'two guides, read for each file',
    flat(6, (n) => [
      one('read_file', { path: 'STYLE.md' }, 'the style'),
      one('read_file', { path: 'API.md' }, 'the API'),
      one('edit_file', { path: `src/${n}.ts`, text: `v${n}` }, `${n} lines edited`),
    ]),
  ],
  [
    'retries of one call until it works, per item',
    flat(10, (n) => [
      one('pay', { id: n }, failed),
      one('pay', { id: n }, failed),
      one('pay', { id: n }, `paid ${n}`),
    ]),
  ],
  [
    'asking again once somebody has approved',
    flat(8, (n) => [
      one('pay', { id: n }, failed),
      one('ask_user', { about: n }, `yes to ${n}`),
      one('pay', { id: n }, `paid ${n}`),
    ]),
  ],
  [
    'parts of a large upload',
    flat(40, (n) => [one('upload_part', { upload: 'u', part: n }, 'ok')]),
  ],
  [
    'moving through a maze',
    flat(20, (n) => [
      one('move', { to: ['north', 'east', 'north', 'west'][n % 4] ?? '' }, 'moved'),
      one('look', {}, `room ${n}`),
    ]),
  ],
  [
    'one step again and again, with a view of each',
    flat(25, (n) => [[...one('move', { to: 'north' }, 'moved'), ...one('look', {}, `room ${n}`)]]),
  ],
  [
    'the same translation for many texts',
    flat(30, (n) => [one('translate', { text: `sentence ${n}`, to: 'de' }, `Satz ${n}`)]),
  ],
  [
    'bisecting',
    flat(12, (n) => [
      bash(n % 2 ? 'git bisect good' : 'git bisect bad', `now at ${n}`),
      bash('npm test', n % 2 ? 'ok' : 'failed'),
    ]),
  ],
  [
    'a rebase with the same conflict in many commits',
    flat(8, (n) => [
      edit(n),
      bash('git add -A', ''),
      bash('git rebase --continue', `conflict in commit ${n}`),
    ]),
  ],
  [
    'a page that is fetched until it changes, with work between',
    flat(6, (n) => [
      one('fetch', { url: 'https://ci/1' }, 'pending'),
      one('read_file', { path: `notes-${n}.md` }, `notes ${n}`),
    ]),
  ],
  [
    'search, read, note',
    flat(15, (n) => [
      one('search', { query: `topic ${n}` }, `hits ${n}`),
      one('fetch', { url: `https://a/${n}` }, `text ${n}`),
      one('edit_file', { path: 'notes.md', text: `note ${n}` }, 'edited'),
    ]),
  ],
  [
    'a health check between the steps of a migration',
    flat(9, (n) => [bash(`migrate step ${n}`, `step ${n} done`), bash('curl /health', 'ok')]),
  ],
  [
    'a search with another filter each time',
    flat(25, (n) => [one('search', { query: 'flat', filter: { max: 500 + n } }, `hits ${n}`)]),
  ],
  [
    'a checklist in one set each',
    flat(20, (n) => [
      [
        ...one('get_item', { id: n }, `item ${n}`),
        ...one('get_item', { id: 'rules' }, 'the rules'),
      ],
    ]),
  ],
]

const turns = (sets: (n: number) => readonly Step[]): Trajectory => range(60).map(sets)
const cycle = (length: number): Trajectory =>
  turns((n) => one('read_file', { path: `${n % length}.md` }, `text ${n % length}`))
const blanks = [' ', '  ', '\t', '\n', ' \n ']

/** Twenty loops, and the set at which each ends; null: it is not seen, and the budgets of the run end it. */
export const furtherLoops: readonly (readonly [string, Trajectory, number | null])[] = [
  [
    'other blanks',
    turns((n) => one('search', { query: `ports${blanks[n % 5] ?? ''}of Kiel` }, 'nothing')),
    5,
  ],
  [
    'other capitals',
    turns((n) => one('search', { query: n % 2 ? 'Ports' : n % 3 ? 'ports' : 'PORTS' }, 'nothing')),
    5,
  ],
  [
    'keys in another order',
    turns((n) => one('pay', n % 2 ? { id: 1, to: 'ann' } : { to: 'ann', id: 1 }, 'paid')),
    5,
  ],
  [
    'a counter that changes nothing, beside a question',
    turns((n) => one('search', { query: 'ports', attempt: n }, 'nothing')),
    5,
  ],
  [
    'a counter that changes nothing, alone',
    turns((n) => one('look', { attempt: n }, 'a wall')),
    50,
  ],
  [
    'a write whose reason varies',
    turns((n) => one('pay', { id: 1, reason: `attempt ${n}` }, 'refused')),
    50,
  ],
  [
    'in turns with something that does nothing',
    turns((n) =>
      n % 2 ? one('look', {}, 'a wall') : one('search', { query: 'ports' }, 'nothing'),
    ),
    8,
  ],
  [
    'in turns with waiting',
    turns((n) => (n % 2 ? one('wait', { seconds: 1 }, 'waited') : one('look', {}, 'a wall'))),
    null,
  ],
  [
    'three in turns, one with a reason that varies',
    turns((n) => {
      if (n % 3 === 0) return one('read_file', { path: 'a.md' }, 'a')
      if (n % 3 === 1) return one('search', { query: 'b', reason: `attempt ${n}` }, 'b')
      return one('look', {}, 'c')
    }),
    12,
  ],
  [
    'three in turns, one a write whose reason varies',
    turns((n) => {
      if (n % 3 === 0) return one('read_file', { path: 'a.md' }, 'a')
      return n % 3 === 1 ? one('pay', { id: 1, reason: `${n}` }, 'no') : one('look', {}, 'c')
    }),
    null,
  ],
  ['four in turns', cycle(4), 16],
  ['five in turns', cycle(5), 20],
  ['six in turns', cycle(6), 56],
  ['the same failure', turns(() => one('pay', { id: 1 }, failed)), 5],
  [
    'an edit that fails in turns with a test',
    turns((n) =>
      n % 2 ? bash('npm test', 'failed') : one('edit_file', { path: 'a', text: `v${n}` }, failed),
    ),
    10,
  ],
  ['other writes that all fail', turns((n) => one('pay', { id: n }, failed)), 50],
  [
    'edits that never change what the test says',
    turns((n) => (n % 2 ? bash('npm test', 'failed') : edit(n * 7))),
    18,
  ],
  [
    'words that drift slowly',
    turns((n) => one('search', { query: `ports${' of Kiel'.repeat(n >> 3)}` }, 'nothing')),
    5,
  ],
  [
    'the same two in one set, in either order',
    turns((n) => {
      const two = [...one('look', {}, 'x'), ...one('search', { query: 'y' }, 'z')]
      return n % 2 ? two : two.toReversed()
    }),
    5,
  ],
  [
    'the same lines of a file, a few more each time',
    turns((n) => one('read_file', { path: 'a.md', start_line: 1, end_line: 20 + n }, 'text')),
    5,
  ],
]
