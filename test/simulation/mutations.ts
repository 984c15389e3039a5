/**
 * Safety lines of the production code, each with what it becomes when somebody deletes or weakens it. `mutate.ts` plays the
 * simulation on a copy with one of them changed at a time: a mutation that survives is a line nothing guards.
 */
export interface Mutation {
  readonly name: string
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly line: string
  readonly becomes: string
}

const engine = (file: string): string => `packages/engine/src/${file}`
const core = (file: string): string => `packages/core/src/${file}`

export const mutations: readonly Mutation[] = [
  {
    name: 'a worker executes although its claim was refused (I8, I10)',
    file: engine('roles/worker.ts'),
    line: "if (claimed?.code !== 'ok') return",
    becomes: 'if (!claimed) return',
  },
  {
    name: 'the idempotency key differs from attempt to attempt (I9)',
    file: engine('perform/tool-call.ts'),
    line: 'idempotencyKey: effect.id,',
    becomes: 'idempotencyKey: `${effect.id}-${attempt}`,',
  },
  {
    name: 'a tool result carries no fence (I7)',
    file: engine('record/draft.ts'),
    line: 'fence: options.fence ?? null',
    becomes: 'fence: null',
  },
  {
    name: 'a lost once-call is aborted instead of unknown (I8)',
    file: engine('roles/lost.ts'),
    line: "if (row.mode !== 'once') {",
    becomes: "if (row.mode !== 'read') {",
  },
  {
    name: 'nobody reconciles (I12)',
    file: engine('roles/reconciler.ts'),
    line: 'for (const part of [timers, admissions, ready, effects]) {',
    becomes: 'for (const part of [timers]) {',
  },
  {
    name: 'what must not start after a cancel is never closed (I12)',
    file: engine('roles/reconciler.ts'),
    line: 'if (row.cancelRequested) await close(deps, row)',
    becomes: 'if (row.cancelRequested) continue',
  },
  {
    name: 'queued runs are admitted only by the hint (I12)',
    file: engine('roles/reconciler.ts'),
    line: 'for (const run of await deps.register.admissibleRuns(batchMax)) await admit(deps, run)',
    becomes: 'await deps.register.admissibleRuns(batchMax)',
  },
  {
    name: 'a run starts without its thread',
    file: engine('commands.ts'),
    line: '    admit: true,\n',
    becomes: '    admit: false,\n',
  },
  {
    name: 'a decision is made from a view with undecided facts (I5)',
    file: engine('record/recorder.ts'),
    line: 'const current = view && view.facts === view.decided && !view.ended ? view : null',
    becomes: 'const current = view && !view.ended ? { ...view, facts: view.decided } : null',
  },
  {
    name: 'a prompt is built from a stale transcript (I24)',
    file: engine('perform/transcript.ts'),
    line: 'if (known && known.seq >= seq) return',
    becomes: 'if (known) return',
  },
  {
    name: 'nobody is told of the calls that were taken out of a turn (I23)',
    file: core('verdict/safety.ts'),
    line: "if (turn.verdict === 'complete') return []",
    becomes: 'if (turn.suppressed.length > 0) return []',
  },
  {
    name: 'an operator may re-run what the model was told is unknown (I8)',
    file: engine('roles/lost.ts'),
    line: "const becomes = onUnknown === 'ask' ? 'unknown' : 'done'",
    becomes: "const becomes = onUnknown === 'ask' ? 'unknown' : 'unknown'",
  },
  {
    name: 'an operator may answer twice (I12)',
    file: engine('commands.ts'),
    line: "becomes: retry ? 'pending' : 'done',",
    becomes: "becomes: retry ? 'unknown' : 'done',",
  },
  {
    name: 'a prompt is built of what came after its claim (I24)',
    file: engine('perform/transcript.ts'),
    line: 'event.runId !== runId || event.seq <= seq',
    becomes: 'event.seq > 0',
  },
  {
    name: 'cancelling ends while calls are open (I7)',
    file: core('machine/guards.ts'),
    line: '!context.modelOpen && !someOpen({ context })',
    becomes: 'true',
  },
]
