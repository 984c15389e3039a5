/** What humans and policies say about calls, as moves. */
import type { FactPayload } from '../../src/index.ts'
import { argsHashOf, callId, type Known, type Move, toolCall } from './facts.ts'

type Approval = FactPayload<'approval.answered'>

/** A human answers about the nth call; the hash is that of the request, if there is one. */
const decides =
  (n: number, tool: string, patch: Pick<Approval, 'decision'> & Partial<Approval>): Move =>
  (known) => {
    const id = callId(known, n)
    const request = known.verdicts.findLast(
      (each) => each.type === 'approval.requested' && each.payload.callId === id,
    )
    const argsHash =
      request?.type === 'approval.requested' ? request.payload.argsHash : argsHashOf('')
    return { type: 'approval.answered', payload: { callId: id, tool, argsHash, ...patch } }
  }

export const approves = (n: number, tool: string, scope?: Approval['scope']): Move =>
  decides(n, tool, { decision: 'approve', ...(scope === undefined ? {} : { scope }) })

/** As the engine answers about a call that settles in the decision: with what it will settle. */
export const approvesHere = (n: number, tool: string, patch: Partial<Approval>): Move =>
  decides(n, tool, { decision: 'approve', ...patch })

export const rejects = (n: number, tool: string, note?: string): Move =>
  decides(n, tool, { decision: 'reject', ...(note === undefined ? {} : { note }) })

/** A human changes the argument of a call. */
export const edits = (n: number, tool: string, arg: string): Move =>
  decides(n, tool, { decision: 'edit', ...editedTo(arg) })

/** A human changes the argument of a call, and means it for ever. */
export const editsAlways = (n: number, tool: string, arg: string): Move =>
  decides(n, tool, { decision: 'edit', scope: 'always', ...editedTo(arg) })

const editedTo = (arg: string) => ({ edited: { args: { arg }, argsHash: argsHashOf(arg) } })

/** A human who says he edits, without arguments. */
export const editsNothing = (n: number, tool: string): Move =>
  decides(n, tool, { decision: 'edit' })

/** The time of the nth call's approval is over. */
export const expires =
  (n: number): Move =>
  (known) => ({ type: 'timer.fired', payload: { timerId: `approval:${callId(known, n)}` } })

type Answered = FactPayload<'policy.answered'>['decisions'][number]

export const policyAnswer = (
  effect: Answered['answer']['effect'],
  code = `x.${effect}`,
): Answered['answer'] => ({
  effect,
  reasons: [{ code, message: `The policy says ${effect}.` }],
  policyId: 'opa',
  policyDigest: 'sha256:1',
})

/** What the policies say about the nth call; `tool` is the call as it was asked for: `search`, `search:x`. */
export const judged =
  (n: number, tool: string, effect: Answered['answer']['effect']) =>
  (known: Known): Answered => {
    const [name = '', arg = ''] = tool.split(':')
    const answer = policyAnswer(effect)
    return { callId: callId(known, n), tool: name, argsHash: argsHashOf(arg), answer, faults: [] }
  }

/** The policies with I/O answer. */
export const policiesSay =
  (...about: readonly ((known: Known) => Answered)[]): Move =>
  (known) => ({
    type: 'policy.answered',
    payload: {
      effectId: known.effects.findLast((effect) => effect.kind === 'policy.evaluate')?.id ?? 'none',
      attempt: 1,
      decisions: about.map((each) => each(known)),
      durationMs: 1,
    },
  })

/** Asked again before the execution, a policy denied the call. */
export const deniedAtDispatch =
  (n: number, tool: string): Move =>
  (known) => ({
    type: 'tool.denied',
    payload: {
      ...toolCall(known, n),
      tool,
      answer: policyAnswer('deny', 'oap.passport_suspended'),
      configuration: 'pinned',
    },
  })
