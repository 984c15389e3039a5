/** What a line of the timeline says about an event, and who wrote it. */
import process from 'node:process'
import { z } from 'zod'
import type { RunEvent } from './run-event.ts'

const Payload = z.object({
  agent: z.string().optional(),
  effectId: z.string().optional(),
  attempt: z.number().optional(),
  path: z.array(z.string()).optional(),
  effects: z.array(z.object({ kind: z.string() })).optional(),
  durationMs: z.number().optional(),
  reason: z.string().optional(),
  evidence: z.array(z.object({ field: z.string(), value: z.string() })).optional(),
  calls: z.array(z.object({ name: z.string() })).optional(),
  code: z.string().optional(),
  policyId: z.string().optional(),
  approvalId: z.string().optional(),
  decision: z.string().optional(),
  layer: z.string().optional(),
  count: z.number().optional(),
  error: z.union([z.string(), z.object({ message: z.string() })]).optional(),
  message: z.string().optional(),
  turn: z
    .object({ error: z.object({ message: z.string() }).optional() })
    .optional()
    .catch(undefined),
})
type Payload = z.infer<typeof Payload>

/** One line at most, whatever a provider or a tool has said. */
const charsMax = 110

/** The essence of an event: its tool, number of the effect, verdict, and what its type is about. */
export function eventDetail(event: RunEvent): string {
  const payload = Payload.parse(event.payload)
  const parts = [subject(event, payload), aspect(event, payload)].filter((part) => part !== '')
  const text = parts.join('  ').replaceAll(/\s*\n\s*/g, ' ')
  return text.length > charsMax ? `${text.slice(0, charsMax - 1)}…` : text
}

/** `orchestrator` is this process; workers are told apart by their process ids. */
export function eventActor({ actor }: RunEvent): string {
  const pid = /\.(\d+)\.[0-9a-f]{8}$/.exec(actor)?.[1]
  if (pid === undefined) return actor
  return pid === String(process.pid) ? 'orchestrator' : `worker ${pid}`
}

function subject({ type, tool }: RunEvent, { effectId }: Payload): string {
  const name = tool ?? (type === 'effect.started' ? 'model' : '')
  const number = effectId?.split('.').at(-1)
  return number === undefined ? name : `${name} #${number}`.trim()
}

function aspect({ type, verdict }: RunEvent, payload: Payload): string {
  switch (type) {
    case 'run.created':
      return `agent ${payload.agent ?? ''}`
    case 'run.transitioned': {
      const calls = payload.effects?.filter(isCall).length ?? 0
      return `${payload.path?.join(' → ') ?? ''}${calls === 0 ? '' : ` (${count(calls, 'call')})`}`
    }
    case 'effect.started':
      return `attempt ${payload.attempt ?? 1}`
    case 'safety.suppressed': {
      const seen = payload.evidence?.map(({ field, value }) => `${field} = ${value}`) ?? []
      const names = payload.calls?.map(({ name }) => name) ?? []
      return `${seen.join(', ')}; not executed: ${names.join(', ')}`
    }
    case 'call.denied':
      return `${payload.code ?? ''}${by(payload)}: ${payload.message ?? ''}`
    case 'approval.requested':
      return `${payload.approvalId ?? ''}${by(payload)}`
    case 'approval.answered':
      return payload.decision ?? ''
    case 'loop.warned':
    case 'loop.stopped':
      return `${payload.layer ?? ''}, ${payload.count ?? 0} times`
    default:
      return [verdict, duration(payload), why(payload)].filter((part) => part !== null).join(', ')
  }
}

const isCall = ({ kind }: { readonly kind: string }): boolean =>
  kind === 'tool.call' || kind === 'run.start' || kind === 'tool.recall'

const by = ({ policyId }: Payload): string => (policyId === undefined ? '' : ` by ${policyId}`)

const duration = ({ durationMs }: Payload): string | null =>
  durationMs === undefined ? null : `${Math.round(durationMs)} ms`

function why({ turn, reason, error, message }: Payload): string | null {
  if (turn?.error) return turn.error.message
  if (typeof error === 'object') return error.message
  return error ?? message ?? reason ?? null
}

/** `1 call`, `2 calls`. */
export const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? '' : 's'}`
