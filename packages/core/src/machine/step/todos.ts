/** The plan of the model: written by a call, and told of where the run would complete without it. */
import { settledResult } from '../../conversation/result.ts'
import type { JsonObject } from '../../json.ts'
import { denied } from '../../verdict/authorization/event.ts'
import { type CallJudgement, engineDenial } from '../../verdict/authorization/judge.ts'
import { grown, resultBytes } from '../../verdict/context/room.ts'
import { todoReminded, todoWritten } from '../../verdict/todo/event.ts'
import { readTodos, todoToolName } from '../../todo/spec.ts'
import { openIn, writtenText } from '../../todo/words.ts'
import type { RunContext } from '../context.ts'
import type { Step, Taken } from './step.ts'

const isWrite = ({ call, effect }: CallJudgement): boolean =>
  effect !== 'deny' && call.name === todoToolName

/** Of two lists of one turn nobody knows which one is meant: both are denied. */
export function oneAtATime(judgements: readonly CallJudgement[]): readonly CallJudgement[] {
  if (judgements.filter(isWrite).length < 2) return judgements
  return judgements.map((judgement): CallJudgement => {
    if (!isWrite(judgement)) return judgement
    const { call, faults } = judgement
    const message = `A turn may call ${todoToolName} once. Nothing was written: write the list again, in one call.`
    return { effect: 'deny', call, answer: engineDenial('one_at_a_time', message), faults }
  })
}

/** The plan that a call writes. Arguments that are none are denied, so that the model reads why. */
export function writeTodos(context: RunContext, callId: string, args: JsonObject): Taken {
  const read = readTodos(args)
  if (!read.ok) {
    const verdicts = [denied(callId, todoToolName, engineDenial('invalid_arguments', read.message))]
    return { context, emission: { verdicts } }
  }
  const { todos } = read
  const { content } = settledResult(writtenText(todos))
  const room = context.room && grown(context.room, resultBytes(content))
  return {
    context: { ...context, room, todosOpen: openIn(todos) },
    emission: { verdicts: [todoWritten(callId, context.turn, todos)] },
  }
}

/** One more turn, in which the model is told of its plan. */
export const remindOfTodos: Step = ({ context }) => {
  const nth = context.todosReminded + 1
  return {
    context: { ...context, todosReminded: nth },
    emission: { verdicts: [todoReminded(context.turn, nth, context.todosOpen)] },
  }
}
