/** The actions of the run machine by their names in the chart: what changes its context, and what asks for work. */
import { emits } from './change.ts'
import * as changes from './changes.ts'
import * as children from './children.ts'
import * as humans from './humans.ts'
import * as injected from './injected.ts'
import type { Emission } from './plan.ts'
import * as recall from './recall.ts'

/** A version of the machine replaces some of them, and keeps the others. */
export const actions = {
  /** What the emissions below come to; nobody executes it, `decide` collects the params. */
  emit: (_: unknown, _emission: Emission): void => {},
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
  emitForgetAsked: emits(changes.forgetAskedEmission),
  emitRefusal: emits(children.refusalEmission),
  emitActivity: emits(children.activityEmission),
  emitRetry: emits(changes.retryEmission),
  emitEarly: emits(changes.earlyEmission),
  emitWarn: emits(changes.warnEmission),
  emitTaken: emits(injected.takenEmission),
  emitModelCall: emits(changes.modelCallEmission),
  emitTurnBudget: emits(changes.turnBudgetEmission),
  emitCalls: emits(changes.callsEmission),
  emitRedacted: emits(changes.redactedEmission),
  emitSafety: emits(changes.safetyEmission),
  emitRetryBudget: emits(changes.retryBudgetEmission),
  emitAgain: emits(changes.againEmission),
  emitDelayedModelCall: emits(changes.delayedModelCallEmission),
  emitMissing: emits(changes.missingEmission),
  emitLoop: emits(changes.loopEmission),
  emitCallBudget: emits(changes.callBudgetEmission),
  emitPolicies: emits(changes.policiesEmission),
  emitExpired: emits(humans.expiredEmission),
  emitApproval: emits(humans.approvalEmission),
  emitStopped: emits(recall.stoppedEmission),
} as const
