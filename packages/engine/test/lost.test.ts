/** What the log may say of a call of a run that is being cancelled: never that it did not start, if it may have. */
import { expect, test } from 'vitest'
import { createWriter } from '../src/record/draft.ts'
import { type CallRow, neverStarted } from '../src/effects/lost.ts'
import { systemClock, systemRandom } from '@signalbox/engine'

const writer = createWriter({ actor: 'test', clock: systemClock, random: systemRandom })

const row = (attempt: number): CallRow => ({
  effectId: 'r.1',
  tenantId: 'default',
  threadId: 't',
  runId: 'r',
  definitionHash: 'd',
  machineVersion: 1,
  rootId: null,
  kind: 'tool.call',
  queue: 'tools',
  mode: 'once',
  status: 'pending',
  attempt,
  owner: null,
  leaseUntil: null,
  dispatches: 0,
  spec: {
    kind: 'tool.call',
    id: 'r.1',
    mode: 'once',
    queue: 'tools',
    delayMs: 0,
    source: 'r.0',
    callId: 'c',
    tool: 'pay',
    toolVersion: '1',
    argsHash: 'a',
    timeoutMs: 1,
  },
  call: null,
  cancelRequested: true,
})

test('a call nobody claimed never started; one an operator allowed once more stays unknown', () => {
  expect(neverStarted(writer, row(0)).type).toBe('tool.aborted')
  expect(neverStarted(writer, row(1)).type).toBe('tool.unknown')
})
