/**
 * Traces as a collector gets them, from separate processes of each role. Would catch: a trace per span (bad-days F10), spans
 * without a parent, a service without its name, contents in spans, and a trace that ends where another process goes on.
 */
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { startEmbeddedPostgres } from '@signalbox/embedded'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { freePort } from '../../../test/contract/free-port.ts'
import { placeReadyCluster } from '../../server/test/support/ready-cluster.ts'
import { start } from './support/command.ts'
import { createFolder } from './support/folder.ts'

const Attribute = z.object({
  key: z.string(),
  value: z.looseObject({ stringValue: z.string().optional() }),
})
const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes: z.array(Attribute).default([]),
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).default([]),
})
const Batch = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(Attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
})
type Seen = z.infer<typeof Span> & { readonly service: string | undefined }

/** A collector that keeps spans, and the names of metrics. */
async function startCollector() {
  const spans: Seen[] = []
  const metrics: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url === '/v1/metrics') metrics.push(body)
      else
        for (const { resource, scopeSpans } of Batch.parse(JSON.parse(body)).resourceSpans) {
          const service = valueOf(resource.attributes, 'service.name')
          spans.push(
            ...scopeSpans.flatMap((each) => each.spans).map((span) => ({ ...span, service })),
          )
        }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, spans, metrics, close: () => server.close() }
}

const valueOf = (attributes: readonly z.infer<typeof Attribute>[], name: string) =>
  attributes.find(({ key }) => key === name)?.value.stringValue

const config = `
import { defineConfig, defineTool, z } from 'signalbox'
const scripted = (model) => ({ provider: 'scripted', model })
const note = defineTool({
  name: 'note',
  description: 'Notes a text.',
  effect: 'idempotent',
  input: z.object({ text: z.string() }),
  run: (_, { traceparent }) => 'carried ' + traceparent,
})
const calls = (name, args) => ({ calls: [{ name, args }] })
export default defineConfig({
  agents: {
    clerk: { model: scripted('clerk'), tools: ['note'] },
    boss: { model: scripted('boss'), tools: ['agent:clerk'] },
  },
  tools: [note],
  scripts: {
    clerk: (_, turn) => turn === 0 ? calls('note', { text: 's3cret milk' }) : { text: 's3cret done' },
    boss: (_, turn) => turn === 0 ? calls('agent__clerk', { prompt: 's3cret' }) : { text: 's3cret end' },
  },
})
`

it('has one trace for a run and its child, over an api, an orchestrator and a worker', async () => {
  const collector = await startCollector()
  onTestFinished(() => void collector.close())
  const { dir, remove } = await createFolder()
  onTestFinished(remove)
  await writeFile(join(dir, 'signalbox.config.mjs'), config)
  const data = join(dir, 'postgres')
  await placeReadyCluster(data)
  const postgres = await startEmbeddedPostgres({ dataDir: data, port: await freePort() })
  onTestFinished(() => postgres.stop())
  const env = {
    DATABASE_URL: postgres.url,
    SIGNALBOX_CONFIG: join(dir, 'signalbox.config.mjs'),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_METRIC_EXPORT_INTERVAL: '500',
    OTEL_BSP_SCHEDULE_DELAY: '200',
  }
  const serve = (role: string, ...more: readonly string[]) =>
    start(['serve', '--roles', role, ...more], {
      cwd: dir,
      env: { ...env, OTEL_SERVICE_NAME: `acme-${role}` },
    })
  const api = serve('api', '--port', '0')
  const [, url = ''] = await api.prints(/(http:\/\/127\.0\.0\.1:\d+)/)
  const others = [serve('orchestrator'), serve('worker')]

  const caller = '4bf92f3577b34da6a3ce929d0e0e4736'
  const answer = await fetch(`${url}/runs/wait`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      traceparent: `00-${caller}-00f067aa0ba902b7-01`,
      'x-request-id': 'req-7',
    },
    body: JSON.stringify({ assistant_id: 'boss', input: 's3cret' }),
  })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-request-id')).toBe('req-7')
  // The headers come at once, the body when the run has ended: the other processes may have to start first.
  await answer.text()
  await expect
    .poll(() => collector.spans.filter(({ name }) => name.startsWith('invoke_agent')).length, {
      timeout: 20_000,
    })
    .toBe(2)
  for (const process of [api, ...others]) process.child.kill('SIGTERM')
  await Promise.all([api, ...others].map(({ ended }) => ended))

  const { spans } = collector
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
  expect(spans.map(({ name }) => name).toSorted()).toEqual([
    'chat boss',
    'chat boss',
    'chat clerk',
    'chat clerk',
    'enqueue boss',
    'execute_tool note',
    'invoke_agent boss',
    'invoke_agent clerk',
  ])
  expect(new Set(spans.map(({ service }) => service))).toEqual(
    new Set(['acme-api', 'acme-orchestrator', 'acme-worker']),
  )
  // Each has its parent in the trace, and only the run at the top has none.
  const ids = new Set(spans.map(({ spanId }) => spanId))
  const roots = spans.filter(({ parentSpanId }) => !parentSpanId)
  expect(roots.map(({ name }) => name)).toEqual(['invoke_agent boss'])
  const parents = spans.flatMap(({ parentSpanId }) => (parentSpanId ? [parentSpanId] : []))
  expect([...ids]).toEqual(expect.arrayContaining(parents))
  const child = spans.find(({ name }) => name === 'invoke_agent clerk')
  expect(child?.parentSpanId).toBe(roots[0]?.spanId)
  // The request that asked for it is linked, not lost.
  const enqueued = spans.find(({ name }) => name === 'enqueue boss')
  expect(enqueued?.links).toMatchObject([{ traceId: caller, spanId: '00f067aa0ba902b7' }])
  expect(JSON.stringify(spans)).not.toContain('s3cret')
  // The tool was told the trace, to hand on.
  const executed = spans.find(({ name }) => name === 'execute_tool note')
  const { events } = await eventsOf(postgres.url)
  expect(events).toContain(`carried 00-${executed?.traceId}-${executed?.spanId}-01`)
  expect(collector.metrics.join()).toContain('gen_ai.client.token.usage')
  expect(collector.metrics.join()).toContain('gen_ai.client.operation.duration')
})

/** The payloads of all results of tools. */
async function eventsOf(url: string): Promise<{ readonly events: string }> {
  const { Client } = await import('pg')
  const client = new Client(url)
  await client.connect()
  const sql = `select payload::text as text from signalbox.event where type = 'tool.completed'`
  const { rows } = await client.query<{ text: string }>(sql)
  await client.end()
  return { events: rows.map(({ text: each }) => each).join('\n') }
}
