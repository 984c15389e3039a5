/** What makes build B of this one. Each edit replaces the first place that it finds. */

export interface Edit {
  readonly file: string
  readonly find: string
  readonly put: string
}

/** `tool.completed` gets a second version, with a field more. */
const anEventVersion: readonly Edit[] = [
  {
    file: 'packages/core/src/event/upcast.ts',
    find: 'const versions: Readonly<Record<string, number>> = {}',
    put: "const versions: Readonly<Record<string, number>> = { 'tool.completed': 2 }",
  },
  {
    file: 'packages/core/src/event/upcast.ts',
    find: '(payload: JsonObject) => JsonObject>>>\n> = {}',
    put: "(payload: JsonObject) => JsonObject>>>\n> = { 'tool.completed': { 1: (payload) => ({ ...payload, place: 'old' }) } }",
  },
  {
    file: 'packages/core/src/event/fact.ts',
    find: "  'tool.completed': z.object({\n    ...callOf,",
    put: "  'tool.completed': z.object({\n    ...callOf,\n    place: z.string().default('new'),",
  },
]

/** `turn.note`: an effect that the reconciler of a build that knows it performs, and a fact that says so. */
const anEffectKind: readonly Edit[] = [
  {
    file: 'packages/core/src/effect.ts',
    find: 'export const EffectKind = z.enum([',
    put: "export const EffectKind = z.enum([\n  'turn.note',",
  },
  {
    file: 'packages/core/src/effect.ts',
    find: "export const Effect = z.discriminatedUnion('kind', [",
    put: "export const Effect = z.discriminatedUnion('kind', [\n  z.object({ ...base, kind: z.literal('turn.note') }),",
  },
  {
    file: 'packages/core/src/event/fact.ts',
    find: "  'model.aborted': z.object(outcomeOf),",
    put: "  'model.aborted': z.object(outcomeOf),\n  'turn.noted': z.object(outcomeOf),",
  },
  {
    file: 'packages/core/src/event/entries/facts.ts',
    find: "  'model.aborted': {",
    put: `  'turn.noted': {
    says: nothing,
    searched: [],
    place: 'answer',
    effect: 'turn.note',
    example: { effectId: \`\${exampleRun}.1\`, attempt: 1 },
  },
  'model.aborted': {`,
  },
  {
    file: 'packages/core/src/effect.ts',
    find: "  'title.make': { node: null, dispatch: null, outlivesRun: true },",
    put: "  'title.make': { node: null, dispatch: null, outlivesRun: true },\n  'turn.note': { node: null, dispatch: null },",
  },
  {
    file: 'packages/core/src/machine/run-machine.ts',
    find: "  initial: 'queued',",
    put: "  initial: 'queued',\n  on: { 'turn.noted': { actions: 'takeNote' } },",
  },
  {
    file: 'packages/core/src/machine/steps.ts',
    find: '  begin: acting(turn.begin),',
    put: '  begin: acting(turn.begin),\n  takeNote: acting(({ context }) => ({ context, emission: {} })),',
  },
  {
    file: 'packages/engine/src/effects/kinds.ts',
    find: "    'webhook.deliver': webhookKind(deps, background),",
    put: "    'webhook.deliver': webhookKind(deps, background),\n    'turn.note': noteKind(deps),",
  },
  {
    file: 'packages/engine/src/effects/kinds.ts',
    find: 'type Background = ReturnType<typeof createBackground>',
    put: `type Background = ReturnType<typeof createBackground>

const noteKind = ({ recorder, writer }) => ({
  asked() {},
  async due(row) {
    const { effectId, attempt } = row
    const fence = { effectId, attempt, expect: 'pending', becomes: 'done' }
    const about = { effectId, attempt }
    await recorder.record(row, [writer.fact('turn.noted', about, { key: effectId, fence })])
  },
  isAwaited: true,
  close: null,
})`,
  },
]

const aMachine: readonly Edit[] = [
  {
    file: 'packages/core/src/machine/versions.ts',
    find: "import { runMachine } from './run-machine.ts'",
    put: "import { runMachine } from './run-machine.ts'\nimport { chartTwo, contextTwo } from './machine-two.ts'",
  },
  {
    file: 'packages/core/src/machine/versions.ts',
    find: 'context: emptyContext }],',
    put: 'context: emptyContext }],\n  [2, { version: 2, chart: chartTwo, context: contextTwo }],',
  },
]

/** The function that judges decisions takes longer names of kinds: the migration brings it. */
const aFunction: readonly Edit[] = [
  {
    file: 'migrations/functions/decision_problem.sql',
    find: "[a-z]{1,30}$'",
    put: "[a-z]{1,31}$'",
  },
]

export const edits: readonly Edit[] = [
  ...anEventVersion,
  ...anEffectKind,
  ...aMachine,
  ...aFunction,
]

/** Version 2 of the machine: it counts its notes, and asks for one per turn. */
export const machineTwo = `
import { effectId, emptyContext } from './context.ts'
import { modelCall } from './plan.ts'
import { runMachine } from './run-machine.ts'
import { acting } from './step/step.ts'
import * as turn from './step/turn.ts'

const beginTurn = (args) => {
  const { context, emission } = turn.beginTurn(args)
  const id = effectId(context.run, context.effects)
  const note = { kind: 'turn.note', id, mode: 'read', queue: 'turn.note', delayMs: 0 }
  const effects = context.effects + 1
  const next = { ...context, effects, source: effects, notes: (args.context.notes ?? 0) + 1 }
  return { context: next, emission: { ...emission, effects: [note, modelCall(next, 0)] } }
}

export const chartTwo = runMachine.provide({ actions: { beginTurn: acting(beginTurn) } })
export const contextTwo = { ...emptyContext, notes: 0 }
`

/** The register has another version of a function. Processes that know the schema before it work with it. */
export const migrationOf = (newest: number, pin: string): string => `-- needs_code: ${newest}
set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

\\ir functions/decision_problem.sql sha256:${pin}
`
