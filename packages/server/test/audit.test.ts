/**
 * The audit over HTTP: filters, free text, counts, saved queries, and the feed as a file in each form. Would catch: a
 * question whose answer needs another one, an export that spreadsheets execute, a file that cannot be resumed.
 */
import { TooBroad } from '@signalbox/postgres'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { columns, type Row } from '../src/http/audit/columns.ts'
import { csvTexts } from '../src/http/audit/csv.ts'
import { inBounds } from '../src/http/audit/in-bounds.ts'
import { args, audited } from './support/audited.ts'
import { call, eventually } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

let box: TestSignalbox
const get = (path: string) => call(box.api, 'GET', path)
const ids: Record<string, string> = {}
let total = 0

async function ask(agent: string, as: string, input: string): Promise<void> {
  const body = { assistant_id: agent, input }
  const headers = { 'x-user': as, 'idempotency-key': `key-${agent}` }
  const { body: values } = await call(box.api, 'POST', '/runs/wait', { body, headers })
  ids[agent] = values.run.run_id
}

beforeAll(async () => {
  box = await startTest(audited)
  await Promise.all([
    ask('asker', 'ann', 'Write it.'),
    ask('denier', 'ann', 'Look.'),
    ask('filtered', 'bob', 'Write it.'),
    ask('reader', 'bob', 'Look at =SUM(A1).'),
    ask('loser', 'bob', 'Vanish.'),
  ])
  const { body: waiting } = await get(`/approvals?run_id=${ids['asker']}`)
  await call(box.api, 'POST', `/approvals/${waiting[0].approval_id}`, {
    body: { decision: 'approve', note: 'Fine with me.' },
    headers: { 'x-user': 'zoe' },
  })
  await call(box.api, 'GET', `/runs/${ids['asker']}/join`)
  await call(box.api, 'POST', '/assistants', { body: { graph_id: 'reader' } })
  // The feed waits for whoever writes at the moment.
  total = await eventually(async () => {
    const heads = await Promise.all(
      Object.values(ids).map((id) => get(`/runs/${id}/events?limit=1000`)),
    )
    const written = heads.reduce((sum, { body }) => sum + body.events.length, 0)
    const { body } = await get('/events?limit=1000')
    const ofRuns = body.events.filter(({ run_id }: Seen) => Object.values(ids).includes(run_id))
    return ofRuns.length === written ? written : undefined
  })
})
beforeEach(() => box.settled())
afterAll(() => box?.stop())

interface Seen {
  readonly run_id: string
  readonly type: string
  readonly position: string
  readonly payload: Readonly<Record<string, string>>
}
const events = async (query: string): Promise<readonly Seen[]> => {
  const { status, body } = await get(`/events?limit=1000&${query}`)
  expect(status).toBe(200)
  return body.events
}
const runsOf = (found: readonly Seen[]) => [...new Set(found.map(({ run_id }) => run_id))]

describe('filters', () => {
  it('find the events of runs by agent, outcome and end user, of several values each', async () => {
    expect(runsOf(await events('agent=reader'))).toEqual([ids['reader']])
    const two = await events('agent=reader&agent=filtered&type=run.created&type=run.admitted')
    expect(two).toHaveLength(4)
    expect(new Set(runsOf(two))).toEqual(new Set([ids['reader'], ids['filtered']]))
    expect(runsOf(await events('outcome=safety_stopped'))).toEqual([ids['filtered']])
    const [created] = await events('run_id=key-filtered&type=run.created')
    const bobs = await events(`end_user=${created?.payload['endUser']}`)
    expect(new Set(runsOf(bobs))).toEqual(new Set([ids['filtered'], ids['reader'], ids['loser']]))
    expect(await events('end_user=bob')).toEqual([])
    expect(await events('run_id=key-filtered&run_id=nobody')).not.toEqual([])
  })

  it('find denials and flags by their rule or code (§19 audit 3)', async () => {
    const denied = await events('rule=oap.tool_not_allowed')
    expect(denied.map(({ type, run_id }) => [type, run_id])).toEqual([
      ['call.denied', ids['denier']],
    ])
    expect(await events('rule=oap.tool_not_allowed&rule=bash.sudo&verdict=denied')).toEqual(denied)
    expect(await events('rule=bash.sudo')).toEqual([])
    expect(await events('rule=oap.tool_not_allowed&type=call.flagged')).toEqual([])
    const counts = await get('/events/stats?rule=oap.tool_not_allowed&group_by=agent')
    expect(counts.body.groups).toEqual([{ agent: 'denier', count: 1 }])
  })

  it('find text in messages, arguments, answers and notes, not arguments that were taken out', async () => {
    expect(runsOf(await events('q=tides%20of%20march'))).toEqual([ids['reader']])
    expect(runsOf(await events('q=fine%20with'))).toEqual([ids['asker']])
    expect(runsOf(await events(`q=${encodeURIComponent('"quoted"')}`))).toEqual([ids['asker']])
    expect(await events('q=tides&agent=asker')).toEqual([])
  })

  const mistakes: readonly (readonly [path: string, field: string])[] = [
    ['/events?limit=1001', 'limit'],
    ['/events?limit=100001&format=csv', 'limit'],
    ['/events?format=xml', 'format'],
    ['/events?q=', 'q'],
    [`/events?${'type=x&'.repeat(21)}`, 'type'],
    ['/events/stats?group_by=type,type', 'group_by'],
    ['/events/stats?group_by=type,tool,agent,hour', 'group_by'],
    ['/events/stats?group_by=payload', 'group_by'],
    ['/events/stats?of=threads', 'of'],
    ['/usage?by=tool', 'by'],
    ['/usage?by=user,user', 'by'],
    ['/usage?since=2026-11-02&until=2026-11-01', 'until'],
    ['/usage?since=yesterday', 'since'],
    ['/events/queries/file_changes', 'path'],
    ['/events/queries/executed_calls?since=2020-01-01', 'until'],
    ['/events/queries/denied_calls?path=x', 'path'],
    ['/events/queries/denied', 'name'],
  ]
  it.each(mistakes)('refuse %s by naming %s', async (path, field) => {
    const { status, body } = await get(path)
    expect(status).toBe(field === 'name' ? 404 : 422)
    expect(body.field).toMatch(new RegExp(`^${field}`))
  })
})

it('that are too broad are answered with what to do', async () => {
  const tooBroad = inBounds(() => Promise.reject(new TooBroad('too long')))
  await expect(tooBroad).rejects.toMatchObject({ code: 'question_too_broad' })
})

describe('counts', () => {
  it('are those of the events, by each key and by several', async () => {
    const all = await events('')
    const { body } = await get('/events/stats')
    expect(body).toMatchObject({ group_by: ['type'], truncated: false })
    const counted = Object.fromEntries(
      body.groups.map((group: { type: string; count: number }) => [group.type, group.count]),
    )
    const expected = Object.groupBy(all, ({ type }) => type)
    for (const [type, found = []] of Object.entries(expected))
      expect([type, counted[type]]).toEqual([type, found.length])
    expect(Object.keys(counted)).toHaveLength(Object.keys(expected).length)
    const by = await get('/events/stats?group_by=agent,tool,verdict&verdict=denied')
    expect(by.body.groups).toEqual([{ agent: 'denier', tool: 'look', verdict: 'denied', count: 1 }])
    const users = await get('/events/stats?group_by=end_user&type=run.created')
    expect(users.body.groups.map((group: { count: number }) => group.count)).toEqual([3, 2])
    const days = await get('/events/stats?group_by=day,hour&limit=1')
    expect(days.body.groups[0].day).toMatch(/^\d{4}-\d\d-\d\dT00:00:00Z$/)
    expect(days.body.groups[0].hour).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00Z$/)
    // Of runs, each counts once, however many such events it has.
    const runs = await get('/events/stats?of=runs&group_by=agent&type=run.transitioned')
    expect(runs.body.groups).toHaveLength(5)
    for (const group of runs.body.groups) expect(group.count).toBe(1)
    const few = await get('/events/stats?limit=1')
    expect(few.body).toMatchObject({ truncated: true, groups: { length: 1 } })
    const text = await get('/events/stats?q=tides&group_by=agent')
    expect(text.body.groups.map((group: { agent: string }) => group.agent)).toEqual(['reader'])
  })
})

const answers = async (query: string) => {
  const { status, body } = await get(`/events/queries/${query}`)
  expect([query, status, body.next]).toEqual([query, 200, null])
  return body.rows
}

describe('saved queries', () => {
  it('are listed with what they need, and answer in their columns', async () => {
    const { body } = await get('/events/queries')
    const mustBeEmpty = 'unapproved_calls'
    const answered: unknown[] = []
    const expected: unknown[] = []
    for (const { name, needs, columns: described } of body) {
      const given = needs.map(
        (need: string) => `${need}=${need === 'path' ? 'a.txt' : need === 'since' ? 0 : 9e12}`,
      )
      const [row] = await answers(`${name}?${given.join('&')}`)
      const names = described.map((column: { name: string }) => column.name)
      answered.push([name, row === undefined ? null : Object.keys(row)])
      expected.push([name, name === mustBeEmpty ? null : names])
    }
    expect(answered).toEqual(expected)
  })

  it('tell every denied call, with its arguments and why', async () => {
    expect(await answers('denied_calls')).toMatchObject([
      {
        run_id: ids['denier'],
        agent: 'denier',
        user: 'ann',
        tool: 'look',
        arguments: { path: 'notes/a.txt' },
        code: expect.stringMatching(/./),
        reason: expect.stringMatching(/look/),
      },
    ])
  })

  it('tell every unknown outcome, and what was said of it', async () => {
    const about = { tool: 'vanish', arguments: { path: 'other.txt' }, reason: 'not_settled' }
    const [row, ...more] = await answers('unknown_outcomes')
    expect(more).toEqual([])
    expect(row).toMatchObject({ ...about, resolution: null, attempt: '1' })
    await call(box.api, 'POST', `/runs/${ids['loser']}/effects/${row.effect_id}/resolve`, {
      body: { resolution: 'not_happened', note: 'Asked them.' },
      headers: { 'x-user': 'zoe' },
    })
    const [later] = await eventually(async () => {
      const found = await answers('unknown_outcomes')
      return found[0].resolution === null ? undefined : found
    })
    expect(later).toMatchObject({
      resolution: 'not_happened',
      resolved_by: 'user:zoe',
      note: 'Asked them.',
    })
  })

  it('tell who approved what', async () => {
    expect(await answers('approvals')).toMatchObject([
      {
        run_id: ids['asker'],
        user: 'ann',
        by: 'zoe',
        decision: 'approve',
        tool: 'write',
        arguments: args,
        note: 'Fine with me.',
        requester: 'user:ann',
        approver: 'user:zoe',
        four_eyes: true,
      },
    ])
  })

  it('tell every safety stop with its end user, and never what was taken out', async () => {
    const stops = await answers('safety_stops')
    expect(stops).toMatchObject([
      {
        run_id: ids['filtered'],
        user: 'bob',
        end_user: expect.stringMatching(/^u_/),
        tools: ['write'],
      },
    ])
    expect(stops[0].evidence.map((each: { value: string }) => each.value)).toContain(
      'content_filter',
    )
    expect(JSON.stringify(stops)).not.toContain('a.txt')
  })

  it('tell what ran between two times, and what may have changed a file', async () => {
    const ran = await answers('executed_calls?since=0&until=9000000000000')
    const told = ran.map((row: Record<string, string>) => [row['tool'], row['mode'], row['result']])
    expect(told.toSorted()).toEqual([
      ['look', 'read', 'completed'],
      ['vanish', 'once', 'unknown'],
      ['write', 'idempotent', 'completed'],
    ])
    expect(await answers('executed_calls?since=0&until=1')).toEqual([])
    expect(await answers('file_changes?path=notes/a.txt')).toMatchObject([
      { run_id: ids['asker'], tool: 'write', arguments: args, result: 'completed', user: 'ann' },
    ])
    expect(await answers('file_changes?path=elsewhere')).toEqual([])
  })
})

/** Takes an export piece by piece, by the links of the answers. */
async function pieces(query: string): Promise<readonly ArrayBuffer[]> {
  const bodies: ArrayBuffer[] = []
  for (let path: string | undefined = `/events?${query}`; path !== undefined;) {
    const response: Response = await fetch(`${box.api}${path}`)
    expect(response.status).toBe(200)
    bodies.push(await response.arrayBuffer())
    const link = response.headers.get('link')
    const position = response.headers.get('x-signalbox-position')
    path = /^<([^>]+)>; rel="next"$/.exec(link ?? '')?.[1]
    expect(path ?? `after=${position}`).toContain(`after=${position}`)
  }
  return bodies
}
const text = (bodies: readonly ArrayBuffer[]) =>
  bodies.map((body) => new TextDecoder().decode(body)).join('')

describe('exports', () => {
  it('are the same events in every form, whole or in pieces', async () => {
    const until = Date.now()
    const all = await events(`until=${until}`)
    const ndjson = text(await pieces(`format=ndjson&until=${until}`))
    expect(
      ndjson
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(all)
    expect(text(await pieces(`format=ndjson&until=${until}&limit=7`))).toBe(ndjson)
    const csv = text(await pieces(`format=csv&until=${until}`))
    const parts = [
      ...(await pieces(`format=csv&until=${until}&limit=1`)).slice(0, 1),
      ...(await pieces(`format=csv&header=0&limit=9&until=${until}&after=${all[0]?.position}`)),
    ]
    expect(text(parts)).toBe(csv)
    // Only payloads hold quotes or line breaks here, and JSON has no raw line breaks.
    const lines = csv.trimEnd().split('\r\n')
    expect(lines[0]).toBe(columns.map(({ name }) => name).join(','))
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(
      all.map(({ position }) => position),
    )
    const read = []
    const files = await pieces(`format=parquet&until=${until}&limit=20`)
    for (const file of files) {
      const rows = await parquetReadObjects({ file })
      read.push(...rows)
      const { key_value_metadata: said = [] } = parquetMetadata(file)
      expect(Object.fromEntries(said.map(({ key, value }) => [key, value]))).toEqual({
        'signalbox.rows': String(rows.length),
        'signalbox.position': rows.at(-1)?.['position'],
      })
    }
    expect(files).toHaveLength(Math.floor(all.length / 20) + 1)
    const asJson = read.map((row) => ({ ...row, at: row['at'].toISOString() }))
    expect(asJson).toEqual(all)
    expect(total).toBeLessThanOrEqual(all.length + 3)
  })

  it('say where they end when there is nothing, and go on from there', async () => {
    const last = (await events('')).at(-1)?.position ?? ''
    const file = await fetch(`${box.api}/events?format=parquet&type=none&after=${last}`)
    expect(file.headers.get('x-signalbox-position')).toBe(last)
    const { num_rows, key_value_metadata } = parquetMetadata(await file.arrayBuffer())
    expect([num_rows, key_value_metadata]).toEqual([
      0n,
      [
        { key: 'signalbox.rows', value: '0' },
        { key: 'signalbox.position', value: last },
      ],
    ])
    const header = { headers: { accept: 'text/csv, */*;q=0.1' } }
    const csv = await fetch(`${box.api}/events?type=none`, header)
    expect(csv.headers.get('content-type')).toBe('text/csv')
    expect((await csv.text()).split('\r\n')).toHaveLength(2)
  })

  it('in pieces of a search hold what matches among so many events, and lead to the end', async () => {
    const found = text(await pieces('format=ndjson&q=tides&limit=5'))
    const rows = found
      .trimEnd()
      .split('\n')
      .map((line): Seen => JSON.parse(line))
    expect(rows.map(({ position }) => position)).toEqual(
      (await events('q=tides')).map(({ position }) => position),
    )
  })

  // OWASP, CSV injection: a cell must not begin with one of these.
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠x'])(
    'do not let a spreadsheet execute %j',
    async (tool) => {
      const about = { run_id: 'r', thread_id: tool, seq: -1, type: 't', version: 1, at: 'now' }
      const hashes = { payload_hash: 'h', digest: 'd', hash: 'h' }
      const row: Row = { ...about, actor: tool, tool, verdict: null, payload: { tool }, ...hashes }
      let csv = ''
      const pages = (async function* () {
        yield [row]
      })()
      for await (const piece of csvTexts(pages, { header: false })) csv += piece
      const quoted = /[",\n\r]/.test(tool) ? `"'${tool}"` : `'${tool}`
      const payload = `"${JSON.stringify({ tool }).replaceAll('"', '""')}"`
      expect(csv).toBe(`,r,-1,${quoted},t,1,now,${quoted},${quoted},,${payload},h,d,h\r\n`)
    },
  )
})
