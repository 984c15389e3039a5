/**
 * `replay`: folds a stored run with the machine of the version it is pinned to, by its pinned definition and policies (I15, I16).
 *
 * P1 A run that cannot be decided here is `not_replayable`, and it is said why. It is never different.
 * P2 The first difference is shown, and nothing that follows from it.
 */
import {
  type AgentDefinition,
  type Difference,
  isCacheOf,
  type Machine,
  machines,
  NewerError,
  replay,
  type Replayed,
  same,
} from '@signalbox/core'
import { isChanged, type Register } from '@signalbox/engine'
import { createRegister } from '@signalbox/postgres'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { at } from '@signalbox/core/text'
import type { Terminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import { openDatabase } from './database.ts'
import { evaluatorsOf } from './evaluate-policies.ts'
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
      if (!stored) break
      const machine = machineOf(stored)
      const agent = await definitionOf(register, stored)
      return tell(
        terminal,
        { ...stored, machine },
        await fold({ run: runId, agent, machine }, stored),
      )
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

/** The definition that the run pins, by its first event and by its row. @throws Failure */
async function definitionOf(
  register: Pick<Register, 'definition'>,
  { head, events: [first] }: StoredRun,
): Promise<AgentDefinition> {
  const { definitionHash: hash } = head
  const pinned = first && at(first.payload, 'definitionHash')
  if (typeof pinned === 'string' && pinned !== hash)
    throw failed(
      `The run was created with the definition ${pinned}; its row names ${hash}. The row was changed: see signalbox audit verify.`,
    )
  try {
    const agent = await register.definition(hash)
    if (agent) return agent
  } catch (error) {
    if (isChanged(error) || error instanceof NewerError)
      throw failed(`The run cannot be decided: ${error.message}.`, error)
    throw error
  }
  throw failed(`The definition ${hash} of the run is not stored.`)
}

async function fold(
  subject: Omit<Parameters<typeof replay>[0], 'evaluatorOf' | 'passports'>,
  { events }: StoredRun,
): Promise<Replayed> {
  const erased = events.find((event) => event.salt === '')
  if (erased)
    throw failed(`The content of event #${erased.seq} was erased: the run cannot be replayed.`)
  const policies = await evaluatorsOf(subject.agent)
  const { evaluatorOf, passports } = policies
  const replayed = read({ ...subject, evaluatorOf, passports }, events)
  await policies.close()
  const missing = policies.lack()
  if (missing !== null) throw failed(missing)
  return replayed
}

function read(...[subject, events]: Parameters<typeof replay>): Replayed {
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
  const [difference] = differences
  // Before the first decision nothing is cached. Behind a difference today's code has another state: that says nothing of the cache.
  const cacheHolds =
    difference || head.state === null
      ? null
      : head.decided === decided && holdsCache(machine, state, head.state)
  const path = pathOf(events)
  const ok = !difference && cacheHolds !== false
  terminal.document({
    ok,
    run_id: head.runId,
    machine_version: head.machineVersion,
    events: events.length,
    path,
    state: state.name,
    outcome: head.outcome,
    undecided: undecided.length,
    cached_state_holds: difference ? null : cacheHolds !== false,
    differences,
  })
  terminal.line(`run ${head.runId}: ${events.length} events, ${head.outcome ?? head.status}`)
  terminal.line(path.join(' → '))
  if (difference) showDifference(terminal, difference)
  if (cacheHolds === false)
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

function showDifference(terminal: Terminal, { seq, type, stored, computed }: Difference): void {
  terminal.line(terminal.paint('red', `#${seq} ${type} was decided differently:`))
  if (!stored || !computed) {
    terminal.line(`  stored ${JSON.stringify(stored)}, today ${JSON.stringify(computed)}`)
    return
  }
  for (const key of new Set([...Object.keys(stored), ...Object.keys(computed)])) {
    const [was, is] = [at(stored, key), at(computed, key)]
    if (!same(was, is))
      terminal.line(`  ${key}: stored ${JSON.stringify(was)}, today ${JSON.stringify(is)}`)
  }
}
