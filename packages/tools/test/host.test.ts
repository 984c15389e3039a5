import { limits } from '@signalbox/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createToolHost, defineTool, type ToolContext } from '../src/index.ts'
import {
  callTool,
  errorOf,
  hostFor,
  namesOf,
  outputOf,
  recordedLog,
  temporaryDirectory,
  textOf,
  until,
} from './hosting.ts'

const tool = (name: string, run: (context: ToolContext) => unknown, timeoutMs = 10_000) =>
  defineTool({
    name,
    description: name,
    input: z.object({}),
    timeoutMs,
    run: (_, context) => run(context),
  })

let unhandled: unknown[] = []
const remember = (reason: unknown): void => {
  unhandled.push(reason)
}
beforeEach(() => {
  unhandled = []
  process.on('unhandledRejection', remember)
})
afterEach(() => {
  process.off('unhandledRejection', remember)
})

describe('a call', () => {
  it('hands the tool its context', async () => {
    const seen: ToolContext[] = []
    const host = hostFor({ tools: [tool('see', (context) => void seen.push(context))] })
    await callTool(host, 'see', { attempt: 3 })
    expect(seen[0]).toMatchObject({
      idempotencyKey: 'run-1.7',
      attempt: 3,
      tenantId: 'tenant-1',
      threadId: 'thread-1',
      runId: 'run-1',
      callId: 'call-1',
    })
    expect(await seen[0]?.workspace.ls('.')).toMatchObject({ ok: false, code: 'no_workspace' })
  })

  it('checks arguments again, fills in defaults, and does not run on bad ones', async () => {
    let runs = 0
    const add = defineTool({
      name: 'add',
      description: 'Adds.',
      input: z.object({ a: z.number(), b: z.number().default(2) }),
      run({ a, b }) {
        runs++
        return `${a + b}`
      },
    })
    const host = hostFor({ tools: [add] })
    expect(textOf(outputOf(await callTool(host, 'add', { args: { a: 1 } })))).toBe('3')
    const error = errorOf(await callTool(host, 'add', { args: { a: 'one' } }))
    expect(error.code).toBe('invalid_arguments')
    expect(error.message).toContain('a')
    expect(runs).toBe(1)
  })

  it('answers tool_error for throws of every kind, with class and message, bounded', async () => {
    const thrown: unknown[] = [
      new RangeError('too far'),
      new TypeError(''),
      'a string',
      null,
      Object.create(null),
      new Error('m'.repeat(100_000)),
    ]
    const tools = thrown.flatMap((value, index) => [
      tool(`sync${index}`, () => {
        throw value
      }),
      tool(`async${index}`, () => Promise.reject(value)),
    ])
    const host = hostFor({ tools })
    for (const kind of ['sync', 'async']) {
      const errors = []
      for (const index of thrown.keys()) {
        errors.push(errorOf(await callTool(host, `${kind}${index}`)))
      }
      expect(new Set(errors.map((error) => error.code))).toEqual(new Set(['tool_error']))
      expect(errors[0]?.message).toBe('RangeError: too far')
      expect(errors[1]?.message).toBe('TypeError')
      expect(errors[2]?.message).toBe('a string')
      for (const { message } of errors) {
        expect(Buffer.byteLength(message)).toBeLessThanOrEqual(limits.errorBytesMax)
      }
    }
  })

  it('ends a hanging tool at its timeout and aborts its signal', async () => {
    let reason: unknown
    const hang = tool('hang', ({ signal }) => {
      signal.addEventListener('abort', () => (reason = signal.reason))
      return new Promise(() => undefined)
    })
    const host = hostFor({ tools: [hang], abortGraceMs: 50 })
    const error = errorOf(await callTool(host, 'hang', { timeoutMs: 50 }))
    expect(error.code).toBe('tool_timeout')
    expect(error.message).toContain('50 ms')
    expect(error.message).toContain('may still be running')
    expect(reason).toMatchObject({ name: 'TimeoutError' })
  })

  it('says that a tool stopped when it obeyed its timeout', async () => {
    const obey = tool('obey', ({ signal }) => rejectOnAbort(signal))
    const host = hostFor({ tools: [obey], abortGraceMs: 60_000 })
    const error = errorOf(await callTool(host, 'obey', { timeoutMs: 20 }))
    expect(error.code).toBe('tool_timeout')
    expect(error.message).toContain('was stopped')
  })

  it('does not notice a tool that rejects long after its timeout', async () => {
    const late = Promise.withResolvers<string>()
    const host = hostFor({ tools: [tool('late', () => late.promise)], abortGraceMs: 10 })
    expect(errorOf(await callTool(host, 'late', { timeoutMs: 10 })).code).toBe('tool_timeout')
    late.reject(new Error('much too late'))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(unhandled).toEqual([])
  })

  it('keeps working results out of trouble: circular, NUL, BigInt, 50 MB', async () => {
    const circular: Record<string, unknown> = { n: 1n, text: 'a\u0000' }
    circular['self'] = circular
    const tools = [
      tool('circular', () => circular),
      tool('huge', () => 'x'.repeat(50 * 1024 * 1024)),
    ]
    const host = hostFor({ tools })
    expect(outputOf(await callTool(host, 'circular')).structured).toEqual({
      n: '1',
      text: 'a\uFFFD',
      self: '[circular]',
    })
    const huge = textOf(outputOf(await callTool(host, 'huge')))
    expect(Buffer.byteLength(huge)).toBeLessThanOrEqual(limits.toolResultBytesMax)
  })
})

describe('a cancel', () => {
  it('is settled when the tool obeys', async () => {
    const controller = new AbortController()
    const obey = tool('obey', ({ signal }) => {
      setTimeout(() => controller.abort(new Error('cancelled by a user')), 10)
      return rejectOnAbort(signal)
    })
    const host = hostFor({ tools: [obey] })
    const outcome = await callTool(host, 'obey', { signal: controller.signal })
    expect(outcome).toEqual({ status: 'aborted', settled: true })
  })

  it('is not settled when the tool does not come back within its grace', async () => {
    const controller = new AbortController()
    const ignore = tool('ignore', () => {
      setTimeout(() => controller.abort(), 10)
      return new Promise(() => undefined)
    })
    const host = hostFor({ tools: [ignore], abortGraceMs: 30 })
    const outcome = await callTool(host, 'ignore', { signal: controller.signal })
    expect(outcome).toEqual({ status: 'aborted', settled: false })
  })

  it('does not take away a result that arrives within the grace', async () => {
    const controller = new AbortController()
    const finish = tool('finish', async ({ signal }) => {
      setTimeout(() => controller.abort(), 10)
      await rejectOnAbort(signal).catch(() => undefined)
      return 'done all the same'
    })
    const host = hostFor({ tools: [finish] })
    const outcome = await callTool(host, 'finish', { signal: controller.signal })
    expect(textOf(outputOf(outcome))).toBe('done all the same')
  })

  it('before the start means that nothing starts', async () => {
    let runs = 0
    const host = hostFor({ tools: [tool('count', () => void runs++)] })
    const outcome = await callTool(host, 'count', { signal: AbortSignal.abort() })
    expect(outcome).toEqual({ status: 'aborted', settled: true })
    expect(runs).toBe(0)
  })
})

/** As a tool without types calls it. */
type Untyped = { progress(note: unknown): void }['progress']

describe('progress', () => {
  it('arrives, bounded, until the call is over; a listener that throws harms nobody', async () => {
    const notes: string[] = []
    let after: (() => void) | undefined
    const chatty = tool('chatty', ({ progress }) => {
      progress('half\u0000')
      progress('p'.repeat(10_000))
      after = () => progress('too late')
      return 'ok'
    })
    const host = hostFor({ tools: [chatty] })
    await callTool(host, 'chatty', { progress: (note) => void notes.push(note) })
    after?.()
    expect(notes[0]).toBe('half\uFFFD')
    expect(notes[1]?.length).toBeLessThanOrEqual(limits.errorCharsToModelMax)
    expect(notes).toHaveLength(2)
    const outcome = await callTool(host, 'chatty', {
      progress: () => {
        throw new Error('listener')
      },
    })
    expect(textOf(outputOf(outcome))).toBe('ok')
  })

  it('is cut behind a word: what is left of one may be the beginning of a secret', async () => {
    const notes: string[] = []
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
    const chatty = tool('chatty', ({ progress }) => {
      progress(`${'word '.repeat(96)}${token} and more`)
      return 'ok'
    })
    await callTool(hostFor({ tools: [chatty] }), 'chatty', {
      progress: (note) => void notes.push(note),
    })
    expect(notes[0]).toBe(`${'word '.repeat(96)}…`)
  })

  it('may be any nonsense, also from a tool without types: it is a text, or nothing, and never fails the call', async () => {
    const notes: unknown[] = []
    const nonsense: readonly unknown[] = [
      undefined,
      null,
      42,
      Number.NaN,
      { percent: 10 },
      ['half', 'way'],
      Symbol('half'),
      () => 'later',
      Object.create(null),
      { toString: () => ({}) },
      { toString: () => Promise.reject(new Error('never awaited')).catch(() => {}) },
      {
        toString() {
          throw Object.create(null)
        },
      },
      new Proxy(
        {},
        {
          get() {
            throw Object.create(null)
          },
        },
      ),
      '\uD800',
      'p'.repeat(1_000_000),
    ]
    let after: (() => void) | undefined
    const chatty = tool('chatty', (context) => {
      const progress: Untyped = context.progress
      const say = () => nonsense.forEach((note) => progress(note))
      after = say
      say()
      return 'ok'
    })
    const log = recordedLog()
    const host = hostFor({ tools: [chatty], log })
    const outcome = await callTool(host, 'chatty', { progress: (note) => void notes.push(note) })
    expect(outcome.status).toBe('completed')
    expect(notes.every((note) => typeof note === 'string' && note.isWellFormed())).toBe(true)
    expect(notes.slice(0, 6)).toEqual([
      'undefined',
      'null',
      '42',
      'NaN',
      '[object Object]',
      'half,way',
    ])
    const said = notes.length
    expect(after).not.toThrow()
    expect(notes).toHaveLength(said)
    expect(log.lines.every((line) => line.startsWith('warn progress listener threw'))).toBe(true)
  })
})

describe('what a host has', () => {
  it('lists its tools sorted, and knows them by name and version', async () => {
    const workspaceRoot = await temporaryDirectory()
    const host = hostFor({
      tools: [tool('zeta', () => ''), tool('alpha', () => '')],
      workspaceRoot,
    })
    const specs = await host.specs()
    expect(namesOf(specs)).toEqual([
      'alpha',
      'ls',
      'read_file',
      'str_replace',
      'view_image',
      'write_file',
      'zeta',
    ])
    expect(await host.knows('alpha', specs[0]?.version ?? '')).toBe(true)
    expect(await host.knows('alpha', 'other')).toBe(false)
    expect(await host.knows('beta', specs[0]?.version ?? '')).toBe(false)
  })

  it('runs no other version than asked for, and no tool it does not have', async () => {
    let runs = 0
    const host = hostFor({ tools: [tool('count', () => void runs++)] })
    const other = await callTool(host, 'count', { version: 'other' })
    expect(errorOf(other).code).toBe('tool_version_mismatch')
    expect(errorOf(await callTool(host, 'none')).code).toBe('unknown_tool')
    expect(runs).toBe(0)
  })

  it.each([
    ['a name twice', { tools: [tool('a', () => ''), tool('a', () => '')] }],
    ['the name of a file tool', { tools: [tool('ls', () => '')] }],
    ['a name for MCP', { tools: [tool('mcp__x__y', () => '')] }],
    ['a server without command or url', { mcpServers: { bad: { args: [] } } }],
    ['an unknown key', { mcpServers: { bad: { command: 'x', trusthints: true } } }],
    ['a url that is none', { mcpServers: { bad: { url: 'not a url' } } }],
    ['a url of files', { mcpServers: { bad: { url: 'file:///etc/passwd' } } }],
    ['an unset variable', { mcpServers: { bad: { command: '${SIGNALBOX_TEST_UNSET}' } } }],
  ])('refuses %s at once', (_, options) => {
    // @ts-expect-error -- a configuration comes from a file: its type is a promise nobody keeps
    expect(() => createToolHost({ log: recordedLog(), ...options })).toThrow(TypeError)
  })
})

describe('file tools', () => {
  it('write, list, read a range, replace, each thread in its own directory', async () => {
    const host = hostFor({ workspaceRoot: await temporaryDirectory() })
    const call = async (
      name: string,
      args: Record<string, string | number>,
      threadId = 'thread-1',
    ) => outputOf(await callTool(host, name, { args, threadId }))
    await call('write_file', { path: 'a/b.txt', content: 'one\ntwo\nthree\n' })
    expect(textOf(await call('ls', {}))).toBe('a/')
    expect(textOf(await call('ls', { path: 'a' }))).toBe('b.txt (14 bytes)')
    expect(textOf(await call('read_file', { path: 'a/b.txt', startLine: 2, lineCount: 1 }))).toBe(
      'two',
    )
    await call('str_replace', { path: 'a/b.txt', oldText: 'two', newText: '2' })
    expect(textOf(await call('read_file', { path: 'a/b.txt' }))).toBe('one\n2\nthree\n')
    const other = await call('read_file', { path: 'a/b.txt' }, 'thread-2')
    expect(other).toMatchObject({ isError: true, structured: { code: 'not_found' } })
    const effects = (await host.specs()).map((spec) => [spec.name, spec.effect])
    expect(effects).toEqual([
      ['ls', 'read'],
      ['read_file', 'read'],
      ['str_replace', 'once'],
      ['view_image', 'read'],
      ['write_file', 'idempotent'],
    ])
  })
})

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}

const timers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

it('leaves no timer behind', async () => {
  const host = hostFor({ tools: [tool('quick', () => 'ok')] })
  const before = timers()
  await callTool(host, 'quick', { timeoutMs: 1_000_000 })
  await until(() => timers() <= before)
  expect(timers()).toBeLessThanOrEqual(before)
})
