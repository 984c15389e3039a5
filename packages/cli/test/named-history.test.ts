/**
 * Places in which the first event of a run may name a long text. Would catch: a text that is stored beside the log, is shown to the
 * model, and is neither verified nor exported.
 */
import { factSchemas } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { expect, test } from 'vitest'
import { contentsOf } from '../src/local/named-content.ts'

const event = (type: string, payload: StoredEvent['payload']): StoredEvent => ({
  runId: 'r',
  threadId: 't',
  tenantId: 'a',
  seq: 1,
  type,
  version: 1,
  at: 1,
  actor: 'x',
  tool: null,
  verdict: null,
  key: null,
  payload,
  salt: '00',
  payloadHash: '',
  digest: '',
  hash: '',
})
const blob = (key: string) => ({ type: 'blob', key, bytes: 9, mime: 'text/plain', preview: '' })
const created = { agent: 'a', definitionHash: 'h', machine: 'run', machineVersion: 1, metadata: {} }

test.each([
  ['the input', { input: [{ id: 'u', role: 'user', parts: [blob('long')] }] }],
  [
    'what a user said elsewhere before',
    { input: [], history: [{ id: 'u', role: 'user', parts: [blob('long')] }] },
  ],
  [
    'what an assistant said elsewhere before',
    { input: [], history: [{ id: 'm', role: 'assistant', parts: [blob('long')] }] },
  ],
  [
    'an edit',
    { input: [], edit: { messages: [{ id: 'm', role: 'assistant', parts: [blob('long')] }] } },
  ],
])('a long text of %s is named', (_name, more) => {
  const payload = { ...created, ...more }
  // It is what a run may be created with.
  expect(factSchemas['run.created'].safeParse(payload).success).toBe(true)
  expect(contentsOf(event('run.created', payload))).toEqual([{ key: 'long', as: 'content' }])
})
