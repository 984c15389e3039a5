/** MCP servers that die, lie, hang or hold on. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { limits } from '@signalbox/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createToolHost, idempotencyMetaKey } from '../src/index.ts'
import {
  callTool,
  errorOf,
  fixtureServer,
  hostFor,
  isAlive,
  namesOf,
  outputOf,
  recordedLog,
  temporaryDirectory,
  textOf,
  until,
} from './hosting.ts'

const node = process.execPath
const plain = { command: node, args: [fixtureServer] }

/** A fixture with a file that tells what happened to it. */
async function told(manner: string) {
  const file = join(await temporaryDirectory(), 'told')
  const lines = async (word: string): Promise<number[]> => {
    const text = await readFile(file, 'utf8').catch(() => '')
    const found = text.split('\n').filter((line) => line.startsWith(`${word} `))
    return found.map((line) => Number(line.split(' ')[1]))
  }
  return { config: { command: node, args: [fixtureServer, manner, file] }, lines }
}

/** Sleeps, or less if the signal aborts. Never rejects. */
const rest = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

describe('a server that dies', () => {
  it('is restarted after a SIGKILL; calls meanwhile fail at once and name it', async () => {
    const { config, lines } = await told('plain')
    const host = hostFor({ mcpServers: { pet: config, all: plain } })
    const call = () => callTool(host, 'mcp__pet__echo_meta')
    outputOf(await call())
    const before = namesOf(await host.specs())
    const [first = 0] = await lines('start')
    process.kill(first, 'SIGKILL')
    await until(async () => (await call()).status === 'failed')
    const error = errorOf(await callTool(host, 'mcp__pet__echo_meta'))
    expect(['mcp_unavailable', 'mcp_connection_lost']).toContain(error.code)
    expect(error.message).toContain('"pet"')
    expect(error.message).toContain('restarted')
    expect(namesOf(await host.specs())).toEqual(before)
    outputOf(await callTool(host, 'mcp__all__echo_meta'))
    await until(async () => (await call()).status === 'completed')
    expect(await lines('start')).toHaveLength(2)
  })

  it('during a call makes the outcome of the call unknown, in words', async () => {
    const host = hostFor({ mcpServers: { pet: plain } })
    const error = errorOf(await callTool(host, 'mcp__pet__die'))
    expect(error.code).toBe('mcp_connection_lost')
    expect(error.message).toContain('unknown')
  })

  it('at each start is not restarted in a hot loop', async () => {
    const startTimeoutMs = 55_555
    const sleeps: number[] = []
    const clock = {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      // The real pause is cut short; what was asked for is what counts.
      sleep: async (ms: number, signal?: AbortSignal) => {
        if (ms !== startTimeoutMs) sleeps.push(ms)
        await rest(ms === startTimeoutMs ? ms : 1, signal)
      },
    }
    const config = { command: node, args: ['-e', 'process.exit(3)'] }
    const host = hostFor({ mcpServers: { pet: config }, clock, startTimeoutMs })
    await host.specs()
    const pauses = () => sleeps.filter((ms) => ms % 250 === 0 && ms !== 2000 && ms !== 1000)
    await until(() => sleeps.includes(30_000))
    expect(pauses().slice(0, 2)).toEqual([250, 500])
    expect(Math.max(...sleeps)).toBe(30_000)
  })
})

describe('a server that never was one', () => {
  it.each([
    [
      'talks garbage',
      { command: node, args: [fixtureServer, 'garbage'] },
      /no answer to initialize/,
    ],
    ['says nothing', { command: node, args: [fixtureServer, 'silent'] }, /no answer to initialize/],
    [
      'writes a line without end',
      { command: node, args: [fixtureServer, 'endless-line'] },
      /did not start/,
    ],
    ['ends at once', { command: node, args: ['-e', '0'] }, /did not start/],
    ['does not exist', { command: '/nonexistent/server' }, /ENOENT/],
    ['has no such directory', { ...plain, cwd: '/nonexistent' }, /ENOENT/],
  ])('and %s is a clear error with its name; others go on', async (_, config, reason) => {
    const log = recordedLog()
    const startTimeoutMs = 55_555
    const over = Promise.withResolvers<void>()
    const clock = {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      // The time to start is over when the test says so: once the good one is up, however long that takes.
      sleep: (ms: number, signal?: AbortSignal): Promise<void> =>
        ms === startTimeoutMs ? Promise.race([over.promise, rest(ms, signal)]) : rest(ms, signal),
    }
    const host = hostFor({ log, mcpServers: { bad: config, good: plain }, clock, startTimeoutMs })
    void host.specs()
    await until(() => log.lines.some((line) => line.startsWith('info') && line.includes('"good"')))
    await rest(1000)
    over.resolve()
    outputOf(await callTool(host, 'mcp__good__echo_meta'))
    const error = errorOf(await callTool(host, 'mcp__bad__anything'))
    expect(error.code).toBe('mcp_unavailable')
    expect(error.message).toContain('"bad"')
    expect(error.message).toMatch(reason)
    const specs = await host.specs()
    expect(specs.every((spec) => spec.name.startsWith('mcp__good__'))).toBe(true)
    expect(log.lines.some((line) => line.startsWith('warn') && line.includes('"bad"'))).toBe(true)
    expect(log.lines.length).toBeLessThan(50)
  })
})

describe('a call', () => {
  it('carries its idempotency key, under names of any shape', async () => {
    const host = hostFor({ mcpServers: { 'my server!': plain } })
    const names = namesOf(await host.specs())
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    const named = (part: string) => names.find((name) => name.includes(part)) ?? ''
    const meta = JSON.parse(textOf(outputOf(await callTool(host, named('echo_meta')))))
    expect(meta).toMatchObject({ [idempotencyMetaKey]: 'run-1.7' })
    expect(textOf(outputOf(await callTool(host, named('spaces'))))).toBe('spaced')
    expect(textOf(outputOf(await callTool(host, named('xxxx'))))).toBe('long')
  })

  it('is refused here when its arguments do not fit', async () => {
    const host = hostFor({ mcpServers: { pet: plain } })
    const wrong = await callTool(host, 'mcp__pet__strict', { args: { n: 'one' } })
    expect(errorOf(wrong)).toMatchObject({ code: 'invalid_arguments' })
    const right = await callTool(host, 'mcp__pet__strict', { args: { n: 1 } })
    expect(textOf(outputOf(right))).toBe('{"n":1}')
  })

  it('that is cancelled tells the server; without trust its outcome is unknown', async () => {
    const { config, lines } = await told('plain')
    const host = hostFor({ mcpServers: { pet: config } })
    await host.specs()
    const controller = new AbortController()
    const call = callTool(host, 'mcp__pet__wait', { signal: controller.signal })
    await until(async () => (await lines('waiting')).length === 1)
    controller.abort()
    expect(await call).toEqual({ status: 'aborted', settled: false })
    await until(async () => (await lines('cancelled')).length === 1)
    expect(await lines('cancelled')).toEqual(await lines('waiting'))
  })

  it('that hangs ends at its timeout, and the server lives on', async () => {
    const { config, lines } = await told('plain')
    const host = hostFor({ mcpServers: { pet: config } })
    const error = errorOf(await callTool(host, 'mcp__pet__wait', { timeoutMs: 300 }))
    expect(error.code).toBe('tool_timeout')
    outputOf(await callTool(host, 'mcp__pet__echo_meta'))
    expect(await lines('start')).toHaveLength(1)
  })

  it('with 50 MB of result is cut', async () => {
    const host = hostFor({ mcpServers: { pet: plain } })
    const text = textOf(outputOf(await callTool(host, 'mcp__pet__huge')))
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limits.toolResultBytesMax)
    expect(text).toMatch(/bytes were dropped/)
    outputOf(await callTool(host, 'mcp__pet__echo_meta'))
  })

  it('that the server answers with an error fails, without the secrets of the configuration', async () => {
    const env = { SECRET_TOKEN: 'hunter2hunter2' }
    const log = recordedLog()
    const host = hostFor({ log, mcpServers: { pet: { ...plain, env } } })
    const error = errorOf(await callTool(host, 'mcp__pet__rpc_error'))
    expect(error.code).toBe('mcp_error')
    expect(error.message).toContain('inner trouble [redacted]')
    outputOf(await callTool(host, 'mcp__pet__echo_meta'))
    expect(log.lines.join('\n')).not.toContain('hunter2')
  })
})

it('a changed list of tools is read again', async () => {
  const host = hostFor({ mcpServers: { pet: plain } })
  expect(namesOf(await host.specs())).not.toContain('mcp__pet__grown')
  await callTool(host, 'mcp__pet__grow')
  await until(async () => namesOf(await host.specs()).includes('mcp__pet__grown'))
  expect(namesOf(await host.specs())).toContain('mcp__pet__grown')
})

describe('after the end', () => {
  it('of the host nothing runs, however stubborn', async () => {
    const { config, lines } = await told('stubborn')
    const host = createToolHost({ log: recordedLog(), mcpServers: { pet: config } })
    outputOf(await callTool(host, 'mcp__pet__echo_meta'))
    const pids = await lines('start')
    expect(pids).toHaveLength(2)
    expect(pids.map(isAlive)).toEqual([true, true])
    await host.close()
    await until(() => !pids.some(isAlive))
    expect(pids.map(isAlive)).toEqual([false, false])
  })

  it('of a host that is still starting nothing runs either', async () => {
    const { config, lines } = await told('silent')
    const host = createToolHost({ log: recordedLog(), mcpServers: { pet: config } })
    await until(async () => (await lines('start')).length === 1)
    await host.close()
    const pids = await lines('start')
    await until(() => !pids.some(isAlive))
    expect(pids.map(isAlive)).toEqual([false])
  })

  it.runIf(process.platform !== 'win32')(
    'of the whole process, by SIGKILL, nothing runs',
    async () => {
      const { config, lines } = await told('stubborn')
      const owner = fileURLToPath(new URL('fixtures/owner.ts', import.meta.url))
      const child = spawn(node, [owner, JSON.stringify(config)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      await once(child.stdout, 'data')
      const pids = await lines('start')
      expect(pids.map(isAlive)).toEqual([true, true])
      child.kill('SIGKILL')
      await once(child, 'exit')
      await until(() => !pids.some(isAlive))
      expect(pids.map(isAlive)).toEqual([false, false])
    },
  )
})
