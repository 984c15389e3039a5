/** The step in which the policies with I/O have answered, and the calls that waited for that go on or do not. */
import type { Effect, Timer } from '../../effect.ts'
import type { Verdict } from '../../event/decision.ts'
import type { FactPayload } from '../../event/fact.ts'
import { approvalRequested, expiry } from '../../verdict/approval/event.ts'
import { denied, faulted, reused, skipped, warned } from '../../verdict/authorization/event.ts'
import { engineDenial, grantKey } from '../../verdict/authorization/judge.ts'
import { agentProblem, countsAsStart } from '../../verdict/children/verdict.ts'
import { callIdPrefix, type MachineEvent, type OpenCall, type RunContext } from '../context.ts'
import { callEffect } from '../plan.ts'
import { goesOnHere } from './here.ts'
import { quiet, type Step } from './step.ts'

type PolicyAnswered = Extract<MachineEvent, { type: 'policy.answered' }>
type Decision = FactPayload<'policy.answered'>['decisions'][number]

/** A call the answer says nothing about is denied: silence allows nothing. */
const silent = (callId: string): Decision => ({
  callId,
  tool: 'unknown_tool',
  argsHash: '',
  answer: engineDenial('oap.evaluator_error', 'The policies gave no answer about this call.'),
  faults: [],
})

/** Of a call that a list, or a policy before those that were asked, wants a person to approve. */
const gate: Decision['answer'] = {
  effect: 'require_approval',
  reasons: [
    {
      code: 'approval_required',
      message: 'A list or policy of the agent wants a person to approve this call.',
    },
  ],
  policyId: '',
  policyDigest: '',
}

/** Opens, asks about or denies each call that waited; the others are left as they are. */
export const takePolicies: Step = ({ context, event }) => {
  if (event.type !== 'policy.answered') return quiet(context)
  const { agent, fact } = event
  const answers = new Map(fact.payload.decisions.map((each) => [each.callId, each]))
  const open: Record<string, OpenCall> = {}
  const clear: ((asked: number) => Effect)[] = []
  const verdicts: Verdict[] = []
  const timers: Timer[] = []
  const place = { agent, context, fact }
  let { effects: n, children } = context
  let here = context
  for (const [index, call] of Object.entries(context.open)) {
    if (call.status !== 'judging' && call.status !== 'gated') {
      open[index] = call
      continue
    }
    const callId = `${callIdPrefix(context.run, context.turn)}_${index}`
    const said = answers.get(callId) ?? silent(callId)
    const spec = agent.tools[call.tool]
    const { answer, argsHash, faults } = said
    const asks = answer.effect === 'require_approval'
    const granted = call.status === 'gated' ? null : grantOf(context, call, { agent, said, fact })
    verdicts.push(...faulted(callId, said.tool, faults))
    if (!spec || answer.effect === 'deny' || said.tool !== spec.name) {
      verdicts.push(denied(callId, spec?.name ?? said.tool, denyOf(said)))
      continue
    }
    const named = { id: callId, name: spec.name, argsHash }
    verdicts.push(...warned(named, said.warnings ?? []))
    if (call.status === 'gated' || (asks && granted === null && !context.rerun)) {
      open[index] = { ...call, effect: 0, status: 'asked' }
      const isGate = agent.approvals.gateNamed && !asks
      const why = { answer: isGate ? gate : answer, at: fact.at }
      verdicts.push(approvalRequested(agent, named, why))
      timers.push(expiry(agent, callId))
    } else {
      const nobody = agentProblem(spec, said.args)
      if (nobody) {
        verdicts.push(denied(callId, spec.name, engineDenial(nobody.code, nobody.message)))
        continue
      }
      if (asks) verdicts.push(granted ? reused(named, granted) : skipped(named, answer))
      const goesOn = goesOnHere(here, event, { callId, argsHash, spec, args: said.args })
      if (goesOn) {
        here = goesOn.context
        verdicts.push(...(goesOn.emission.verdicts ?? []))
        timers.push(...(goesOn.emission.timers ?? []))
        if (goesOn.becomes) open[index] = { ...call, effect: 0, status: goesOn.becomes }
        continue
      }
      n += 1
      open[index] = { ...call, effect: n, status: 'running' }
      const [number, cleared] = [n, { call: { id: callId, argsHash, ...argsOf(said) }, spec }]
      clear.push((asked) => callEffect({ ...place, asked }, number, cleared))
      if (countsAsStart(agent, context, spec)) children += 1
    }
  }
  const waiting = Object.values(open).filter(({ status }) => status === 'asked').length
  const effects = clear.map((make) => make(waiting))
  return {
    context: { ...here, open, effects: n, children, policy: 0 },
    emission: { effects, verdicts, timers },
  }
}

const argsOf = ({ args }: Decision) => (args ? { args } : {})

/** A human's earlier approval that stands for the call, whichever policy wants one. */
function grantOf(
  context: RunContext,
  call: OpenCall,
  { agent, said, fact }: Pick<PolicyAnswered, 'agent' | 'fact'> & { readonly said: Decision },
): 'run' | 'always' | null {
  if (context.grants.includes(grantKey(agent, call.tool, said.argsHash))) return 'run'
  return fact.payload.granted?.includes(said.callId) ? 'always' : null
}

const denyOf = ({ answer }: Decision): Decision['answer'] =>
  answer.effect === 'deny'
    ? answer
    : engineDenial('oap.evaluator_error', 'The answer of the policies is about another call.')
