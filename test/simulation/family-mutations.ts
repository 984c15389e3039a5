/** Safety lines of trees of runs and their budgets, as in `mutations.ts`. */
import type { Mutation } from './mutations.ts'

const engine = (file: string): string => `packages/engine/src/${file}`
const memory = (file: string): string => `packages/testing/src/memory/${file}`
const core = (file: string): string => `packages/core/src/${file}`

export const familyMutations: readonly Mutation[] = [
  {
    name: 'a parent hears of an end only from whoever saw it (I12)',
    file: engine('roles/reconciler.ts'),
    line: 'work: (child) => tellParent(deps, child.runId),',
    becomes: 'work: async () => {},',
  },
  {
    name: 'whoever saw a parent leave is alone in cancelling its children (I12)',
    file: engine('roles/reconciler.ts'),
    line: 'work: (orphan) => cancelChild(deps, orphan),',
    becomes: 'work: async () => {},',
    from: 2750,
    test: {
      file: 'packages/engine/test/child-crash.test.ts',
      name: 'another process finds the child, and cancels it',
    },
  },
  {
    name: 'the children of a run that leaves are not cancelled (I12)',
    file: engine('roles/family.ts'),
    line: 'const result = await recorder.record({ runId, tenantId }, [fact])',
    becomes: 'const result = { factCodes: [fact.key] }',
  },
  {
    name: 'a run that leaves starts one more (I14)',
    file: memory('create.ts'),
    line: "if (parent.status === 'ended' || parent.cancelRequested) return answer(item, 'no_parent')",
    becomes: '',
  },
  {
    name: 'the lease of a run that was started stands (I8)',
    file: memory('fence.ts'),
    line: '  effect.leaseUntil = null\n',
    becomes: "  if (fence.becomes === 'started') return\n  effect.leaseUntil = null\n",
  },
  {
    name: 'a budget does not see what others have reserved (G1)',
    file: memory('budgets.ts'),
    line: 'others.reduce((sum, [, each]) => sum + each[what], spent[what])',
    becomes: 'others.reduce((sum) => sum, spent[what])',
  },
  {
    name: 'a second reservation counts its turn again (G2)',
    file: memory('budgets.ts'),
    line: 'const turns = before ? 0 : asked.turns',
    becomes: 'const turns = asked.turns',
  },
  {
    name: 'a second reservation counts its call again (G2)',
    file: memory('budgets.ts'),
    line: 'const calls = before ? 0 : asked.calls',
    becomes: 'const calls = asked.calls',
    test: {
      file: 'test/contract/budgets.test.ts',
      name: 'as there are',
    },
  },
  {
    name: 'what a model call used is not counted (G1)',
    file: engine('perform/reservation.ts'),
    line: 'await register.spend(id, used)',
    becomes: 'await register.spend(id, { tokens: 0, cost: 0 })',
  },
  {
    name: 'a call takes nothing from the budget (G1)',
    file: engine('perform/tool-call.ts'),
    line: 'if (effect.shared !== true) return null',
    becomes: 'if (effect.shared !== false) return null',
  },
  {
    name: 'the second attempt does not look for the run of the first (I7)',
    file: engine('perform/run-start.ts'),
    line: 'attempt > 1\n',
    becomes: 'attempt < 1\n',
    from: 1190,
  },
  {
    name: 'a lost start is closed although its run was started (I7)',
    file: engine('effects/kinds.ts'),
    line: "const child = row.status === 'started' ? await startedBy(deps, row) : null",
    becomes: 'const child = null',
    test: {
      file: 'packages/engine/test/child-crash.test.ts',
      name: 'dead between creation and child.started, and cancelled meanwhile',
    },
  },
  {
    name: 'what is denied right before a run is started is started (I10)',
    file: engine('perform/run-start.ts'),
    line: 'if (denial) return deniedNow(deps.writer, task, denial)',
    becomes: '',
  },
  {
    name: 'the arguments that start a run are not compared with those that were judged (I11)',
    file: engine('perform/run-start.ts'),
    line: 'if (!(await isJudged(deps.digests, task)))',
    becomes: 'if (call.name !== effect.tool)',
  },
  {
    name: 'a run is started with the full limits of its agent (S3)',
    file: engine('perform/run-start.ts'),
    line: 'lowered(checked.definition, effect.left)',
    becomes: 'checked.definition',
  },
  {
    name: 'what children have used is not used (S3)',
    file: core('machine/step/children.ts'),
    line: 'tokens: context.tokens + tokens,',
    becomes: 'tokens: context.tokens,',
  },
  {
    name: 'runs are started ever deeper (I12)',
    file: core('verdict/children/verdict.ts'),
    line: 'if (depth >= childDepthMax)',
    becomes: 'if (depth > childDepthMax)',
  },
  {
    name: 'a run that ends does not wait for those it has started (I7)',
    file: core('machine/step/end.ts'),
    line: "([, { status }]) => status === 'running' || status === 'child',",
    becomes: "([, { status }]) => status === 'running',",
  },
  {
    name: 'policies are not told that a run was started by another (I10)',
    file: engine('perform/evidence.ts'),
    line: 'isSubagent: origin.parent !== undefined',
    becomes: 'isSubagent: false',
    from: 835,
    test: {
      file: 'packages/engine/test/child-policies.test.ts',
      name: 'a policy knows the calls of a child, and for whom they are',
    },
  },
  {
    name: 'policies with I/O are not told that a run was started by another (I10)',
    file: engine('perform/evidence.ts'),
    line: 'isSubagent: parent !== undefined,',
    becomes: 'isSubagent: parent === null,',
  },
]
