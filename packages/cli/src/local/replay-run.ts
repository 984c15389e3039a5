/** `replay`: folds a stored run with the machine of the version it is pinned to (I15, I16). */
import {
  type Difference,
  isCacheOf,
  type Machine,
  machines,
  NewerError,
  replay,
  type Replayed,
  same,
} from '@signalbox/core'
import { createRegister } from '@signalbox/postgres'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { at } from '../output/payload.ts'
import type { Terminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import { openDatabase } from './database.ts'
import { readRun, type StoredRun } from './read-run.ts'
import { selectRuns } from './select-runs.ts'

/** Replays and tells. @throws Failure */
export async function replayRun(
  shell: Shell,
  terminal: Terminal,
  idOrAlias: string,
): Promise<ExitCode> {
  const database = await openDatabase(shell)
  try {
    const register = createRegister({ pool: database.pool })
    for await (const runId of selectRuns(database.pool, { run: idOrAlias, since: undefined })) {
      const stored = await readRun(register, runId)
      const agent = stored && (await register.definition(stored.head.definitionHash))
      if (!stored || !agent) break
      const machine = machineOf(stored)
      return tell(terminal, { ...stored, machine }, fold({ run: runId, agent, machine }, stored))
    }
    throw new Failure('unknown_run', `There is no run ${idOrAlias} in ${database.source}.`, {
      exitCode: exitCodes.notFound,
    })
  } finally {
    await database.close()
  }
}

/** @throws Failure for a run whose version this build does not know. */
function machineOf({ head }: StoredRun): Machine {
  const machine = machines.get(head.machineVersion)
  if (machine) return machine
  const known = [...machines.keys()].join(', ')
  throw new Failure(
    'unknown_machine',
    `The run is pinned to version ${head.machineVersion} of the machine; this build knows ${known}. Replay it with the build that decides it.`,
    { exitCode: exitCodes.failed },
  )
}

const failed = (message: string, cause?: unknown): Failure =>
  new Failure('not_replayable', message, { exitCode: exitCodes.failed, cause })

function fold(subject: Parameters<typeof replay>[0], { events }: StoredRun): Replayed {
  const erased = events.find((event) => event.salt === '')
  if (erased)
    throw failed(`The content of event #${erased.seq} was erased: the run cannot be replayed.`)
  try {
    return replay(subject, events)
  } catch (error) {
    throw failed(
      `Today's code cannot read the log: ${error instanceof Error ? error.message : String(error)}. Is it older than what wrote the run?`,
      error,
    )
  }
}

function tell(
  terminal: Terminal,
  { head, events, machine }: StoredRun & { readonly machine: Machine },
  replayed: Replayed,
): ExitCode {
  const { differences, state, decided, undecided } = replayed
  // Before the first decision nothing is cached.
  const cacheHolds =
    head.state === null || (head.decided === decided && holdsCache(machine, state, head.state))
  const path = pathOf(events)
  const ok = differences.length === 0 && cacheHolds
  terminal.document({
    ok,
    run_id: head.runId,
    machine_version: head.machineVersion,
    events: events.length,
    path,
    state: state.name,
    outcome: head.outcome,
    undecided: undecided.length,
    cached_state_holds: cacheHolds,
    differences,
  })
  terminal.line(`run ${head.runId}: ${events.length} events, ${head.outcome ?? head.status}`)
  terminal.line(path.join(' → '))
  for (const difference of differences) showDifference(terminal, difference)
  if (!cacheHolds)
    terminal.line(terminal.paint('red', 'The cached state is not what the log says.'))
  if (ok) terminal.line(terminal.paint('green', "Today's code decides the same."))
  return ok ? exitCodes.ok : exitCodes.failed
}

/** @throws Failure for a cache of a form that this build does not know. */
function holdsCache(...about: Parameters<typeof isCacheOf>): boolean {
  try {
    return isCacheOf(...about)
  } catch (error) {
    throw error instanceof NewerError ? failed(`${error.message}.`, error) : error
  }
}

/** The states of the stored decisions, one after the other. */
function pathOf(events: StoredRun['events']): readonly string[] {
  const path: string[] = []
  for (const event of events) {
    const states = event.type === 'run.transitioned' ? at(event.payload, 'path') : []
    for (const state of Array.isArray(states) ? states.map(String) : [])
      if (path.at(-1) !== state) path.push(state)
  }
  return path
}

function showDifference(terminal: Terminal, { seq, stored, computed }: Difference): void {
  terminal.line(terminal.paint('red', `#${seq} was decided differently:`))
  for (const key of Object.keys(stored)) {
    const [was, is] = [at(stored, key), at(computed, key)]
    if (!same(was, is))
      terminal.line(`  ${key}: stored ${JSON.stringify(was)}, today ${JSON.stringify(is)}`)
  }
}
