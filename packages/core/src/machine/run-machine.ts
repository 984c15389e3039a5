/**
 * The run machine, version 1 (DESIGN §2). Pure: guards and steps read the context and the fact alone; what a step asks for is
 * data that nobody executes. No actors, no invoke, no after, no spawn.
 *
 * M1 `safety` and `loop` are passed through inside one transition (always), and so is `guardrail`, unless a policy with
 *    I/O must be asked: then it waits for the answer.
 * M2 Only a turn whose verdict is `complete` gets from `safety` to `guardrail` (I23).
 * M3 A settled effect never settles again: a fact about one that is not open changes nothing.
 * M4 `cancelling` requests nothing, and ends when nothing is open.
 * M5 Whatever settles an open effect is taken in every state that waits for it: no run waits for what already came.
 * M6 A transition has one step (`step/`), or none.
 * M7 `context` is entered by agents that have a `context`, after an overflow whose fact says where to cut, and by a run that was created for it: logs
 *    of older builds have none of these.
 * M8 `input` is entered by agents that have a `clarification`; while approvals are waited for as well, the run is in `approval`.
 */
import { setup } from 'xstate'
import type { RunContext, MachineEvent } from './context.ts'
import { emptyContext } from './context.ts'
import * as guards from './guards.ts'
import { actions } from './steps.ts'

/** Types, guards and steps of the chart: its vocabulary. */
const vocabulary = setup({
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- XState's own way to name types; the values are never read
  types: { context: {} as RunContext, events: {} as MachineEvent },
  actions,
  // A copy: a look-up in a module's namespace costs more, and the chart looks up several for each event.
  guards: Object.assign({}, guards),
})

const settled = { guard: 'answersOpenCall', actions: 'settle' } as const

/** Calls settle alike wherever they are waited for. */
const settling = {
  'child.started': { guard: 'childStarted', actions: 'becomeChild' },
  'child.ended': { guard: 'childEnded', actions: 'takeChild' },
  'budget.refused': { guard: 'callRefused', target: '#run.cancelling', actions: 'endRefused' },
  'tool.completed': settled,
  'tool.failed': settled,
  'tool.denied': settled,
  'tool.aborted': settled,
  'tool.unknown': [
    { guard: 'unknownToAsk', actions: 'becomeUnknown' },
    { guard: 'unknownToTell', actions: 'settle' },
  ],
  'tool.resolved': [
    { guard: 'resolvedAsRetry', actions: 'runAgain' },
    { guard: 'resolved', actions: 'settle' },
  ],
} as const

const timeouts = [
  { guard: 'isTimeout', target: '#run.cancelling', actions: 'timeOut' },
  { guard: 'timeoutFired', actions: 'setTimeoutAgain' },
] as const

/** Any active state can be left this way, and be spoken to; what is open settles in `cancelling`. */
const leaving = {
  'input.injected': { guard: 'hears', actions: 'keepInput' },
  'cancel.requested': { target: '#run.cancelling', actions: 'cancel' },
  'timer.fired': timeouts,
} as const

/** A question is answered, or over, wherever it is waited for. */
const answering = { 'input.answered': { guard: 'answersQuestion', actions: 'takeInput' } } as const
const expiring = { guard: 'expiresQuestion', actions: 'expireQuestion' } as const

const compacting = { guard: 'answersCompaction', actions: 'takeCompaction' } as const

const toModel = { target: '#run.model', actions: 'beginTurn' } as const

/** The run machine, version 1. */
export const runMachine = vocabulary.createMachine({
  id: 'run',
  context: emptyContext,
  initial: 'queued',
  options: { maxIterations: 100 },
  states: {
    queued: {
      on: {
        ...leaving,
        'run.created': { guard: 'isNew', actions: 'begin' },
        'run.admitted': [
          { guard: 'isEdit', target: 'completed' },
          { guard: 'isByHand', target: 'context', actions: 'compactByHand' },
          { ...toModel, guard: 'isCreated' },
        ],
      },
    },
    context: {
      always: [
        { guard: 'endsByHand', target: 'completed', actions: 'endCompacted' },
        { guard: 'failsByHand', target: 'failed', actions: 'endUncompacted' },
        { guard: 'cannotResume', target: 'completed', actions: 'endWithoutResuming' },
        { guard: 'isExhausted', target: 'failed', actions: 'endFull' },
        { guard: 'asksOther', target: 'model', actions: 'askOther' },
        { guard: 'recovers', target: 'model', actions: 'resumeTurn' },
        { ...toModel, guard: 'isCompacted' },
      ],
      on: {
        ...leaving,
        'context.compacted': compacting,
        'context.unchanged': compacting,
        'budget.refused': [
          { guard: 'neededRefused', target: 'completed', actions: 'endRefused' },
          { guard: 'modelRefused', actions: 'refuseCompaction' },
        ],
      },
    },
    model: {
      on: {
        ...leaving,
        'model.completed': { guard: 'answersModel', target: 'safety', actions: 'takeAnswer' },
        'model.aborted': { guard: 'answersModel', target: 'safety', actions: 'loseAnswer' },
        'budget.refused': { guard: 'modelRefused', target: 'completed', actions: 'endRefused' },
      },
    },
    safety: {
      always: [
        { guard: 'cannotRepeat', target: 'completed', actions: 'endWithoutRetry' },
        { guard: 'repeats', target: 'model', actions: 'askAgain' },
        { guard: 'compactsAgain', target: 'context', actions: 'compactAgain' },
        { guard: 'continues', target: 'loop', actions: 'goOn' },
        { guard: 'endsFull', target: 'failed', actions: 'endFull' },
        { guard: 'endsFailed', target: 'failed', actions: 'endAnswered' },
        { guard: 'notPositive', target: 'completed', actions: 'endAnswered' },
        { guard: 'missing', target: 'failed', actions: 'endMissing' },
        { guard: 'hasMore', target: 'loop' },
        { guard: 'hasOpenTodos', target: 'loop', actions: 'remindOfTodos' },
        { guard: 'hasNoCalls', target: 'completed', actions: 'endAnswered' },
        { target: 'guardrail' },
      ],
    },
    guardrail: {
      always: [
        { guard: 'isEnding', target: 'completed' },
        { guard: 'isFresh', actions: 'judgeTurn' },
        { guard: 'someAsked', target: 'approval' },
        { guard: 'onlyQuestioned', target: 'input' },
        { guard: 'noneJudged', target: 'tools' },
      ],
      on: {
        ...leaving,
        'policy.answered': { guard: 'answersPolicies', actions: 'takePolicies' },
      },
    },
    approval: {
      always: [
        { guard: 'nothingOpen', target: 'loop' },
        { guard: 'onlyQuestioned', target: 'input' },
        { guard: 'noneAsked', target: 'tools' },
      ],
      on: {
        ...leaving,
        ...settling,
        ...answering,
        'timer.fired': [
          ...timeouts,
          { guard: 'expiresApproval', actions: 'expireApproval' },
          expiring,
        ],
        'approval.answered': { guard: 'approvalAnswered', actions: 'takeApproval' },
      },
    },
    input: {
      always: [
        { guard: 'nothingOpen', target: 'loop' },
        { guard: 'noneQuestioned', target: 'tools' },
      ],
      on: { ...leaving, ...settling, ...answering, 'timer.fired': [...timeouts, expiring] },
    },
    tools: {
      always: { guard: 'nothingOpen', target: 'loop' },
      on: {
        ...leaving,
        ...settling,
        'recall.missed': {
          guard: 'answersOpenCall',
          target: '#run.failed',
          actions: 'stopRerun',
        },
      },
    },
    loop: {
      always: [
        { guard: 'endsWithCalls', target: 'completed', actions: 'endSettled' },
        { guard: 'turnsExhausted', target: 'completed', actions: 'endWithoutTurn' },
        { guard: 'isFull', target: 'context', actions: 'compact' },
        toModel,
      ],
    },
    cancelling: {
      always: { guard: 'nothingOpen', target: 'cancelled' },
      on: {
        'input.injected': { actions: 'keepInput' },
        'model.completed': { guard: 'answersModel', actions: 'takeLateAnswer' },
        'model.aborted': { guard: 'answersModel', actions: 'loseAnswer' },
        'context.compacted': compacting,
        'context.unchanged': compacting,
        'tool.completed': settled,
        'tool.failed': settled,
        'tool.denied': settled,
        'tool.aborted': settled,
        'tool.unknown': settled,
        'recall.missed': settled,
        'child.started': { guard: 'childStarted', actions: 'becomeChild' },
        'child.ended': { guard: 'childEnded', actions: 'takeLateChild' },
        'budget.refused': [
          { guard: 'modelRefused', actions: 'takeRefusal' },
          { guard: 'callRefused', actions: 'takeRefusal' },
        ],
      },
    },
    completed: { type: 'final' },
    failed: { type: 'final' },
    cancelled: { type: 'final' },
  },
})
