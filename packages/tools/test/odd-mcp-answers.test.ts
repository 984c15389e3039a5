/**
 * MCP servers that do what they were asked, and whose answer is odd or is lost. A model that is
 * told of a failure asks again: would catch a payment that was made and is told as failed, and a schema
 * that holds up the process.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ToolOutcome } from '@signalbox/engine'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../test/contract/free-port.ts'
import {
  callTool,
  errorOf,
  everythingServer,
  hostFor,
  namesOf,
  outputOf,
  recordedLog,
  temporaryDirectory,
  textOf,
  until,
} from './hosting.ts'

const oddServer = fileURLToPath(new URL('fixtures/odd-mcp-server.mjs', import.meta.url))

/** A host with the odd server, and what that has executed. */
async function odd() {
  const file = join(await temporaryDirectory(), 'executed')
  const host = hostFor({
    mcpServers: { odd: { command: process.execPath, args: [oddServer, file] } },
  })
  const executed = async () =>
    (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1)
  return { host, executed }
}

const isUnknown = (outcome: ToolOutcome): boolean =>
  outcome.status === 'failed' && outcome.unknown === true

describe('a call that was executed', () => {
  it.each(['unfit', 'unstructured', 'unusable'])(
    'has its result, though that is not what the tool said of it: %s',
    async (name) => {
      const { host, executed } = await odd()
      const output = outputOf(await callTool(host, `mcp__odd__${name}`))
      expect(output.isError).toBe(false)
      expect(textOf(output)).toContain('paid')
      expect(await executed()).toEqual([name])
    },
  )

  it.each(['malformed', 'listless'])(
    'is no failure where its result cannot be read: %s',
    async (name) => {
      const { host, executed } = await odd()
      const outcome = await callTool(host, `mcp__odd__${name}`)
      expect(await executed()).toEqual([name])
      expect(isUnknown(outcome)).toBe(true)
      expect(errorOf(outcome).message).toMatch(/unknown/)
      // The connection is as good as it was.
      expect(textOf(outputOf(await callTool(host, 'mcp__odd__plain')))).toBe('paid')
    },
  )

  it('is a result that is an error where the server says so, whatever its schema', async () => {
    const { host } = await odd()
    const output = outputOf(await callTool(host, 'mcp__odd__reported'))
    expect(output.isError).toBe(true)
    expect(textOf(output)).toContain('no money')
  })
})

const timed = async <T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> => {
  const began = performance.now()
  const value = await work()
  return { ms: performance.now() - began, value }
}

describe('a pattern of a server that is slow to match', () => {
  // 2^29 steps of a backtracking matcher: seconds in which nothing else of the process goes on.
  const mostMs = 500

  it('holds up nobody where arguments are compared with it', async () => {
    const { host } = await odd()
    await callTool(host, 'mcp__odd__plain')
    const args = { s: `${'a'.repeat(29)}!` }
    const { ms, value } = await timed(() => callTool(host, 'mcp__odd__slow_input', { args }))
    expect(errorOf(value).code).toBe('invalid_arguments')
    expect(ms).toBeLessThan(mostMs)
    const fits = await callTool(host, 'mcp__odd__slow_input', { args: { s: 'aaa' } })
    expect(fits.status).toBe('completed')
  })

  it('holds up nobody where a result is', async () => {
    const { host } = await odd()
    await callTool(host, 'mcp__odd__plain')
    const { ms, value } = await timed(() => callTool(host, 'mcp__odd__slow_output'))
    expect(textOf(outputOf(value))).toContain('paid')
    expect(ms).toBeLessThan(mostMs)
  })
})

/** Lets everything through but calls: these reach the server, or not, and are answered so. */
async function behind(status: number, reaches: boolean) {
  const port = await freePort()
  const child = spawn(process.execPath, [everythingServer, 'streamableHttp'], {
    env: { ...process.env, PORT: `${port}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(async () => {
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  })
  const upstream = `http://127.0.0.1:${port}/mcp`
  await until(() =>
    fetch(upstream).then(
      () => true,
      () => false,
    ),
  )
  let broken = true
  const pass = async (asked: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of asked) chunks.push(Buffer.from(chunk))
    const body = Buffer.concat(chunks)
    const isCall = broken && body.includes('"tools/call"')
    if (isCall && !reaches) return void response.writeHead(status).end('gateway')
    const { host: _, connection: __, 'content-length': ___, ...headers } = asked.headers
    const answer = await fetch(upstream, {
      method: asked.method ?? 'GET',
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
      ...(body.length > 0 ? { body } : {}),
    })
    if (isCall) {
      await answer.text()
      return void response.writeHead(status).end('gateway')
    }
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    if (answer.body) for await (const chunk of answer.body) response.write(chunk)
    response.end()
  }
  const gateway = createServer((asked, response) => {
    pass(asked, response).catch(() => response.destroy())
  })
  gateway.listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  onTestFinished(() => {
    gateway.closeAllConnections()
    gateway.close()
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port: own } = gateway.address() as AddressInfo
  const host = hostFor({
    mcpServers: { web: { type: 'http', url: `http://127.0.0.1:${own}/mcp` } },
  })
  expect(namesOf(await host.specs())).toContain('mcp__web__echo')
  const echo = () => callTool(host, 'mcp__web__echo', { args: { message: 'hi' } })
  return { echo, repair: () => void (broken = false) }
}

describe('a gateway in front of a server', () => {
  it.each([500, 502, 503, 504])(
    'that answers %d for a call which the server has executed: the outcome is unknown',
    async (status) => {
      const { echo, repair } = await behind(status, true)
      const outcome = await echo()
      expect(isUnknown(outcome)).toBe(true)
      repair()
      await until(async () => (await echo()).status === 'completed')
    },
  )

  it.each([401, 403, 413, 429])(
    'that answers %d has let nothing through: the call failed',
    async (status) => {
      const { echo } = await behind(status, false)
      const outcome = await echo()
      expect(outcome.status).toBe('failed')
      expect(isUnknown(outcome)).toBe(false)
    },
  )
})

it('a server that changes a tool is told of: runs that pin what it was wait for a worker that has that', async () => {
  const log = recordedLog()
  const host = hostFor({
    log,
    mcpServers: { odd: { command: process.execPath, args: [oddServer] } },
  })
  const versionOf = async () =>
    (await host.specs()).find(({ name }) => name === 'mcp__odd__plain')?.version ?? ''
  const before = await versionOf()
  const changes = () => log.lines.filter((line) => line.startsWith('warn') && /changed/.test(line))
  expect(changes()).toEqual([])
  await callTool(host, 'mcp__odd__change')
  await until(async () => (await versionOf()) !== before)
  expect(await host.knows('mcp__odd__plain', before)).toBe(false)
  await until(() => changes().length > 0)
  expect(changes()).toHaveLength(1)
  expect(changes()[0]).toContain('"mcp__odd__plain"')
  expect(changes()[0]).not.toContain('"mcp__odd__unfit"')
})
