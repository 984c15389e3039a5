/** The published MCP servers as tools, over both transports. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ToolHost } from '@signalbox/engine'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../test/contract/free-port.ts'
import { selectTools } from '../src/index.ts'
import {
  callTool,
  errorOf,
  everythingServer,
  filesystemServer,
  hostFor,
  namesOf,
  outputOf,
  recordedLog,
  temporaryDirectory,
  textOf,
  until,
} from './hosting.ts'

const node = process.execPath
const everything = { command: node, args: [everythingServer, 'stdio'] }

describe('server-filesystem over stdio', () => {
  it('writes and reads files; errors are results', async () => {
    const directory = await temporaryDirectory()
    const host = hostFor({
      mcpServers: { fs: { command: node, args: [filesystemServer, directory], trustHints: true } },
    })
    const path = join(directory, 'note.txt')
    const written = await callTool(host, 'mcp__fs__write_file', {
      args: { path, content: 'hello' },
    })
    expect(outputOf(written).isError).toBe(false)
    expect(await readFile(path, 'utf8')).toBe('hello')
    const read = outputOf(await callTool(host, 'mcp__fs__read_text_file', { args: { path } }))
    expect(textOf(read)).toBe('hello')
    expect(read.structured).toEqual({ content: 'hello' })
    const outside = await callTool(host, 'mcp__fs__read_text_file', {
      args: { path: '/etc/passwd' },
    })
    expect(outputOf(outside).isError).toBe(true)
    const wrong = await callTool(host, 'mcp__fs__read_text_file', { args: { path: 7 } })
    expect(errorOf(wrong).code).toBe('invalid_arguments')
  })

  it('believes hints only where they are trusted', async () => {
    const directory = await temporaryDirectory()
    const server = { command: node, args: [filesystemServer, directory] }
    const host = hostFor({
      mcpServers: {
        trusted: { ...server, trustHints: true, queue: 'files', timeoutMs: 1234 },
        stranger: server,
      },
    })
    const specs = await host.specs()
    const effect = (name: string) => specs.find((spec) => spec.name === name)?.effect
    expect(effect('mcp__trusted__read_text_file')).toBe('read')
    expect(effect('mcp__trusted__write_file')).toBe('idempotent')
    expect(effect('mcp__trusted__edit_file')).toBe('once')
    const strange = specs.filter((spec) => spec.name.startsWith('mcp__stranger__'))
    expect(strange).toHaveLength(14)
    expect(new Set(strange.map((spec) => spec.effect))).toEqual(new Set(['once']))
    expect(specs.find((spec) => spec.name === 'mcp__trusted__write_file')).toMatchObject({
      queue: 'files',
      timeoutMs: 1234,
    })
    expect(namesOf(specs)).toEqual(namesOf(specs).toSorted())
    const selection = selectTools(specs, ['mcp:stranger'])
    expect(selection.ok && selection.specs).toEqual(strange)
  })

  it('starts through npx', async () => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, 'a.txt'), 'A')
    const host = hostFor({
      mcpServers: { fs: { command: 'npx', args: ['mcp-server-filesystem', directory] } },
    })
    const args = { path: join(directory, 'a.txt') }
    expect(textOf(outputOf(await callTool(host, 'mcp__fs__read_text_file', { args })))).toBe('A')
  })
})

describe('server-everything over stdio', () => {
  it('answers with text, structure, images, resources and links', async () => {
    const host = hostFor({ mcpServers: { all: everything } })
    const call = async (name: string, args = {}) =>
      outputOf(await callTool(host, `mcp__all__${name}`, { args }))
    expect(textOf(await call('echo', { message: 'hi' }))).toBe('Echo: hi')
    const structured = await call('get-structured-content', { location: 'New York' })
    expect(structured.structured).toMatchObject({ temperature: expect.any(Number) })
    expect(textOf(await call('get-tiny-image'))).toMatch(
      /\[image image\/png, \d+ bytes, not shown\]/,
    )
    const reference = await call('get-resource-reference', { resourceType: 'Text', resourceId: 1 })
    expect(textOf(reference)).toContain('[resource demo://resource/dynamic/text/1]')
    expect(textOf(await call('get-resource-links', { count: 1 }))).toContain('[resource link ')
  })

  it('gets its own variables and the few that programs need, no others', async () => {
    process.env['SIGNALBOX_TEST_TOKEN'] = 'token-of-ours'
    onTestFinished(() => void delete process.env['SIGNALBOX_TEST_TOKEN'])
    const env = { GIVEN: 'a ${SIGNALBOX_TEST_TOKEN}', FALLBACK: '${SIGNALBOX_TEST_NONE:-plain}' }
    const host = hostFor({ mcpServers: { all: { ...everything, env } } })
    const output = outputOf(await callTool(host, 'mcp__all__get-env'))
    const seen: Record<string, string> = JSON.parse(textOf(output))
    expect(seen).toMatchObject({ GIVEN: 'a token-of-ours', FALLBACK: 'plain' })
    expect(seen).toHaveProperty('PATH')
    expect(seen).not.toHaveProperty('SIGNALBOX_TEST_TOKEN')
    expect(seen).not.toHaveProperty('VITEST')
  })

  it('reports progress, and obeys a cancel', async () => {
    const host = hostFor({ mcpServers: { all: { ...everything, trustHints: true } } })
    const name = 'mcp__all__trigger-long-running-operation'
    const { outcome, notes } = await abortedAtThird(host, name)
    expect(outcome).toEqual({ status: 'aborted', settled: true })
    expect(notes.slice(0, 3)).toEqual(['1/6000', '2/6000', '3/6000'])
    outputOf(await callTool(host, name, { args: { duration: 0.1, steps: 2 } }))
  })
})

describe('server-everything over streamable HTTP', () => {
  it('answers, and is found again after it was away', async () => {
    const port = await freePort()
    const server = await serveHttp(port)
    const log = recordedLog()
    const url = '${SIGNALBOX_TEST_BASE}/mcp'
    process.env['SIGNALBOX_TEST_BASE'] = `http://127.0.0.1:${port}`
    const host = hostFor({ log, mcpServers: { web: { type: 'http', url, trustHints: true } } })
    const echo = () => callTool(host, 'mcp__web__echo', { args: { message: 'hi' } })
    expect(namesOf(await host.specs())).toContain('mcp__web__echo')
    expect(textOf(outputOf(await echo()))).toBe('Echo: hi')
    const { notes } = await abortedAtThird(host, 'mcp__web__trigger-long-running-operation')
    expect(notes.slice(0, 3)).toEqual(['1/6000', '2/6000', '3/6000'])

    server.kill('SIGKILL')
    await once(server, 'exit')
    expect(['mcp_connection_lost', 'mcp_unavailable']).toContain(errorOf(await echo()).code)
    await serveHttp(port)
    await until(async () => (await echo()).status === 'completed')
    expect(textOf(outputOf(await echo()))).toBe('Echo: hi')
  })

  it('is a clear error when nobody is there, and harms no other server', async () => {
    const port = await freePort()
    const host = hostFor({
      mcpServers: {
        away: { url: `http://127.0.0.1:${port}/mcp`, headers: { Authorization: 'Bearer s3cret' } },
        all: everything,
      },
    })
    const error = errorOf(await callTool(host, 'mcp__away__echo'))
    expect(error.code).toBe('mcp_unavailable')
    expect(error.message).toContain('"away"')
    expect(error.message).not.toContain('s3cret')
    expect(
      textOf(outputOf(await callTool(host, 'mcp__all__echo', { args: { message: 'x' } }))),
    ).toBe('Echo: x')
  })
})

/** Cancels a call of ten minutes when it has reported three times. Of a call that ends, a busy client may miss the last reports. */
async function abortedAtThird(host: ToolHost, name: string) {
  const controller = new AbortController()
  const notes: string[] = []
  const outcome = await callTool(host, name, {
    args: { duration: 600, steps: 6000 },
    signal: controller.signal,
    progress: (note) => {
      if (notes.push(note) === 3) controller.abort()
    },
  })
  return { outcome, notes }
}

async function serveHttp(port: number) {
  const child = spawn(node, [everythingServer, 'streamableHttp'], {
    env: { ...process.env, PORT: `${port}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  })
  await until(() =>
    fetch(`http://127.0.0.1:${port}/mcp`).then(
      () => true,
      () => false,
    ),
  )
  return child
}
