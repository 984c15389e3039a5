/**
 * What the document says to people and to generators of clients. Would catch: an operation without a name, two of one name, a name
 * for what is gone, an example that no server would send or take, a refusal that says nothing.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { documentOf } from '../../packages/server/test/support/api-document.ts'
import type { Api } from '../../packages/server/src/http/api.ts'
import { createApp, describe as documentFor } from '../../packages/server/src/http/app.ts'
import { operationIds } from '../../packages/server/src/http/openapi/operation-ids.ts'

const Content = z.record(z.string(), z.looseObject({ schema: z.unknown() }))
const Operation = z.looseObject({
  operationId: z.string().optional(),
  summary: z.string(),
  parameters: z.array(z.looseObject({ name: z.string(), in: z.string() })).default([]),
  requestBody: z.looseObject({ content: Content }).optional(),
  responses: z.record(
    z.string(),
    z.looseObject({ description: z.string(), content: Content.default({}) }),
  ),
})
const Document = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), Operation)) })

interface Named extends z.infer<typeof Operation> {
  readonly name: string
  readonly path: string
  readonly method: string
}

let document: object
let operations: readonly Named[]

beforeAll(() => {
  // Without a server: the routes stand in it before anything is asked of what they stand on.
  const api: Api = {
    ...JSON.parse('{}'),
    version: '0',
    settings: { bodyBytesMax: 0, waitMsMax: 0, heartbeatMs: 0, pollMs: 0 },
  }
  document = JSON.parse(JSON.stringify(documentFor(createApp(api), '0')))
  const { paths } = Document.parse(document)
  operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      name: `${method.toUpperCase()} ${path}`,
      path,
      method,
    })),
  )
})

describe('every operation', () => {
  it('has a name of its own, and a summary; and no name is of an operation that is gone', () => {
    expect(operations.length).toBeGreaterThan(100)
    const ids = operations.map(({ operationId }) => operationId)
    const nameless = operations.filter(({ operationId }) => operationId === undefined)
    expect(nameless.map(({ name }) => name)).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]{2,60}$/)
    expect(operations.filter(({ summary }) => summary.trim() === '')).toEqual([])
    expect(Object.keys(operationIds).toSorted()).toEqual(
      operations.map(({ name }) => name).toSorted(),
    )
  })

  it('shows what is sent: a body where it takes one, a value for each place in its address', () => {
    const lacking = operations.flatMap(({ name, parameters, requestBody }) => [
      ...(requestBody && !Object.values(requestBody.content).some(hasExample) ? [name] : []),
      ...parameters.filter((each) => each.in === 'path' && !hasExample(each)).map(() => name),
    ])
    expect(lacking).toEqual([])
  })

  it('shows what comes back, unless that has no body or needs what no example can have', () => {
    const lacking = operations.filter(({ responses }) => {
      const good = Object.entries(responses).filter(([status]) => status.startsWith('2'))
      const bodies = good.flatMap(([, { content }]) => Object.values(content))
      return bodies.length > 0 && !bodies.some(hasExample)
    })
    expect(lacking.map(({ name }) => name).toSorted()).toEqual([...withoutAnswer].toSorted())
  })

  it('says of each refusal what it is', () => {
    const silent = operations.flatMap(({ name, responses }) =>
      Object.entries(responses)
        .filter(([status, { description }]) => !/^[123]/.test(status) && description.length < 30)
        .map(([status]) => `${name} ${status}`),
    )
    expect(silent).toEqual(a2aRefusals(silent))
  })
})

/** What A2A has and we do not is refused in one word. */
const a2aRefusals = (found: readonly string[]): readonly string[] =>
  found.filter((each) => each.includes('/a2a/'))

/** Each with the reason why nobody recorded it. */
const withoutAnswer: readonly string[] = [
  // A chat whose answer has ended has nothing to stream: 204.
  'GET /chat/{agent}/{chat_id}/stream',
  // The action is part of the last segment, as in `{run_id}:cancel`; without one it is 404.
  'POST /a2a/{agent}/tasks/{run_id}',
  'POST /a2a/{agent}/v1/tasks/{run_id}',
  // A thread of one turn has nothing to sum up: 422.
  'POST /threads/{thread_id}/compact',
  // 204 for runs that are named.
  'POST /runs/cancel',
  // The bytes of an image are no text.
  'GET /threads/{thread_id}/images/{key}',
  // A call whose outcome nobody knows.
  'POST /runs/{run_id}/effects/{effect_id}/resolve',
  // A delivery to a receiver.
  'POST /threads/{thread_id}/runs/{run_id}/webhooks/{delivery_id}/replay',
]

const hasExample = (where: object | undefined): boolean =>
  where !== undefined && Object.hasOwn(where, 'example')

describe('every example', () => {
  it('of an answer is one that the document allows', () => {
    const known = documentOf(document)
    const wrong: string[] = []
    let seen = 0
    for (const { name, path, method, responses } of operations)
      for (const [status, { content }] of Object.entries(responses))
        for (const [type, media] of Object.entries(content)) {
          if (!hasExample(media) || !type.endsWith('json')) continue
          seen += 1
          const operation = known.operations.find(
            (each) => each.path === path && each.method === method.toUpperCase(),
          )
          const error = operation?.declared(Number(status))?.types.get(type)?.(media['example'])
          if (error !== null) wrong.push(`${name} ${status}: ${error}`)
        }
    expect(wrong).toEqual([])
    expect(seen).toBeGreaterThan(60)
  })

  it('of a body or a parameter is one that its schema allows', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false })
    ajv.addSchema(document, 'openapi')
    const wrong: string[] = []
    let seen = 0
    const check = (what: string, place: string, example: unknown): void => {
      seen += 1
      const fits = ajv.compile({ $ref: `openapi#${place}` })
      if (!fits(example)) wrong.push(`${what}: ${ajv.errorsText(fits.errors)}`)
    }
    for (const { name, path, method, parameters, requestBody } of operations) {
      const at = `/paths/${pointer(path)}/${method}`
      const body = requestBody?.content['application/json']
      if (body && hasExample(body))
        check(
          name,
          `${at}/requestBody/content/${pointer('application/json')}/schema`,
          body['example'],
        )
      for (const [n, parameter] of parameters.entries())
        if (hasExample(parameter))
          check(`${name} ${parameter.name}`, `${at}/parameters/${n}/schema`, parameter['example'])
    }
    expect(wrong).toEqual([])
    expect(seen).toBeGreaterThan(150)
  })

  it('holds no key that opens anything', () => {
    expect(JSON.stringify(document)).not.toMatch(/sb[a-z]*_[A-Za-z0-9]{20,}/)
  })
})

/** A part of a JSON pointer within a URI. */
const pointer = (part: string): string =>
  encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
