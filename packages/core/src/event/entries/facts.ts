/** The entries of facts. */
import type { PolicyAnswer } from '../../verdict/authorization/request.ts'
import type { FactPayload } from '../fact.ts'
import {
  contentPaths,
  type FactEntries,
  limitParts,
  nothing,
  type Parts,
  reach,
  withWord,
  words,
} from '../entry.ts'

const part = '$.turn.message.parts[*]'
const ms = ({ durationMs }: { readonly durationMs: number }): string => `${durationMs} ms`
const json = (isVerbose: boolean, value: unknown): string =>
  isVerbose && value !== undefined ? JSON.stringify(value) : ''

/** Entries by type. */
export const factEntries: FactEntries = {
  'run.created': {
    says: ({ agent }) => [agent],
    searched: contentPaths('$.input[*].parts'),
  },
  'run.admitted': { says: nothing, searched: [] },
  'model.completed': {
    says: (payload, isVerbose) => {
      const calls = callsOf(payload, isVerbose)
      return [payload.turn.verdict, ms(payload), withWord('calls', calls.join(', '))]
    },
    searched: [
      `${part} ? (@.type == "text").text`,
      `${part} ? (@.type == "blob").preview`,
      `${part} ? (@.type == "tool_call").name`,
      `${part} ? (@.type == "tool_call").args`,
    ],
  },
  'model.aborted': { says: nothing, searched: [] },
  'tool.completed': {
    says: (payload, isVerbose) => [
      ms(payload),
      payload.output.isError ? 'answers with an error' : '',
      json(isVerbose, payload.output.content),
    ],
    searched: contentPaths('$.output.content'),
  },
  'tool.failed': {
    tone: 'alarm',
    says: (payload, isVerbose) => [
      payload.error.code,
      ms(payload),
      words(isVerbose, payload.error.message),
    ],
    searched: ['$.error.code', '$.error.message'],
  },
  'tool.denied': {
    tone: 'notice',
    says: ({ answer, configuration }, isVerbose) => [
      answer.reasons[0]?.code ?? '',
      withWord('by', answer.policyId),
      configuration === 'current'
        ? 'right before its execution, by the configuration of the worker'
        : 'right before its execution',
      words(isVerbose, answer.reasons[0]?.message),
    ],
    searched: ['$.answer.reasons[*].code', '$.answer.reasons[*].message'],
  },
  'tool.aborted': { tone: 'notice', says: ({ reason }) => [reason], searched: [] },
  'recall.missed': { says: ({ callId }) => [callId], searched: [] },
  'tool.unknown': {
    tone: 'alarm',
    says: ({ reason, effectId }) => [reason, effectId],
    searched: [],
  },
  'tool.resolved': {
    says: ({ resolution, note }, isVerbose) => [resolution, words(isVerbose, note)],
    searched: ['$.note', ...contentPaths('$.output.content')],
  },
  'child.started': { says: ({ childRunId }) => [childRunId], searched: [] },
  'child.ended': {
    says: (payload, isVerbose) => [
      payload.childRunId,
      `used ${payload.spent.tokens} tokens`,
      objections(payload),
      json(isVerbose, payload.output.content),
    ],
    searched: contentPaths('$.output.content'),
  },
  'budget.refused': { tone: 'alarm', says: limitParts, searched: [] },
  'policy.answered': {
    says: ({ decisions }) => {
      const faults = decisions.flatMap((decision) => decision.faults).length
      const answers = decisions.map(({ answer }) => answer)
      return [effectsIn(answers), faults === 0 ? '' : `${faults} could not answer`]
    },
    searched: [],
  },
  'approval.answered': {
    tone: 'notice',
    says: ({ decision, callId, by, scope, note }, isVerbose) => [
      decision,
      callId,
      withWord('by', by?.id),
      withWord('for', reach(scope)),
      words(isVerbose, note),
    ],
    searched: ['$.note', '$.edited.args'],
  },
  'input.injected': {
    says: ({ messages, by }) => [
      `${messages.length} ${messages.length === 1 ? 'message' : 'messages'}`,
      withWord('by', by?.id),
    ],
    searched: contentPaths('$.messages[*].parts'),
  },
  'input.answered': {
    says: ({ callId }) => [callId],
    searched: contentPaths('$.output.content'),
  },
  'cancel.requested': {
    tone: 'notice',
    says: ({ reason = '' }) => [reason],
    searched: ['$.reason'],
  },
  'timer.fired': { says: ({ timerId }) => [timerId], searched: [] },
  'run.faulted': {
    tone: 'alarm',
    says: ({ code, message }) => [code, message],
    searched: ['$.code', '$.message'],
  },
}

/** The calls of a turn, as `name` or, when everything is said, `name{…}`. */
const callsOf = ({ turn }: FactPayload<'model.completed'>, isVerbose: boolean): Parts =>
  turn.message.parts.flatMap((each) =>
    each.type === 'tool_call' ? [`${each.name}${json(isVerbose, each.args)}`] : [],
  )

/** The objections in a run (denied, suppressed, stopped), by code: `2 objections (not_allowed, oap.limit_exceeded)`. */
function objections({ verdicts }: FactPayload<'child.ended'>): string {
  if (verdicts.length === 0) return ''
  const codes = [...new Set(verdicts.map(({ code }) => code))].slice(0, 8)
  const noun = verdicts.length === 1 ? 'objection' : 'objections'
  return `${verdicts.length} ${noun} (${codes.join(', ')})`
}

/** `2 allow, 1 deny`. */
const effectsIn = (answers: readonly PolicyAnswer[]): string =>
  (['allow', 'warn', 'deny', 'require_approval'] as const)
    .map((effect) => ({ effect, count: answers.filter((each) => each.effect === effect).length }))
    .filter(({ count }) => count > 0)
    .map(({ effect, count }) => `${count} ${effect}`)
    .join(', ')
