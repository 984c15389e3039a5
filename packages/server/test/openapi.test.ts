/**
 * The document against the server: every reference resolves, every path parameter is declared, every schema compiles,
 * and what the server answers fits what the document says.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiDocument, documentOf } from './support/api-document.ts'
import { violationOf } from './support/contract.ts'
import { type Answer, call } from './support/http.ts'
import { note, noting } from './support/notes.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

let box: TestSignalbox
interface Operation {
  readonly summary: string
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>
let document: { readonly openapi: string; readonly paths: Paths; readonly components: object }

beforeAll(async () => {
  box = await startTest({
    agents: {
      writer: { model: { provider: 'scripted', model: 'writer' } },
      asker: {
        model: { provider: 'scripted', model: 'asker' },
        tools: ['note'],
        guardrails: { approvalTools: ['note'] },
      },
    },
    tools: [note],
    scripts: { writer: () => ({ text: 'Yes.' }), asker: noting(1) },
  })
  document = (await call(box.api, 'GET', '/openapi.json')).body
})

afterAll(async () => {
  await box?.stop()
})

/** What the document says against an answer. */
const wrongWith = (known: ApiDocument, request: string, { status, headers, body }: Answer) => {
  const [method = '', path = ''] = request.split(' ')
  return violationOf(known, { method, path, status, headers, body: JSON.stringify(body) })
}

const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  )

describe('the OpenAPI document', () => {
  it('is of version 3.1 and describes every resource', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining([
        '/threads',
        '/threads/{thread_id}/runs/{run_id}/stream',
        '/runs/{run_id}/children',
        '/runs/wait',
        '/events',
        '/approvals',
        '/approvals/{approval_id}',
        '/unknown',
        '/assistants',
        '/live',
        '/ok',
        '/ready',
      ]),
    )
  })

  it('declares exactly the parameters of its paths', () => {
    expect(operations().length).toBeGreaterThanOrEqual(30)
    for (const { path, operation } of operations()) {
      const declared = (operation.parameters ?? []).filter((each) => each.in === 'path')
      const named = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name)
      expect(new Set(declared.map(({ name }) => name))).toEqual(new Set(named))
      expect(operation.summary).not.toBe('')
    }
  })

  it('has schemas that compile', () => {
    for (const operation of documentOf(document).operations)
      for (const status of [200, 202, 204, 400, 404, 409, 422])
        for (const fits of operation.declared(status)?.types.values() ?? []) fits(null)
    expect(JSON.stringify(document)).not.toContain('undefined')
  })

  it('says what the server answers', async () => {
    const body = { assistant_id: 'writer', input: 'Write.' }
    const { body: values } = await call(box.api, 'POST', '/threads/doc/runs/wait', { body })
    const asking = { assistant_id: 'asker', input: 'Ask.' }
    const { body: waits } = await call(box.api, 'POST', '/runs/wait', { body: asking })
    const { body: state } = await call(box.api, 'GET', '/threads/doc/state')
    const cronBody = { ...body, schedule: '0 9 * * *' }
    const { body: cron } = await call(box.api, 'POST', '/runs/crons', { body: cronBody })
    const item = { namespace: ['a'], key: 'k', value: { n: 1 } }
    await call(box.api, 'PUT', '/store/items', { body: item })
    const queries: Readonly<Record<string, string>> = { '/store/items': '?namespace=a&key=k' }
    const { body: log } = await call(box.api, 'GET', `/runs/${values.run.run_id}/events?limit=1`)
    const address = {
      name: 'approvals',
      hash: String(log.events[0].payload.definitionHash),
      checkpoint_id: String(state.checkpoint.checkpoint_id),
      thread_id: 'doc',
      run_id: String(values.run.run_id),
      approval_id: String(waits.__interrupt__[0].value.approval_id),
      cron_id: String(cron.cron_id),
    }
    const fill = (path: string): string =>
      path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof address) => address[name] ?? 'writer')
    const reads = operations().filter(
      ({ method, operation }) =>
        method === 'get' && operation.responses['200']?.content?.['application/json'],
    )
    expect(reads.length).toBeGreaterThan(10)
    const known = documentOf(document)
    for (const { path } of reads) {
      const answer = await call(box.api, 'GET', fill(path) + (queries[path] ?? ''))
      expect([path, answer.status]).toEqual([path, 200])
      expect(wrongWith(known, `GET ${fill(path)}`, answer)).toBeNull()
    }
    for (const path of [
      '/threads/search',
      '/threads/count',
      '/threads/{thread_id}/history',
      '/assistants/search',
      '/assistants/count',
      '/assistants/{assistant_id}/versions',
      '/runs/crons/search',
      '/runs/crons/count',
      '/store/items/search',
      '/store/namespaces',
    ]) {
      const answer = await call(box.api, 'POST', fill(path), { body: {} })
      expect([path, answer.status]).toEqual([path, 200])
      expect(wrongWith(known, `POST ${fill(path)}`, answer)).toBeNull()
    }
    const refused = await call(box.api, 'GET', '/runs/nobody')
    expect(wrongWith(known, 'GET /runs/nobody', refused)).toBeNull()
  })
})
