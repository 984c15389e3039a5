/**
 * Safety lines of the production code, each with what it becomes when somebody deletes or weakens it. `mutate.ts` plays the
 * simulation on a copy with one of them changed at a time: a mutation that survives is a line nothing guards.
 *
 * Not in the list, because the simulation cannot tell them from the code as it is: a prompt built of what came after its claim
 * (after it a run says nothing more to this call, and one that was taken over does not begin), a lost answer that is waited
 * for nine times instead of for ever, a result that is not kept through a cancel (both `packages/engine/test/outage.test.ts`),
 * and a lease that counts from a draft whose first answer was lost (`packages/engine/test/leases.test.ts`).
 */
export interface Mutation {
  readonly name: string
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly line: string
  readonly becomes: string
  /** Where the search begins, for one that few seeds catch: near the seed that caught it last. Default 1. */
  readonly from?: number
  /** The test that turns red, for one that no seed catches: played instead of the simulation. */
  readonly test?: GuardingTest
}

export interface GuardingTest {
  readonly file: string
  /** Its name, or a part of it that no other test of the file has. */
  readonly name: string
}

const engine = (file: string): string => `packages/engine/src/${file}`
const core = (file: string): string => `packages/core/src/${file}`

export const mutations: readonly Mutation[] = [
  {
    name: 'a worker executes although its claim was refused (I8, I10)',
    file: engine('effects/loop.ts'),
    line: "if (code !== 'ok') {",
    becomes: "if (code === 'gone') {",
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
    file: engine('effects/lost.ts'),
    line: "if (row.mode !== 'once') {",
    becomes: "if (row.mode !== 'read') {",
  },
  {
    name: 'nobody reconciles (I12)',
    file: engine('roles/reconciler.ts'),
    line: 'for (const part of parts) {',
    becomes: 'for (const part of parts.slice(0, 1)) {',
  },
  {
    name: 'what must not start after a cancel is never closed (I12)',
    file: engine('roles/reconciler.ts'),
    line: '(row) => (isClosed(row) ? close(deps, row) : work.due(row)),',
    becomes: 'async (row) => (isClosed(row) ? undefined : work.due(row)),',
  },
  {
    name: 'queued runs are admitted only by the hint (I12)',
    file: engine('roles/reconciler.ts'),
    line: 'work: async (run) => void (await admit(deps, run)),',
    becomes: 'work: async () => {},',
  },
  {
    name: 'a run starts without its thread',
    file: engine('create-run.ts'),
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
    name: 'a verdict that the model hears of is taken for silence (T2)',
    file: engine('record/plan.ts'),
    line: 'result.facts === view.facts && !decision.verdicts.some(({ type }) => isConversational(type))',
    becomes: 'result.facts === view.facts',
  },
  {
    name: 'a fact that came with a decision, or meanwhile, is taken for silence (T2)',
    file: engine('record/plan.ts'),
    line: 'result.facts === view.facts && !decision',
    becomes: '!decision',
  },
  {
    name: 'a transcript goes on behind a gap (T2)',
    file: engine('perform/transcript.ts'),
    line: 'if (known && since[0]?.seq === known.seq + 1) cache',
    becomes: 'if (known && since.length > 0) cache',
    test: {
      file: 'packages/engine/test/transcript-feed.test.ts',
      name: 'does not go on behind a gap',
    },
  },
  {
    name: 'silence is told from the beginning of a run on (T2)',
    file: engine('record/plan.ts'),
    line: '{ from: view.seq, to: result.seq }',
    becomes: '{ from: 0, to: result.seq }',
  },
  {
    name: 'a prompt shows what came after its claim (T2)',
    file: engine('perform/transcript.ts'),
    line: 'if (lastOf(events, run.runId) > seq) return afresh',
    becomes: 'if (seq < 0) return afresh',
    test: {
      file: 'packages/engine/test/transcript-feed.test.ts',
      name: 'shows no prompt what came after its claim, although it has it',
    },
  },
  {
    name: 'nobody is told of the calls that were taken out of a turn (I23)',
    file: core('verdict/safety/event.ts'),
    line: "if (turn.verdict === 'complete' || turn.verdict === 'guardrail') return []",
    becomes: 'if (turn.suppressed.length > 0) return []',
  },
  {
    name: 'an operator may re-run what the model was told is unknown (I8)',
    file: engine('effects/lost.ts'),
    line: "const becomes = (await asksHuman(views, row)) ? 'unknown' : 'done'",
    becomes: "const becomes = 'unknown'",
  },
  {
    name: 'an operator may answer twice (I12)',
    file: engine('commands.ts'),
    line: "becomes: retry ? 'pending' : 'done',",
    becomes: "becomes: retry ? 'unknown' : 'done',",
  },
  {
    name: 'cancelling ends while calls are open (I7)',
    file: core('machine/guards.ts'),
    line: '!context.modelOpen && !someOpen({ context })',
    becomes: 'true',
  },
  {
    name: 'an approval beats a denial (I10)',
    file: core('verdict/authorization/combine.ts'),
    line: 'const strength = { allow: 0, warn: 1, require_approval: 2, deny: 3 } as const',
    becomes: 'const strength = { allow: 0, warn: 1, require_approval: 3, deny: 2 } as const',
  },
  {
    name: 'a pure policy that cannot be asked has no say (I10)',
    file: core('verdict/authorization/combine.ts'),
    line: 'if (failClosed) answers.push(evaluatorError(spec))',
    becomes: '',
  },
  {
    name: 'a policy with I/O that cannot be asked has no say (I10)',
    file: engine('perform/policy-call.ts'),
    line: 'answer ?? (failClosed && specs[n] ? evaluatorError(specs[n]) : [])',
    becomes: 'answer ?? []',
  },
  {
    name: 'what the policies with I/O deny runs (I10)',
    file: core('machine/step/policies.ts'),
    line: "if (!spec || answer.effect === 'deny' || said.tool !== spec.name) {",
    becomes: 'if (!spec || said.tool !== spec.name) {',
  },
  {
    name: 'a policy with I/O that allows takes the place of a human (I10)',
    file: core('machine/step/policies.ts'),
    line: "if (call.status === 'gated' || (asks && granted === null && !context.rerun)) {",
    becomes: 'if (asks && granted === null && !context.rerun) {',
  },
  {
    name: 'what is denied right before the execution runs (I10)',
    file: engine('perform/tool-call.ts'),
    line: 'if (denied) return refused(deps, task, denied)',
    becomes: '',
  },
  {
    name: 'a call that may have run is said to be denied (I8)',
    file: engine('perform/tool-call.ts'),
    line: "return unknown(deps, task, 'worker_lost')",
    becomes: 'return deniedNow(deps.writer, task, denial)',
    test: {
      file: 'packages/engine/test/current-policies.test.ts',
      name: 'may have run',
    },
  },
  {
    name: 'the arguments that run are not compared with those that were judged (I11)',
    file: engine('perform/tool-call.ts'),
    line: 'if (!(await isJudged(deps.digests, task))) {',
    becomes: 'if (call.name !== effect.tool) {',
  },
  {
    name: 'an edit runs with the arguments of the model (I11)',
    file: engine('perform/tool-call.ts'),
    line: 'const call = effect.edited ? await editedCall(deps.register, row, effect) : asked.call',
    becomes: 'const call = { ...asked.call, argsHash: effect.argsHash }',
  },
  {
    name: 'edited arguments are known by a digest that anybody can make (J2)',
    file: engine('answer-approval.ts'),
    line: 'await digests.by(head.tenantId, agent)',
    becomes: "await digests.by(head.tenantId, { digests: 'sha256' })",
  },
  {
    name: 'edited arguments are not judged again (I10)',
    file: core('verdict/approval/verdict.ts'),
    line: "if (again.answer.effect === 'deny') return { effect: 'deny', answer: again.answer }",
    becomes: '',
    // The command refuses what the policies deny, so that no seed gets to the decision with it.
    test: {
      file: 'packages/core/test/approval-answers.test.ts',
      name: 'edited arguments are judged again: a denial beats the human',
    },
  },
  {
    name: 'a second human decides anew (I10)',
    file: engine('answer-approval.ts'),
    line: '{ key: `approval:${callId}`,',
    becomes: '{ key: `approval:${callId}:${decision}`,',
  },
  {
    name: 'an answer after the time is told to stand (I10)',
    file: engine('standing-answer.ts'),
    line: "return before.some(isTimer) ? 'expired' : 'accepted'",
    becomes: "return 'accepted'",
    test: {
      file: 'packages/engine/test/approvals.test.ts',
      name: 'an answer that the register takes after the time is told that it came too late',
    },
  },
  {
    name: 'whoever a run works for approves its calls (I10)',
    file: engine('answer-approval.ts'),
    line: 'if (forbidRequester && !(by && isAnother(identityOf(by), await requesterOf(deps, events))))',
    becomes: 'if (forbidRequester && !by)',
  },
  {
    name: 'an approval for once stands for ever (I10)',
    file: core('machine/step/humans.ts'),
    line: "const reaches = decision === 'approve' && (scope === 'run' || scope === 'always')",
    becomes: "const reaches = decision === 'approve'",
  },
  {
    name: 'a human is asked again about what he rejected (I10)',
    file: core('verdict/authorization/judge.ts'),
    line: 'if (known.context.refused.includes(key))',
    becomes: 'if (known.granted.includes(key))',
  },
  {
    name: 'an expired call waits on for an answer (I12)',
    file: core('machine/guards.ts'),
    line: "args.event.type === 'timer.fired' && statusOf(args) === 'asked'",
    becomes: "args.event.type === 'approval.answered' && statusOf(args) === 'asked'",
  },
  {
    name: 'a guardrail corrects once too often (I23)',
    file: core('verdict/retry/verdict.ts'),
    line: 'return tried.corrections < agent.guardrails.maxGuardrailRetries ?',
    becomes: 'return tried.corrections <= agent.guardrails.maxGuardrailRetries ?',
  },
  {
    name: 'a turn that a guardrail ended counts as complete (I23)',
    file: core('verdict/safety/verdict.ts'),
    line: "return 'guardrail_stopped'",
    becomes: 'return null',
  },
  {
    name: 'a safety stop is asked again (I23)',
    file: core('verdict/retry/verdict.ts'),
    line: "    case 'interrupted':\n",
    becomes: "    case 'interrupted':\n    case 'safety':\n",
  },
]
