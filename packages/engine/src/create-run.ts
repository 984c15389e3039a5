/** Creating a run: by a client, or by a run for one of its calls. */
import {
  AgentDefinition,
  saidTexts,
  type EditMessage,
  type FactPayload,
  limits,
  type Machine,
  pinnedSkills,
  skillsNamedIn,
  type Webhook,
  WebhookMoment,
} from '@signalbox/core'
import type { CreateAnswer, CreateRun } from './engine.ts'
import { holdOf } from './hold.ts'
import { type Bundles, loadedBody } from './perform/bundles.ts'
import type { Content } from './perform/content.ts'
import type { Register, StreamGuardrails, WebhookSender } from './ports.ts'
import { definitionHash } from './record/definition.ts'
import type { Writer } from './record/draft.ts'
import type { Patience } from './record/patience.ts'
import type { Preparations } from './record/preparations.ts'
import type { Recorder } from './record/recorder.ts'
import { sanitiseObject } from './record/sanitise.ts'
import { emptyView } from './record/view.ts'
import { memoryMark } from './memory-thread.ts'
import { firstTitle } from './title-thread.ts'

export interface CreateRunDeps extends Patience {
  readonly register: Register
  readonly recorder: Recorder
  readonly content: Content
  readonly bundles: Bundles
  readonly writer: Writer
  /** Null: nobody is told of runs. */
  readonly sender: Pick<WebhookSender, 'endpoints'> | null
  readonly preparations: Preparations
  /** They judge the words that a title is made of. */
  readonly guardrails: StreamGuardrails
  /** The machine that new runs are pinned to. */
  readonly machine: Machine
  /** Agents by name: those that a run may start ask questions as well. */
  readonly agents: (name: string) => AgentDefinition | null
}

/** What a client asks for, or a run: then `parent` says which, and for which call. */
export interface NewRun extends CreateRun {
  readonly parent?: NonNullable<FactPayload<'run.created'>['parent']>
  /** The run that it repeats. */
  readonly rerun?: FactPayload<'run.created'>['rerun']
  /** The run that it asks once more, on the same thread, and who was told of that one by its own request. */
  readonly retry?: FactPayload<'run.created'>['retry']
  readonly told?: readonly Webhook[]
  /** The files that it begins with: those of another run of the tenant, up to an event. */
  readonly filesFrom?: FactPayload<'run.created'>['filesFrom']
  /** The part of a conversation that it learns from: then it stands on the thread of a memory. */
  readonly learn?: FactPayload<'run.created'>['learn']
  /** Of a rerun: the memory of the run that it repeats. */
  readonly remembered?: FactPayload<'run.created'>['memory']
  /** Of the effect that starts it: an attempt that was taken over starts nothing. */
  readonly attempt?: number
}

const machineOf = ({ machine }: CreateRunDeps) => ({
  machine: 'run',
  machineVersion: machine.version,
})

const storedIn = new WeakMap<Register, WeakMap<AgentDefinition, string>>()

/** Definitions are content-addressed and immutable: each object is hashed, and stored in a register, once per process. */
async function storeDefinition(deps: CreateRunDeps, definition: AgentDefinition): Promise<string> {
  const stored = storedIn.get(deps.register) ?? new WeakMap<AgentDefinition, string>()
  storedIn.set(deps.register, stored)
  const known = stored.get(definition)
  if (known) return known
  const clean = AgentDefinition.parse(sanitiseObject(definition))
  const hash = definitionHash(clean)
  const lack = await deps.preparations.lackOf(hash, clean)
  if (lack !== null) throw new Error(lack)
  await deps.bundles.keep(clean)
  await deps.register.putDefinition(hash, clean)
  stored.set(definition, hash)
  return hash
}

/** Where it stands among the runs of its thread, as far as that is said. */
function orderOf({ multitask, delayMs = 0, priority = 0, base }: CreateRun) {
  return {
    ...(multitask === undefined || multitask === 'enqueue' ? {} : { multitask }),
    ...(delayMs > 0 ? { delayMs } : {}),
    ...(priority === 0 ? {} : { priority }),
    ...(base ? { base } : {}),
  }
}

/** Whom it works for, what its client takes for granted and says of it, and the run that it comes from. */
function originOf(request: NewRun) {
  const { user, endUser, client, fields, filesFrom, parent, rerun, retry, learn } = request
  return {
    ...(filesFrom ? { filesFrom } : {}),
    ...(learn ? { learn } : {}),
    ...(client ? { client } : {}),
    ...(fields ? { fields } : {}),
    ...(user === undefined ? {} : { user }),
    ...(endUser === undefined ? {} : { endUser }),
    ...(parent ? { parent } : {}),
    ...(rerun ? { rerun } : {}),
    ...(retry ? { retry } : {}),
  }
}

/** May the agent ask the person it works for, or may one that it starts? Only then it matters whether somebody is there. */
function mayAsk(
  deps: Pick<CreateRunDeps, 'agents'>,
  definition: AgentDefinition,
  depth = 0,
): boolean {
  if (definition.clarification) return true
  if (depth >= limits.childDepthMax) return false
  return definition.tools
    .flatMap(({ runs = [] }) => runs)
    .some((name) => {
      const below = deps.agents(name)
      return below !== null && mayAsk(deps, below, depth + 1)
    })
}

/** The files that it begins with; a list of none is no list. */
const filesOf = ({ files }: CreateRun) =>
  files === undefined || (Array.isArray(files) && files.length === 0) ? {} : { files }

/** The skills that its user named, with the words that the model reads of each. A run that was started by another says nothing to us. */
async function skillsOf(
  { bundles, content }: CreateRunDeps,
  { definition, input, parent, tenantId, threadId }: NewRun,
): Promise<Pick<FactPayload<'run.created'>, 'skills'>> {
  const named = parent ? [] : skillsNamedIn(input, pinnedSkills(definition))
  if (named.length === 0) return {}
  const skills = []
  for (const { name, digest } of named) {
    const text = await loadedBody(bundles, { name, digest })
    const body = await content.spill({ tenantId, threadId }, [{ type: 'text', text }])
    skills.push({ name, digest, body })
  }
  return { skills }
}

/** The words and files that a run begins with, long texts moved out of them. */
async function wordsOf(deps: CreateRunDeps, request: NewRun) {
  const { content } = deps
  const thread = { tenantId: request.tenantId, threadId: request.threadId }
  const spilled = async <Message extends EditMessage>(said: readonly Message[]) => {
    const messages = []
    for (const message of said)
      messages.push({ ...message, parts: await content.spill(thread, message.parts) })
    return messages
  }
  const { history = [], edit, compact } = request
  return {
    input: await spilled(request.input),
    ...(history.length > 0 ? { history: await spilled(history) } : {}),
    ...(edit ? { edit: { ...edit, messages: await spilled(edit.messages) } } : {}),
    ...(compact ? { compact: sanitiseObject(compact) } : {}),
    ...filesOf(request),
    ...(await skillsOf(deps, request)),
  }
}

/**
 * Who is told of a run: of one that a run has started, nobody, since its parent is told of; of a rerun, only whom its own
 * request names.
 */
async function webhooksOf(
  { content, sender }: CreateRunDeps,
  { webhook, told = [], parent, rerun, learn, definition, tenantId, threadId }: NewRun,
): Promise<readonly Webhook[]> {
  if (parent || learn) return []
  const configured = rerun ? [] : (sender?.endpoints(definition.name) ?? [])
  if (webhook === undefined) return [...told, ...configured]
  const key = await content.keep({ tenantId, threadId }, webhook)
  const own = { on: [...WebhookMoment.options], origin: new URL(webhook).origin, key }
  return [own, ...configured]
}

/** Does it change a memory: as a run that learns, or by a person? */
const isOfMemory = ({ learn, edit }: NewRun): boolean =>
  learn !== undefined || edit?.memory !== undefined

/** The memory of whom a run works for. A run that another run started, an edit, one that sums up and one that learns have nothing to do with one. */
async function memoryOfRun(deps: CreateRunDeps, request: NewRun) {
  const { parent, edit, compact, learn, rerun, remembered, input } = request
  if (rerun) return remembered ?? null
  if (!request.definition.memory || parent || edit || compact || learn) return null
  const isSaid = saidTexts(input).some((text) => text.trim() !== '')
  return memoryMark(deps, { ...request, isSaid })
}

/** Creates a run, and admits it if its thread is free. Repeated with the same alias, it answers the first one. */
export async function createRun(deps: CreateRunDeps, request: NewRun): Promise<CreateAnswer> {
  const { tenantId, threadId, actor, definition, metadata, alias } = request
  const { parent = null, attempt = 0, lanes = [] } = request
  const order = orderOf(request)
  const held = await holdOf(deps, request)
  if (held) return held
  const stored = await storeDefinition(deps, definition)
  const runId = deps.random.uuid()
  const said = await wordsOf(deps, request)
  const webhooks = await webhooksOf(deps, request)
  const titled = await firstTitle(deps, request)
  const memory = await memoryOfRun(deps, request)
  const agent = definition.name
  const pinned = { agent, definitionHash: stored, ...machineOf(deps) }
  const created = deps.writer.fact(
    'run.created',
    {
      ...pinned,
      ...said,
      metadata,
      ...originOf(request),
      ...order,
      ...(request.interactive === false && mayAsk(deps, definition)
        ? { interactive: false as const }
        : {}),
      ...(titled ? { title: titled.title } : {}),
      ...(memory ? { memory } : {}),
      ...(webhooks.length > 0 ? { webhooks: [...webhooks] } : {}),
    },
    { key: 'created', actor },
  )
  const place = parent && {
    runId: parent.runId,
    effectId: parent.effectId,
    rootId: parent.rootId,
  }
  const admitted = deps.writer.fact('run.admitted', {}, { key: 'admitted' })
  const result = await deps.recorder.record({ runId, tenantId }, [created, admitted], {
    create: {
      threadId,
      ...pinned,
      metadata: sanitiseObject(metadata),
      alias,
      ...order,
      ...(lanes.length > 0 ? { lanes } : {}),
      ...(isOfMemory(request) ? { memory: true } : {}),
      ...(place ? { parent: { ...place, attempt } } : {}),
    },
    admit: true,
    ...(titled && titled.notes.length > 0 ? { notes: titled.notes } : {}),
    view: emptyView({
      runId,
      tenantId,
      threadId,
      agent: definition,
      definitionHash: stored,
      machine: deps.machine,
      parent: place,
      laned: lanes.length > 0,
    }),
  })
  return answerOf(result, runId)
}

/** The answer to the creation. */
function answerOf(result: Awaited<ReturnType<Recorder['record']>>, runId: string): CreateAnswer {
  switch (result.code) {
    case 'ok':
      return { code: 'created', runId, admitted: result.admitted }
    case 'exists':
      return { code: 'existing', runId: result.runId }
    case 'conflict':
      return { code: 'conflict', runId: result.runId }
    case 'no_parent':
    case 'no_base':
    case 'busy':
    case 'thread_full':
      return { code: result.code }
    case 'no_run':
      return { code: 'no_thread' }
    case 'rejected':
      return { code: 'rejected', detail: result.detail ?? '' }
  }
}
