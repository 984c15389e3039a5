/** What tests of the host need: requests, a log that remembers, directories, looks at other processes. */
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JsonObject, ToolOutput, ToolSpec } from '@signalbox/core'
import type { Log, ToolHost, ToolOutcome, ToolRequest } from '@signalbox/engine'
import { onTestFinished } from 'vitest'
import { createToolHost, type ToolHostOptions } from '../src/index.ts'

export interface RecordedLog extends Log {
  readonly lines: string[]
}

export function recordedLog(): RecordedLog {
  const lines: string[] = []
  const write =
    (level: string) =>
    (message: string, fields?: Readonly<Record<string, unknown>>): void => {
      lines.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`)
    }
  return {
    lines,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  }
}

/** A host that is closed when the test ends. */
export function hostFor(options: Omit<ToolHostOptions, 'log'> & { readonly log?: Log }): ToolHost {
  const host = createToolHost({ log: recordedLog(), ...options })
  onTestFinished(() => host.close())
  return host
}

/** Calls a tool in the version the host offers. */
export async function callTool(
  host: ToolHost,
  name: string,
  options: {
    readonly args?: JsonObject
    readonly signal?: AbortSignal
  } & Partial<ToolRequest> = {},
): Promise<ToolOutcome> {
  const { signal = new AbortController().signal, args = {}, ...rest } = options
  const spec = (await host.specs()).find((known) => known.name === name)
  const request: ToolRequest = {
    name,
    version: spec?.version ?? 'none',
    args,
    idempotencyKey: 'run-1.7',
    attempt: 1,
    tenantId: 'tenant-1',
    threadId: 'thread-1',
    runId: 'run-1',
    callId: 'call-1',
    timeoutMs: spec?.timeoutMs ?? 10_000,
    progress: () => undefined,
    ...rest,
  }
  return host.call(request, signal)
}

export function outputOf(outcome: ToolOutcome): ToolOutput {
  if (outcome.status === 'completed') return outcome.output
  throw new Error(`expected a result, got ${JSON.stringify(outcome)}`)
}

export function errorOf(outcome: ToolOutcome): { readonly code: string; readonly message: string } {
  if (outcome.status === 'failed') return outcome.error
  throw new Error(`expected a failure, got ${JSON.stringify(outcome).slice(0, 500)}`)
}

export function textOf(output: ToolOutput): string {
  return output.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

export function namesOf(specs: readonly ToolSpec[]): string[] {
  return specs.map((spec) => spec.name)
}

/** A directory that is removed when the test ends. */
export async function temporaryDirectory(): Promise<string> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'signalbox-tools-')))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

/** Waits for a condition that another process makes true; the test's own timeout ends the wait. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Is there such a process, and is it more than a zombie? */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return process.platform !== 'linux'
  }
}

const modules = join(dirname(fileURLToPath(import.meta.url)), '../../../node_modules')
export const filesystemServer = join(
  modules,
  '@modelcontextprotocol/server-filesystem/dist/index.js',
)
export const everythingServer = join(
  modules,
  '@modelcontextprotocol/server-everything/dist/index.js',
)
export const fixtureServer = fileURLToPath(new URL('fixtures/mcp-server.mjs', import.meta.url))
