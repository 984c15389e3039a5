/** From a `RunAgentInput` to the run that it means: a new one, one that goes on, or the one it meant before. */
import type { RunHead } from '@signalbox/engine'
import type { Api, Identified } from '../../http/api.ts'
import { humansAsked } from '../../http/humans-asked.ts'
import { broughtFiles, type SentFile } from '../../http/brought-files.ts'
import { createRun } from '../../http/create-run.ts'
import { findAgent, findRun } from '../../http/find.ts'
import { Problem } from '../../http/problem.ts'
import { RunCreate } from '../../http/wire/run-create.ts'
import { aliasOf, threadOf } from './ids.ts'
import { inputCheckpoint } from '../langgraph/moments.ts'
import { knownMessages, newsOf, runBegunBy, typesOf } from './new-messages.ts'
import { interruptsOpen, resumeRun } from './resume.ts'
import type { RunAgentInput } from './run-input.ts'

/** What of a request is not used, by its field. */
export type Ignored = Readonly<
  Partial<Record<'tools' | 'messages' | 'contentParts' | 'resume', readonly string[]>>
>

export interface Started {
  readonly head: RunHead
  /** Calls and effects that were answered; empty for a run from its beginning. */
  readonly about: ReadonlySet<string>
  /** Was it asked for before? */
  readonly isRepeat: boolean
  readonly ignored: Ignored
}

/** Finds the run, or makes it. @throws Problem */
export async function startRun(
  api: Api,
  caller: Identified,
  { agent: name, input }: { readonly agent: string; readonly input: RunAgentInput },
): Promise<Started> {
  const agent = findAgent(api, name).name
  const threadId = threadOf(caller, input.threadId)
  const alias = aliasOf(caller, input.runId)
  const tools = input.tools.map((tool) => tool.name)
  const before = await api.read.run(caller.tenantId, alias)
  if (before) {
    if (before.threadId !== threadId || before.agent !== agent) throw otherRun(before)
    return { head: before, about: new Set(), isRepeat: true, ignored: given({ tools }) }
  }
  const entries = input.resume ?? []
  const resumed =
    entries.length > 0 ? await resumeRun(api, caller, { threadId, agent, entries }) : null
  if (resumed) return { ...resumed, ignored: given({ tools, resume: resumed.ignored }) }
  await refuseWhileWaiting(api, caller, threadId)
  const known = await knownMessages(api, caller, threadId)
  const { messages, files, ignoredMessages, ignoredParts } = newsOf(input, known, alias)
  // Where files stand in a directory, nothing would say that the run was given any.
  const brought = api.directories ? [] : files
  const left = api.directories ? files.map(({ type }) => type) : []
  const isNew = messages.length > 0
  // The same request may have been taken since it was looked for: then the thread knows what it says.
  const taken = isNew ? null : await api.read.run(caller.tenantId, alias)
  if (taken) return { head: taken, about: new Set(), isRepeat: true, ignored: given({ tools }) }
  const checkpoint =
    isNew || entries.length > 0 ? null : await answeredAt(api, caller, { threadId, input })
  if (!isNew && checkpoint === null) throw nothingNew(entries.length > 0)
  const said = isNew ? { input: { messages } } : { checkpoint_id: checkpoint }
  const { runId } = await create(api, caller, {
    agent,
    threadId,
    alias,
    input,
    said,
    files: brought,
  })
  return {
    head: await findRun(api, caller, { run_id: runId }),
    about: new Set(),
    isRepeat: false,
    ignored: given({
      tools,
      messages: ignoredMessages,
      contentParts: typesOf([...ignoredParts, ...left]),
      resume: entries.map(({ interruptId }) => interruptId),
    }),
  }
}

/** Fields of which something is not used. */
const given = (all: Required<Ignored> | Ignored): Ignored =>
  Object.fromEntries(Object.entries(all).filter(([, names]) => names.length > 0))

async function refuseWhileWaiting(api: Api, caller: Identified, threadId: string): Promise<void> {
  const waiting = { threadId, status: 'waiting', limit: 1 } as const
  const [head] = await api.read.runs(caller.tenantId, waiting)
  const open = head ? await humansAsked(api.read, head) : []
  if (open.length > 0) throw interruptsOpen(open)
}

/**
 * Where the last of the messages stands, if it is one of the user that the thread has answered: a client that takes away the
 * answer, and sends the rest, wants another one.
 */
async function answeredAt(
  api: Api,
  caller: Identified,
  { threadId, input }: { readonly threadId: string; readonly input: RunAgentInput },
): Promise<string | null> {
  const last = input.messages.at(-1)
  if (last?.role !== 'user') return null
  const head = await runBegunBy(api, caller, { threadId, id: last.id })
  return head?.status === 'ended' ? inputCheckpoint(api.read, head) : null
}

const otherRun = (before: RunHead): Problem =>
  new Problem('idempotency_conflict', {
    detail: 'This runId names a run of another thread or agent. Use a new one for a new run.',
    field: 'runId',
    more: { run_id: before.runId },
  })

const nothingNew = (answers: boolean): Problem =>
  answers
    ? new Problem('nothing_waits', {
        detail: 'The thread has asked for none of this, and the request says nothing new.',
        field: 'resume',
      })
    : new Problem('invalid_request', {
        detail:
          'messages: takes a message of the role "user" that the thread does not know, or one that it has answered as the last. It knows all of these.',
        field: 'messages',
      })

async function create(
  api: Api,
  caller: Identified,
  run: {
    readonly agent: string
    readonly threadId: string
    readonly alias: string
    readonly input: RunAgentInput
    /** What is new, or where to answer again. */
    readonly said: object
    readonly files: readonly SentFile[]
  },
): Promise<{ readonly runId: string }> {
  const { agent, threadId, alias, input, said, files } = run
  const { parentRunId } = input
  const named = { thread_id: input.threadId, run_id: input.runId }
  const parent = parentRunId === undefined ? {} : { parent_run_id: parentRunId }
  const body = RunCreate.parse({
    assistant_id: agent,
    ...said,
    metadata: { ag_ui: { ...named, ...parent } },
  })
  const brought = broughtFiles(files)
  return createRun(api, caller, { body, threadId, idempotencyKey: alias, brought })
}
