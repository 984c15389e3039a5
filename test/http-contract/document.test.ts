/** The OpenAPI document of a real server, by the rules of OpenAPI itself, and what stands in front of a test's server. */
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { watchContract } from '../../packages/server/test/support/contract.ts'
import { call } from '../../packages/server/test/support/http.ts'
import { startTest, type TestSignalbox } from '../../packages/server/test/support/signalbox.ts'

const Schema = z.record(z.string(), z.unknown())
const Content = z.record(z.string(), z.object({ schema: Schema }))
const Operation = z.object({
  tags: z.array(z.string()).min(1),
  summary: z.string().min(1),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(
    z.string(),
    z.object({ description: z.string().min(1), content: Content.default({}) }),
  ),
})
const Document = z.looseObject({
  openapi: z.string(),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.looseObject({ schemas: z.record(z.string(), Schema) }),
})

let box: TestSignalbox
let document: z.infer<typeof Document>

beforeAll(async () => {
  box = await startTest({
    agents: { writer: { model: { provider: 'scripted', model: 'writer' } } },
    scripts: { writer: () => ({ text: 'Yes.' }) },
  })
  document = Document.parse((await call(box.api, 'GET', '/openapi.json')).body)
})

afterAll(async () => {
  await box?.stop()
})

const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
  )

/** Does a schema say anything? */
const says = ({ description: _, ...rest }: object & { readonly description?: unknown }) =>
  Object.keys(rest).length > 0

describe('the document', () => {
  it('is valid by the JSON Schema of OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(document))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    expect(validator.version).toBe('3.1')
    const wrong = { ...structuredClone(document), info: {} }
    expect((await new Validator().validate(wrong)).valid).toBe(false)
  })

  it('describes itself, and a problem for everything that may go wrong', () => {
    expect(document.paths).toHaveProperty(['/openapi.json', 'get'])
    expect(operations().length).toBeGreaterThanOrEqual(50)
    for (const { name, operation } of operations())
      expect([name, Object.keys(operation.responses['default']?.content ?? {})]).toEqual([
        name,
        expect.arrayContaining(['application/problem+json']),
      ])
  })

  it('says what is in every body of JSON', () => {
    for (const { name, operation } of operations()) {
      const contents = Object.values(operation.responses).map(({ content }) => content)
      const all = [...contents, operation.requestBody?.content ?? {}].flatMap(Object.entries)
      const silent = all.filter(([type, { schema }]) => type.endsWith('json') && !says(schema))
      expect([name, silent]).toEqual([name, []])
    }
  })

  it('has the resources under their names', () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(
        'Run Thread ThreadState Assistant Event Approval Problem Message Values'.split(' '),
      ),
    )
  })
})

describe('what stands in front of a server', () => {
  it('has seen its answers', async () => {
    const before = box.contract.checked()
    await call(box.api, 'GET', '/threads')
    await call(box.api, 'GET', '/nothing')
    // An answer from before may be looked at after its client has it.
    await expect.poll(() => box.contract.checked()).toBeGreaterThanOrEqual(before + 2)
    expect(box.contract.violations).toEqual([])
  })

  it.each([
    ['a field that is missing', { required: ['ok', 'more'] }],
    ['a field that nobody declared', { properties: { ok: {} } }],
    ['a value of another type', { properties: { ok: { type: 'string' } } }],
  ])('sees %s, and a stop throws', async (_, over) => {
    const watch = watchContract()
    const { Health } = document.components.schemas
    const schemas = { ...document.components.schemas, Health: { ...Health, ...over } }
    const other = { ...document, components: { ...document.components, schemas } }
    const answer = await fetch(`${box.api}/ok`)
    const request = new Request(`${box.api}/ok`)
    await watch.inspect({ request, response: answer, document: other }).text()
    expect(watch.checked()).toBe(1)
    expect(() => watch.assertKept()).toThrow(/^1 answers .*\nGET \/ok answered 200: its body/)
  })
})
