/**
 * The governance of an agent as it is configured: every mistake is refused at start, with the field and what would be
 * right, and what is accepted is pinned with its digest. Would catch: a guardrail that is misspelt and guards nothing.
 */
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type AgentDefinition, StreamGuardSpec } from '@signalbox/core'
import type { Log } from '@signalbox/engine'
import {
  type ConfigInput,
  defineDetector,
  defineGuardrail,
  definePolicy,
  parseConfig,
} from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { Closers } from '../src/compose/closers.ts'
import { openAgents } from '../src/compose/open-agents.ts'
import { misspelt, passport, unusable, wrong } from './support/governance-mistakes.ts'
import { changed, configErrorOf } from './support/mistakes.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  effect: 'read',
  input: z.object({}),
  run: () => 'seen',
})
const base = {
  agents: { a: { model: { provider: 'scripted', model: 'm' }, tools: ['look'] } },
  tools: [look],
  scripts: { m: () => ({}) },
}

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'signalbox-governance-'))
  const files = {
    'passport.json': JSON.stringify(passport),
    'nameless.json': JSON.stringify({ ...passport, passport_id: undefined, agent_id: 'ap_1' }),
    'statusless.json': JSON.stringify({ ...passport, status: undefined }),
    'broken.json': '{',
    'twice.json': JSON.stringify(passport).replace('{', '{"limits":{},"limits":{},'),
    'proto.json': JSON.stringify(passport).replace('{', '{"__proto__":{"status":"active"},'),
    'large.json': `"${'x'.repeat(256 * 1024)}"`,
    'one.cedar': 'permit(principal, action, resource);',
    'guards.mjs': `
      export const guard = { id: 'loud', name: 'Loud', handle: (part) => ({ type: 'pass', part }) }
      export const policy = { id: 'own', timeoutMs: 50, evaluate: () => true }
      export const plain = () => ({ allow: false })
      export const detector = { name: 'mine', detect: () => false }
      export const nothing = {}`,
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(dir, name), content)
})
afterAll(() => rm(dir, { recursive: true, force: true }))

/** The agent as a process that starts with the configuration pins it. */
async function agentOf(config: unknown, heard: Log = log): Promise<AgentDefinition> {
  const closers = new Closers(log)
  try {
    const loaded = { config: parseConfig(config), dir, file: '' }
    const { agents } = await openAgents(loaded, { env: {}, log: heard }, closers)
    const pinned = agents.get('a')
    if (!pinned) throw new Error('no agent')
    return pinned
  } finally {
    await closers.close()
  }
}

const agent = ['agents', 'a'] as const
const guardrails = [...agent, 'guardrails'] as const
const provider = [...guardrails, 'provider'] as const

/** The path of a place, and the field that names it. */
const placed = (where: string) => {
  const field = where.startsWith('server') ? where : `agents.a.${where}`
  return { path: field.split('.'), field }
}

describe('a configuration', () => {
  const refused = [
    ...misspelt.map((mistake) => ['config_unknown_key', ...mistake] as const),
    ...wrong.map((mistake) => ['config_invalid', ...mistake] as const),
  ]
  it.each(refused)('is refused (%s) with %s = %j', async (code, where, value, rest, hint) => {
    const { path, field } = placed(where)
    const error = await configErrorOf(() => parseConfig(changed(base, path, value)))
    expect(error).toMatchObject({ code, field: `${field}${rest}` })
    expect(error.message).toContain(hint)
  })

  it.each(unusable)('is refused at start with %s = %j', async (where, value, ...said) => {
    const [code, rest, hint] = said
    const { path, field } = placed(where)
    const config = changed(base, path, value)
    expect(() => parseConfig(config)).not.toThrow()
    const error = await configErrorOf(() => agentOf(config))
    expect(error).toMatchObject({ code, field: `${field}${rest}` })
    expect(error.message).toContain(hint)
    expect(error.message).not.toContain('geheim')
  })

  const text = JSON.stringify(passport)
  it.each<[string, string, string, (response: ServerResponse) => void]>([
    [
      'a redirect',
      'config_unreadable',
      'answers 302',
      (r) => r.writeHead(302, { location: '/q' }).end(text),
    ],
    ['an error with one', 'config_unreadable', 'answers 503', (r) => r.writeHead(503).end(text)],
    ['a page', 'config_unreadable', 'not JSON', (r) => r.end('<html>Sign in</html>')],
    ['one that is cut', 'config_unreadable', 'not JSON', (r) => r.end(text.slice(0, -1))],
    [
      'bytes that are no text',
      'config_unreadable',
      'cannot be read',
      (r) => r.end(Buffer.from([0x22, 0xff, 0x22])),
    ],
    ['a broken connection', 'config_unreadable', 'cannot be read', (r) => r.destroy()],
    ['nothing, and holds on', 'config_unreadable', 'cannot be read', () => {}],
    ['a body without an end', 'config_unreadable', 'cannot be read', (r) => r.write(text)],
    [
      'a status twice',
      'config_invalid',
      'read in two ways',
      (r) => r.end(text.replace('{', '{"status":"revoked",')),
    ],
    [
      'an id beyond 2^53',
      'config_invalid',
      'at "x_id"',
      (r) => r.end(text.replace('{', '{"x_id":9007199254740993,')),
    ],
    [
      'a body that grows',
      'config_unreadable',
      'more than 262144 bytes',
      (r) =>
        r
          .writeHead(200, { 'content-encoding': 'gzip' })
          .end(gzipSync(text + ' '.repeat(9_000_000))),
    ],
  ])(
    'is refused at start where the address of a passport answers %s',
    async (_, code, hint, answer) => {
      const server = createServer((request, response) => {
        if (request.url === '/q') response.end(text)
        else answer(response)
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      onTestFinished(() => {
        server.closeAllConnections()
        server.close()
      })
      const address = server.address()
      const port = typeof address === 'object' && address ? address.port : 0
      const url = `http://127.0.0.1:${port}/p?key=geheim`
      const error = await configErrorOf(() =>
        agentOf(changed(base, provider, { use: 'passport', url })),
      )
      expect(error).toMatchObject({ code, field: 'agents.a.guardrails.provider.url' })
      expect(error.message).toContain(hint)
      expect(error.message).not.toContain('geheim')
    },
  )

  it('with a tool that has the name of a built-in one is refused', async () => {
    const mine = { ...look, spec: { ...look.spec, name: 'read_result' } }
    const error = await configErrorOf(() => agentOf({ ...base, tools: [look, mine] }))
    expect(error).toMatchObject({ code: 'config_invalid', field: 'tools[1]' })
  })

  it('skips the patterns that RE2 cannot use where it lists them, and says so', async () => {
    const patterns = [
      { name: 'ahead', pattern: 'a(?=b)' },
      { name: 'back', pattern: '(a)\\1' },
      { name: 'ticket', pattern: 'TCK-[0-9]{4}' },
    ]
    const withSkip = (skip: readonly string[]) =>
      changed(base, [...guardrails, 'stream'], [{ use: 'patterns', patterns, skip }])
    const said: unknown[] = []
    const warn = (message: string, fields: object = {}) => void said.push({ message, ...fields })
    const pinned = await agentOf(withSkip(['ahead', 'back', 'ticket']), { ...log, warn })
    // What can be used is used, listed or not.
    expect(pinned.guardrails.stream).toMatchObject([{ patterns: [{ name: 'ticket' }] }])
    expect(pinned.guardrails.stream[0]).not.toHaveProperty('skip')
    const message = 'a pattern is skipped: nobody looks for it'
    const field = 'agents.a.guardrails.stream[0]'
    expect(said).toMatchObject(
      ['ahead', 'back'].map((pattern) => ({ message, field, pattern, reason: expect.any(String) })),
    )
    for (const [skip, hint] of [
      [[], 'pattern ahead: '],
      [['ahead'], 'pattern back: '],
      [['ahead', 'back', 'other'], 'there is no pattern "other" to skip'],
    ] as const) {
      const error = await configErrorOf(() => agentOf(withSkip(skip)))
      expect(error.message).toContain(hint)
    }
    const none = [{ use: 'patterns', patterns: patterns.slice(0, 1), skip: ['ahead'] }]
    const error = await configErrorOf(() => agentOf(changed(base, [...guardrails, 'stream'], none)))
    expect(error.message).toContain('nothing would be looked for')
  })

  it('with two guardrails of one id is refused', async () => {
    const twins = [1, 2].map((n) =>
      defineGuardrail({ id: 'same', name: `${n}`, handle: (part) => ({ type: 'pass', part }) }),
    )
    const config = changed(base, [...guardrails, 'stream'], twins)
    const error = await configErrorOf(() => agentOf(config))
    expect(error).toMatchObject({ code: 'config_invalid', field: 'agents.a.guardrails.stream[1]' })
  })
})

const sha256 = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

/** Canonical JSON of flat values, written out here: the digests must be what the standard says. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )

describe('an agent pins', () => {
  it('its policies, each with its id and the digest of its text', async () => {
    const server = createServer((_, response) => response.end(JSON.stringify(passport)))
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const url = `http://127.0.0.1:${port}/p`
    const list = [
      { use: 'allowlist', allowedTools: ['look'], approvalTools: ['look'] },
      { use: 'passport', passport, capabilities: { look: 'exempt' } },
      { use: 'passport', file: './passport.json', id: 'living', root: '/srv' },
      { use: 'passport', url },
      { use: 'cedar', files: { one: './one.cedar' }, codes: { one: 'fine' } },
      { use: 'http', url: 'http://h', timeoutMs: 100 },
      { use: './guards.mjs#policy', config: { limit: 1 } },
      { use: './guards.mjs#plain', id: 'plain' },
      definePolicy({ id: 'here', evaluate: () => true }),
    ]
    const { guardrails: pinned } = await agentOf(changed(base, provider, list))
    server.close()
    const digest = sha256(sorted(passport))
    expect(pinned.policies).toMatchObject([
      { use: 'allowlist', id: 'allowlist', allowedTools: ['look', 'read_result'], deniedTools: [] },
      {
        use: 'passport',
        id: 'passport',
        digest,
        source: null,
        capabilities: { look: 'exempt' },
      },
      {
        use: 'passport',
        id: 'living',
        edition: 2,
        digest,
        source: './passport.json',
        root: '/srv',
        passport,
      },
      { use: 'passport', id: 'passport-2', digest, source: url },
      {
        use: 'cedar',
        id: 'cedar',
        digest: sha256(
          sorted({
            policies: { one: 'permit(principal, action, resource);' },
            schema: null,
            codes: { one: 'fine' },
            approval: [],
          }),
        ),
        policies: { one: 'permit(principal, action, resource);' },
      },
      { use: 'http', id: 'http', url: 'http://h', timeoutMs: 100 },
      {
        use: 'module',
        id: 'module',
        path: './guards.mjs#policy',
        config: { limit: 1 },
        timeoutMs: 50,
      },
      { use: 'module', id: 'plain', path: './guards.mjs#plain', timeoutMs: 2000 },
      { use: 'module', id: 'here', path: 'config#here' },
    ])
    for (const { digest: each } of pinned.policies) expect(each).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  it('where its guardrails look besides what the model says: arguments, and results for secrets', async () => {
    const stream = [
      'pii',
      'secrets',
      { use: 'banned-terms', terms: ['x'], toolResults: true },
      { use: 'secrets', id: 'words', arguments: false, toolResults: false },
    ]
    const { guardrails: pinned } = await agentOf(changed(base, [...guardrails, 'stream'], stream))
    expect(pinned.stream).toMatchObject([
      { use: 'pii', arguments: true, toolResults: false },
      { use: 'secrets', arguments: true, toolResults: true },
      { use: 'banned-terms', arguments: true, toolResults: true },
      { id: 'words', arguments: false, toolResults: false },
    ])
  })

  it('what its `pii` looks for: more than a stored definition without a list, unless it names some', async () => {
    const stream = [
      'pii',
      { use: 'pii', id: 'mine' },
      { use: 'pii', id: 'few', entities: ['iban'] },
    ]
    const { guardrails: pinned } = await agentOf(changed(base, [...guardrails, 'stream'], stream))
    const all = ['email', 'phone', 'ssn', 'cn-resident-id', 'credit-card', 'iban']
    expect(pinned.stream).toMatchObject([
      { entities: all },
      { entities: all },
      { entities: ['iban'] },
    ])
    expect(StreamGuardSpec.parse({ use: 'pii' })).toMatchObject({
      entities: ['email', 'phone', 'ssn', 'credit-card', 'iban'],
    })
  })

  it('its stream guardrails and detectors, those of its own by name', async () => {
    const guard = defineGuardrail({
      id: 'quiet',
      name: 'Quiet',
      handle: (part) => ({ type: 'pass', part }),
    })
    const detector = defineDetector({ name: 'alarm', detect: () => true })
    const stream = ['pii', { use: 'banned-terms', terms: ['x'] }, './guards.mjs#guard', guard]
    const config = changed(changed(base, [...guardrails, 'stream'], stream), agent, {
      ...base.agents.a,
      guardrails: { stream },
      safety: {
        detectors: ['openai-compatible', { use: './guards.mjs#detector' }, detector],
        hold: { stops: 3, withinMs: 1000, holdMs: 1000 },
      },
    })
    const pinned = await agentOf(config)
    expect(pinned.guardrails.stream).toMatchObject([
      { use: 'pii', action: 'redact' },
      { use: 'banned-terms', terms: ['x'], action: 'fail' },
      { use: 'module', id: 'loud', path: './guards.mjs#guard' },
      { use: 'module', id: 'quiet', path: 'config#quiet' },
    ])
    expect(pinned.safety).toMatchObject({
      detectors: [
        { use: 'openai-compatible' },
        { use: './guards.mjs#detector' },
        { use: 'config#alarm' },
      ],
      afterRefusal: 'keep',
      hold: { stops: 3 },
    })
  })

  it('nothing of guardrails that are switched off', async () => {
    const off = { enabled: false, approvalTools: ['look'], stream: ['pii'] }
    const { guardrails: pinned } = await agentOf(changed(base, guardrails, off))
    expect(pinned).toMatchObject({ approvalTools: [], stream: [], policies: [], failClosed: true })
  })

  it('the tool to read on in long results with, if it has tools at all', async () => {
    const pairs = [
      [['look'], ['look', 'read_result']],
      [
        ['read_result', 'look'],
        ['look', 'read_result'],
      ],
      [[], []],
    ] as const
    for (const [named, had] of pairs) {
      const { tools } = await agentOf(changed(base, [...agent, 'tools'], named))
      expect(tools.map(({ name }) => name)).toEqual(had)
    }
  })

  it('its limits, prices and models', async () => {
    const written: Partial<ConfigInput['agents'][string]> = {
      limits: { maxCost: 2.5, warnAt: 0.5 },
      breaker: { threshold: 2 },
      continuations: 2,
      approvals: { expiresMs: 60_000, roles: ['lead'], forbidRequester: true },
      fallbackModels: [
        { provider: 'scripted', model: 'm', price: { inputPerMTok: 1, outputPerMTok: 2 } },
      ],
    }
    const pinned = await agentOf(changed(base, agent, { ...base.agents.a, ...written }))
    expect(pinned).toMatchObject({
      ...written,
      limits: { maxCost: 2.5, warnAt: 0.5, maxTurns: 50 },
      breaker: { threshold: 2, openMs: 60_000 },
    })
  })
})

describe('what users define', () => {
  it('is refused where it is defined, if it is not what it should be', () => {
    const guard = defineGuardrail({
      id: 'x',
      name: 'x',
      handle: (part) => ({ type: 'pass', part }),
    })
    expect(() => defineGuardrail({ ...guard, id: '' })).toThrow(TypeError)
    expect(() => defineGuardrail({ ...guard, window: 2000 })).toThrow('0 to 1024')
    expect(() => definePolicy({ id: 'x', timeoutMs: 0, evaluate: () => true })).toThrow(TypeError)
    expect(() => defineDetector({ name: ' ', detect: () => true })).toThrow(TypeError)
  })
})
