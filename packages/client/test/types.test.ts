/** What must not compile. The compiler complains where a line that is called wrong compiles after all. */
import { createClient, type Event, isEvent, type Waited } from '@signalbox/client'
import { expect, expectTypeOf, it } from 'vitest'

const client = createClient({ url: 'http://127.0.0.1:9' })

/** Never called: only its types count. */
export function wrongCalls(event: Event, waited: Waited): void {
  // @ts-expect-error a run has an agent
  void client.runs.create({ input: 'Go.' })
  // @ts-expect-error a text is a text
  void client.runs.create({ assistant_id: 'a', input: 1 })
  // @ts-expect-error there is no such strategy
  void client.runs.create({ assistant_id: 'a', input: 'Go.', multitask_strategy: 'later' })
  // @ts-expect-error there is no such field
  void client.runs.create({ assistant_id: 'a', input: 'Go.', agent: 'a' })
  // @ts-expect-error there is no such state to wait for
  void client.runs.waitFor('r', { until: 'done' })
  // @ts-expect-error an edit has arguments
  void client.approvals.edit('a')
  // @ts-expect-error there is no such scope
  void client.approvals.approve('a', { scope: 'ever' })
  // @ts-expect-error there is no such filter
  void client.events.all({ user: 'u' })
  // @ts-expect-error there is no such operation
  void client.request('GET /everything', {})
  // @ts-expect-error it has a path
  void client.request('GET /runs/{run_id}', {})
  // @ts-expect-error a run may not be there
  void client.runs.get('r').then((run) => run.outcome)
  // @ts-expect-error a wait that timed out may have seen no run
  expectTypeOf(waited.run.outcome).toBeString()
  // @ts-expect-error there is no such type
  isEvent(event, 'run.finished')
  // @ts-expect-error payloads are unknown until their type is
  expectTypeOf(event.payload['path']).toEqualTypeOf<string[]>()
}

it('knows the answers of operations and the payloads of events', () => {
  const event: Event = JSON.parse(
    '{ "type": "run.transitioned", "payload": { "path": ["model"] } }',
  )
  if (isEvent(event, 'run.transitioned'))
    expectTypeOf(event.payload.outcome).toExtend<string | null>()
  expect(isEvent(event, 'run.transitioned') && event.payload.path).toEqual(['model'])
  expectTypeOf(client.request<'GET /info'>).returns.resolves.toHaveProperty('version')
  expectTypeOf(client.runs.get).returns.resolves.toBeNullable()
  expect(isEvent(event, 'run.created')).toBe(false)
})
