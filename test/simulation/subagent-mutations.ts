/** Safety lines of the limits of runs that are started, of the files that they share, and of what is told of them, as in `mutations.ts`. */
import type { GuardingTest, Mutation } from './mutations.ts'

const core = (file: string): string => `packages/core/src/${file}`
const engine = (file: string): string => `packages/engine/src/${file}`

const inCore = (file: string, name: string): GuardingTest => ({
  file: `packages/core/test/${file}.test.ts`,
  name,
})
const inEngine = (file: string, name: string): GuardingTest => ({
  file: `packages/engine/test/${file}.test.ts`,
  name,
})
const inServer = (name: string): GuardingTest => ({
  file: 'packages/server/test/subagents.test.ts',
  name,
})

export const subagentMutations: readonly Mutation[] = [
  {
    name: 'a turn starts as many runs as it likes (D1)',
    file: core('verdict/children/verdict.ts'),
    line: 'if (subagents && inTurn >= subagents.perTurn)',
    becomes: 'if (subagents && inTurn > 64)',
  },
  {
    name: 'a run starts more than its agent says (D1)',
    file: core('verdict/children/verdict.ts'),
    line: 'const perRun = subagents?.perRun ?? childrenMax',
    becomes: 'const perRun = childrenMax',
  },
  {
    name: 'a rerun forgets how many runs were started',
    file: core('verdict/children/verdict.ts'),
    line: 'runs !== undefined && (!rerun || subagents !== undefined)',
    becomes: 'runs !== undefined && !rerun',
    test: inCore('subagents', 'the same calls are denied as in the run that it repeats'),
  },
  {
    name: 'a human starts a run of an agent that there is not',
    file: core('machine/step/humans.ts'),
    line: 'const nobody = agentProblem(spec, args)',
    becomes: 'const nobody = agentProblem({}, args)',
    test: inCore('subagents', 'a human names another one'),
  },
  {
    name: 'of several edits the last one alone is taken over (N1)',
    file: core('workspace/net.ts'),
    line: 'edit && known && way ? [...way, edit.key] : null',
    becomes: 'edit && known && way ? [edit.key] : null',
    test: inCore('net-changes', 'a file that was only edited is told by all its edits'),
  },
  {
    name: 'a run begins with files of later than its call (S1)',
    file: engine('perform/heard-files.ts'),
    line: 'if (event.runId === runId && event.seq > through) continue',
    becomes: '',
    test: inEngine('child-files', 'a run begins with the files at its call'),
  },
  {
    name: 'a run is not lent the files that its effect names (S1)',
    file: engine('perform/run-start.ts'),
    line: '    ...filesOf(task),\n',
    becomes: '',
  },
  {
    name: 'an edit is not made again in what others left (S3)',
    file: engine('perform/child-files.ts'),
    line: "if (merged) return { change: merged, told: toldOf(change, 'merged') }",
    becomes: '',
    test: inEngine('child-files', 'the edits of two runs, and what a call beside them wrote'),
  },
  {
    name: 'what comes between a merge and its event is lost (M1)',
    file: engine('perform/child-files.ts'),
    line: 'edit: { key, since: now.state },',
    becomes: '',
    test: inEngine('child-answers', 'merges that meet between being made and being recorded'),
  },
  {
    name: 'the files of a run that failed are taken over (S2)',
    file: engine('roles/child-answer.ts'),
    line: "if (outcome !== 'completed' && !(outcome !== null && isPartial(outcome)))",
    becomes: 'if (outcome === null)',
  },
  {
    name: 'contents stay where the run left them (M2)',
    file: engine('perform/child-files.ts'),
    line: 'await carryBlobs({ register: deps.register, from: child, to: parent }, keys)',
    becomes: '',
  },
  {
    name: 'a run reads what it was not lent (F4)',
    file: engine('perform/files.ts'),
    line: 'threadIds: [threadId, lent.get(key)] }',
    becomes: "threadIds: [threadId, 'top'] }",
    test: inEngine('child-files', 'nothing else of the parent can be read by its key'),
  },
  {
    name: 'a rerun has not what was taken over',
    file: engine('perform/recall.ts'),
    line: '  resultHash,\n  ...(files ? { files } : {}),\n',
    becomes: '  resultHash,\n',
    test: inEngine('child-files', 'a rerun has the files that were taken over'),
  },
  {
    name: 'words that a guardrail cut are the last words of a run',
    file: engine('roles/child-answer.ts'),
    line: "if (turn?.verdict !== 'complete' && turn?.verdict !== 'length') return []",
    becomes: 'if (!turn) return []',
    test: inEngine('child-answers', 'words that a guardrail did not let pass'),
  },
  {
    name: 'a run waits for humans below it while something of it moves (B1)',
    file: 'packages/postgres/src/read/waits-below.ts',
    line: 'and not exists (${tree} select from tree x where ${moves}))',
    becomes: ')',
    test: inServer('does not, while something beside it moves'),
  },
]
