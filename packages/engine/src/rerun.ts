/**
 * Rerunning a run: what would have come of it with another model, or other guardrails? A new run, on a new thread, hears what
 * the other one heard and is asked what it was asked. Its calls execute nothing: the machine looks their results up.
 *
 * N1 The run that is repeated is only read. It has ended, so what it recorded stands still.
 * N2 Nobody is told of a rerun but whom its own request names: the webhooks of the configuration belong to what happens.
 */
import {
  type EditMessage,
  type FactPayload,
  factSchemas,
  isConversational,
  limits,
  payloadOf,
} from '@signalbox/core'
import { createRun, type CreateRunDeps } from './create-run.ts'
import type { CreateAnswer, Rerun, RerunAnswer } from './engine.ts'
import type { Moment, Register, RunHead, StoredEvent } from './ports.ts'
import { carryFiles } from './perform/carry.ts'
import { insist } from './record/patience.ts'

/** Creates the rerun. Repeated with the same alias and thread, it answers the first one. */
export async function rerun(deps: CreateRunDeps, request: Rerun): Promise<RerunAnswer> {
  const { register } = deps
  const { runId, tenantId, threadId } = request
  const head = await insist(deps, 'read run', () => register.head(runId))
  if (head?.tenantId !== tenantId) return { code: 'no_run' }
  if (head.outcome === null) return { code: 'run_open' }
  const [first] = await insist(deps, 'read events', () => register.events(runId, { limit: 1 }))
  const created = first?.salt ? payloadOf(factSchemas['run.created'], first) : null
  if (!created) return { code: 'erased' }
  if (created.edit) return { code: 'edit' }
  if (created.compact) return { code: 'summary' }
  const own =
    request.definition ??
    (await insist(deps, 'read definition', () => register.definition(head.definitionHash)))
  if (!own) throw new Error(`the definition ${head.definitionHash} is not stored`)
  const definition = request.change?.(own) ?? own
  const origin = await insist(deps, 'read conversation', () => originOf(register, head))
  const input = await hydrated(deps, head, created.input)
  const history = await hydrated(deps, head, created.history ?? [])
  const thread = { tenantId, threadId, metadata: {}, createdAt: deps.clock.now() }
  const contentKey = deps.random.hex(32)
  const ensured = await insist(deps, 'ensure thread', () =>
    register.ensureThread({ ...thread, contentKey, origin }),
  )
  if (!ensured) return { code: 'no_thread' }
  const { fields, files, filesFrom } = created
  if (files)
    await insist(deps, 'carry files', () =>
      carryFiles({ register, from: head, to: { tenantId, threadId } }, files),
    )
  const remembered = await memoryFor(deps, request, created)
  const said = {
    ...(fields ? { fields } : {}),
    ...(files ? { files } : {}),
    ...(remembered ? { remembered } : {}),
  }
  // Those of another run, which it began with, are read where they stand: by the rerun as well.
  const begun = filesFrom ? { filesFrom } : {}
  return create(deps, request, { definition, input, history, ...said, ...begun })
}

const create = (
  deps: CreateRunDeps,
  request: Rerun,
  made: Pick<
    Parameters<typeof createRun>[1],
    'definition' | 'input' | 'history' | 'fields' | 'files' | 'filesFrom' | 'remembered'
  >,
): Promise<CreateAnswer> => {
  const { runId, change: _, memory: _m, ...rest } = request
  // A listing of runs shows what they are without their events.
  const metadata = { ...request.metadata, rerun_of: runId }
  return createRun(deps, { ...rest, ...made, metadata, rerun: { runId } })
}

/** The notes that the other run was shown, so that the model is what differs; or, by wish, those of now. Nothing is learned of a rerun. */
async function memoryFor(
  deps: CreateRunDeps,
  { runId, memory: wish }: Rerun,
  { memory }: FactPayload<'run.created'>,
): Promise<FactPayload<'run.created'>['memory'] | null> {
  if (!memory) return null
  const { threadId } = memory
  if (wish === 'now') return { threadId }
  const events = await insist(deps, 'read events', () => deps.register.events(runId, {}))
  for (const event of events) {
    if (event.type !== 'model.completed' || event.salt === '') continue
    const { pinned } = payloadOf(factSchemas['model.completed'], event)
    if (pinned?.memory) return { threadId, pinned: pinned.memory }
  }
  return { threadId }
}

/** Long texts of the input stand in the thread of the other run, and this one's thread has not heard it. */
async function hydrated<Message extends EditMessage>(
  { content }: Pick<CreateRunDeps, 'content'>,
  head: RunHead,
  input: readonly Message[],
): Promise<readonly Message[]> {
  const whole: Message[] = []
  for (const message of input)
    whole.push({ ...message, parts: await content.hydrate(head, message.parts) })
  return whole
}

/** Right behind what the run had heard before its own first event; null if it heard nothing. */
async function originOf(
  register: Pick<Register, 'conversation' | 'events'>,
  { runId, threadId, base }: RunHead,
): Promise<Moment | null> {
  if (base) return base
  const heard = await register.conversation(threadId, runId)
  const last = heard.findLast((event) => event.runId !== runId)
  return last ? momentBehind(register, last) : null
}

/** The last moment at which as much was said, so that the state in which the other run began is whole. */
async function momentBehind(
  register: Pick<Register, 'events'>,
  { runId, seq }: StoredEvent,
): Promise<Moment> {
  const after = await register.events(runId, { after: seq, limit: limits.pageMax })
  const next = after.findIndex(({ type }) => isConversational(type))
  const silent = next < 0 ? after : after.slice(0, next)
  return { runId, seq: silent.at(-1)?.seq ?? seq }
}
