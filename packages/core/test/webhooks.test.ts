/** Whoever wants to hear of a run is told where it has come to: once of its end, and each time it begins to wait. */
import { expect, test } from 'vitest'
import { type Webhook, WebhookMoment } from '../src/index.ts'
import { agentWith } from './support/agent.ts'
import { createdAt } from './support/children.ts'
import { admitted, answers, asks, cancels, completes, faults } from './support/facts.ts'
import { approves } from './support/permissions.ts'
import { given } from './support/story.ts'

const to = (...on: readonly WebhookMoment[]): Webhook => ({
  on: [...on],
  origin: 'https://a.test',
})
const all = to(...WebhookMoment.options)
const told = (...webhooks: readonly Webhook[]) =>
  given(agentWith(), createdAt(0, webhooks), admitted)

const last = { timeout: 'cleared' } as const

test('of its end, each webhook that wants to hear of how it ended', () => {
  const story = told(all, to('failed'), to('completed'))
    .when(answers())
    .gives({
      state: 'completed',
      outcome: 'completed',
      effects: ['2 webhook.deliver', '3 webhook.deliver'],
      ...last,
    })
  expect(story.decision.effects).toMatchObject([
    { webhook: 0, on: 'completed', mode: 'idempotent' },
    { webhook: 2, on: 'completed' },
  ])
  story.when(cancels()).gives({
    state: 'completed',
    outcome: 'completed',
    verdicts: ['event.ignored ignored'],
  })
})

test('of its end when it is cancelled, at once or after what was open', () => {
  given(agentWith(), createdAt(0, [all]))
    .when(cancels())
    .gives({
      state: 'cancelled',
      outcome: 'cancelled',
      effects: ['1 webhook.deliver'],
      path: ['queued', 'cancelling', 'cancelled'],
    })
})

test('of its end when it cannot be decided, whatever else the batch holds', () => {
  told(all)
    .when(answers(), faults)
    .gives({
      state: 'failed',
      outcome: 'failed',
      effects: ['2 webhook.deliver'],
      path: ['model', 'failed'],
      ...last,
    })
})

test('each time it begins to wait, and not while it does', () => {
  told(all, to('completed'))
    .when(asks('pay:a', 'pay:b'))
    .gives({
      state: 'approval',
      status: 'waiting',
      effects: ['2 webhook.deliver'],
      verdicts: ['approval.requested asked pay', 'approval.requested asked pay'],
      ...last,
    })
    .when(approves(0, 'pay'))
    .gives({
      state: 'approval',
      status: 'running',
      effects: ['3 tool.call pay'],
      timeout: 3_600_000,
    })
    .when(completes(0))
    .gives({ state: 'approval', status: 'waiting', effects: ['4 webhook.deliver'], ...last })
    .when(completes(0))
    .gives({ state: 'approval', status: 'waiting', verdicts: ['event.ignored ignored'] })
})

test('not of waiting in the decision that ends it', () => {
  told(all)
    .when(asks('pay'), cancels())
    .gives({
      state: 'cancelled',
      outcome: 'cancelled',
      effects: ['3 webhook.deliver'],
      verdicts: ['approval.requested asked pay'],
      path: ['model', 'safety', 'guardrail', 'approval', 'cancelling', 'cancelled'],
      ...last,
    })
})

test('nobody who did not ask', () => {
  told(to('waiting'), to('failed'))
    .when(answers())
    .gives({ state: 'completed', outcome: 'completed', ...last })
})
