/**
 * A second version of the machine, as a later release might have it: one more counter, and one more effect per turn. Each
 * turn is counted, and the first webhook of the run is told of it. Production does not know it.
 */
import { type Effect, type Machine, type Machines, machines, newestOf } from '../../src/index.ts'
import { effectId, type RunContext } from '../../src/machine/context.ts'
import { modelCall } from '../../src/machine/plan.ts'
import { acting, type Taken } from '../../src/machine/step/step.ts'
import * as turn from '../../src/machine/step/turn.ts'

/** What the second version remembers beside what the first does. */
export interface SecondContext extends RunContext {
  /** Turns that the first webhook was told of. */
  readonly announced: number
}

const announcedOf = (context: RunContext): number =>
  'announced' in context && typeof context.announced === 'number' ? context.announced : 0

/** The number of the model call comes behind that of the effect which tells of the turn. */
const beginTurn = acting((args): Taken => {
  const { context, emission } = turn.beginTurn(args)
  const told: Effect = {
    kind: 'webhook.deliver',
    id: effectId(context.run, context.effects),
    mode: 'idempotent',
    queue: 'webhook',
    delayMs: 0,
    webhook: 0,
    on: 'waiting',
  }
  const effects = context.effects + 1
  const announced = announcedOf(args.context) + 1
  const next: SecondContext = { ...context, effects, source: effects, announced }
  return { context: next, emission: { ...emission, effects: [told, modelCall(next, 0)] } }
})

const one = newestOf(machines)
const secondContext: SecondContext = { ...one.context, announced: 0 }

/** The second version: all but one step and one counter is the first one's. */
export const second: Machine = {
  version: 2,
  chart: one.chart.provide({ actions: { beginTurn } }),
  context: secondContext,
}

/** What a build knows that was released before the second version, and what one knows that has it. */
export const builds = {
  before: new Map([[one.version, one]]),
  since: new Map([
    [one.version, one],
    [second.version, second],
  ]),
} as const satisfies Record<string, Machines>
