/**
 * The document against the server: every reference resolves, every path parameter is declared, every schema compiles,
 * and what the server answers fits what the document says.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call } from './support/http.ts'
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

/** Compiles a schema of the document, with its components. */
function validator(schema: object) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  const { components } = document
  return ajv.compile({ ...schema, components })
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
        '/ok',
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
    for (const { operation } of operations())
      for (const { content = {} } of Object.values(operation.responses))
        for (const { schema } of Object.values(content)) validator(schema)
    expect(JSON.stringify(document)).not.toContain('undefined')
  })

  it('says what the server answers', async () => {
    const body = { assistant_id: 'writer', input: 'Write.' }
    const { body: values } = await call(box.api, 'POST', '/threads/doc/runs/wait', { body })
    const asking = { assistant_id: 'asker', input: 'Ask.' }
    const { body: waits } = await call(box.api, 'POST', '/runs/wait', { body: asking })
    const { body: state } = await call(box.api, 'GET', '/threads/doc/state')
    const address = {
      checkpoint_id: String(state.checkpoint.checkpoint_id),
      thread_id: 'doc',
      run_id: String(values.run.run_id),
      approval_id: String(waits.__interrupt__[0].value.approval_id),
    }
    const fill = (path: string): string =>
      path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof address) => address[name] ?? 'writer')
    const reads = operations().filter(
      ({ method, operation }) =>
        method === 'get' && operation.responses['200']?.content?.['application/json'],
    )
    expect(reads.length).toBeGreaterThan(10)
    for (const { path, operation } of reads) {
      const answer = await call(box.api, 'GET', fill(path))
      expect([path, answer.status]).toEqual([path, 200])
      const schema = operation.responses['200']?.content?.['application/json']?.schema
      if (!schema) throw new Error('no schema')
      const validate = validator(schema)
      expect([path, validate(answer.body), validate.errors]).toEqual([path, true, null])
    }
    for (const path of [
      '/threads/search',
      '/threads/count',
      '/threads/{thread_id}/history',
      '/assistants/search',
      '/assistants/count',
      '/assistants/{assistant_id}/versions',
    ]) {
      const answer = await call(box.api, 'POST', fill(path), { body: {} })
      const schema =
        document.paths[path]?.['post']?.responses['200']?.content?.['application/json']?.schema
      const validate = validator(schema ?? { not: {} })
      expect([path, validate(answer.body), validate.errors]).toEqual([path, true, null])
    }
    const problem = operations()[0]?.operation.responses['default']?.content
    const refused = await call(box.api, 'GET', '/runs/nobody')
    const isProblem = validator(problem?.['application/problem+json']?.schema ?? { not: {} })
    expect(isProblem(refused.body)).toBe(true)
  })
})
