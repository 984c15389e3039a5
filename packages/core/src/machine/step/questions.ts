/** Questions of the model to the person it works for: asked by a call, answered by a fact, or left until their time is over. */
import { settledResult } from '../../conversation/result.ts'
import type { JsonObject } from '../../json.ts'
import { limits } from '../../limits.ts'
import { denied } from '../../verdict/authorization/event.ts'
import { type CallJudgement, engineDenial } from '../../verdict/authorization/judge.ts'
import { grown, resultBytes } from '../../verdict/context/room.ts'
import {
  askingCall,
  inputExpired,
  inputRequested,
  questionExpiry,
  questionTimer,
  unansweredText,
} from '../../verdict/question/event.ts'
import { questionToolName, readQuestionSpec } from '../../question/spec.ts'
import type { MachineEvent, RunContext } from '../context.ts'
import { openCall, settled, withOpen } from '../settle.ts'
import type { ClearedHere, SettledHere } from './here.ts'
import { quiet, type Step } from './step.ts'

const nobodyText =
  'Nobody can be asked in this run. Go on with assumptions, and say what you assumed.'
const tooManyText = `A turn may ask ${limits.questionsPerTurnMax} questions. This one was not asked: ask it in a later turn, if it is still needed.`

/** Questions that nobody could answer, and those that are too many, are denied in the order of the calls. A rerun asks nobody: it looks answers up. */
export function askable(
  context: RunContext,
  judgements: readonly CallJudgement[],
): readonly CallJudgement[] {
  if (context.rerun) return judgements
  let asked = 0
  return judgements.map((judgement): CallJudgement => {
    const { call, faults, effect } = judgement
    if (effect === 'deny' || call.name !== questionToolName) return judgement
    asked += 1
    if (context.unattended > 0)
      return { effect: 'deny', call, answer: engineDenial('nobody_to_ask', nobodyText), faults }
    return asked <= limits.questionsPerTurnMax
      ? judgement
      : { effect: 'deny', call, answer: engineDenial('too_many_questions', tooManyText), faults }
  })
}

/** The question of a call. Arguments that are none are denied, so that the model reads why. */
export function askPerson(
  context: RunContext,
  { agent, fact }: Pick<MachineEvent, 'agent' | 'fact'>,
  {
    callId,
    argsHash,
    args,
  }: Pick<ClearedHere, 'callId' | 'argsHash'> & { readonly args: JsonObject },
): SettledHere {
  const read = readQuestionSpec(args)
  if (!read.ok) {
    const answer = engineDenial('invalid_arguments', read.message)
    return { context, emission: { verdicts: [denied(callId, questionToolName, answer)] } }
  }
  const about = { callId, argsHash, turn: context.turn, at: fact.at }
  return {
    context,
    emission: {
      verdicts: [inputRequested(agent, about, read.question)],
      timers: [questionExpiry(agent, callId)],
    },
    becomes: 'question',
  }
}

/** Somebody answered: the call has its result. */
export const takeInput: Step = ({ context, event }) => {
  if (event.type !== 'input.answered') return quiet(context)
  return {
    context: settled(context, event),
    emission: { clearTimers: [questionTimer(event.fact.payload.callId)] },
  }
}

/** Nobody answered: the model reads so, and goes on. */
export const expireQuestion: Step = ({ context, event }) => {
  const found = openCall(context, event.fact)
  const callId = event.type === 'timer.fired' ? askingCall(event.fact.payload.timerId) : null
  if (!found || callId === null) return quiet(context)
  const { content } = settledResult(unansweredText)
  const room = context.room && grown(context.room, resultBytes(content))
  return {
    context: { ...withOpen(context, found.index, null), room },
    emission: { verdicts: [inputExpired(callId)] },
  }
}
