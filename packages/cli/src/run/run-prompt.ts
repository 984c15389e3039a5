/** `run`: a run from its prompt to its outcome, on a server or in this process. */
import { createClient, type Client } from '../client/client.ts'
import type { Run, Values } from '../client/documents.ts'
import type { RunCommandOptions } from '../commands/run.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { Failure, usageFailure } from '../failure.ts'
import { interrupted, type UserInterrupt, listenForInterrupt } from '../interrupt.ts'
import { serverOf } from '../options.ts'
import { printable } from '@signalbox/core/text'
import { createTerminal, type Terminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import { exitCodeOf, showOutcome } from './outcome.ts'
import { showRun } from './show-run.ts'

/** Where runs are done. */
interface Place {
  readonly client: Client
  readonly isHere: boolean
  stop(): Promise<void>
}

/** Creates the run and stays with it as long as the options say. @throws Failure */
export async function runPrompt(
  shell: Shell,
  prompt: string,
  options: RunCommandOptions,
): Promise<ExitCode> {
  const terminal = createTerminal({ json: options.json === true })
  const interrupt = listenForInterrupt()
  const place = await findPlace(shell, options, terminal)
  try {
    const agent = options.agent ?? (await onlyAgent(place.client))
    if (interrupt.signal.aborted) return exitCodes.interrupted
    const run = await place.client.createRun({ agent, prompt, thread: options.thread })
    const staying = { terminal, place, interrupt, options }
    const left = leave(staying, run)
    const stayed = stay(staying, run).catch((error: unknown) => {
      if (interrupt.signal.aborted) return left
      throw error
    })
    return await Promise.race([stayed, left])
  } finally {
    await place.stop()
    interrupt.release()
  }
}

interface Staying {
  readonly terminal: Terminal
  readonly place: Place
  readonly interrupt: UserInterrupt
  readonly options: RunCommandOptions
}

async function stay({ terminal, place, interrupt, options }: Staying, run: Run): Promise<ExitCode> {
  const { client } = place
  if (options.detach === true) {
    terminal.document(run)
    terminal.line(run.run_id)
    return exitCodes.ok
  }
  if (options.wait === true || terminal.json)
    return showValues(terminal, await client.join(run.run_id, interrupt.signal))
  terminal.note(`run ${run.run_id} on thread ${run.thread_id}`)
  const { signal } = interrupt
  const outcome = await showRun(terminal, {
    client,
    runId: run.run_id,
    verbose: options.verbose === true,
    signal,
  })
  return showOutcome(terminal, outcome)
}

function showValues(terminal: Terminal, values: Values): ExitCode {
  terminal.document(values)
  // What was said before on the thread is no answer to what was asked.
  const asked = values.messages.findLastIndex(({ role }) => role === 'user')
  const answer = values.messages
    .slice(asked + 1)
    .findLast(({ role, content }) => role === 'assistant' && content !== '')
  if (answer) terminal.line(printable(answer.content))
  const { run, outcome } = values
  if (outcome === null)
    terminal.note(
      `The run ${run.run_id} waits for a human: signalbox approvals, signalbox inputs, signalbox unknown`,
    )
  else if (exitCodeOf(outcome) !== exitCodes.ok) terminal.note(endOf(run, outcome))
  return exitCodeOf(outcome)
}

const endOf = ({ error }: Run, outcome: string): string =>
  error ? `The run ended: ${outcome}. ${printable(error.message)}` : `The run ended: ${outcome}.`

/** A run that was created goes on without whoever created it. */
async function leave({ terminal, place, interrupt }: Staying, run: Run): Promise<ExitCode> {
  await interrupted(interrupt)
  const id = run.run_id
  terminal.note(
    place.isHere
      ? `\nThe run ${id} goes on when a server starts in this folder: npx signalbox dev`
      : `\nThe run ${id} goes on. Follow it: signalbox events ${id} --follow; end it: signalbox cancel ${id}`,
  )
  return exitCodes.interrupted
}

async function findPlace(
  shell: Shell,
  options: RunCommandOptions,
  terminal: Terminal,
): Promise<Place> {
  const server = serverOf(options, shell)
  const client = createClient(server)
  const there = { client, isHere: false, stop: () => Promise.resolve() }
  if (server.isNamed) return there
  try {
    await client.health()
    return there
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'server_unreachable') throw error
  }
  if (options.detach === true)
    throw usageFailure(
      `No server answers at ${server.url}, and without one nobody would do the run. Start "npx signalbox dev", or leave --detach out.`,
    )
  const { startHere } = await import('../local/start-here.ts')
  const here = await startHere(shell, () =>
    terminal.note(`No server at ${server.url}: the run is done in this process.`),
  )
  return {
    client: createClient({ ...server, url: here.url }),
    isHere: true,
    stop: () => here.stop(),
  }
}

async function onlyAgent(client: Client): Promise<string> {
  const agents = (await client.agents()).map((agent) => agent.assistant_id)
  const [only] = agents
  if (only !== undefined && agents.length === 1) return only
  throw usageFailure(`Which agent? Name one with --agent: ${agents.join(', ')}.`)
}
