/**
 * `signalbox/testing` as a user's tests use it. Would catch: a run that is said to be at rest while it moves, an approval of a child that
 * nobody finds, a clock that moves nothing, a mistake in a test that makes it pass.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig, defineTool, z } from 'signalbox'
import { call, expectRun, startTestBox, type TestBoxOptions, together } from 'signalbox/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { agents, payments } from './support/payments.ts'

const pay = (amount: number) => call('charge_card', { amount, currency: 'EUR' })

async function box(more: TestBoxOptions = {}) {
  const { charges, tools } = payments()
  return { ...(await open({ agents, tools, ...more })), charges }
}

async function open(options: TestBoxOptions) {
  const opened = await startTestBox(options)
  onTestFinished(() => opened.close())
  return opened
}

describe('a run', () => {
  it('plays the turns of the test, executes the tools, and ends', async () => {
    const { run, charges } = await box()
    const found = await run('clerk', 'What is order 7?', {
      turns: [call('find_order', { number: 7 }), 'It comes to 12.00 EUR.'],
    })
    expectRun(found)
      .calledOnce('find_order', { args: { number: 7 } })
      .notCalled('charge_card')
      .answered('It comes to 12.00 EUR.')
      .redacted('email', { place: 'result', tool: 'find_order' })
      .ended('completed')
      .replays()
    expect(found.calls[0]?.result?.content[0]).toMatchObject({
      text: expect.stringContaining('[redacted:email]'),
    })
    expect(charges).toEqual([])
  })

  it('begins the turns of the box anew, and goes on with a thread', async () => {
    const { run } = await box({ turns: [(prompt) => `I was shown ${prompt.length} messages.`] })
    const first = await run('clerk', 'One.')
    const second = await run('clerk', 'Two.', { thread: first.threadId })
    // Instructions and a question; then, besides, the answer to it and another question.
    expect([first.answer, second.answer]).toEqual([
      'I was shown 2 messages.',
      'I was shown 4 messages.',
    ])
  })

  it('is answered turn by turn through retries and parallel calls', async () => {
    const clerk = { ...agents.clerk, modelRetries: { max: 1, baseMs: 1, capMs: 1 } }
    const { run } = await box({ agents: { clerk } })
    const both = together(call('find_order', { number: 1 }), call('find_order', { number: 2 }))
    const found = await run('clerk', 'Both.', { turns: [{ status: { code: 503 } }, both, 'Two.'] })
    expectRun(found).called('find_order', { times: 2 }).answered('Two.')
    expect(found.timeline()).toContain('the model is asked again (overloaded)')
  })

  it('that was cut executes none of its calls', async () => {
    const { run } = await box()
    const found = await run('clerk', 'Find it.', {
      turns: [{ ...call('find_order', { number: 1 }), ending: 'content_filter' }],
    })
    expectRun(found).notCalled().ended('safety_stopped').replays()
    expect(found.timeline()).toContain('the provider stops for safety; not executed: find_order')
  })
})

describe('people', () => {
  it('approve what waits, and the call executes with its idempotency key', async () => {
    const { run, charges } = await box()
    const found = await run('clerk', 'Charge 12.00 EUR.', { turns: [pay(1200), 'Charged.'] })
    expectRun(found).askedApproval('charge_card').notCalled('charge_card')
    expect(found.outcome).toBeNull()
    await found.approve('charge_card', { note: 'Fine.', by: { id: 'ann', role: null } })
    expectRun(found)
      .calledOnce('charge_card', { args: { amount: 1200 } })
      .ended('completed')
    expect(charges).toEqual([
      { amount: 1200, currency: 'EUR', idempotencyKey: expect.stringContaining(found.id) },
    ])
    expect(found.timeline()).toContain('a person approves charge_card, saying "Fine."')
  })

  it('reject, and the model reads why', async () => {
    const { run, charges } = await box()
    const found = await run('clerk', 'Charge.', {
      turns: [pay(1200), (prompt) => JSON.stringify(prompt.at(-1))],
    })
    await found.reject('charge_card', { note: 'Not this one.' })
    expectRun(found).rejected('charge_card').denied('charge_card', { code: 'rejected' })
    expectRun(found)
      .answered(/Not this one\./)
      .ended('completed')
    expect(charges).toEqual([])
  })

  it('edit: the other arguments are executed', async () => {
    const { run, charges } = await box()
    const found = await run('clerk', 'Charge.', { turns: [pay(1200), 'Charged.'] })
    await found.approve('charge_card', { args: { amount: 900, currency: 'EUR' } })
    expectRun(found).calledOnce('charge_card', { args: { amount: 900 } })
    expect(charges.map(({ amount }) => amount)).toEqual([900])
  })

  it('answer for a run that another one has started', async () => {
    const { run } = await box({
      models: {
        manager: { turns: [call('agent__clerk', { prompt: 'Charge 1.00 EUR.' }), 'It is done.'] },
        clerk: { turns: [pay(100), 'Charged.'] },
      },
    })
    const found = await run('manager', 'Have 1.00 EUR charged.')
    expect(found.outcome).toBeNull()
    await found.approve('charge_card')
    expectRun(found).calledOnce('agent__clerk').answered('It is done.').ended('completed')
    const [child] = await found.children()
    expect(child?.agent).toBe('clerk')
    if (child) expectRun(child).calledOnce('charge_card').ended('completed').replays()
  })

  it('do not answer for a week, and the request expires', async () => {
    const { run, advance } = await box()
    const found = await run('clerk', 'Charge.', { turns: [pay(1200), 'Nobody answered.'] })
    await advance(6 * 86_400_000)
    expect(found.outcome).toBeNull()
    await advance(2 * 86_400_000)
    expectRun(found).rejected('charge_card').notCalled('charge_card').ended('completed').replays()
  })

  it('are refused who may not decide, and the call still waits', async () => {
    const clerk = { ...agents.clerk, approvals: { roles: ['lead'] } }
    const { run } = await box({ agents: { clerk } })
    const found = await run('clerk', 'Charge.', { turns: [pay(1200), 'Charged.'] })
    for (const by of [undefined, { id: 'bob', role: 'trainee' }])
      await expect(found.approve('charge_card', by && { by })).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringMatching(
          /^The answer about charge_card was not taken: forbidden, calls of clerk are approved by lead\./,
        ),
      })
    await found.approve('charge_card', { by: { id: 'ann', role: 'lead' } })
    expectRun(found).calledOnce('charge_card').ended('completed')
  })

  it.each([
    ['happened', 'Charged after all.', /Charged after all\./],
    ['not_happened', undefined, /./],
  ] as const)('say of a call that never came back: %s', async (resolution, output, words) => {
    const pending = defineTool({
      name: 'transfer',
      description: 'Transfers money.',
      effect: 'once',
      timeoutMs: 50,
      input: z.object({}),
      run: () => 'transferred',
    })
    const { run } = await open({
      agents: { clerk: { tools: ['transfer'] } },
      tools: [pending],
      fakes: { transfer: () => new Promise(() => {}) },
    })
    const found = await run('clerk', 'Transfer it.', {
      turns: [call('transfer'), (prompt) => JSON.stringify(prompt.at(-1))],
    })
    expect(found.outcome).toBeNull()
    expect(found.timeline()).toContain('the outcome of transfer is unknown (not_settled)')
    await found.resolve('transfer', resolution, output)
    expectRun(found).answered(words).ended('completed').replays()
    await expect(found.resolve('transfer', 'happened')).rejects.toMatchObject({
      code: 'nothing_waits',
    })
  })

  it('cancel what is executing', async () => {
    const { start } = await box()
    const found = await start('clerk', 'Report.', { turns: [call('monthly_report')] })
    await found.executing('monthly_report')
    await found.cancel('It takes too long.')
    expectRun(found).ended('cancelled').replays()
  })

  it('say something more, and the model is shown it', async () => {
    const { run } = await box()
    const found = await run('clerk', 'Charge.', {
      turns: [pay(1200), (prompt) => JSON.stringify(prompt).match(/with a receipt/)?.[0] ?? ''],
    })
    await found.say('Send it with a receipt.')
    await found.approve()
    expectRun(found).answered('with a receipt').ended('completed')
  })
})

describe('policies', () => {
  it('deny a call, and its sibling executes', async () => {
    const { run, charges } = await box()
    const found = await run('clerk', 'Charge 5,000 EUR.', {
      turns: [together(pay(500_000), call('find_order', { number: 7 })), 'I may not.'],
    })
    expectRun(found)
      .deniedBy('passport', { tool: 'charge_card', code: 'oap.limit_exceeded' })
      .calledOnce('find_order')
      .notCalled('charge_card')
      .ended('completed')
    expect(charges).toEqual([])
  })
})

describe('fakes', () => {
  it('do the work of a tool; the checks before it stay', async () => {
    const asked: unknown[] = []
    const { run, charges } = await box({
      fakes: {
        charge_card: (args, { idempotencyKey }) => {
          asked.push(args)
          if (idempotencyKey === '') return 'no key'
          throw new Error('The card was declined.')
        },
      },
    })
    const found = await run('clerk', 'Charge.', {
      turns: [pay(1200), (prompt) => JSON.stringify(prompt.at(-1))],
    })
    await found.approve()
    expectRun(found)
      .calledOnce('charge_card')
      .answered(/The card was declined\./)
    expect(asked).toEqual([{ amount: 1200, currency: 'EUR' }])
    expect(charges).toEqual([])
    const denied = await run('clerk', 'Charge.', { turns: [pay(99_999_999), 'No.'] })
    expectRun(denied).deniedBy('passport').notCalled()
  })
})

describe('the configuration', () => {
  it('is a value, with the scripts that it brings along', async () => {
    const { tools } = payments()
    const config = defineConfig({
      agents: { clerk: { ...agents.clerk, model: { provider: 'scripted', model: 'greets' } } },
      tools,
      scripts: { greets: () => ({ text: 'Hello.' }) },
      webhooks: { endpoints: { ops: { url: 'https://hooks.example/x' } } },
      workspace: { root: '/nonexistent/of-production' },
    })
    const { run } = await open({ config })
    expectRun(await run('clerk', 'Hi.'))
      .answered('Hello.')
      .replays()
    expectRun(await run('clerk', 'Hi.', { turns: ['Good day.'] })).answered('Good day.')
  })

  it('is a file, found in a folder or named', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'signalbox-testing-'))
    onTestFinished(() => rm(dir, { recursive: true, force: true }))
    const model = { provider: 'anthropic', model: 'claude-sonnet-4-5' }
    await writeFile(
      join(dir, 'signalbox.config.json'),
      JSON.stringify({ agents: { ann: { model } } }),
    )
    const places: readonly TestBoxOptions[] = [
      { dir },
      { config: join(dir, 'signalbox.config.json') },
    ]
    for (const where of places) {
      const { run } = await open({ ...where, turns: ['Here.'] })
      expectRun(await run('ann', 'Where?'))
        .answered('Here.')
        .ended('completed')
    }
  })
})

describe('over Postgres', () => {
  it('the same run leaves the same log', async () => {
    const { run, charges, advance } = await box({ register: 'postgres', withinMs: 60_000 })
    const found = await run('clerk', 'Charge 12.00 EUR.', {
      turns: [call('find_order', { number: 7 }), pay(1200), 'Charged.'],
    })
    await found.approve()
    expectRun(found)
      .inOrder(['find_order', 'charge_card'])
      .redacted('email')
      .ended('completed')
      .replays()
    expect(charges).toHaveLength(1)
    await expect(advance(1)).rejects.toMatchObject({ code: 'wrong_option' })
  })
})
