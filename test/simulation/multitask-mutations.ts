/** Safety lines of threads, lanes and webhooks, as in `mutations.ts`. */
import type { Mutation } from './mutations.ts'

const engine = (file: string): string => `packages/engine/src/${file}`
const memory = (file: string): string => `packages/testing/src/memory/${file}`
const core = (file: string): string => `packages/core/src/${file}`

const threadMutations: readonly Mutation[] = [
  {
    name: 'only the create asks who is to make way (I12)',
    file: engine('roles/reconciler.ts'),
    line: 'work: (run) => makeWay(deps, run),',
    becomes: 'work: async () => {},',
  },
  {
    name: 'who is to make way is not rolled back',
    file: engine('roles/supersede.ts'),
    line: "const payload = { action, reason: 'superseded', by } as const",
    becomes: "const payload = { action: 'interrupt', reason: 'superseded', by } as const",
  },
  {
    name: 'whoever stands behind is to make way, too',
    file: memory('queue.ts'),
    line: '.filter((run) => isBefore(run, by) && !run.cancelRequested)',
    becomes: '.filter((run) => run !== by && !run.cancelRequested)',
  },
  {
    name: 'who is not due yet wants others out of its way',
    file: memory('queue.ts'),
    line: "run.dueAt <= clock.now() && !run.admitted && run.status !== 'ended')",
    becomes: "!run.admitted && run.status !== 'ended')",
  },
  {
    name: 'a run that must find nobody is created beside others',
    file: memory('create.ts'),
    line: "if (multitask === 'reject' && last !== null) return answer(item, 'busy')",
    becomes: '',
  },
  {
    name: 'who wants others out of its way does not stand behind them',
    file: memory('create.ts'),
    line: "const behind = multitask === 'enqueue' || last === null ? now : Math.max(now, last + 1)",
    becomes:
      "const behind = multitask === 'enqueue' || last === null ? now : Math.min(now, last - 1)",
  },
  {
    name: 'a delay is none',
    file: memory('create.ts'),
    line: 'dueAt: behind + delayMs,',
    becomes: 'dueAt: behind,',
  },
  {
    name: 'a run is admitted before its time',
    file: memory('queue.ts'),
    line: 'if (run.dueAt > now || lanesFull(tables, run, now)) return false',
    becomes: 'if (lanesFull(tables, run, now)) return false',
  },
  {
    name: 'a run goes before those that wait for its thread',
    file: memory('queue.ts'),
    line: '(other.admitted || isBefore(other, run)),',
    becomes: 'other.admitted,',
  },
  {
    name: 'two runs have the same place',
    file: memory('queue.ts'),
    line: 'run.place = (placed(tables, run).at(-1)?.place ?? 0) + 1',
    becomes: 'run.place = (placed(tables, run).at(-1)?.place ?? 1)',
  },
  {
    name: 'what was rolled back is said to models (I24)',
    file: memory('lineage.ts'),
    line: "((run.place ?? 0) < (last.place ?? 0) && run.outcome !== 'rolled_back')",
    becomes: '(run.place ?? 0) < (last.place ?? 0)',
  },
  {
    name: 'a conversation is told in the order of its creates (I24)',
    file: memory('lineage.ts'),
    line: '    .toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0))',
    becomes: '',
  },
]

const laneMutations: readonly Mutation[] = [
  {
    name: 'a lane has room for everybody',
    file: memory('lanes.ts'),
    line: 'return working.length >= most || started.length >= rate',
    becomes: 'return started.length >= rate',
  },
  {
    name: 'a lane knows no rate',
    file: memory('lanes.ts'),
    line: 'return working.length >= most || started.length >= rate',
    becomes: 'return working.length >= most',
  },
  {
    name: 'a create goes before those that wait for its lanes',
    file: memory('append.ts'),
    line: 'const behind = item.create !== undefined && laneAwaited(tables, run)',
    becomes: 'const behind = false',
  },
]

const webhookMutations: readonly Mutation[] = [
  {
    name: 'nobody is told of the end of a run (W1)',
    file: core('machine/tell.ts'),
    line: "if (isFinal(after)) return after.context.ending ?? 'completed'",
    becomes: 'if (isFinal(after)) return null',
  },
  {
    name: 'the end of a run takes back what tells of it (W2)',
    file: memory('append.ts'),
    line: 'if (effect.runId !== run.runId || outlivesRun(effect.kind)) continue',
    becomes: 'if (effect.runId !== run.runId) continue',
  },
  {
    name: 'nobody is told of a run that has ended (W2)',
    file: memory('claim.ts'),
    line: 'const outlives = outlivesRun(effect.kind)',
    becomes: 'const outlives = false',
  },
  {
    name: 'an attempt that was taken over settles the delivery (W1)',
    file: memory('settle.ts'),
    line: 'if (effect.status !== draft.expect || effect.attempt !== draft.attempt) return false',
    becomes: 'if (effect.status !== draft.expect) return false',
    test: {
      file: 'test/contract/leases.test.ts',
      name: 'of a webhook is settled by the attempt that holds it',
    },
  },
  {
    name: 'an attempt that was taken over says what became of it (W1)',
    file: memory('append.ts'),
    line: 'for (const note of settled === false || !areNoted ? [] : (item.notes ?? [])) {',
    becomes: 'for (const note of item.notes ?? []) {',
  },
  {
    name: 'whoever saw a run end is alone in telling of it (W1)',
    file: engine('effects/kinds.ts'),
    line: 'due: (row: EffectRow) => take(row.effectId),',
    becomes: 'due: async () => {},',
  },
  {
    name: 'addresses of webhooks stand in events (I20)',
    file: engine('create-run.ts'),
    line: 'origin: new URL(webhook).origin, key }',
    becomes: 'origin: webhook, key }',
  },
]

const cancelRead = (name: string) => ({
  file: 'packages/server/test/cancel-then-read.test.ts',
  name,
})

const cancelMutations: readonly Mutation[] = [
  {
    name: 'a thread is read before the cancels that arrived first are recorded',
    file: 'packages/server/src/http/find.ts',
    line: '  await cancels.recorded(tenantId, threadId)\n',
    becomes: '',
    test: cancelRead('of the thread'),
  },
  {
    name: 'a read does not wait for the cancel of a stream that was left',
    file: 'packages/server/src/http/cancel-run.ts',
    line: 'cancels.during({ tenantId: caller.tenantId, threadId }, () =>',
    becomes: 'cancels.during({ tenantId: caller.tenantId, threadId: null }, () =>',
    test: cancelRead('by a stream that is left'),
  },
]

/** All of them. */
export const multitaskMutations: readonly Mutation[] = [
  ...threadMutations,
  ...laneMutations,
  ...webhookMutations,
  ...cancelMutations,
]
