/**
 * A person's answer to a question of the model.
 *
 * Q1 The first answer stands; the same one again is no error, another is a conflict.
 * Q2 It is checked against the question before anything is written: the options, or the fields of the form.
 * Q3 The result of the call is the answer, marked as the words of the user.
 */
import {
  checkAnswer,
  decisionSchemas,
  factSchemas,
  payloadOf,
  questionTimer,
  questionToolName,
} from '@signalbox/core'
import type { AnswerInput, InputAnswer } from './engine.ts'
import type { Register, StoredEvent } from './ports.ts'
import { canonical, type Writer } from './record/draft.ts'
import { insist, type Patience } from './record/patience.ts'
import type { Recorder } from './record/recorder.ts'
import { sanitiseObject } from './record/sanitise.ts'
import { firstAnswer, isAbout, answerStanding } from './standing-answer.ts'

export interface InputDeps extends Patience {
  readonly register: Register
  readonly recorder: Recorder
  readonly writer: Writer
}

const answered = 'input.answered'

/** Records the answer, unless it is none to that question, or another one stands. */
export async function answerInput(deps: InputDeps, request: AnswerInput): Promise<InputAnswer> {
  const { runId, tenantId, callId } = request
  const head = await insist(deps, 'read run', () => deps.register.head(runId))
  if (!head || head.tenantId !== tenantId) return { code: 'no_run' }
  const events = await insist(deps, 'read events', () => deps.register.events(runId, {}))
  const asking = events.find((event) => isAbout(event, 'input.requested', callId))
  if (!asking) return { code: 'not_asked' }
  const asked = payloadOf(decisionSchemas['input.requested'], asking)
  const checked = checkAnswer(asked, request.answer)
  if (!checked.ok) return { code: 'invalid_answer', field: checked.field, detail: checked.message }
  if (events.some((event) => isAbout(event, 'input.expired', callId))) return { code: 'expired' }
  const stands = events.find((event) => isAbout(event, answered, callId))
  if (stands) return standing(deps, request, stands)
  // Nobody is asked any more.
  if (head.cancelRequested) return { code: 'ended' }
  return record(deps, request, checked.words)
}

async function record(deps: InputDeps, request: AnswerInput, words: string): Promise<InputAnswer> {
  const { runId, tenantId, callId, actor, by } = request
  const fact = deps.writer.fact(
    'input.answered',
    {
      callId,
      output: { content: [{ type: 'text', text: words }], isError: false },
      answer: sanitiseObject(request.answer),
      ...(by ? { by } : {}),
    },
    { key: `input:${callId}`, actor, tool: questionToolName, verdict: 'answered' },
  )
  const result = await deps.recorder.record({ runId, tenantId }, [fact])
  if (result.code !== 'ok') return { code: 'no_run' }
  const about = { type: answered, callId, timerId: questionTimer(callId) }
  switch (result.factCodes[0]) {
    case 'ok':
      return { code: await answerStanding(deps, runId, about) }
    case 'duplicate': {
      const first = await firstAnswer(deps, runId, about)
      return first ? standing(deps, request, first) : { code: 'no_run' }
    }
    default:
      return { code: 'ended' }
  }
}

/** Another answer stands, or the same. */
async function standing(
  deps: InputDeps,
  { runId, callId, answer }: AnswerInput,
  stands: StoredEvent,
): Promise<InputAnswer> {
  const first = payloadOf(factSchemas[answered], stands).answer
  if (canonical(sanitiseObject(first ?? {})) !== canonical(sanitiseObject(answer)))
    return { code: 'conflict' }
  const timerId = questionTimer(callId)
  const code = await answerStanding(deps, runId, { type: answered, callId, timerId })
  return { code: code === 'accepted' ? 'already' : code }
}
