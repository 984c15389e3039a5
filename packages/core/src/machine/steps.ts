/** The steps of the run machine by their names in the chart. A version of the machine replaces some of them, and keeps the others. */
import { judgeTurn } from './step/calls.ts'
import * as children from './step/children.ts'
import * as compaction from './step/compaction.ts'
import * as end from './step/end.ts'
import * as humans from './step/humans.ts'
import { keepInput } from './step/input.ts'
import { takePolicies } from './step/policies.ts'
import { expireQuestion, takeInput } from './step/questions.ts'
import * as settle from './step/settle.ts'
import { acting } from './step/step.ts'
import { remindOfTodos } from './step/todos.ts'
import * as turn from './step/turn.ts'

/** The actions of the chart. All are steps: a fact that leaves the snapshot as it was has been ignored (D4). */
export const actions = {
  begin: acting(turn.begin),
  beginTurn: acting(turn.beginTurn),
  takeAnswer: acting(turn.takeAnswer),
  takeLateAnswer: acting(turn.takeLateAnswer),
  loseAnswer: acting(turn.loseAnswer),
  askAgain: acting(turn.askAgain),
  goOn: acting(turn.goOn),
  remindOfTodos: acting(remindOfTodos),
  compact: acting(compaction.compact),
  compactByHand: acting(compaction.compactByHand),
  endCompacted: acting(compaction.endCompacted),
  endUncompacted: acting(compaction.endUncompacted),
  compactAgain: acting(compaction.compactAgain),
  takeCompaction: acting(compaction.takeCompaction),
  refuseCompaction: acting(compaction.refuseCompaction),
  resumeTurn: acting(compaction.resumeTurn),
  askOther: acting(compaction.askOther),
  endFull: acting(compaction.endFull),
  judgeTurn: acting(judgeTurn),
  takePolicies: acting(takePolicies),
  takeApproval: acting(humans.takeApproval),
  expireApproval: acting(humans.expireApproval),
  takeInput: acting(takeInput),
  expireQuestion: acting(expireQuestion),
  settle: acting(settle.settle),
  becomeUnknown: acting(settle.becomeUnknown),
  runAgain: acting(settle.runAgain),
  setTimeoutAgain: acting(settle.setTimeoutAgain),
  becomeChild: acting(children.becomeChild),
  takeChild: acting(children.takeChild),
  takeLateChild: acting(children.takeLateChild),
  keepInput: acting(keepInput),
  cancel: acting(end.cancel),
  timeOut: acting(end.timeOut),
  endRefused: acting(end.endRefused),
  takeRefusal: acting(end.takeRefusal),
  endAnswered: acting(end.endAnswered),
  endSettled: acting(end.endSettled),
  endMissing: acting(end.endMissing),
  endWithoutRetry: acting(end.endWithoutRetry),
  endWithoutTurn: acting(end.endWithoutTurn),
  endWithoutResuming: acting(compaction.endWithoutResuming),
  stopRerun: acting(end.stopRerun),
} as const satisfies Readonly<Record<string, ReturnType<typeof acting>>>
