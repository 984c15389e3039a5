/** What must hold after a schedule: the invariants of every run, the chain, and what the client was promised. */
import type { StoredEvent } from '@signalbox/engine'
import { verifyChain } from '@signalbox/postgres'
import { approvalViolations } from '../invariants/check-approvals.ts'
import { budgetViolations } from '../invariants/check-budgets.ts'
import { callViolations } from '../invariants/check-calls.ts'
import { effectViolations, strayViolations } from '../invariants/check-effects.ts'
import { familyViolations } from '../invariants/check-families.ts'
import { inheritedViolations } from '../invariants/check-inherited.ts'
import { laneViolations } from '../invariants/check-lanes.ts'
import { logViolations } from '../invariants/check-log.ts'
import { questionViolations } from '../invariants/check-questions.ts'
import { replayViolations } from '../invariants/check-replay.ts'
import { roomViolations } from '../invariants/check-rooms.ts'
import { supersedingViolations } from '../invariants/check-superseding.ts'
import { threadViolations } from '../invariants/check-threads.ts'
import { titleViolations } from '../invariants/check-titles.ts'
import { todoViolations } from '../invariants/check-todos.ts'
import { turnViolations } from '../invariants/check-turns.ts'
import { webhookViolations } from '../invariants/check-webhooks.ts'
import { effectOf, type Execution, parentOf } from '../invariants/run-record.ts'
import type { Kill } from './child.ts'
import type { Client } from './client.ts'
import { commandViolations } from './commands.ts'
import type { StoredRun } from './tables.ts'

/** What a client was promised, and what it complains of. */
type Promised = Pick<Client, 'created' | 'acknowledged' | 'complaints'>

/** What the world saw: executions of tools, and the ids under which receivers were told of runs. */
export interface Seen {
  readonly executions: readonly Execution[]
  readonly received: readonly string[]
}

/** Nobody looks when a fault was over: here, all that was asked for has its time (I12). */
const noticing = { since: Infinity, withinMs: 0 }

export function violations(
  runs: readonly StoredRun[],
  { executions, received }: Seen,
  client: Promised,
): readonly string[] {
  return [
    ...runs.flatMap((run) => [
      ...logViolations(run),
      ...chainViolations(run),
      ...replayViolations(run),
      ...effectViolations(run, executions),
      ...callViolations(run, executions),
      ...approvalViolations(run, runs),
      ...turnViolations(run),
      ...roomViolations(run),
      ...webhookViolations(run, received),
      ...commandViolations(run),
      ...titleViolations(run),
      ...questionViolations(run),
      ...todoViolations(run),
      ...deniedViolations(run, executions),
    ]),
    ...threadViolations(runs),
    ...supersedingViolations(runs, noticing),
    ...laneViolations(runs),
    ...strangerViolations(runs, received),
    ...familyViolations(runs),
    ...inheritedViolations(runs),
    ...budgetViolations(runs, executions),
    ...strayViolations(
      runs.flatMap(({ effects }) => effects),
      executions,
    ),
    ...promiseViolations(runs, client),
    ...client.complaints,
  ]
}

/** What the policy of the agent `governed` denies, now or right before the execution. */
const deniedTools = ['dump', 'boom']

function deniedViolations({ agent, head }: StoredRun, executions: readonly Execution[]) {
  if (agent?.name !== 'governed') return []
  return executions
    .filter(({ runId, tool }) => runId === head.runId && deniedTools.includes(tool))
    .map(({ effectId }) => `I10 ${effectId} executed although a policy denies it`)
}

function chainViolations({ head, log, end }: StoredRun): readonly string[] {
  const report = verifyChain(log, end)
  return report.ok ? [] : [`I18 ${head.runId}: ${report.part} does not hold at ${report.seq}`]
}

/** Whatever a receiver hears, on whichever attempt, it hears under the id of a delivery. */
function strangerViolations(runs: readonly StoredRun[], received: readonly string[]) {
  const known = new Set(
    runs.flatMap(({ effects }) =>
      effects.filter(({ spec }) => spec.kind === 'webhook.deliver').map(({ effectId }) => effectId),
    ),
  )
  return received.filter((id) => !known.has(id)).map((id) => `W1 somebody was told as ${id}`)
}

/** Acknowledged creates, cancels and answers of humans are there, and there is one run for each key (I2, I3). */
function promiseViolations(runs: readonly StoredRun[], client: Promised): readonly string[] {
  const bad: string[] = []
  const ids = new Set(runs.map(({ head }) => head.runId))
  for (const [key, runId] of client.created)
    if (!ids.has(runId)) bad.push(`I2 ${key} was acknowledged as ${runId}, which is not there`)
  const asked = runs.filter((run) => !parentOf(run)).length
  if (asked !== client.created.size)
    bad.push(`I3 ${client.created.size} requests made ${asked} runs`)
  for (const { runId, type } of client.acknowledged) {
    const log = runs.find(({ head }) => head.runId === runId)?.log ?? []
    if (!log.some((event) => event.type === type))
      bad.push(`I2 ${type} of ${runId} was acknowledged, and is not in its log`)
  }
  return bad
}

/** A call whose outcome was lost, and to what. */
export interface Unknown {
  readonly effectId: string
  readonly tool: string
  readonly because: string
}

/** A death is told to the driver a little after it. */
const heardMs = 1_000

/** Every `tool.unknown`, explained by the death of the process that had started the call. */
export function explainUnknowns(
  runs: readonly StoredRun[],
  kills: readonly Kill[],
  blame: string | null,
): readonly Unknown[] {
  return runs.flatMap(({ log }) =>
    log
      .filter(({ type }) => type === 'tool.unknown')
      .map((event) => ({
        effectId: effectOf(event),
        tool: String(event.tool),
        because: explain(event, log, { kills, blame }),
      })),
  )
}

function explain(
  unknown: StoredEvent,
  log: readonly StoredEvent[],
  { kills, blame }: { readonly kills: readonly Kill[]; readonly blame: string | null },
): string {
  const { effectId, attempt, reason } = unknown.payload
  const start = log.find(
    ({ type, payload }) =>
      type === 'effect.started' &&
      payload['effectId'] === effectId &&
      payload['attempt'] === attempt,
  )
  const kill = kills.find(
    ({ owner, at }) => owner === start?.payload['owner'] && at <= unknown.at + heardMs,
  )
  if (reason === 'not_settled') return 'the call did not obey its abort'
  if (kill) return `its worker was ${kill.why}`
  if (unknown.tool === 'stall') return 'the tool blocked its worker past the lease'
  return blame ?? 'the lease lapsed although its worker lived'
}
