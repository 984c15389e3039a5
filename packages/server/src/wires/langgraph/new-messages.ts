/** What of a conversation is input: clients whose graphs keep one of their own send all of it, and the thread has most of it. */
import {
  messageFiles,
  heardIn,
  type InputFile,
  messagesOf,
  type RunCreate,
  saidBefore,
  type SaidMessage,
} from '../../http/wire/run-create.ts'
import { limits } from '@signalbox/core'
import { Problem } from '../../http/problem.ts'
import type { ReadModel } from '../../read-model.ts'
import { stateAt } from './history.ts'
import { currentState } from './threads.ts'

interface Place {
  readonly tenantId: string
  readonly threadId: string
  /** Null: the end of the thread. */
  readonly checkpointId: string | null
  /** What names the run, if anything does: to repeat a request is not to say it again. */
  readonly key: string | null
}

type Own = ReturnType<typeof messagesOf>

/** What of an input the thread has not heard. */
export interface NewInput {
  readonly own: Own
  /** What was said elsewhere, before it. */
  readonly history: readonly SaidMessage[]
  /** The files that stand in what is new. */
  readonly files: readonly InputFile[]
}

/**
 * The messages that the thread has not heard. An input that sends along nothing it heard is taken as it is, and a thread that is
 * new takes what an assistant said elsewhere.
 */
export async function newMessages(
  read: ReadModel,
  { checkpointId, key, ...thread }: Place,
  input: RunCreate['input'],
): Promise<NewInput> {
  const [heard, own] = [heardIn(input), messagesOf(input)]
  if (heard.size === 0 || (key !== null && (await read.run(thread.tenantId, key))))
    return { own, history: [], files: messageFiles(input) }
  const state =
    checkpointId === null
      ? await currentState(read, thread)
      : await stateAt(read, thread, checkpointId)
  const messages = state?.values.messages ?? []
  if (messages.length === 0 && checkpointId === null) return imported(input, own)
  const known = new Set(messages.map(({ id }) => id))
  // A page makes up an answer for each open call before it says something: the thread knows better what became of its calls.
  const calls = new Set(
    messages.flatMap((each) => (each.type === 'ai' ? each.tool_calls.map(({ id }) => id) : [])),
  )
  for (const [n, { id, answers }] of heard)
    if ((id === null || !known.has(id)) && (answers === null || !calls.has(answers)))
      throw misfit(`input.messages[${n}].role`, 'takes "user" or "system" for what is not known')
  const isNew = (id: string | undefined) => id === undefined || !known.has(id)
  const fresh = own.filter(({ id }) => isNew(id))
  const files = messageFiles(input).filter(({ messageId }) => isNew(messageId))
  if (fresh.length > 0) return { own: fresh, history: [], files }
  throw misfit('input.messages', 'takes at least one message that the thread has not heard')
}

/** A conversation that was had elsewhere: texts, and behind them what the run is asked. */
function imported(input: RunCreate['input'], own: Own): NewInput {
  const before = saidBefore(input)
  const history = before.map((message, n) => {
    if (message) return message
    throw misfit(
      `input.messages[${n}].role`,
      'takes "user", "system", or an "assistant" with text alone',
    )
  })
  const asked = own.slice(before.filter((message) => message?.role !== 'assistant').length)
  if (history.length > limits.editMessagesMax)
    throw misfit(
      'input.messages',
      `takes at most ${limits.editMessagesMax} messages that were said before`,
    )
  const files = messageFiles(input)
  const early = files.find(({ message }) => message < before.length)
  if (early) throw misfit(early.at, 'takes text alone in what was said before')
  if (asked.length > 0) return { own: asked, history, files }
  throw misfit('input.messages', 'takes a message behind what an assistant has said')
}

/** Without words of its own a run answers what stands at its checkpoint: what was answered there already is nothing to answer. */
export async function refuseAnswered(
  read: ReadModel,
  { checkpointId, ...thread }: Place & { readonly checkpointId: string },
): Promise<void> {
  const state = await stateAt(read, thread, checkpointId)
  // What the thread has not heard is refused with the create.
  if (!state) return
  const last = state.values.messages.at(-1)
  if (last && (last.type !== 'ai' || last.tool_calls.length > 0)) return
  throw misfit('checkpoint_id', 'takes a checkpoint before an answer where there is no input')
}

const misfit = (field: string, takes: string): Problem =>
  new Problem('invalid_request', { detail: `${field}: ${takes}`, field })
