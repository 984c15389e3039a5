/** Row "Guardrail fail mode" of agent-governance.md §8, with a policy server that really is slow, broken or hanging. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { defineTool } from '@signalbox/tools'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { openScene, type Scene } from './scene.ts'

let scene: Scene
let server: Server
afterEach(async () => {
  await scene.close()
  server.closeAllConnections()
  server.close()
})

async function policyServer(answer: (response: ServerResponse) => void): Promise<string> {
  server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      if (request.url === '/yes') response.end('{"result": true}')
      else answer(response)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1/data/tools`
}

async function asked(url: string, failClosed: boolean) {
  const paid: unknown[] = []
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: z.looseObject({}),
    run: (args) => `paid ${paid.push(args)}`,
  })
  scene = await openScene({
    answers: (n) =>
      n === 0 ? { calls: [{ name: 'pay', args: { to: 'ann' } }] } : { text: 'done' },
    tools: [pay],
  })
  const process = await scene.process()
  const policies = [{ use: 'http' as const, id: 'opa', url, timeoutMs: 300 }]
  const runId = await process.run(scene.agent({ guardrails: { policies, failClosed } }))
  return { ...process, paid, runId }
}

const letters = Buffer.alloc(65_536, 'x')

/** What no answer looks like. */
const silences: readonly (readonly [string, (response: ServerResponse) => void])[] = [
  ['an error', (response) => void response.writeHead(500).end('{}')],
  ['a timeout', () => {}],
  ['a broken connection', (response) => void response.destroy()],
  ['words that are no answer', (response) => void response.end('{"result": "perhaps"}')],
  ['a page of something else', (response) => void response.end('<html>Sign in</html>')],
  ['yes and no', (response) => void response.end('{"result": false, "result": true}')],
  ['a yes that is cut', (response) => void response.end('{"result": true')],
  [
    'a redirect to a yes',
    (response) => void response.writeHead(307, { location: '/yes' }).end('{"result": true}'),
  ],
  [
    'a yes that goes on for 100 MB',
    (response) => {
      response.write('{"result": true, "more": "')
      Readable.from(Array.from({ length: 1600 }, () => letters))
        .pipe(response)
        .on('error', () => {})
    },
  ],
  [
    'a small yes that grows',
    (response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(gzipSync(`{"result": true, "more": "${'x'.repeat(9_000_000)}"}`))
    },
  ],
  ['a yes without an end', (response) => void response.write('{"result": true')],
]

test.each(silences)('Guardrail fail mode: 1) %s → deny oap.evaluator_error', async (_, answer) => {
  const { runId, paid } = await asked(await policyServer(answer), true)
  expect(await scene.outcome(runId)).toBe('completed')
  expect(paid).toEqual([])
  expect((await scene.event(runId, 'call.denied')).payload).toMatchObject({
    tool: 'pay',
    code: 'oap.evaluator_error',
  })
})

test.each(silences)(
  'Guardrail fail mode: 2) fail-open after %s → runs, event says so',
  async (_, answer) => {
    const { runId, paid } = await asked(await policyServer(answer), false)
    expect(await scene.outcome(runId)).toBe('completed')
    expect(paid).toEqual([{ to: 'ann' }])
    expect((await scene.event(runId, 'policy.faulted')).payload).toMatchObject({
      tool: 'pay',
      policyId: 'opa',
    })
    expect(await scene.events(runId, 'call.denied')).toEqual([])
  },
)

test('Guardrail fail mode: 3) cancellation is not a denial', async () => {
  const reached = Promise.withResolvers<void>()
  const url = await policyServer(() => reached.resolve())
  const { runId, paid, engine } = await asked(url, true)
  await reached.promise
  await engine.commands.cancel({ tenantId: 'default', actor: 'u', runId, action: 'interrupt' })
  expect(await scene.outcome(runId)).toBe('cancelled')
  expect(paid).toEqual([])
  expect(await scene.events(runId, 'call.denied')).toEqual([])
})
