/** From what somebody says to a run that goes on to the register, and from what the engine says of it to a problem. */
import { limits, type UserMessage } from '@signalbox/core'
import { type InjectAnswer, type RunHead, uuidOf } from '@signalbox/engine'
import type { Api, Asker } from './api.ts'
import { readIdempotencyKey } from './create-run.ts'
import { findRun } from './find.ts'
import { Problem } from './problem.ts'
import type { ProblemCode } from './problem-codes.ts'
import { iso } from './wire/iso.ts'
import { messagesOf, type RunCreate } from './wire/run-create.ts'

/** What a word to a run may meet with. */
export const injectProblems: readonly ProblemCode[] = [
  'unknown_run',
  'run_ended',
  'run_ending',
  'run_asks_no_model',
  'input_full',
  'idempotency_conflict',
  'user_held',
]

export interface Injection {
  readonly head: RunHead
  readonly input: RunCreate['input']
  /** The Idempotency-Key header as it came: it stands for one request of this run. */
  readonly idempotencyKey: string | undefined
}

/** Says something to a run. Answers the ids of the messages: the same ones for the same key. @throws Problem unless it is heard */
export async function injectInput(
  api: Pick<Api, 'commands' | 'now' | 'random' | 'read'>,
  caller: Asker,
  { head, input, idempotencyKey }: Injection,
): Promise<readonly string[]> {
  const { tenantId, actor, user, endUser } = caller
  const { runId } = head
  const key = readIdempotencyKey(idempotencyKey) ?? api.random.uuid()
  const messages = messagesOf(input).map(({ id, role, texts }, n): UserMessage => ({
    id: id ?? `u_${uuidOf(`input ${n} of ${runId} ${key}`)}`,
    role,
    parts: texts.map((text) => ({ type: 'text', text })),
  }))
  const answer = await api.commands.injectInput({
    tenantId,
    actor,
    runId,
    messages,
    key,
    ...(user === undefined ? {} : { by: user }),
    ...(endUser === undefined ? {} : { endUser }),
  })
  if (answer.code === 'accepted' || answer.code === 'already') return messages.map(({ id }) => id)
  throw await refusal(api, caller, { answer, head, key })
}

async function refusal(
  api: Pick<Api, 'now' | 'read'>,
  caller: Asker,
  about: {
    readonly answer: Exclude<InjectAnswer, { readonly code: 'accepted' | 'already' }>
    readonly head: RunHead
    readonly key: string
  },
): Promise<Problem> {
  const { answer, head, key } = about
  const { runId } = head
  switch (answer.code) {
    case 'ended':
      return ended(await findRun(api, caller, { run_id: runId }))
    case 'no_model':
      return new Problem('run_asks_no_model', {
        detail: `The run ${runId} is an edit of its thread, and asks no model. Create a run for what you have to say.`,
        field: 'run_id',
      })
    case 'summary':
      return new Problem('run_asks_no_model', {
        detail: `The run ${runId} does nothing but sum up its thread, and answers nobody. Create a run for what you have to say.`,
        field: 'run_id',
      })
    case 'full':
      return new Problem('input_full', {
        detail: `One run takes at most ${limits.injectedMessagesMax} messages and ${limits.injectedBytesMax} bytes of text after its creation, and nothing when its history is nearly full. Create a run for the rest.`,
        field: 'input',
      })
    case 'conflict':
      return new Problem('idempotency_conflict', {
        detail: `The key "${key}" was used for other words to this run. Use a new key for a new request.`,
        field: 'idempotency-key',
        more: { run_id: runId },
      })
    case 'held': {
      const seconds = Math.max(1, Math.ceil((answer.until - api.now()) / 1000))
      return new Problem('user_held', {
        detail: `Too many runs of this end user were stopped for safety. The next words are taken at ${iso(answer.until)}.`,
        headers: { 'retry-after': String(seconds) },
        more: { until: iso(answer.until) },
      })
    }
    case 'no_run':
      return new Problem('unknown_run', { detail: `There is no run ${runId}.`, field: 'run_id' })
  }
}

function ended({ runId, status, outcome }: RunHead): Problem {
  const next = 'Create a run for what you have to say.'
  if (status === 'ended')
    return new Problem('run_ended', {
      detail: `The run has ended with the outcome "${String(outcome)}". ${next}`,
      more: { run_id: runId, outcome },
    })
  return new Problem('run_ending', {
    detail: `The run is being cancelled, or is out of time. ${next}`,
    more: { run_id: runId },
  })
}
