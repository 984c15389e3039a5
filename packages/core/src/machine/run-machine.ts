/**
 * The run machine, version 1 (DESIGN §2). Pure: guards and assigns read the context and the event alone; the only action is
 * `emit`, data that nobody executes. No actors, no invoke, no after, no spawn.
 *
 * M1 `safety`, `guardrail` and `loop` are passed through inside one transition (always).
 * M2 Only a turn whose verdict is `complete` gets from `safety` to `guardrail` (I23).
 * M3 A settled effect never settles again: a fact about one that is not open changes nothing.
 * M4 `cancelling` requests nothing, and ends when nothing is open.
 * M5 Whatever settles an open effect is taken in every state that waits for it: no run waits for what already came.
 */
import { setup } from 'xstate'
import type { RunContext, MachineEvent } from './context.ts'
import { emptyContext } from './context.ts'
import type { Emission } from './plan.ts'
import * as guards from './guards.ts'
import * as changes from './changes.ts'

const machineSetup = setup({
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- XState's own way to name types; the values are never read
  types: { context: {} as RunContext, events: {} as MachineEvent },
  actions: {
    emit: (_, _emission: Emission) => {},
    begin: changes.begin,
    beginTurn: changes.beginTurn,
    retryTurn: changes.retryTurn,
    takeAnswer: changes.takeAnswerOf,
    openCalls: changes.openCallsOf,
    settle: changes.settle,
    becomeUnknown: changes.becomeUnknown,
    runAgain: changes.runAgain,
    approve: changes.approve,
    settleModel: changes.settleModel,
    endAs: changes.endAs,
  },
  guards: {
    isNew: guards.isNew,
    isCreated: guards.isCreated,
    retries: guards.retries,
    answersOpenCall: guards.answersOpenCall,
    answersModel: guards.answersModel,
    notPositive: guards.notPositive,
    endsFailed: guards.endsFailed,
    noCalls: guards.noCalls,
    looped: guards.looped,
    callsExhausted: guards.callsExhausted,
    turnsExhausted: guards.turnsExhausted,
    asksHuman: guards.asksHuman,
    noneAsked: guards.noneAsked,
    nothingOpen: guards.nothingOpen,
    unknownToAsk: guards.unknownToAsk,
    unknownToTell: guards.unknownToTell,
    resolvedAsRetry: guards.resolvedAsRetry,
    resolved: guards.resolved,
    approved: guards.approved,
    rejected: guards.rejected,
    isTimeout: guards.isTimeout,
    timeoutFired: guards.timeoutFired,
  },
})

/** Calls settle alike wherever they are waited for. */
const settling = {
  'tool.completed': { guard: 'answersOpenCall', actions: 'settle' },
  'tool.failed': { guard: 'answersOpenCall', actions: 'settle' },
  'tool.aborted': { guard: 'answersOpenCall', actions: 'settle' },
  'tool.unknown': [
    { guard: 'unknownToAsk', actions: 'becomeUnknown' },
    { guard: 'unknownToTell', actions: 'settle' },
  ],
  'tool.resolved': [
    {
      guard: 'resolvedAsRetry',
      actions: ['runAgain', { type: 'emit', params: changes.retryEmission }],
    },
    { guard: 'resolved', actions: 'settle' },
  ],
} as const

/** Any active state can be left this way; what is open settles in `cancelling`. */
const leaving = {
  'cancel.requested': { target: '#run.cancelling', actions: 'endAs' },
  'timer.fired': [
    { guard: 'isTimeout', target: '#run.cancelling', actions: 'endAs' },
    { guard: 'timeoutFired', actions: { type: 'emit', params: changes.earlyEmission } },
  ],
} as const

const toModel = {
  target: '#run.model',
  actions: ['beginTurn', { type: 'emit', params: changes.modelCallEmission }],
} as const

const callsOpen = [{ type: 'emit', params: changes.callsEmission }, 'openCalls'] as const

/** The run machine, version 1. */
export const runMachine = machineSetup.createMachine({
  id: 'run',
  context: emptyContext,
  initial: 'queued',
  options: { maxIterations: 100 },
  states: {
    queued: {
      on: {
        ...leaving,
        'run.created': { guard: 'isNew', actions: 'begin' },
        'run.admitted': { ...toModel, guard: 'isCreated' },
      },
    },
    model: {
      on: {
        ...leaving,
        'model.completed': [
          {
            guard: 'retries',
            actions: [
              'takeAnswer',
              { type: 'emit', params: changes.retriedEmission },
              'retryTurn',
              { type: 'emit', params: changes.delayedModelCallEmission },
            ],
          },
          { guard: 'answersModel', target: 'safety', actions: 'takeAnswer' },
        ],
        'model.aborted': { guard: 'answersModel', target: 'safety', actions: 'settleModel' },
      },
    },
    safety: {
      always: [
        {
          guard: 'endsFailed',
          target: 'failed',
          actions: ['endAs', { type: 'emit', params: changes.safetyEmission }],
        },
        {
          guard: 'notPositive',
          target: 'completed',
          actions: ['endAs', { type: 'emit', params: changes.safetyEmission }],
        },
        { guard: 'noCalls', target: 'completed', actions: 'endAs' },
        { target: 'guardrail' },
      ],
    },
    guardrail: {
      always: [
        {
          guard: 'looped',
          target: 'completed',
          actions: [
            { type: 'endAs', params: { outcome: 'loop_stopped' } },
            { type: 'emit', params: changes.loopEmission },
          ],
        },
        {
          guard: 'callsExhausted',
          target: 'completed',
          actions: [
            { type: 'endAs', params: { outcome: 'budget_exhausted' } },
            { type: 'emit', params: changes.callBudgetEmission },
          ],
        },
        { guard: 'asksHuman', target: 'approval', actions: callsOpen },
        { target: 'tools', actions: callsOpen },
      ],
    },
    approval: {
      always: [
        { guard: 'nothingOpen', target: 'loop' },
        { guard: 'noneAsked', target: 'tools' },
      ],
      on: {
        ...leaving,
        ...settling,
        'approval.answered': [
          {
            guard: 'approved',
            actions: [{ type: 'emit', params: changes.approvedEmission }, 'approve'],
          },
          {
            guard: 'rejected',
            actions: ['settle', { type: 'emit', params: changes.rejectedEmission }],
          },
        ],
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
      on: { ...leaving, ...settling },
    },
    loop: {
      always: [
        {
          guard: 'turnsExhausted',
          target: 'completed',
          actions: [
            { type: 'endAs', params: { outcome: 'budget_exhausted' } },
            { type: 'emit', params: changes.turnBudgetEmission },
          ],
        },
        toModel,
      ],
    },
    cancelling: {
      always: { guard: 'nothingOpen', target: 'cancelled' },
      on: {
        'model.completed': {
          guard: 'answersModel',
          actions: ['settleModel', { type: 'emit', params: changes.safetyEmission }],
        },
        'model.aborted': { guard: 'answersModel', actions: 'settleModel' },
        'tool.completed': { guard: 'answersOpenCall', actions: 'settle' },
        'tool.failed': { guard: 'answersOpenCall', actions: 'settle' },
        'tool.aborted': { guard: 'answersOpenCall', actions: 'settle' },
        'tool.unknown': { guard: 'answersOpenCall', actions: 'settle' },
      },
    },
    completed: { type: 'final' },
    failed: { type: 'final' },
    cancelled: { type: 'final' },
  },
})
