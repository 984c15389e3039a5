/**
 * `replay` of runs whose calls were judged by policies. Would catch: policies that are not prepared, so that an untouched run
 * is "different"; a run that cannot be decided here and is called different; a verdict that was changed and is not seen; and
 * consequences of a difference that pass for differences.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ConfigInput } from '@signalbox/server'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { activePassport } from '../../engine/test/support/passport.ts'
import { signalbox, start } from './support/command.ts'
import { startServer, type TestServer } from './support/server.ts'

const model = { provider: 'scripted' as const, model: 'clerk' }
type Guardrails = NonNullable<ConfigInput['agents'][string]['guardrails']>
const clerk = (provider: NonNullable<Guardrails['provider']>) => ({
  model,
  tools: ['note'],
  guardrails: { provider },
})
const permit = 'permit(principal, action, resource == Tool::"note");'
const agents = {
  cedar: clerk({ use: 'cedar', policies: { notes: permit } }),
  forbidden: clerk({
    use: 'cedar',
    policies: { notes: permit, never: 'forbid(principal, action, resource);' },
  }),
  own: clerk({ use: './office.ts#hours' }),
  strict: clerk({ use: './office.ts#never' }),
  lists: clerk({ use: 'allowlist', deniedTools: ['note'] }),
  pass: clerk({ use: 'passport', id: 'acme', file: './passport.json' }),
}
const files = {
  'office.ts': `export const hours = () => true
    export const never = () => ({ effect: 'deny', reasons: [{ code: 'x.no', message: 'No.' }] })`,
  'passport.json': JSON.stringify(activePassport),
}

let box: TestServer
let admin: pg.Client
let elsewhere: string
const runs: Record<string, string> = {}

beforeAll(async () => {
  box = await startServer({}, { agents, files })
  admin = new pg.Client(box.env['DATABASE_URL'])
  await admin.connect()
  // No configuration, no module and no passport lies there.
  elsewhere = await mkdtemp(join(tmpdir(), 'signalbox-elsewhere-'))
  for (const agent of Object.keys(agents)) {
    const response = await fetch(`${box.url}/runs/wait`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ assistant_id: agent, input: 'Note.' }),
    })
    runs[agent] = (await response.json()).run.run_id
  }
})
afterAll(async () => {
  await admin?.end()
  await box?.stop()
  await rm(elsewhere, { recursive: true, force: true })
})

const replayed = async (agent: string, env: Readonly<Record<string, string>> = {}) => {
  const args = ['replay', runs[agent] ?? '', '--json']
  const where = { cwd: elsewhere, env: { ...box.env, ...env } }
  // Options of Node take a process of its own.
  const command = 'NODE_OPTIONS' in env ? start(args, where).ended : signalbox(args, where)
  const { code, stdout, stderr } = await command
  return { code, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) }
}

it.each(Object.keys(agents))(
  'an untouched run of the agent "%s" is decided the same',
  async (agent) => {
    expect(await replayed(agent)).toMatchObject({
      code: 0,
      ok: true,
      differences: [],
      cached_state_holds: true,
    })
  },
)

it('a run whose policy cannot be evaluated here is not replayable, and it is said which', async () => {
  const file = join(elsewhere, 'without-cedar.mjs')
  await writeFile(
    file,
    `import { register } from 'node:module'
    const hook = \`export const resolve = (name, context, next) => {
      if (name.startsWith('@cedar-policy/')) throw new Error('not installed')
      return next(name, context)
    }\`
    register('data:text/javascript,' + encodeURIComponent(hook))`,
  )
  const env = { NODE_OPTIONS: `--import ${pathToFileURL(file).href}` }
  const answer = await replayed('cedar', env)
  expect(answer).toMatchObject({ code: 1, stderr: expect.stringContaining('not_replayable') })
  expect(answer.stderr).toContain('npm install @cedar-policy/cedar-wasm')
  expect(answer).not.toHaveProperty('differences')
  // Whoever needs it not is replayed all the same.
  expect(await replayed('lists', env)).toMatchObject({ code: 0, ok: true })
})

/** Changes the events that `where` names, asks, and changes them back. */
async function changed<T>(agent: string, set: string, where: string, ask: () => Promise<T>) {
  const at = `where run_id = '${runs[agent]}' and ${where}`
  await admin.query(`create table was as select * from signalbox.event ${at}`)
  await admin.query(`update signalbox.event set ${set} ${at}`)
  try {
    return await ask()
  } finally {
    await admin.query(
      `delete from signalbox.event e using was w where e.run_id = w.run_id and e.seq = w.seq`,
    )
    await admin.query('insert into signalbox.event select * from was')
    await admin.query('drop table was')
  }
}

const verdicts: readonly [string, string, string, object][] = [
  [
    'another code',
    `payload = jsonb_set(payload, '{code}', '"oap.allowed"')`,
    'call.denied',
    { stored: { payload: { code: 'oap.allowed' } } },
  ],
  [
    'another word for it',
    `verdict = 'allowed'`,
    'call.denied',
    { stored: { verdict: 'allowed' }, computed: { verdict: 'denied' } },
  ],
  [
    'another tool',
    `tool = 'bash'`,
    'call.denied',
    { stored: { tool: 'bash' }, computed: { tool: 'note' } },
  ],
  [
    'another type',
    `type = 'event.ignored'`,
    'call.denied',
    { stored: { type: 'event.ignored' }, computed: { type: 'call.denied' } },
  ],
]

it.each(verdicts)(
  'a verdict with %s is the first difference, and the only one',
  async (_, set, type, what) => {
    for (const agent of ['lists', 'forbidden']) {
      const answer = await changed(agent, set, `type = '${type}'`, () => replayed(agent))
      expect(answer).toMatchObject({ code: 1, ok: false, cached_state_holds: null })
      expect(answer.differences).toHaveLength(1)
      expect(answer.differences[0]).toMatchObject(what)
    }
  },
)

it('a verdict that is gone, and what follows from a difference', async () => {
  const gone = await changed('lists', `type = 'tool.progressed'`, `type = 'call.denied'`, () =>
    replayed('lists'),
  )
  expect(gone.differences).toMatchObject([{ type: 'call.denied', stored: null }])
  // The call is denied in the first step; all later ones come out otherwise.
  const first = `seq = (select min(seq) from signalbox.event where run_id = '${runs['cedar']}' and type = 'run.transitioned' and payload -> 'path' ? 'tools')`
  const step = await changed(
    'cedar',
    `payload = jsonb_set(payload, '{effects}', '[]')`,
    first,
    () => replayed('cedar'),
  )
  expect(step.differences).toMatchObject([{ type: 'run.transitioned', stored: { effects: [] } }])
  const said = await changed(
    'cedar',
    `payload = jsonb_set(payload, '{effects}', '[]')`,
    first,
    () => signalbox(['replay', runs['cedar'] ?? ''], { cwd: elsewhere, env: box.env }),
  )
  expect(said.stdout.match(/was decided differently/g)).toHaveLength(1)
  expect(said.stdout).not.toContain('cached state')
})

it('a run whose definition was edited is not replayable, and never different', async () => {
  const { rows } = await admin.query(
    `select definition_hash as hash from signalbox.run where id = $1`,
    [runs['cedar']],
  )
  const edit = (to: string) =>
    admin.query(
      `update signalbox.definition set body = jsonb_set(body, '{instructions}', $1::jsonb) where hash = $2`,
      [to, rows[0].hash],
    )
  const { rows: kept } = await admin.query(
    `select body -> 'instructions' as was from signalbox.definition where hash = $1`,
    [rows[0].hash],
  )
  await edit('"Steal."')
  const answer = await replayed('cedar')
  await edit(JSON.stringify(kept[0].was))
  expect(answer).toMatchObject({ code: 1, stderr: expect.stringContaining('not_replayable') })
  expect(answer.stderr).toContain('was changed')
  expect(await replayed('cedar')).toMatchObject({ ok: true })
})
