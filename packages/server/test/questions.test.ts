/**
 * Questions of a model over HTTP and LangGraph's wire (context-systems §11, §17, §19 question). Would catch: an answer that begins another run, one
 * that is taken twice, a form that takes anything, a question that nobody finds, and one that is asked of a run nobody looks at.
 */
import type { Script } from '@signalbox/models'
import { type ConfigInput, parseConfig } from '@signalbox/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../postgres/test/support/database.ts'
import { hold, letAllGo } from './support/hold.ts'
import { call, eventually, readSse } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`

/** Makes the calls that the words of a user hold as JSON; then says what it was answered. */
const curious: Script = (prompt) => {
  const last = prompt.at(-1)
  if (last?.role === 'user') {
    const said = last.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
    return said.startsWith('[')
      ? { calls: JSON.parse(said.replaceAll('%', secret)) }
      : { text: said }
  }
  const results = last?.role === 'tool' ? last.results : []
  return {
    text: results
      .flatMap(({ output }) => output.content)
      .map((part) => (part.type === 'text' ? part.text : ''))
      .join(' | '),
  }
}

const model = { provider: 'scripted' as const, model: 'curious' }
const config: ConfigInput = {
  agents: {
    asker: { model, tools: ['hold'], clarification: true },
    hasty: { model, clarification: { expiresMs: 1_000 } },
    plain: { model },
    parent: { model, tools: ['agent:asker'] },
    careful: { model, clarification: true, guardrails: { stream: [{ use: 'secrets' }] } },
  },
  tools: [hold],
  scripts: { curious },
}
let box: TestSignalbox

beforeAll(async () => {
  box = await startTest(config)
})
afterAll(async () => {
  letAllGo()
  await box?.stop()
})

const get = async (path: string) => (await call(box.api, 'GET', path)).body
const ask = (args: object) => ({ name: 'ask_clarification', args })
const text = { question: 'Which account?', why: 'There are two.' }
const choice = { question: 'Which?', options: ['Savings', 'Checking'] }
const form = {
  question: 'How much?',
  form: [
    { name: 'amount', type: 'number', label: 'Amount' },
    { name: 'note', type: 'text', required: false },
    { name: 'speed', type: 'choice', options: ['fast', 'slow'] },
  ],
}

let threads = 0
/** A run that makes these calls; answers when it waits. */
async function wondering(calls: readonly object[], agent = 'asker', more: object = {}) {
  threads += 1
  const thread = `question-${threads}`
  const { body, status } = await call(box.api, 'POST', `/threads/${thread}/runs`, {
    body: { assistant_id: agent, input: JSON.stringify(calls), ...more },
  })
  expect(status).toBe(200)
  const run: string = body.run_id
  return { thread, run }
}

async function waiting(calls: readonly object[], agent = 'asker') {
  const place = await wondering(calls, agent)
  await eventually(async () => (await get(`/runs/${place.run}`)).status === 'interrupted')
  const { waiting: asked } = await get(`/runs/${place.run}`)
  return { ...place, asked }
}

const tell = (run: string, callId: string, body: object) =>
  call(box.api, 'POST', `/runs/${run}/inputs/${callId}`, { body })

const answerOf = async (run: string) => {
  const { messages, outcome } = await get(`/runs/${run}/join`)
  return [outcome, messages.at(-1).content]
}

describe('a question', () => {
  it('waits, is listed, and the same run goes on with the answer', async () => {
    const { thread, run, asked } = await waiting([ask(text)])
    const question = {
      for: 'input',
      question: text.question,
      why: text.why,
      kind: 'text',
      options: null,
      form: null,
    }
    expect(asked).toEqual([expect.objectContaining(question)])
    const document = await get(`/runs/${run}`)
    expect(document).toMatchObject({
      state: 'input',
      waits_for: { kind: 'input', tool: 'ask_clarification' },
    })
    const [listed] = await get(`/inputs?run_id=${run}`)
    expect(listed).toMatchObject({
      ...question,
      run_id: run,
      thread_id: thread,
      root_run_id: run,
      root_thread_id: thread,
    })
    const [{ call_id: callId }] = asked
    expect(await tell(run, callId, { text: 'The savings account.' })).toMatchObject({
      status: 200,
      body: { code: 'accepted' },
    })
    expect(await answerOf(run)).toEqual(['completed', 'The user answered: The savings account.'])
    expect(await get(`/inputs?run_id=${run}`)).toEqual([])
    expect(await get(`/threads/${thread}/runs`)).toHaveLength(1)
    // Nothing was executed for it.
    const { events } = await get(`/runs/${run}/events?limit=1000`)
    expect(events.map(({ type }: { type: string }) => type)).not.toContain(
      'effect.started tool.call',
    )
    expect(await tell(run, callId, { text: 'The savings account.' })).toMatchObject({
      status: 200,
      body: { code: 'already' },
    })
    expect(await tell(run, callId, { text: 'The other one.' })).toMatchObject({
      status: 409,
      body: { code: 'input_conflict' },
    })
  })

  it.each([
    ['by an option', choice, { option: 'Checking' }, 'The user chose: Checking'],
    [
      'by a form',
      form,
      { values: { amount: 3, speed: 'slow' } },
      'The user filled in the form: {"amount":3,"speed":"slow"}',
    ],
    [
      'by nothing',
      text,
      { declined: true },
      'The user did not want to answer. Go on without, and say in your answer what you assumed.',
    ],
  ])('is answered %s', async (_, args, answer, words) => {
    const { run, asked } = await waiting([ask(args)])
    expect((await tell(run, asked[0].call_id, answer)).status).toBe(200)
    expect(await answerOf(run)).toEqual(['completed', words])
  })

  it.each<[string, object, object, string, string]>([
    ['words for an option', choice, { text: 'Savings' }, 'text', 'answered by `option`'],
    ['an option that is none', choice, { option: 'savings' }, 'option', '"Savings", "Checking"'],
    ['an option for words', text, { option: 'x' }, 'option', 'answered by `text`'],
    ['a field too few', form, { values: { speed: 'slow' } }, 'values.amount', 'a number'],
    [
      'a field of another type',
      form,
      { values: { amount: '3', speed: 'slow' } },
      'values.amount',
      'a number',
    ],
    [
      'a field that is none',
      form,
      { values: { amount: 3, speed: 'slow', to: 'x' } },
      'values.to',
      'amount, note, speed',
    ],
    [
      'a choice that is none',
      form,
      { values: { amount: 3, speed: 'x' } },
      'values.speed',
      '"fast", "slow"',
    ],
  ])('%s is none, and the question still waits', async (_, args, answer, field, words) => {
    const { run, asked } = await waiting([ask(args)])
    const refused = await tell(run, asked[0].call_id, answer)
    expect(refused).toMatchObject({ status: 422, body: { code: 'invalid_answer', field } })
    expect(refused.body.detail).toContain(words)
    expect(await get(`/inputs?run_id=${run}`)).toHaveLength(1)
  })

  it.each([
    ['nothing', {}],
    ['two forms at once', { text: 'a', option: 'b' }],
    ['blank words', { text: ' ' }],
    ['another field', { answer: 'x' }],
  ])('%s is no answer at all', async (_, answer) => {
    const { run, asked } = await waiting([ask(text)])
    expect(await tell(run, asked[0].call_id, answer)).toMatchObject({
      status: 422,
      body: { code: 'invalid_request' },
    })
  })

  it('§19 question 3 of 20 answers at once one counts, the same again is 200, another 409', async () => {
    const { run, asked } = await waiting([ask(text)])
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        tell(run, asked[0].call_id, { text: n % 2 === 0 ? 'yes' : 'no' }),
      ),
    )
    const [, words] = await answerOf(run)
    const won = words === 'The user answered: yes' ? 0 : 1
    expect(answers.map(({ status }, n) => [n % 2 === won, status])).toEqual(
      answers.map((_, n) => [n % 2 === won, n % 2 === won ? 200 : 409]),
    )
    expect(answers.filter(({ body }) => body.code === 'accepted')).toHaveLength(1)
    const { events } = await get(`/runs/${run}/events?limit=1000`)
    expect(events.filter(({ type }: { type: string }) => type === 'input.answered')).toHaveLength(1)
  })

  it('§19 question 1 is asked while a sibling runs on, and is answered before it has finished', async () => {
    const { run } = await wondering([{ name: 'hold', args: {} }, ask(text)])
    const [listed] = await eventually(async () => {
      const found = await get(`/inputs?run_id=${run}`)
      return found.length > 0 && found
    })
    expect((await get(`/runs/${run}`)).status).toBe('running')
    expect((await tell(run, listed.call_id, { text: 'x' })).status).toBe(200)
    letAllGo()
    const [outcome, words] = await answerOf(run)
    expect([outcome, words]).toEqual(['completed', expect.stringContaining('The user answered: x')])
  })

  it('§19 question 4 expires, and is not answered any more', async () => {
    const { run } = await wondering([ask(text)], 'hasty')
    await eventually(async () => (await get(`/runs/${run}`)).outcome !== null)
    const { events } = await get(`/runs/${run}/events?limit=1000`)
    const asked = events.find(({ type }: { type: string }) => type === 'input.requested')
    const [outcome, words] = await answerOf(run)
    expect([outcome, words]).toEqual([
      'completed',
      expect.stringContaining('Nobody answered in time.'),
    ])
    expect(await tell(run, asked.payload.callId, { text: 'late' })).toMatchObject({
      status: 410,
      body: { code: 'input_expired' },
    })
  })

  it('§19 question 4 of a run that is cancelled is listed no more, and takes no answer', async () => {
    const { run, asked } = await waiting([ask(text)])
    await call(box.api, 'POST', `/runs/${run}/cancel?wait=1`)
    await eventually(async () => (await get(`/runs/${run}`)).outcome === 'cancelled')
    expect(await tell(run, asked[0].call_id, { text: 'x' })).toMatchObject({
      status: 409,
      body: { code: 'run_ended' },
    })
    expect(await get(`/inputs?run_id=${run}`)).toEqual([])
  })

  it('§19 question 4 in a rerun the answer is recalled, and one that was never given stops it', async () => {
    const { run, asked } = await waiting([ask(text)])
    await tell(run, asked[0].call_id, { text: 'yes' })
    await answerOf(run)
    const again = (await call(box.api, 'POST', `/runs/${run}/rerun`, { body: {} })).body
    expect(await answerOf(again.run_id)).toEqual(['completed', 'The user answered: yes'])
    const { run: unanswered } = await waiting([ask(text)])
    await call(box.api, 'POST', `/runs/${unanswered}/cancel?wait=1`)
    await eventually(async () => (await get(`/runs/${unanswered}`)).outcome === 'cancelled')
    const stopped = (await call(box.api, 'POST', `/runs/${unanswered}/rerun`, { body: {} })).body
    expect((await get(`/runs/${stopped.run_id}/join`)).outcome).toBe('failed')
  })

  it('§19 question 5 of a child is listed under its root', async () => {
    const { run, thread } = await wondering(
      [{ name: 'agent__asker', args: { prompt: JSON.stringify([ask(text)]) } }],
      'parent',
    )
    const [listed] = await eventually(async () => {
      const found = await get(`/inputs?run_id=${run}`)
      return found.length > 0 && found
    })
    expect(listed).toMatchObject({
      root_run_id: run,
      root_thread_id: thread,
      assistant_id: 'asker',
    })
    expect(listed.run_id).not.toBe(run)
    await tell(listed.run_id, listed.call_id, { text: 'yes' })
    expect(await answerOf(run)).toEqual([
      'completed',
      expect.stringContaining('The user answered: yes'),
    ])
  })

  it('§19 question 6 shows nothing that a guardrail takes out of it', async () => {
    const { run, asked } = await waiting([ask({ question: 'Is % right?' })], 'careful')
    expect(JSON.stringify(asked)).not.toContain(secret)
    expect(asked[0].question).toContain('[redacted')
    expect(JSON.stringify(await get(`/runs/${run}/events?limit=1000`))).not.toContain(secret)
  })

  it('is not asked in a run that nobody looks at, nor in one of its children', async () => {
    const { run } = await wondering([ask(text)], 'asker', { interactive: false })
    expect((await answerOf(run))[1]).toContain('nobody_to_ask')
    const { run: above } = await wondering(
      [{ name: 'agent__asker', args: { prompt: JSON.stringify([ask(text)]) } }],
      'parent',
      { interactive: false },
    )
    expect((await answerOf(above))[1]).toContain('nobody_to_ask')
    const { run: plain } = await wondering([], 'plain', { interactive: false })
    const { events } = await get(`/runs/${plain}/events?limit=10`)
    expect(events[0].payload).not.toHaveProperty('interactive')
  })

  it('of no run, or a call that asks nothing', async () => {
    const nobody = '01930000-0000-7000-8000-000000000000'
    expect(await tell(nobody, 'c_x', { text: 'x' })).toMatchObject({
      status: 404,
      body: { code: 'unknown_run' },
    })
    const { run } = await waiting([ask(text)])
    expect(await tell(run, 'c_x', { text: 'x' })).toMatchObject({
      status: 404,
      body: { code: 'unknown_input' },
    })
    expect(await get(`/inputs?run_id=${nobody}`)).toEqual([])
  })
})

const resume = (thread: string, value: unknown) =>
  call(box.api, 'POST', `/threads/${thread}/runs/wait`, {
    body: { assistant_id: 'asker', command: { resume: value } },
  })

it('a message is no answer: its run waits, and says for what', async () => {
  const { thread, run, asked } = await waiting([ask(text)])
  const { status, body: next } = await call(box.api, 'POST', `/threads/${thread}/runs`, {
    body: { assistant_id: 'asker', input: 'The savings account.' },
  })
  expect(status).toBe(200)
  const behind = { kind: 'thread', run_id: run, run_waits_for: 'input' }
  expect(next).toMatchObject({ status: 'pending', waits_for: behind })
  expect(await get(`/inputs?run_id=${run}`)).toHaveLength(1)
  await tell(run, asked[0].call_id, { text: 'The other one.' })
  expect(await answerOf(run)).toEqual(['completed', 'The user answered: The other one.'])
  expect(await answerOf(next.run_id)).toEqual(['completed', 'The savings account.'])
})

it('a question waits through a restart, and is answered by another process', async () => {
  const database = await createTestDatabase()
  const start = () => startTest(config, { env: { DATABASE_URL: database.adminUrl } })
  const before = await start()
  const asking = await call(before.api, 'POST', '/threads/restarted/runs/wait', {
    body: { assistant_id: 'asker', input: JSON.stringify([ask(choice)]) },
  })
  await before.stop()
  const after = await start()
  try {
    const { run_id: run } = asking.body.run
    const { body: listed } = await call(after.api, 'GET', `/inputs?run_id=${run}`)
    expect(listed).toEqual([expect.objectContaining({ run_id: run, ...choice })])
    const path = `/runs/${run}/inputs/${listed[0].call_id}`
    const answer = await call(after.api, 'POST', path, { body: { option: 'Savings' } })
    expect(answer).toMatchObject({ status: 200, body: { code: 'accepted' } })
    const { body } = await call(after.api, 'GET', `/runs/${run}/join`)
    expect(body).toMatchObject({ outcome: 'completed', run: { run_id: run } })
    expect(body.messages.at(-1).content).toBe('The user chose: Savings')
  } finally {
    await after.stop()
    await database.drop()
  }
})

describe('over LangGraph', () => {
  it('is an interrupt of the state, and `command.resume` answers it', async () => {
    const { thread, asked } = await waiting([ask(text)])
    const state = await get(`/threads/${thread}/state`)
    const [interrupt] = state.tasks.flatMap(
      ({ interrupts }: { interrupts: object[] }) => interrupts,
    )
    expect(interrupt).toMatchObject({
      id: asked[0].call_id,
      value: { for: 'input', question: text.question },
    })
    const { body } = await resume(thread, 'savings')
    expect(body.messages.at(-1).content).toBe('The user answered: savings')
  })

  it('several are answered by their ids, beside each other or one by one', async () => {
    const { thread, asked } = await waiting([ask(text), ask(choice), ask(form)])
    const [first, second, third] = asked.map(({ call_id }: { call_id: string }) => call_id)
    const partly = await resume(thread, { [first]: 'a', [second]: 'Savings' })
    expect(partly.body.__interrupt__).toHaveLength(1)
    const { body } = await resume(thread, { [third]: { amount: 1, speed: 'fast' } })
    expect(body.messages.at(-1).content).toBe(
      'The user answered: a | The user chose: Savings | The user filled in the form: {"amount":1,"speed":"fast"}',
    )
  })

  it.each<[string, unknown, string]>([
    ['an option that is none', 'Gold', 'command.resume.option'],
    ['a form of another question', { values: {} }, 'command.resume.values'],
  ])('%s is refused, by its place', async (_, value, field) => {
    const { thread } = await waiting([ask(choice)])
    expect(await resume(thread, value)).toMatchObject({
      status: 422,
      body: { code: 'invalid_answer', field },
    })
  })

  it('the stream of the run goes on with the answer', async () => {
    threads += 1
    const thread = `question-${threads}`
    const response = await fetch(`${box.api}/threads/${thread}/runs/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        assistant_id: 'asker',
        input: JSON.stringify([ask(text)]),
        stream_mode: ['updates'],
      }),
    })
    const frames: unknown[] = []
    for await (const frame of readSse(response.body ?? new ReadableStream()))
      frames.push(frame.data)
    expect(JSON.stringify(frames)).toContain('__interrupt__')
    const { body } = await resume(thread, 'x')
    expect(body).toMatchObject({ outcome: 'completed' })
  })
})

describe('a wrong configuration', () => {
  const agent = { model: { provider: 'scripted', model: 'm' } }
  it.each([
    ['no switch', { clarification: 'yes' }, 'agents.a.clarification'],
    ['a name that is spelt wrongly', { clarification: { expireMs: 5_000 } }, 'expiresMs'],
    ['too short a time', { clarification: { expiresMs: 5 } }, 'agents.a.clarification.expiresMs'],
  ])('%s', (_, patch, words) => {
    const agents = { a: { ...agent, ...patch } }
    expect(() => parseConfig({ agents, scripts: { m: () => ({ text: '' }) } })).toThrow(words)
  })
})
