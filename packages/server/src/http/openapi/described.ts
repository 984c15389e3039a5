/**
 * What the OpenAPI document says beyond the schemas of the routes: a name for each operation, and an example of what is sent
 * and of what comes back. The examples were recorded from a real server: `node test/http-contract/record.ts`.
 */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { operationIds } from './operation-ids.ts'

const Examples = z.record(
  z.string(),
  z.object({
    /** A body of JSON that was sent. */
    request: z.unknown().optional(),
    /** What came back, of the media type. */
    answer: z.object({ status: z.number(), type: z.string(), body: z.unknown() }).optional(),
  }),
)

/** What stands in an address, by the name of the parameter. */
const places: Readonly<Record<string, string>> = {
  agent: 'assistant',
  approval_id: 'a_0b6a4f1e2c77_1_0',
  assistant_id: 'assistant',
  call_id: 'c_0b6a4f1e2c77_1_0',
  chat_id: 'chat-1',
  checkpoint_id: '01934f3e-8a10-7c3e-9d55-0b6a4f1e2c77-000003',
  config: 'config-1',
  cron_id: '01934f3e-9b21-7d4f-8e66-1c7b5a2f3d88',
  delivery_id: '01934f3e-8a10-7c3e-9d55-0b6a4f1e2c77.3',
  effect_id: '01934f3e-8a10-7c3e-9d55-0b6a4f1e2c77.2',
  hash: '0d9c6a1f3b5e7d2c4f6a8b0c1d3e5f7a9b1c3d5e7f9a0b2c4d6e8f0a1b2c3d4e',
  key: '3f786850e387550fdab836ed7e6dc881de23001b9e7d2c4f6a8b0c1d3e5f7a9b',
  key_id: '9f3c01ab5d7e2f40',
  name: 'denied_calls',
  namespace: 'assistant',
  path: 'outputs/report.md',
  pause_id: '01934f3e-8a10-7c3e-9d55-0b6a4f1e2c77',
  run_id: '01934f3e-8a10-7c3e-9d55-0b6a4f1e2c77',
  task: '01934f3e-8a10-7c3e-9d55-0b6a4f1e2c77',
  thread_id: 'my-thread',
}

const methods = ['get', 'put', 'post', 'patch', 'delete'] as const
type Item = { readonly [M in (typeof methods)[number]]?: object | undefined }

/** Adds it. The document is changed, and answered. */
export function described<T extends { readonly paths?: Readonly<Record<string, Item>> }>(
  document: T,
): T {
  const examples = readExamples()
  for (const [path, item] of Object.entries(document.paths ?? {}))
    for (const method of methods) {
      const operation = item[method]
      if (operation === undefined) continue
      const name = `${method.toUpperCase()} ${path}`
      const operationId = operationIds[name]
      if (operationId !== undefined) Object.assign(operation, { operationId })
      for (const parameter of listAt(operation, 'parameters')) showPlace(parameter)
      const { request, answer } = examples[name] ?? {}
      if (request !== undefined)
        show(at(operation, 'requestBody', 'content', 'application/json'), request)
      if (answer !== undefined)
        show(at(operation, 'responses', String(answer.status), 'content', answer.type), answer.body)
    }
  return document
}

let read: z.infer<typeof Examples> | null = null

function readExamples(): z.infer<typeof Examples> {
  read ??= Examples.parse(
    JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8')),
  )
  return read
}

function showPlace(parameter: unknown): void {
  const name = at(parameter, 'name')
  const example = typeof name === 'string' ? places[name] : undefined
  if (at(parameter, 'in') === 'path' && example !== undefined) show(parameter, example)
}

function show(where: unknown, example: unknown): void {
  if (typeof where === 'object' && where !== null && !Object.hasOwn(where, 'example'))
    Object.assign(where, { example })
}

const at = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined,
    value,
  )

function listAt(value: unknown, key: string): readonly unknown[] {
  const list = at(value, key)
  return Array.isArray(list) ? list : []
}
