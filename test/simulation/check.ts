/** What must hold after the faults have stopped and everything has settled. Each violation names its invariant. */
import type { MemoryRegister } from '@signalbox/testing/memory'
import { approvalViolations } from '../invariants/check-approvals.ts'
import { budgetViolations } from '../invariants/check-budgets.ts'
import { callViolations } from '../invariants/check-calls.ts'
import { effectViolations, strayViolations } from '../invariants/check-effects.ts'
import { familyViolations } from '../invariants/check-families.ts'
import { inheritedViolations } from '../invariants/check-inherited.ts'
import { logViolations } from '../invariants/check-log.ts'
import { replayViolations } from '../invariants/check-replay.ts'
import { questionViolations } from '../invariants/check-questions.ts'
import { rerunViolations } from '../invariants/check-reruns.ts'
import { laneViolations } from '../invariants/check-lanes.ts'
import { roomViolations } from '../invariants/check-rooms.ts'
import { skillViolations } from '../invariants/check-skills.ts'
import { supersedingViolations } from '../invariants/check-superseding.ts'
import { titleViolations } from '../invariants/check-titles.ts'
import { todoViolations } from '../invariants/check-todos.ts'
import { webhookViolations } from '../invariants/check-webhooks.ts'
import { crowdViolations } from './check-crowd.ts'
import { threadViolations } from '../invariants/check-threads.ts'
import { turnViolations } from '../invariants/check-turns.ts'
import type { RunRecord } from '../invariants/run-record.ts'
import { type Counted, historyViolations } from './histories.ts'
import { familiesOf, fileViolations } from './files.ts'
import { imageViolations } from './images.ts'
import { namingViolations } from './naming.ts'
import { pauseViolations } from './pauses.ts'
import { replyViolations } from './questions.ts'
import { unkept } from './rooms.ts'
import { steeringViolations } from './steering.ts'
import { subagentViolations } from './subagents.ts'
import { allMachines, buildViolations } from './builds.ts'
import { worldViolations } from './check-world.ts'
import { evaluatorOf } from './policies.ts'
import { epoch } from './schedule.ts'
import { outageViolations, resultViolations } from './outages.ts'
import { butForVictims, isVictim, paceViolations } from './victims.ts'
import type { World } from './world.ts'

export function violations(world: World, counted: Counted): readonly string[] {
  const { register } = counted
  const runs = recordsOf(register)
  const { jump } = world.schedule.day
  const inTime = jump ? runs.map((run) => timed(run, counted)) : runs
  /** Whatever a fault had begun is over by then. */
  const noticing = { since: epoch + world.schedule.day.calmMs, withinMs: 4_000 }
  const found = [
    ...runs.flatMap((run) => [
      ...logViolations(run),
      ...replayViolations(run, evaluatorOf, allMachines),
      ...effectViolations(run, world.executions),
      ...callViolations(run, world.executions),
      ...approvalViolations(run, runs),
      ...turnViolations(run),
      ...webhookViolations(run, world.received),
      ...titleViolations(run),
      ...todoViolations(run),
      ...questionViolations(run),
      ...replyViolations(world.replies, run),
      ...skillViolations(run, world.executions),
      ...steeringViolations(world, run),
      ...outageViolations(world, run),
      ...resultViolations(world, run),
      ...buildViolations(world, run),
      ...roomViolations(run, unkept),
    ]),
    ...pauseViolations(world, register),
    ...namingViolations(world, register, runs),
    ...historyViolations(counted, runs),
    ...threadViolations(runs),
    ...supersedingViolations(inTime, noticing),
    ...laneViolations(runs),
    ...rerunViolations(runs, world.executions),
    ...crowdViolations(world, runs),
    ...fileViolations(world, register, runs),
    ...imageViolations(register, runs),
    ...subagentViolations(familiesOf(register, runs)),
    ...familyViolations(runs),
    ...inheritedViolations(runs),
    ...budgetViolations(runs, world.executions),
    ...strayViolations([...register.tables.effects.values()], world.executions),
    ...worldViolations(world, inTime),
    ...paceViolations(
      world.schedule.calls,
      runs.flatMap(({ log }) => log),
    ),
    ...world.complaints,
  ]
  const ids = runs.map(({ head: { runId } }) => runId)
  return butForVictims(
    found,
    ids.filter((runId) => isVictim(register, world.way, runId)),
  )
}

/** Its events bear the times at which they were written: the clock of whoever drafted them may be wrong. */
const timed = (run: RunRecord, { writtenAt }: Counted): RunRecord => ({
  ...run,
  log: run.log.map((event) => ({
    ...event,
    at: writtenAt.get(Number(event.position)) ?? event.at,
  })),
})

export function recordsOf({ tables }: MemoryRegister): readonly RunRecord[] {
  const runs = [...tables.runs.values()].filter(({ machine }) => machine !== 'ledger')
  return runs.map((head) => ({
    head,
    log: tables.events.get(head.runId) ?? [],
    effects: [...tables.effects.values()].filter(({ runId }) => runId === head.runId),
    agent: tables.definitions.get(head.definitionHash),
    digestKey: tables.digestKeys.get(head.tenantId) ?? null,
  }))
}
