/**
 * The messages of assertions of `signalbox/testing` that are not met, and of mistakes in a test. Would catch: an assertion that nothing
 * can fail, a name that was misspelt and passes, a message that sends its reader to the log.
 */
import { AssertionError } from 'node:assert'
import {
  call,
  type CallMatch,
  expectRun,
  startTestBox,
  type TestBox,
  TestBoxError,
  type TestBoxOptions,
  type TestRun,
  together,
} from 'signalbox/testing'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { agents, payments } from './support/payments.ts'

let box: TestBox
/** Found an order, was denied 5,000 EUR, and was approved 12 EUR. */
let run: TestRun
beforeAll(async () => {
  box = await startTestBox({ agents, tools: payments().tools })
  run = await box.run('clerk', 'Charge what order 7 comes to.', {
    turns: [
      call('find_order', { number: 7 }),
      together(
        call('charge_card', { amount: 500_000, currency: 'EUR' }),
        call('charge_card', { amount: 1200, currency: 'EUR' }),
      ),
      'Charged.',
    ],
  })
  await run.approve('charge_card')
})
afterAll(() => box?.close())

function failure(assert: () => unknown): string {
  try {
    assert()
  } catch (error) {
    if (error instanceof AssertionError) return error.message
    throw error
  }
  throw new Error('the assertion held')
}

async function mistake(made: Promise<unknown> | (() => unknown)): Promise<TestBoxError> {
  try {
    await (typeof made === 'function' ? made() : made)
  } catch (error) {
    if (error instanceof TestBoxError) return error
    throw error
  }
  throw new Error('no mistake was found')
}

describe('an assertion that is met', () => {
  it.each<[string, CallMatch]>([
    ['nothing', {}],
    ['a part of the arguments', { args: { amount: 1200 } }],
    ['an expression', { args: { currency: /^EU/ } }],
    ['a matcher of the runner', { args: { amount: expect.any(Number) } }],
    ['a function', { args: ({ amount }) => amount === 1200 }],
    ['a function that asserts', { args: (args) => expect(args).toHaveProperty('amount') }],
    ['a number of times', { times: 1 }],
  ])('takes %s', (_, match) => {
    expectRun(run).called('charge_card', match)
  })

  it('can be chained', () => {
    expectRun(run)
      .inOrder(['find_order', 'charge_card'])
      .deniedBy('passport', { tool: 'charge_card' })
      .notCalled('charge_card', { args: { amount: 500_000 } })
      .notCalled('monthly_report')
      .askedApproval('charge_card')
      .ended('completed')
      .replays()
  })
})

describe('an assertion that is not met', () => {
  it.each<[string, (to: ReturnType<typeof expectRun>) => unknown, string]>([
    [
      'a call that nobody made',
      (to) => to.called('monthly_report'),
      'Expected monthly_report to be executed. The model did not ask for it.',
    ],
    [
      'other arguments',
      (to) => to.called('charge_card', { args: { amount: 1300 } }),
      'Expected charge_card with {"amount":1300} to be executed. It was executed once:\n' +
        '  charge_card {"amount":1200,"currency":"EUR"}  ← amount: expected 1300, got 1200',
    ],
    [
      'arguments that were denied',
      (to) => to.called('charge_card', { args: { amount: 500_000 } }),
      'Expected charge_card with {"amount":500000} to be executed.',
    ],
    [
      'more often',
      (to) => to.called('find_order', { times: 2 }),
      'Expected find_order to be executed, 2 times. It was executed once:',
    ],
    [
      'a call that was made',
      (to) => to.notCalled('find_order'),
      'Expected no call of find_order to be executed, but find_order {"number":7} was.',
    ],
    ['any call', (to) => to.notCalled(), 'Expected no call of any tool to be executed, but '],
    [
      'another order',
      (to) => to.inOrder(['charge_card', 'find_order']),
      'Expected the order charge_card, find_order. There is no find_order behind charge_card: executed were find_order, charge_card.',
    ],
    [
      'another tool that was denied',
      (to) => to.deniedBy('passport', { tool: 'find_order' }),
      'Expected find_order to be denied by passport. Denied was charge_card by passport (oap.limit_exceeded).',
    ],
    [
      'another policy',
      (to) => to.deniedBy('lists'),
      'Expected a call to be denied by lists. Denied was charge_card by passport (oap.limit_exceeded).',
    ],
    [
      'another code',
      (to) => to.denied('charge_card', { code: 'oap.expired' }),
      'Expected charge_card to be denied (oap.expired). Denied was',
    ],
    [
      'an approval of another tool',
      (to) => to.askedApproval('find_order'),
      'Expected a person to be asked about find_order. Asked was about charge_card.',
    ],
    [
      'a rejection',
      (to) => to.rejected('charge_card'),
      'Expected charge_card to be rejected. The answers were approve.',
    ],
    [
      'another end',
      (to) => to.ended('failed'),
      'Expected the run to end: failed. It ended: completed.',
    ],
    [
      'another answer',
      (to) => to.answered(/refused/),
      'Expected the answer /refused/. It is "Charged.".',
    ],
    [
      'another redaction',
      (to) => to.redacted('iban', { place: 'text' }),
      'Expected iban to be taken out, place text. Taken out was email in the result (pii)',
    ],
  ])('says so, with the timeline: %s', (_, assert, words) => {
    const message = failure(() => assert(expectRun(run)))
    expect(message).toContain(words)
    for (const line of [
      'The run of the agent "clerk" ended: completed.',
      'the user says "Charge what order 7 comes to." to the agent clerk',
      'the model asks for find_order {"number":7}',
      'find_order begins, attempt 1',
      '× email out of the result',
      'passport denies charge_card: oap.limit_exceeded',
      'charge_card waits for a person to approve it',
      'a person approves charge_card',
      'charge_card answers "Charged 1200 EUR."',
      'the model says "Charged."',
      'the run ends: completed',
    ])
      expect(message).toContain(line)
  })

  it('says why a call that was asked for was not executed', async () => {
    const denied = await box.run('clerk', 'Charge.', {
      turns: [call('charge_card', { amount: 500_000, currency: 'EUR' }), 'No.'],
    })
    expect(failure(() => expectRun(denied).called('charge_card'))).toMatch(
      /^Expected charge_card to be executed\. The model asked for it, but it was not executed: .*passport/,
    )
  })
})

describe('a mistake of the test', () => {
  it('a tool that the agent does not have fails whatever is asserted', async () => {
    expect(await mistake(() => expectRun(run).notCalled('chrage_card'))).toMatchObject({
      code: 'unknown_tool',
      message: 'The agent "clerk" has no tool "chrage_card". Did you mean "charge_card"?',
    })
  })

  it('a policy that the agent does not have', async () => {
    expect((await mistake(() => expectRun(run).deniedBy('pasport'))).message).toBe(
      'The agent "clerk" has no policy "pasport". Did you mean "passport"?',
    )
  })

  it('an agent that is not there', async () => {
    expect(await mistake(box.run('clrek', 'Hi.'))).toMatchObject({
      code: 'unknown_agent',
      message: 'There is no agent "clrek" in the configuration. Did you mean "clerk"?',
    })
    expect((await mistake(startTestBox({ agents, models: { clrek: {} } }))).message).toMatch(
      /^models\.clrek: There is no agent "clrek"/,
    )
  })

  it('nothing that says what the model answers', async () => {
    const { code, message } = await mistake(box.run('clerk', 'Hi.'))
    expect(code).toBe('no_answers')
    expect(message).toMatch(/^Nothing says what the model of the agent "clerk" .* answers/)
  })

  it('a script that runs out of turns: said with the timeline', async () => {
    const turns = [call('find_order', { number: 7 })]
    const { code, message } = await mistake(box.run('clerk', 'Find it.', { turns }))
    expect(code).toBe('out_of_turns')
    expect(message).toMatch(
      /^The script of the agent "clerk" has 1 turn, and the run asked the model 2 times\./,
    )
    expect(message).toContain('find_order answers')
  })

  it('a turn that calls a tool of another name, unless the test is about that', async () => {
    const turns = [call('find_ordre', { number: 7 }), 'Done.']
    expect((await mistake(box.run('clerk', 'Find it.', { turns }))).message).toContain(
      'Turn 1 of the script of the agent "clerk" calls "find_ordre", which is none of its tools. Did you mean "find_order"?',
    )
    const invented = await box.run('clerk', 'Find it.', {
      turns: [{ calls: [{ name: 'launch', args: {}, unknownTool: true }] }, 'Done.'],
    })
    expectRun(invented).denied('launch').notCalled().ended('completed')
  })

  it('a fake of a tool that nobody has', async () => {
    const tools = payments().tools
    expect(
      (await mistake(startTestBox({ agents, tools, fakes: { charge: () => 'ok' } }))).message,
    ).toMatch(/^fakes\.charge: there is no tool of this name\./)
  })

  it('an answer that nothing waits for', async () => {
    expect((await mistake(run.approve())).message).toMatch(
      /^Nothing of the run waits for an approval\.\n/,
    )
    expect((await mistake(run.approve('find_order'))).message).toMatch(
      /^No call of find_order waits for an approval\.\n/,
    )
  })

  it('options that contradict each other, or mean nothing', async () => {
    const wrong: readonly TestBoxOptions[] = [
      { agents, config: './signalbox.config.ts' },
      { tools: payments().tools },
      { config: './nowhere.ts' },
      { agents, withinMs: 0 },
    ]
    for (const options of wrong)
      expect((await mistake(startTestBox(options))).code).toBe('wrong_option')
    expect((await mistake(box.advance(-1))).code).toBe('wrong_option')
  })

  it('a configuration that is wrong says which field', async () => {
    await expect(
      startTestBox({ agents: { clerk: { tools: ['charge_card'] } } }),
    ).rejects.toMatchObject({ name: 'ConfigError', field: 'agents.clerk.tools[0]' })
  })

  it('a box that is closed', async () => {
    const closed = await startTestBox({ agents: { one: {} }, turns: ['Hi.'] })
    await closed.close()
    await closed.close()
    expect((await mistake(closed.run('one', 'Hi.'))).code).toBe('closed')
  })

  it('a run that does not come to rest: its state, and what it waits for', async () => {
    const slow = await startTestBox({ agents, tools: payments().tools, withinMs: 200 })
    onTestFinished(() => slow.close())
    const { code, message } = await mistake(
      slow.run('clerk', 'Report.', { turns: [call('monthly_report')] }),
    )
    expect(code).toBe('not_at_rest')
    expect(message).toMatch(
      /^The run did not come to rest within 200 ms: it is in the state "tools" and waits for the tool monthly_report \(attempt 1\)\.\n/,
    )
    expect(message).toContain('monthly_report begins, attempt 1')
  })
})
