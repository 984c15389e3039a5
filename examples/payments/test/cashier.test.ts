/** The cashier, tested as it is configured: its passport, its approval, its tools. Only the model is played, and no card is charged. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { call, expectRun, startTestBox, type TestBox, together } from 'signalbox/testing'

const charges: { readonly key: string; readonly args: object }[] = []
let box: TestBox

before(async () => {
  box = await startTestBox({
    config: fileURLToPath(new URL('../signalbox.config.ts', import.meta.url)),
    fakes: {
      charge_card: (args, { idempotencyKey }) => {
        charges.push({ key: idempotencyKey, args })
        return 'receipt-1'
      },
    },
  })
})
after(() => box.close())
beforeEach(() => {
  charges.length = 0
})

const charge = (amount: number, order = 'A-17') =>
  call('charge_card', { order, amount, currency: 'EUR' })

test('a charge waits for a person, and is made once, with a key', async () => {
  const run = await box.run('cashier', 'Charge 12.00 EUR for order A-17.', {
    turns: [charge(1200), 'Charged, receipt-1.'],
  })
  expectRun(run).askedApproval('charge_card').notCalled('charge_card')
  assert.equal(charges.length, 0)

  await run.approve('charge_card', { note: 'The parcel has left.' })
  expectRun(run)
    .calledOnce('charge_card', { args: { amount: 1200, currency: 'EUR' } })
    .answered(/receipt-1/)
    .ended('completed')
    .replays()
  assert.deepEqual(
    charges.map(({ key }) => key.startsWith(run.id)),
    [true],
  )
})

test('a person rejects, and the card is not charged', async () => {
  const run = await box.run('cashier', 'Charge 12.00 EUR for order A-17.', {
    turns: [charge(1200), 'It was not allowed.'],
  })
  await run.reject('charge_card', { note: 'Already paid.' })
  expectRun(run).rejected('charge_card').notCalled('charge_card').ended('completed')
  assert.deepEqual(charges, [])
})

test('nobody decides for a week, and the card is not charged', async () => {
  const run = await box.run('cashier', 'Charge 12.00 EUR for order A-17.', {
    turns: [charge(1200), 'Nobody has decided.'],
  })
  await box.advance(8 * 24 * 3_600_000)
  expectRun(run).rejected('charge_card').notCalled('charge_card').ended('completed')
})

test('the passport denies what is too much, and nobody is asked', async () => {
  const run = await box.run('cashier', 'Charge 5,000.00 EUR for order A-18.', {
    turns: [charge(500_000), 'That is more than I may charge.'],
  })
  expectRun(run)
    .deniedBy('passport', { tool: 'charge_card', code: 'oap.limit_exceeded' })
    .notCalled()
    .ended('completed')
  assert.deepEqual(run.approvals, [])
})

test('the rate comes from the MCP server, before the charge', async () => {
  const run = await box.run('cashier', 'Charge 12.50 USD for order A-19.', {
    turns: [
      call('mcp__rates__exchange_rate', { currency: 'USD' }),
      call('charge_card', { order: 'A-19', amount: 1250, currency: 'USD' }),
      'Charged.',
    ],
  })
  await run.approve()
  expectRun(run).inOrder(['mcp__rates__exchange_rate', 'charge_card']).ended('completed')
  assert.deepEqual(run.calls[0]?.result?.content, [{ type: 'text', text: '1.25' }])
})

test('a stream that breaks off in the middle of a charge charges nothing', async () => {
  const run = await box.run('cashier', 'Charge 12.00 EUR for order A-17.', {
    turns: [{ ...charge(1200), ending: 'content_filter' }],
  })
  expectRun(run).notCalled().ended('safety_stopped').replays()
  assert.deepEqual(run.approvals, [])
})

test('two charges of one turn are decided one by one', async () => {
  const run = await box.run('cashier', 'Charge both orders.', {
    turns: [together(charge(1200, 'A-17'), charge(99_900, 'A-18')), 'One of them.'],
  })
  expectRun(run).deniedBy('passport', { tool: 'charge_card' })
  await run.approve()
  expectRun(run)
    .calledOnce('charge_card', { args: { order: 'A-17' } })
    .ended('completed')
})

test('the slow report stops when its run is cancelled', async () => {
  const run = await box.start('cashier', 'Report.', { turns: [call('monthly_report')] })
  await run.executing('monthly_report')
  await run.cancel('Not now.')
  expectRun(run).ended('cancelled').replays()
})

test('an address that a customer writes is kept out of the answer', async () => {
  const run = await box.run('cashier', 'Who asks?', { turns: ['It is ann.lee@mailbox.example.'] })
  expectRun(run).redacted('email', { place: 'text' }).answered('It is [redacted:email].')
})
