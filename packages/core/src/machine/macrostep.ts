/**
 * A macrostep (SCXML) takes one event to a snapshot of the run machine, and through all states that are passed. Nothing is spawned, sent,
 * scheduled or executed (`run-machine.ts`), so one scope serves all: XState replaces its `actionExecutor` for each microstep, and puts
 * it back.
 *
 * XState's own pure functions make an actor for each call, and with it the machine's first snapshot: a fourth of what a decision
 * allocated.
 */
import { type AnyActorScope, createActor, fromTransition } from 'xstate'
import type { MachineEvent } from './context.ts'
import type { runMachine } from './run-machine.ts'

type Chart = typeof runMachine
type Snapshot = ReturnType<Chart['resolveState']>

const nobody = createActor(fromTransition((state: null) => state, null))

const scope: AnyActorScope = {
  self: nobody,
  id: '',
  sessionId: '',
  system: nobody.system,
  logger: () => {},
  defer: () => {},
  emit: () => {},
  stopChild: () => {},
  actionExecutor: () => {},
}

/** The snapshots that are passed, in order, the last of them at rest; the one before, where nothing is taken. */
export const macrostep = (
  chart: Chart,
  before: Snapshot,
  event: MachineEvent,
): readonly Snapshot[] => chart.microstep(before, event, scope)
