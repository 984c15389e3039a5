/**
 * Fields that an agent declares for its runs, as LangGraph's own client sends them: `context`, and `config.configurable` before it.
 * Would catch: a field that a tool or a policy does not get, one that reaches them undeclared, a value of another kind, an answer to
 * an interrupt that is refused for what the page always sends.
 */
import { randomUUID } from 'node:crypto'
import { definePolicy } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { Client } from 'langgraph-sdk-15'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { call } from '../../packages/server/test/support/http.ts'
import { lastResults, note, noting } from '../../packages/server/test/support/notes.ts'
import { startTest, type TestSignalbox } from '../../packages/server/test/support/signalbox.ts'

let box: TestSignalbox
let client: Client
const judged: unknown[] = []

beforeAll(async () => {
  box = await startTest({
    agents: {
      teller: {
        model: { provider: 'scripted', model: 'telling' },
        tools: ['tell'],
        fields: {
          tier: {
            type: 'string',
            values: ['free', 'gold'],
            description: 'What the user pays for.',
          },
          seats: { type: 'number' },
          beta: { type: 'boolean' },
          team: { type: 'string' },
        },
        guardrails: {
          provider: definePolicy({
            id: 'gold-only',
            evaluate: (request) => {
              judged.push(request.fields)
              return {
                allow: request.fields?.['tier'] !== 'free',
                reasons: [{ code: 'tier', message: 'Only gold may.' }],
              }
            },
          }),
        },
      },
      asker: {
        model: { provider: 'scripted', model: 'once' },
        tools: ['note'],
        fields: { tier: { type: 'string' } },
        guardrails: { approvalTools: ['note'] },
      },
      plain: { model: { provider: 'scripted', model: 'telling' }, tools: ['tell'] },
    },
    tools: [
      note,
      defineTool({
        name: 'tell',
        description: 'Tells what it knows of the run.',
        effect: 'read',
        input: z.object({}),
        run: (_, context) => context.fields,
      }),
    ],
    scripts: {
      once: noting(1),
      telling: (prompt, turn) =>
        turn === 0 ? { calls: [{ name: 'tell', args: {} }] } : { text: lastResults(prompt) },
    },
  })
  client = new Client({ apiUrl: box.api, apiKey: null, callerOptions: { maxRetries: 0 } })
})

afterAll(() => box?.stop())

const input = { messages: [{ type: 'human', content: 'Go.' }] }
const post = (path: string, body: object) => call(box.api, 'POST', path, { body })

/** What the tool told, as the model read it. */
async function told(agent: string, payload: object): Promise<string> {
  const values: object = await client.runs.wait(randomUUID(), agent, { input, ...payload })
  const { messages } = z
    .object({ messages: z.array(z.object({ content: z.string() })) })
    .parse(values)
  return messages.at(-1)?.content ?? ''
}

describe('declared fields', () => {
  it('reach the tool and the policy of a run, whichever way they are said', async () => {
    const context = { tier: 'gold', seats: 3 }
    expect(JSON.parse(await told('teller', { context }))).toEqual(context)
    expect(judged.at(-1)).toEqual(context)
    const configurable = { thread_id: 't', langgraph_auth_user: {}, beta: true, seats: null }
    const config = { configurable }
    expect(JSON.parse(await told('teller', { config, context: { tier: 'gold' } }))).toEqual({
      tier: 'gold',
      beta: true,
    })
    expect(await told('teller', { context: { tier: 'free' } })).toContain('Only gold may.')
    expect(JSON.parse(await told('plain', { context: {} }))).toEqual({})
  })

  it('have what an assistant says where the client does not', async () => {
    const { assistants } = client
    const made = await assistants.create({ graphId: 'teller', context: { tier: 'gold', seats: 3 } })
    const id = made.assistant_id
    expect(JSON.parse(await told(id, {}))).toEqual({ tier: 'gold', seats: 3 })
    const context = { seats: 4, beta: true }
    expect(JSON.parse(await told(id, { context }))).toEqual({ tier: 'gold', ...context })
    const config = { configurable: { tier: 'free', instructions: 'You tell.' } }
    await assistants.update(id, { config, context: {} })
    expect(await told(id, {})).toContain('Only gold may.')
    for (const [said, field] of [
      [{ tier: 'lead' }, 'context.tier'],
      [{ colour: 'red' }, 'context.colour'],
    ] as const)
      expect(await post('/assistants', { graph_id: 'teller', context: said })).toMatchObject({
        status: 422,
        body: { field },
      })
  })

  it('are told to clients in the schemas of the assistant', async () => {
    const { context_schema, config_schema } = await client.assistants.getSchemas('teller')
    expect(context_schema).toEqual({
      type: 'object',
      properties: {
        tier: { type: 'string', enum: ['free', 'gold'], description: 'What the user pays for.' },
        seats: { type: 'number' },
        beta: { type: 'boolean' },
        team: { type: 'string' },
      },
      additionalProperties: false,
    })
    expect(config_schema).toEqual(context_schema)
    expect(await client.assistants.getSchemas('plain')).toMatchObject({ context_schema: null })
  })

  it.each([
    ['another name', { context: { teir: 'gold' } }, 'not_available', 'context.teir', '"tier"'],
    ['another type', { context: { seats: '3' } }, 'invalid_request', 'context.seats', 'a number'],
    ['another value', { context: { tier: 'lead' } }, 'invalid_request', 'context.tier', '"gold"'],
    [
      'a long text',
      { context: { team: 'x'.repeat(1001) } },
      'invalid_request',
      'context.team',
      '1000',
    ],
    [
      'two values',
      { context: { seats: 1 }, config: { configurable: { seats: 2 } } },
      'invalid_request',
      'config.configurable.seats',
      'context',
    ],
  ])('refuse %s by name', async (_, more, code, field, says) => {
    for (const path of ['/runs', '/runs/crons', `/threads/${randomUUID()}/runs`]) {
      const schedule = path === '/runs/crons' ? { schedule: '0 0 1 1 *' } : {}
      const body = { assistant_id: 'teller', input, ...schedule, ...more }
      expect(await post(path, body)).toMatchObject({ status: 422, body: { code, field } })
    }
    const { body } = await post('/runs/batch', [
      { assistant_id: 'teller', input },
      { assistant_id: 'teller', input, ...more },
    ])
    expect(body).toMatchObject({ code, field: `[1].${field}` })
    expect(body.detail).toContain(says)
  })

  it('are the same request with the same key, and another one with others', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const create = (seats: number) =>
      call(box.api, 'POST', '/runs', {
        headers,
        body: { assistant_id: 'teller', input, context: { tier: 'gold', seats } },
      })
    const [first, again, other] = [await create(1), await create(1), await create(2)]
    expect(again.body.run_id).toBe(first.body.run_id)
    expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } })
  })

  it('may be sent along with an answer, as pages do, and are checked there too', async () => {
    const threadId = randomUUID()
    const context = { tier: 'gold' }
    await client.runs.wait(threadId, 'asker', { input, context })
    const command = { resume: { decisions: [{ type: 'approve' }] } }
    const path = `/threads/${threadId}/runs/wait`
    const body = { assistant_id: 'asker', command, context: { colour: 'red' } }
    expect(await post(path, body)).toMatchObject({ status: 422, body: { field: 'context.colour' } })
    const values: object = await client.runs.wait(threadId, 'asker', { command, context })
    expect(JSON.stringify(values)).toContain('I read: noted')
  })
})
