/** What today's code makes of a stored log. */
import {
  checkPairing,
  factSchemas,
  isCacheOf,
  type Machines,
  machines as known,
  project,
  replay,
  type Subject,
} from '@signalbox/core'
import { passports } from '@signalbox/policies'
import { isEdit, type RunRecord } from './run-record.ts'

/** The version of the machine that the run is pinned to. */
const versionOf = ([first]: RunRecord['log']): number =>
  factSchemas['run.created'].parse(first?.payload).machineVersion

/** The log reproduces every decision (I16) and ends in the cached state (I15); its prompt is well paired (I24). */
export function replayViolations(
  { head, log, agent }: RunRecord,
  evaluatorOf?: Subject['evaluatorOf'],
  machines: Machines = known,
): readonly string[] {
  const { runId } = head
  if (!agent) return [`${runId} has no definition`]
  const machine = machines.get(versionOf(log))
  if (!machine) return [`${runId} has no machine`]
  const { differences, state } = replay(
    { run: runId, agent, machine, passports, ...(evaluatorOf && { evaluatorOf }) },
    log,
  )
  const bad = differences.map((difference) => `I16 ${runId} differs at ${difference.seq}`)
  if (state.name !== head.stateName) bad.push(`I15 ${runId}: ${state.name}, not ${head.stateName}`)
  else if (head.state && !isCacheOf(machine, state, head.state))
    bad.push(`I15 ${runId}: the fold of the log is not the cached state`)
  // An edit asks no model (see `editViolations`): what later runs send with it is checked where it is sent.
  const isOk = new Set(isEdit({ log }) ? ['last_role', 'user_first'] : ['last_role'])
  const broken = checkPairing(project(agent.instructions, log)).filter(
    ({ rule }) => !isOk.has(rule),
  )
  if (broken.length > 0) bad.push(`I24 ${runId} ${JSON.stringify(broken)}`)
  return bad
}
