/** What an export holds beside events: long contents and files, never a webhook's address, nothing that a tool only calls so. */
import type { StoredEvent } from '@signalbox/engine'
import { expect, it } from 'vitest'
import { contentsOf, filesOfManifest, isNamedContent } from '../src/local/named-content.ts'

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
const created = {
  agent: 'a',
  definitionHash: 'h',
  machine: 'run',
  machineVersion: 1,
  metadata: { parts: [blob('no')] },
  input: [{ id: 'u', role: 'user', parts: [blob('input'), { type: 'text', text: 'x' }] }],
  webhooks: [{ on: ['completed'], origin: 'https://hooks.example', key: 'address' }],
}

it('a long input is content, the address of a webhook is secret', () => {
  expect(contentsOf(event('run.created', created))).toEqual([
    { key: 'input', as: 'content' },
    { key: 'address', as: 'secret' },
  ])
})

it('long instructions of a skill are content, where a user named it and behind a summary', () => {
  const skills = [{ name: 'pdf', digest: 'd', body: [blob('body')] }]
  for (const payload of [{ ...created, input: [], webhooks: [], skills }, { skills }])
    expect(contentsOf(event('run.created', payload))).toEqual([{ key: 'body', as: 'content' }])
})

it('what a tool has in its arguments is its own', () => {
  const call = {
    type: 'tool_call',
    id: 'c',
    name: 't',
    args: { parts: [blob('no')] },
    argsHash: '',
  }
  const turn = { message: { id: 'm', role: 'assistant', parts: [call, blob('said')] } }
  expect(contentsOf(event('model.completed', { turn }))).toEqual([{ key: 'said', as: 'content' }])
})

it('results, injected input and files are found; a manifest names more', () => {
  const output = { content: [blob('result')], isError: false }
  const files = [{ path: 'a', key: 'file', bytes: 1, edit: { key: 'edit', since: 's' } }]
  expect(contentsOf(event('tool.completed', { output, files })).map(({ key }) => key)).toEqual([
    'result',
    'file',
    'edit',
  ])
  expect(contentsOf(event('tool.completed', { files: { manifest: 'list', count: 30 } }))).toEqual([
    { key: 'list', as: 'manifest' },
  ])
  expect(filesOfManifest(Buffer.from(JSON.stringify(files))).map(({ key }) => key)).toEqual([
    'file',
    'edit',
  ])
  expect(filesOfManifest(Buffer.from('no list'))).toEqual([])
  const messages = [{ id: 'u', role: 'user', parts: [blob('more')] }]
  expect(contentsOf(event('input.injected', { messages }))).toEqual([
    { key: 'more', as: 'content' },
  ])
})

it('a key is the HMAC of the bytes by RFC 2104, under the key of the thread', () => {
  // RFC 4231, test case 2.
  const key = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'
  const bytes = Buffer.from('what do ya want for nothing?')
  expect(isNamedContent(key, bytes, Buffer.from('Jefe').toString('hex'))).toBe(true)
  expect(isNamedContent(key, Buffer.from('what do ya want for nothing.'), '4a656665')).toBe(false)
})
