/** The commands, run in this process one after the other, and what they print. */
import process from 'node:process'
import { vi } from 'vitest'
import { runCommandLine } from '../../packages/cli/src/command-line.ts'
import type { Remains } from './remains.ts'

/** Runs a command to its end. Throws for one that prints nothing but a complaint. */
async function printedBy(args: readonly string[]): Promise<Remains> {
  const said = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi
      .spyOn(process[name], 'write')
      .mockImplementation((chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
        said[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
        for (const told of rest) if (typeof told === 'function') process.nextTick(told)
        return true
      }),
  )
  try {
    await runCommandLine(args)
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  const where = `signalbox ${args.join(' ')}`
  if (said.stdout === '') throw new Error(`${where}: ${said.stderr}`)
  return { where, bytes: Buffer.from(said.stdout + said.stderr) }
}

/** What shows many runs, what shows each of these, and runs of these agents. */
export async function printed(asked: {
  readonly runs: readonly string[]
  readonly agents: readonly string[]
}): Promise<readonly Remains[]> {
  const commands = [
    ['runs', '--limit', '1000'],
    ['events', '--limit', '10000', '--verbose'],
    ['events', '--limit', '10000', '--json'],
    ['audit', 'export'],
    ...['ndjson', 'csv'].map((format) => ['audit', 'export', '--format', format]),
    ...asked.runs.flatMap((run) => [
      ['show', run],
      ['events', run, '--verbose'],
      ['audit', 'explain', run],
      ['audit', 'explain', run, '--json'],
    ]),
    ...asked.agents.map((agent) => ['run', '--verbose', '--agent', agent, 'Write it down.']),
  ]
  const remains: Remains[] = []
  for (const args of commands) remains.push(await printedBy(args))
  return remains
}
