/** From an answer to a question of a model to the register, and from what the engine says of it to a problem. */
import { z } from '@hono/zod-openapi'
import type { InputAnswer as EngineAnswer } from '@signalbox/engine'
import type { Api, Identified } from './api.ts'
import { Problem } from './problem.ts'
import type { ProblemCode } from './problem-codes.ts'
import type { InputAnswer } from './wire/input-view.ts'

/** What a good answer is answered with. `already`: the same was answered before. */
export const InputAccepted = z.object({ code: z.enum(['accepted', 'already']) })

/** What an answer may meet with. */
export const inputProblems: readonly ProblemCode[] = [
  'unknown_input',
  'input_conflict',
  'input_expired',
  'invalid_answer',
  'run_ended',
]

/** The question that an answer is about, and how the caller named it and its parts. */
export interface AnsweredQuestion {
  readonly runId: string
  readonly callId: string
  /** The parameter that names the question. */
  readonly field: string
  /** Before the fields of the answer: where it stands in the request; empty for the body itself. */
  readonly at: string
}

/** Records an answer. @throws Problem unless it stands */
export async function answerInput(
  api: Pick<Api, 'commands'>,
  { tenantId, actor, user }: Identified,
  { question, said }: { readonly question: AnsweredQuestion; readonly said: InputAnswer },
): Promise<z.infer<typeof InputAccepted>> {
  const { runId, callId } = question
  const answer = await api.commands.answerInput({
    tenantId,
    actor,
    runId,
    callId,
    answer: said,
    ...(user === undefined ? {} : { by: user }),
  })
  if (answer.code === 'accepted' || answer.code === 'already') return { code: answer.code }
  throw refusal(answer, question)
}

function refusal(
  answer: Exclude<EngineAnswer, { readonly code: 'accepted' | 'already' }>,
  { runId, callId, field, at }: AnsweredQuestion,
): Problem {
  switch (answer.code) {
    case 'conflict':
      return new Problem('input_conflict', {
        detail: `The question ${callId} was answered otherwise.`,
        field,
      })
    case 'expired':
      return new Problem('input_expired', {
        detail: `The time of the question ${callId} is over, and the run went on.`,
        field,
      })
    case 'invalid_answer': {
      const where = [at, answer.field].filter((each) => each !== '').join('.')
      return new Problem('invalid_answer', { detail: `${where}: ${answer.detail}`, field: where })
    }
    case 'ended':
      return new Problem('run_ended', {
        detail: `The run ${runId} has ended, or is being cancelled.`,
        field,
        more: { run_id: runId },
      })
    default:
      return new Problem('unknown_input', {
        detail: `The call ${callId} asks no question. GET /inputs lists what waits.`,
        field,
      })
  }
}
