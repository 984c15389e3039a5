/** What must hold after the faults have stopped and everything has settled. Each violation names its invariant. */
import type { MemoryRegister } from '@signalbox/engine/memory'
import { effectViolations, strayViolations } from '../invariants/check-effects.ts'
import { logViolations } from '../invariants/check-log.ts'
import { replayViolations } from '../invariants/check-replay.ts'
import { threadViolations } from '../invariants/check-threads.ts'
import type { RunRecord } from '../invariants/run-record.ts'
import type { World } from './actors.ts'

export function violations(world: World, register: MemoryRegister): readonly string[] {
  const runs = recordsOf(register)
  return [
    ...runs.flatMap((run) => [
      ...logViolations(run),
      ...replayViolations(run),
      ...effectViolations(run, world.executions),
    ]),
    ...threadViolations(runs),
    ...strayViolations([...register.tables.effects.values()], world.executions),
    ...world.complaints,
  ]
}

function recordsOf({ tables }: MemoryRegister): readonly RunRecord[] {
  return [...tables.runs.values()].map((head) => ({
    head,
    log: tables.events.get(head.runId) ?? [],
    effects: [...tables.effects.values()].filter(({ runId }) => runId === head.runId),
    agent: tables.definitions.get(head.definitionHash),
  }))
}
