/**
 * Something is said to a run that goes on.
 *
 * S1 It is one append, refused by the register once the run has ended or is to end: what was accepted is answered by a turn,
 *    or the run ends by a limit, a cancel or a failure.
 * S2 The same key is the same request: said once, however often it is asked for. Other words under it are a conflict.
 */
import { factSchemas, limits, type UserMessage } from '@signalbox/core'
import type { InjectAnswer, InjectInput } from './engine.ts'
import { holdOf } from './hold.ts'
import type { Content } from './perform/content.ts'
import type { Register, RunHead } from './ports.ts'
import { canonical, uuidOf, type Writer } from './record/draft.ts'
import { insist, type Patience } from './record/patience.ts'
import type { Recorder } from './record/recorder.ts'
import type { Views } from './record/view.ts'

export interface InjectDeps extends Patience {
  readonly register: Register
  readonly recorder: Recorder
  readonly views: Views
  readonly content: Content
  readonly writer: Writer
}

/** Records what is said, unless nobody would answer it. */
export async function injectInput(deps: InjectDeps, request: InjectInput): Promise<InjectAnswer> {
  const { runId, tenantId, actor, by } = request
  const head = await insist(deps, 'read run', () => deps.register.head(runId))
  if (!head || head.tenantId !== tenantId) return { code: 'no_run' }
  const bytes = bytesOf(request.messages)
  if (bytes > limits.injectedBytesMax) return { code: 'full' }
  const refused = await refusalOf(deps, request, head)
  if (refused) return refused
  const messages = []
  for (const message of request.messages)
    messages.push({ ...message, parts: await deps.content.spill(head, message.parts) })
  const payload = { messages, bytes, ...(by === undefined ? {} : { by }) }
  const key = `input:${uuidOf(request.key)}`
  const fact = deps.writer.fact('input.injected', payload, { key, actor })
  const result = await deps.recorder.record({ runId, tenantId }, [fact])
  if (result.code !== 'ok') return { code: 'no_run' }
  switch (result.factCodes[0]) {
    case 'ok':
      return { code: 'accepted' }
    case 'duplicate':
      return earlier(deps, runId, fact)
    case 'full':
      return { code: 'full' }
    default:
      return { code: 'ended' }
  }
}

/** An edit asks no model, and a summary is no answer, so nobody would hear it. Whoever may start no run steers none either. */
async function refusalOf(
  deps: InjectDeps,
  { tenantId, endUser }: InjectInput,
  head: RunHead,
): Promise<InjectAnswer | null> {
  const [first] = await insist(deps, 'read events', () =>
    deps.register.events(head.runId, { limit: 1 }),
  )
  const created = factSchemas['run.created'].safeParse(first?.payload)
  if (created.data?.edit) return { code: 'no_model' }
  if (created.data?.compact) return { code: 'summary' }
  const definition = await deps.views.definitionOf(head)
  return holdOf(deps, { tenantId, definition, ...(endUser === undefined ? {} : { endUser }) })
}

/** The first words under a key stand. */
async function earlier(
  deps: InjectDeps,
  runId: string,
  asked: { readonly key: string; readonly payload: Readonly<Record<string, unknown>> },
): Promise<InjectAnswer> {
  const events = await insist(deps, 'read events', () => deps.register.events(runId, {}))
  const first = events.find(({ key }) => key === asked.key)
  const isSame =
    canonical(first?.payload['messages'] ?? null) === canonical(asked.payload['messages'])
  // Erased: nobody knows what it was.
  return { code: isSame || first?.salt === '' ? 'already' : 'conflict' }
}

const bytesOf = (messages: readonly UserMessage[]): number =>
  messages
    .flatMap(({ parts }) => parts)
    .reduce((sum, part) => sum + Buffer.byteLength(part.type === 'text' ? part.text : ''), 0)
