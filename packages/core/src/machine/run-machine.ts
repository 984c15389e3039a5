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
import type { Emission } from './plan.ts'
import { guards } from './guards.ts'
import * as changes from './changes.ts'
import * as children from './children.ts'
import * as humans from './humans.ts'
import * as recall from './recall.ts'
import * as injected from './injected.ts'

const machineSetup = setup({
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- XState's own way to name types; the values are never read
  types: { context: {} as RunContext, events: {} as MachineEvent },
  actions: {
    emit: (_, _emission: Emission) => {},
    begin: changes.begin,
    beginTurn: changes.beginTurn,
    askAgain: changes.askAgain,
    goOn: changes.goOn,
    keepInput: injected.keepInput,
    closeLoop: changes.closeLoop,
    takePolicies: changes.takePoliciesOf,
    takeApproval: humans.takeApproval,
    becomeChild: children.becomeChild,
    takeChild: children.takeChild,
    takeRefusal: children.takeRefusal,
    stopRerun: recall.stopRerun,
    takeAnswer: changes.takeAnswerOf,
    openCalls: changes.openCallsOf,
    settle: changes.settle,
    becomeUnknown: changes.becomeUnknown,
    runAgain: changes.runAgain,
    settleModel: changes.settleModel,
    endAs: changes.endAs,
  },
  guards,
})

const ending = [{ type: 'emit', params: changes.forgetAskedEmission }, 'endAs'] as const

const overBudget = [
  { type: 'emit', params: children.refusalEmission },
  'takeRefusal',
  { type: 'emit', params: changes.forgetAskedEmission },
  { type: 'endAs', params: { outcome: 'budget_exhausted' } },
] as const

/** Calls settle alike wherever they are waited for. */
const settling = {
  'child.started': { guard: 'childStarted', actions: 'becomeChild' },
  'child.ended': {
    guard: 'childEnded',
    actions: [{ type: 'emit', params: children.activityEmission }, 'takeChild'],
  },
  'budget.refused': { guard: 'callRefused', target: '#run.cancelling', actions: overBudget },
  'tool.completed': { guard: 'answersOpenCall', actions: 'settle' },
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
      actions: ['runAgain', { type: 'emit', params: changes.retryEmission }],
    },
    { guard: 'resolved', actions: 'settle' },
  ],
} as const

const timeouts = [
  { guard: 'isTimeout', target: '#run.cancelling', actions: ending },
  { guard: 'timeoutFired', actions: { type: 'emit', params: changes.earlyEmission } },
] as const

/** Any active state can be left this way, and be spoken to; what is open settles in `cancelling`. */
const leaving = {
  'input.injected': { guard: 'hears', actions: 'keepInput' },
  'cancel.requested': { target: '#run.cancelling', actions: ending },
  'timer.fired': timeouts,
} as const

const intoModel = [
  { type: 'emit', params: changes.warnEmission },
  { type: 'emit', params: injected.takenEmission },
  'beginTurn',
  { type: 'emit', params: changes.modelCallEmission },
] as const

const toModel = { target: '#run.model', actions: intoModel } as const

const turnsExhausted = {
  guard: 'turnsExhausted',
  target: 'completed',
  actions: [
    { type: 'endAs', params: { outcome: 'budget_exhausted' } },
    { type: 'emit', params: changes.turnBudgetEmission },
  ],
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
        'run.admitted': [
          { guard: 'isEdit', target: 'completed' },
          { ...toModel, guard: 'isCreated' },
        ],
      },
    },
    model: {
      on: {
        ...leaving,
        'model.completed': { guard: 'answersModel', target: 'safety', actions: 'takeAnswer' },
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
            { type: 'emit', params: changes.safetyEmission },
            { type: 'emit', params: changes.retryBudgetEmission },
          ],
        },
        {
          guard: 'repeats',
          target: 'model',
          actions: [
            { type: 'emit', params: changes.againEmission },
            'askAgain',
            { type: 'emit', params: changes.delayedModelCallEmission },
          ],
        },
        {
          guard: 'continues',
          target: 'loop',
          actions: [{ type: 'emit', params: changes.againEmission }, 'goOn'],
        },
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
        {
          guard: 'missing',
          target: 'failed',
          actions: [
            { type: 'endAs', params: { outcome: 'failed' } },
            { type: 'emit', params: changes.missingEmission },
          ],
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
          actions: [{ type: 'emit', params: changes.policiesEmission }, 'takePolicies'],
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
            actions: [{ type: 'emit', params: humans.expiredEmission }, 'settle'],
          },
        ],
        'approval.answered': {
          guard: 'approvalAnswered',
          actions: [{ type: 'emit', params: humans.approvalEmission }, 'takeApproval'],
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
          actions: [{ type: 'emit', params: recall.stoppedEmission }, 'stopRerun'],
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
          actions: ['settleModel', { type: 'emit', params: changes.safetyEmission }],
        },
        'model.aborted': { guard: 'answersModel', actions: 'settleModel' },
        'tool.completed': { guard: 'answersOpenCall', actions: 'settle' },
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
