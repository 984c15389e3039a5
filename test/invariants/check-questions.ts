/**
 * The rules that questions keep: a question is one that the model asked in a call of its own, nothing executes it, and it is over once: by the
 * answer of a person, by its time, or with its run. No model goes on before.
 */
import {
  callsOf,
  checkAnswer,
  decisionSchemas,
  factSchemas,
  limits,
  questionToolName,
} from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { callOf, foldedThrough, type RunRecord } from './run-record.ts'

/** Of one run, when everything has settled. */
export function questionViolations(run: RunRecord): readonly string[] {
  return [
    ...askedViolations(run),
    ...answerViolations(run),
    ...waitViolations(run),
    ...run.effects
      .filter(({ spec }) => 'tool' in spec && spec.tool === questionToolName)
      .filter(({ spec }) => spec.kind !== 'tool.recall')
      .map(({ effectId }) => `K1 ${effectId} executes a question`),
  ]
}

const about = (log: readonly StoredEvent[], type: string, callId: string) =>
  log.filter((event) => event.type === type && callOf(event) === callId)

/** The arguments with which a call was asked for, or edited to. */
function argsOf(log: readonly StoredEvent[], callId: string): unknown {
  const [answer] = about(log, 'approval.answered', callId)
  const edited = answer && factSchemas['approval.answered'].parse(answer.payload).edited
  if (edited) return edited.args['question']
  const calls = log.flatMap((event) =>
    event.type === 'model.completed'
      ? callsOf(factSchemas['model.completed'].parse(event.payload).turn)
      : [],
  )
  return calls.find(({ id }) => id === callId)?.args['question']
}

function askedViolations({ head: { runId }, log, agent }: RunRecord): readonly string[] {
  const asked = log.filter(({ type }) => type === 'input.requested')
  const created = log[0] && factSchemas['run.created'].parse(log[0].payload)
  const perTurn = Map.groupBy(
    asked,
    ({ payload }) => decisionSchemas['input.requested'].parse(payload).turn,
  )
  return [
    ...(asked.length > 0 && !agent?.clarification
      ? [`K1 the agent of ${runId} may ask nothing`]
      : []),
    ...(asked.length > 0 && created?.interactive === false
      ? [`K2 ${runId} asks, and nobody is there`]
      : []),
    ...[...perTurn.values()].flatMap(({ length }) =>
      length > limits.questionsPerTurnMax ? [`K1 ${runId} asks ${length} questions in a turn`] : [],
    ),
    ...asked.flatMap((event) => {
      const { callId, question } = decisionSchemas['input.requested'].parse(event.payload)
      const isTheirs = argsOf(log, callId) === question
      const times = about(log, 'input.requested', callId).length
      return [
        ...(isTheirs ? [] : [`K1 ${runId} at ${event.seq} asks what the model did not`]),
        ...(times === 1 ? [] : [`K1 ${runId} asks ${callId} ${times} times`]),
      ]
    }),
  ]
}

/** An answer is one to a question that stands before it, as the model reads it. There is one. */
function answerViolations({ head: { runId }, log }: RunRecord): readonly string[] {
  return log
    .filter(({ type }) => type === 'input.answered')
    .flatMap((event) => {
      const { callId, answer, output } = factSchemas['input.answered'].parse(event.payload)
      const [asked] = about(log, 'input.requested', callId)
      if (!asked || asked.seq > event.seq) return [`K3 ${runId} has an answer to no question`]
      const checked = checkAnswer(
        decisionSchemas['input.requested'].parse(asked.payload),
        answer ?? {},
      )
      const [said] = output.content
      const isSaid = checked.ok && said?.type === 'text' && said.text === checked.words
      return [
        ...(isSaid ? [] : [`K3 ${runId} at ${event.seq} reads what nobody answered`]),
        ...(about(log, 'input.answered', callId).length === 1
          ? []
          : [`K3 ${callId} of ${runId} is answered more than once`]),
      ]
    })
}

/** Between a question and the next call of a model it is over. A run that goes on did not lose it. */
function waitViolations({ head: { runId }, log }: RunRecord): readonly string[] {
  const through = foldedThrough(log)
  return log
    .filter(({ type, seq }) => type === 'input.requested' && seq <= through)
    .flatMap((asked) => {
      const callId = callOf(asked)
      const next = log.find(({ type, seq }) => type === 'model.completed' && seq > asked.seq)
      if (!next) return []
      const isOver = log.some(
        (event) =>
          event.seq > asked.seq &&
          event.seq < next.seq &&
          (event.type === 'input.answered' || event.type === 'input.expired') &&
          callOf(event) === callId,
      )
      return isOver ? [] : [`K4 ${runId} goes on at ${next.seq} without an answer to ${callId}`]
    })
}
