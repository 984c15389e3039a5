/** The questions of simulated models: some agents may ask, and do so well, badly or too often; people answer, or do not. */
import {
  type GivenAnswer,
  decisionSchemas,
  type JsonObject,
  questionTool,
  questionToolName,
} from '@signalbox/core'
import type { AnswerInput, StoredEvent } from '@signalbox/engine'
import { callOf, type RunRecord } from '../invariants/run-record.ts'
import type { Schedule } from './schedule.ts'
import { seeded } from './seeded.ts'

/** May the agent of this seed ask? Drawn by itself, so that the other agents of a seed are what they were. */
export const mayAsk = (seed: number): boolean => seeded(seed * 47 + 11)() < 0.1

/** Of the definition of an agent. */
export const clarificationOf = (seed: number) =>
  mayAsk(seed) ? { clarification: { expiresMs: seed % 2 === 0 ? 1_000 : 60_000 } } : {}
export const questionTools = (seed: number) => (mayAsk(seed) ? [questionTool] : [])

/** Does the run of this seed work for nobody who could be asked? */
export const isAlone = (seed: number): boolean => mayAsk(seed) && seed % 5 === 0

const questions: readonly JsonObject[] = [
  { question: 'Which account?' },
  { question: 'Which account?', why: 'There are two.', options: ['savings', 'checking'] },
  {
    question: 'How much, and when?',
    form: [
      { name: 'amount', type: 'number' },
      { name: 'note', type: 'text', required: false },
    ],
  },
  { question: 'Which one?', options: [] },
]

/** The questions that the model asks in a turn: most often none, at most five, of which the decision denies the last. */
export function askedQuestions(
  seed: number,
  turn: number,
): readonly { readonly name: string; readonly args: JsonObject }[] {
  if (!mayAsk(seed)) return []
  const unit = seeded(seed * 1_013 + turn * 11 + 5)
  const pick = unit()
  const many = pick < 0.4 ? 0 : pick < 0.8 ? 1 : pick < 0.95 ? 2 : 5
  return Array.from({ length: many }, () => ({
    name: questionToolName,
    args: questions[Math.floor(unit() * questions.length)] ?? {},
  }))
}

/** What somebody was told about an answer to a question. */
export interface Reply {
  readonly said: AnswerInput
  readonly code: string
}

/** The questions of a log, whoever has answered them before. */
export const openQuestions = (log: readonly StoredEvent[]): readonly StoredEvent[] =>
  log.filter(({ type }) => type === 'input.requested')

/** One of the answers that may be given to a question: right ones, refusals, and one that is none. */
export function replyTo(question: StoredEvent, schedule: Schedule): GivenAnswer {
  const { kind, options = [] } = decisionSchemas['input.requested'].parse(question.payload)
  const pick = schedule.unit()
  if (pick < 0.15) return { declined: true }
  if (pick < 0.25) return { text: '1', option: '1' }
  switch (kind) {
    case 'text':
      return { text: pick < 0.6 ? 'the first' : 'the second' }
    case 'choice':
      return { option: options[Math.floor(schedule.unit() * options.length)] ?? '' }
    case 'form':
      return { values: { amount: Math.floor(schedule.unit() * 3) } }
  }
}

/** A person is told what became of the answer: one that stands is in the log, and one that is none is not. */
export function replyViolations(
  replies: readonly Reply[],
  { head: { runId }, log }: RunRecord,
): readonly string[] {
  return replies
    .filter(({ said }) => said.runId === runId)
    .flatMap(({ said: { callId, answer, by }, code }) => {
      const about = (type: string) =>
        log.find((event) => event.type === type && callOf(event) === callId)
      const stands = about('input.answered')?.payload['answer']
      const isTheirs = JSON.stringify(stands) === JSON.stringify(answer)
      const bad = (why: string) => [
        `K5 ${by?.id} was told ${code} to an answer to ${callId}, ${why}`,
      ]
      if (code === 'accepted' || code === 'already') {
        if (!isTheirs) return bad('which does not stand')
        return about('input.expired') ? bad('which had expired') : []
      }
      if (code === 'conflict') return stands && !isTheirs ? [] : bad('and no other one stands')
      if (code === 'invalid_answer') return isTheirs ? bad('which stands') : []
      return []
    })
}
