/**
 * A key that is wrong, as somebody meets it who has just begun: with the command, a server and a provider of its own process. Would
 * catch: a run that fails while nobody says why (bad-days F2, F3), and a `doctor` that has to be believed (F2).
 */
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../../test/contract/free-port.ts'
import { createTestDatabase } from '../../postgres/test/support/database.ts'
import { type Running, signalbox, start, type Where } from './support/command.ts'
import { createFolder } from './support/folder.ts'

const words = 'canary-of-the-provider'
const sentence = 'auth: 401 from openai (OPENAI_API_KEY): check the key'

const chunk = (delta: object, finish_reason: string | null, usage?: object) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }], ...(usage ? { usage } : {}) })}\n\n`
const usage = { prompt_tokens: 12, completion_tokens: 1, total_tokens: 13 }
const answer = `${chunk({ content: 'OK' }, null)}${chunk({}, 'stop', usage)}data: [DONE]\n\n`

const bodies: { readonly path: string; readonly body: string }[] = []
let provider: ReturnType<typeof createServer>
let where: Where
let server: Running
const closers: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  provider = createServer((request, response) => {
    const path = request.url ?? ''
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      bodies.push({ path, body })
      if (path.startsWith('/well'))
        return response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer)
      const status = path.startsWith('/busy') ? 429 : path.startsWith('/wrong') ? 404 : 401
      const document = { error: { message: words } }
      return response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify(document))
    })
  })
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const address = provider.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const [{ dir, remove }, database, port] = await Promise.all([
    createFolder(),
    createTestDatabase(),
    freePort(),
  ])
  closers.push(remove, () => database.drop())
  await writeFile(join(dir, 'signalbox.config.ts'), configOf(url))
  where = {
    cwd: dir,
    env: { DATABASE_URL: database.adminUrl, OPENAI_API_KEY: 'a-wrong-key', PORT: String(port) },
  }
  server = start(['dev'], where)
  await server.prints(/serves at/)
})
afterAll(async () => {
  server?.child.kill('SIGTERM')
  await server?.ended
  provider.closeAllConnections()
  provider.close()
  for (const close of closers.toReversed()) await close()
})

const configOf = (url: string): string => `import { defineConfig } from 'signalbox'
const model = (path: string) => ({ provider: 'openai', model: 'gpt-x', baseURL: '${url}/' + path }) as const
export default defineConfig({
  agents: {
    clerk: { model: model('denied'), fallbackModels: [model('wrong')] },
    twin: { model: model('denied') },
    well: { model: model('well'), fallbackModels: [model('busy')] },
    lone: { model: model('denied') },
  },
})
`

describe('a wrong key', () => {
  it('is said by run, show and events, and by dev in a line for people', async () => {
    const run = await signalbox(['run', 'Hello.', '--agent', 'lone'], where)
    expect(run.code).toBe(1)
    expect(run.stdout).toContain(sentence)
    expect(run.stdout).not.toContain('ended this answer with an error')
    const [, id = ''] = /run (\S+) on thread/.exec(run.stdout + run.stderr) ?? []

    const [shown, document, events, waited] = await Promise.all([
      signalbox(['show', id], where),
      signalbox(['show', id, '--json'], where),
      signalbox(['events', id], where),
      signalbox(['run', 'Hello.', '--agent', 'lone', '--wait'], where),
    ])
    expect(shown.stdout).toMatch(/^error +auth: 401 from openai \(OPENAI_API_KEY\): check the key/m)
    expect(shown.stdout).toMatch(new RegExp(`^said +${words}$`, 'm'))
    expect(JSON.parse(document.stdout).run.error).toMatchObject({
      class: 'auth',
      status: 401,
      key_env: 'OPENAI_API_KEY',
    })
    expect(events.stdout).toMatch(/turn\.cut .*auth: 401 from openai \(OPENAI_API_KEY\)/)
    expect(waited.stderr).toContain(`The run ended: failed. ${sentence}`)

    await server.prints(new RegExp(`lone: run ended: failed in [\\d.]+s, \\d+ tokens +${id}`))
    expect(server.printed()).toMatch(new RegExp(`warn +lone: model call failed, auth: 401 .*${id}`))
    expect(server.printed()).toMatch(new RegExp(`info +lone: run begun +${id}`))
    expect(server.printed()).not.toContain(words)
  })
})

describe('doctor --online', () => {
  it('asks each model once, with the smallest of answers, and says what to do', async () => {
    bodies.length = 0
    const doctor = await signalbox(['doctor', '--online'], where)
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toMatch(
      /ok +online +4 requests of some 20 tokens, each answer of at most 16/,
    )
    expect(doctor.stdout).toContain(`fail  online          openai gpt-x: ${sentence}`)
    expect(doctor.stdout).toContain('→ export OPENAI_API_KEY=…')
    expect(doctor.stdout).toMatch(/fail +online +openai gpt-x: not_found: 404 from openai/)
    expect(doctor.stdout).toMatch(/warn +online +openai gpt-x: rate_limit: 429 from openai/)
    expect(doctor.stdout).toMatch(/ok +online +openai gpt-x answers, [\d.]+ s, 13 tokens/)
    expect(doctor.stdout).not.toContain(words)
    // Two agents share a model, and it is asked once.
    const paths = bodies.map(({ path }) => path.split('/')[1])
    expect(paths).toHaveLength(4)
    expect(new Set(paths)).toEqual(new Set(['busy', 'denied', 'well', 'wrong']))
    for (const { body } of bodies) expect(body).toMatch(/"max_(completion_)?tokens":16\b/)
  })

  it('asks nobody without the option', async () => {
    bodies.length = 0
    const doctor = await signalbox(['doctor'], where)
    expect(doctor.code).toBe(0)
    expect(doctor.stdout).not.toContain('online')
    expect(bodies).toEqual([])
  })
})
