/**
 * The run machine, version 1 (DESIGN §2). Pure: guards and assigns read the context and the event alone; the only action is
 * `emit`, data that nobody executes. No actors, no invoke, no after, no spawn.
 *
 * M1 `safety` and `loop` are passed through inside one transition (always), and so is `guardrail`, unless a policy with
 *    I/O must be asked: then it waits for the answer.
 * M2 Only a turn whose verdict is `complete` gets from `safety` to `guardrail` (I23).
 * M3 A settled effect never settles again: a fact about one that is not open changes nothing.
 * M4 `cancelling` requests nothing, and ends when nothing is open.
 * M5 Whatever settles an open effect is taken in every state that waits for it: no run waits for what already came.
 */
import { setup } from 'xstate'
import type { RunContext, MachineEvent } from './context.ts'
import { emptyContext } from './context.ts'
import { actions } from './actions.ts'
import { guards } from './guards.ts'

/** Types, guards and actions of the chart: its vocabulary. */
const vocabulary = setup({
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- XState's own way to name types; the values are never read
  types: { context: {} as RunContext, events: {} as MachineEvent },
  actions,
  guards,
})

const ending = ['emitForgetAsked', 'endAs'] as const

const overBudget = [
  'emitRefusal',
  'takeRefusal',
  'emitForgetAsked',
  { type: 'endAs', params: { outcome: 'budget_exhausted' } },
] as const

/** Calls settle alike wherever they are waited for. */
const settling = {
  'child.started': { guard: 'childStarted', actions: 'becomeChild' },
  'child.ended': {
    guard: 'childEnded',
    actions: ['emitActivity', 'takeChild'],
  },
  'budget.refused': { guard: 'callRefused', target: '#run.cancelling', actions: overBudget },
  'tool.completed': { guard: 'answersOpenCall', actions: ['emitRedacted', 'settle'] },
  'tool.failed': { guard: 'answersOpenCall', actions: 'settle' },
  'tool.denied': { guard: 'answersOpenCall', actions: 'settle' },
  'tool.aborted': { guard: 'answersOpenCall', actions: 'settle' },
  'tool.unknown': [
    { guard: 'unknownToAsk', actions: 'becomeUnknown' },
    { guard: 'unknownToTell', actions: 'settle' },
  ],
  'tool.resolved': [
    {
      guard: 'resolvedAsRetry',
      actions: ['runAgain', 'emitRetry'],
    },
    { guard: 'resolved', actions: 'settle' },
  ],
} as const

const timeouts = [
  { guard: 'isTimeout', target: '#run.cancelling', actions: ending },
  { guard: 'timeoutFired', actions: 'emitEarly' },
] as const

/** Any active state can be left this way, and be spoken to; what is open settles in `cancelling`. */
const leaving = {
  'input.injected': { guard: 'hears', actions: 'keepInput' },
  'cancel.requested': { target: '#run.cancelling', actions: ending },
  'timer.fired': timeouts,
} as const

const intoModel = ['emitWarn', 'emitTaken', 'beginTurn', 'emitModelCall'] as const

const toModel = { target: '#run.model', actions: intoModel } as const

const turnsExhausted = {
  guard: 'turnsExhausted',
  target: 'completed',
  actions: [{ type: 'endAs', params: { outcome: 'budget_exhausted' } }, 'emitTurnBudget'],
} as const

const callsOpen = ['emitCalls', 'openCalls'] as const

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
          { ...toModel, guard: 'isCreated' },
        ],
      },
    },
    model: {
      on: {
        ...leaving,
        'model.completed': {
          guard: 'answersModel',
          target: 'safety',
          actions: ['emitRedacted', 'takeAnswer'],
        },
        'model.aborted': { guard: 'answersModel', target: 'safety', actions: 'settleModel' },
        'budget.refused': { guard: 'modelRefused', target: 'completed', actions: overBudget },
      },
    },
    safety: {
      always: [
        {
          guard: 'cannotRepeat',
          target: 'completed',
          actions: [
            { type: 'endAs', params: { outcome: 'budget_exhausted' } },
            'emitSafety',
            'emitRetryBudget',
          ],
        },
        {
          guard: 'repeats',
          target: 'model',
          actions: ['emitAgain', 'askAgain', 'emitDelayedModelCall'],
        },
        {
          guard: 'continues',
          target: 'loop',
          actions: ['emitAgain', 'goOn'],
        },
        {
          guard: 'endsFailed',
          target: 'failed',
          actions: ['endAs', 'emitSafety'],
        },
        {
          guard: 'notPositive',
          target: 'completed',
          actions: ['endAs', 'emitSafety'],
        },
        {
          guard: 'missing',
          target: 'failed',
          actions: [{ type: 'endAs', params: { outcome: 'failed' } }, 'emitMissing'],
        },
        { guard: 'hasMore', target: 'loop' },
        { guard: 'noCalls', target: 'completed', actions: 'endAs' },
        { target: 'guardrail' },
      ],
    },
    guardrail: {
      always: [
        {
          guard: 'looped',
          target: 'completed',
          actions: [{ type: 'endAs', params: { outcome: 'loop_stopped' } }, 'emitLoop'],
        },
        {
          guard: 'callsExhausted',
          target: 'completed',
          actions: [{ type: 'endAs', params: { outcome: 'budget_exhausted' } }, 'emitCallBudget'],
        },
        { guard: 'needsPolicies', actions: callsOpen },
        { guard: 'asksHuman', target: 'approval', actions: callsOpen },
        { guard: 'isFresh', target: 'tools', actions: callsOpen },
        { guard: 'someAsked', target: 'approval' },
        { guard: 'noneJudged', target: 'tools' },
      ],
      on: {
        ...leaving,
        'policy.answered': {
          guard: 'policiesAnswered',
          actions: ['emitPolicies', 'takePolicies'],
        },
      },
    },
    approval: {
      always: [
        { guard: 'nothingOpen', target: 'loop' },
        { guard: 'noneAsked', target: 'tools' },
      ],
      on: {
        ...leaving,
        ...settling,
        'timer.fired': [
          ...timeouts,
          {
            guard: 'approvalExpired',
            actions: ['emitExpired', 'settle'],
          },
        ],
        'approval.answered': {
          guard: 'approvalAnswered',
          actions: ['emitApproval', 'takeApproval'],
        },
      },
    },
    input: {
      always: { guard: 'nothingOpen', target: 'loop' },
      on: {
        ...leaving,
        ...settling,
        'input.answered': { guard: 'answersOpenCall', actions: 'settle' },
      },
    },
    tools: {
      always: { guard: 'nothingOpen', target: 'loop' },
      on: {
        ...leaving,
        ...settling,
        'recall.missed': {
          guard: 'answersOpenCall',
          target: '#run.failed',
          actions: ['emitStopped', 'stopRerun'],
        },
      },
    },
    loop: { always: [turnsExhausted, { ...toModel, actions: ['closeLoop', ...intoModel] }] },
    cancelling: {
      always: { guard: 'nothingOpen', target: 'cancelled' },
      on: {
        'input.injected': { actions: 'keepInput' },
        'model.completed': {
          guard: 'answersModel',
          actions: ['emitRedacted', 'settleModel', 'emitSafety'],
        },
        'model.aborted': { guard: 'answersModel', actions: 'settleModel' },
        'tool.completed': { guard: 'answersOpenCall', actions: ['emitRedacted', 'settle'] },
        'tool.failed': { guard: 'answersOpenCall', actions: 'settle' },
        'tool.denied': { guard: 'answersOpenCall', actions: 'settle' },
        'tool.aborted': { guard: 'answersOpenCall', actions: 'settle' },
        'tool.unknown': { guard: 'answersOpenCall', actions: 'settle' },
        'recall.missed': { guard: 'answersOpenCall', actions: 'settle' },
        'child.started': { guard: 'childStarted', actions: 'becomeChild' },
        'child.ended': { guard: 'childEnded', actions: 'takeChild' },
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
