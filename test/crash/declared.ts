/**
 * Every failpoint there should be: all methods of all ports, for every role, but for those that a role cannot reach, each
 * with the reason. The types keep the lists whole: a new method of a port does not compile until it stands here.
 */
import type {
  Dispatcher,
  HintSource,
  Model,
  PolicyHost,
  Register,
  ToolHost,
  WakeBus,
  WebhookSender,
} from '@signalbox/engine'
import type { Uploads } from '@signalbox/postgres'
import type { Role } from '@signalbox/server'
import { startsRun, withFiles } from './failpoints.ts'

/** Why a role does not reach a method. Who reaches it none the less has proved the table wrong. */
type Reach = Readonly<Record<Role, true | string>>

const all: Reach = { api: true, orchestrator: true, worker: true }
const only = (role: Role, why: string): Reach => ({
  api: why,
  orchestrator: why,
  worker: why,
  [role]: true,
})
const lifecycle = (why: string): Reach => ({ api: why, orchestrator: why, worker: why })
const butApi = (why: string): Reach => ({ ...all, api: why })
const butWorker = (why: string): Reach => ({ ...all, worker: why })

const polled = 'the reconciler of an orchestrator polls this'
const loads = 'who decides reads this, and only an orchestrator decides'
const creates =
  'a create needs this: the API creates, and an orchestrator for a run that starts one'
const closes = 'a graceful stop; a process that is killed never gets there'
const unchanged = 'nobody in the workload deletes a thread'
const unpaused = 'nobody in the workload pauses anything'
const inBatches = 'the register batches by itself; the engine appends item by item'
const executes = 'only a worker executes tools'
const models = 'only an orchestrator calls models'
const startsRuns = 'only an orchestrator starts runs for runs'
const subscribes = 'a start subscribes once; a start that is killed is a start that is repeated'

const forgetful = 'no agent of the workload remembers: test/memory has a workload of its own'

const register = {
  append: all,
  appendMany: lifecycle(inBatches),
  head: butWorker(
    'answers of humans are checked against it, and the ends of children told from it',
  ),
  tail: only('orchestrator', loads),
  events: all,
  conversation: only('orchestrator', 'prompts are built where model calls are made'),
  continuation: only('orchestrator', 'prompts are built where model calls are made'),
  sinceCut: only('orchestrator', 'prompts are built where model calls are made'),
  changedFiles: only('worker', executes),
  effect: all,
  openEffects: only('orchestrator', 'what a cancel closes is closed by who decided'),
  putDefinition: butWorker(creates),
  definition: all,
  putBlob: all,
  blob: butApi(
    'long texts are read back for prompts, and files by tools; the API reads them elsewhere',
  ),
  waitingCalls: only('orchestrator', polled),
  takeWaiting: only('orchestrator', 'announces again what a queue has lost'),
  nextWaiting: only('worker', 'a worker asks whose turn it is when it has a hint'),
  digestKey: all,
  ensureThread: all,
  ensureThreads: lifecycle('nobody in the workload creates many runs in one request'),
  changeThread: only(
    'api',
    'a create says on a thread that was there before it which agent it has',
  ),
  threadTitle: butWorker('creates and titles ask what the thread is called'),
  giveTitle: only('api', 'a person names a thread'),
  hideThread: lifecycle(unchanged),
  readyRuns: only('orchestrator', polled),
  repairState: lifecycle('no cached state of the workload is wrong'),
  admissibleRuns: only('orchestrator', polled),
  nextInThread: only('orchestrator', 'who ends a run gives its thread on'),
  nextInLanes: butWorker('creates and ends of runs give room to those that wait'),
  superseded: butWorker('creates and orchestrators ask who is to make way'),
  takeDue: only('orchestrator', polled),
  dueTimers: only('orchestrator', polled),
  nextDue: only('orchestrator', polled),
  children: butWorker('clients ask for them, and orchestrators move them'),
  endedChildren: only('orchestrator', polled),
  orphans: only('orchestrator', polled),
  openBudget: only('orchestrator', startsRuns),
  reserve: butApi('who asks a model, executes a call or starts a run reserves'),
  spend: only('orchestrator', models),
  settleBudgets: only('orchestrator', polled),
  renew: butApi('the API holds no leases'),
  grants: only('orchestrator', 'looked up with the answers of models and policies'),
  safetyStops: butWorker(creates),
  admitCall: only('orchestrator', models),
  reportCall: only('orchestrator', models),
  pause: lifecycle(unpaused),
  lift: lifecycle(unpaused),
  pauses: lifecycle(unpaused),
  ensureMemory: lifecycle(forgetful),
  isMemoryOff: lifecycle(forgetful),
  setMemory: lifecycle(forgetful),
  memoryEvents: lifecycle(forgetful),
  learnedFrom: lifecycle(forgetful),
  learnings: lifecycle(forgetful),
  learnsLater: lifecycle(forgetful),
  standings: lifecycle(forgetful),
  standing: lifecycle(forgetful),
  blobs: lifecycle(forgetful),
  eraseMemory: lifecycle(forgetful),
  memories: lifecycle(forgetful),
  recordInLedger: lifecycle('nobody in the workload does what administrators do'),
  useDefinition: lifecycle('the server notes definitions below the ports that are wrapped here'),
  close: lifecycle(closes),
} satisfies Record<keyof Register, Reach>

const dispatcher = {
  dispatch: only('orchestrator', 'who decides dispatches'),
  depth: only('orchestrator', 'asked where calls wait'),
  close: lifecycle(closes),
} satisfies Record<keyof Dispatcher, Reach>

const hintSource = {
  start: lifecycle('passed before a process has started; killed there, it is started again'),
  perform: only('worker', executes),
  stop: lifecycle(closes),
} satisfies Record<keyof HintSource | 'perform', Reach>

const wakeBus = {
  publish: all,
  subscribe: lifecycle(subscribes),
  publishDelta: only(
    'orchestrator',
    'text in flight comes from who makes the model call, and no tool of the workload reports progress',
  ),
  subscribeDeltas: only('api', 'streams are served by the API'),
  close: lifecycle(closes),
} satisfies Record<keyof WakeBus, Reach>

const model = {
  call: only('orchestrator', models),
} satisfies Record<keyof Model, Reach>

const toolHost = {
  specs: lifecycle('read by the composition before the engine is made'),
  knows: only('worker', executes),
  call: only('worker', executes),
  close: lifecycle(closes),
} satisfies Record<keyof ToolHost, Reach>

const policyHost = {
  evaluator: lifecycle('asked for Cedar alone, in memory; the workload has none'),
  passports: lifecycle('data and functions, in memory'),
  prepare: all,
  ask: only('orchestrator', 'who decides asks what a decision needs'),
  // Right before a call is executed or a run is started for it, and by the API before the edit of a call is recorded.
  recheck: all,
  close: lifecycle(closes),
} satisfies Record<keyof PolicyHost, Reach>

const webhookSender = {
  endpoints: only('api', 'of a run that a run has started nobody is told'),
  deliver: only('orchestrator', 'who decides tells of it'),
} satisfies Record<keyof WebhookSender, Reach>

const receives = 'only the API is sent files'

const uploads = {
  putPart: only('api', receives),
  finish: only('api', receives),
  use: only('api', receives),
  drop: only('api', receives),
} satisfies Record<keyof Uploads, Reach>

const ports: Readonly<Record<string, Readonly<Record<string, Reach>>>> = {
  register,
  dispatcher,
  hintSource,
  wakeBus,
  model,
  toolHost,
  policyHost,
  webhookSender,
  uploads,
}

/** What appends and publishes carry, by the role that is known to send it. */
const carried: Readonly<Record<Role, readonly string[]>> = {
  api: [
    'register.append(run.created)',
    `register.append(run.created${withFiles})`,
    'register.append(cancel.requested)',
    'register.append(approval.answered)',
    'register.append(tool.resolved)',
    'register.append(thread.titled)',
    'wakeBus.publish(run)',
    'wakeBus.publish(facts)',
    'wakeBus.publish(cancel)',
    'wakeBus.publish(peek)',
  ],
  orchestrator: [
    'register.append(decision)',
    'register.append(claim)',
    'register.append(model.completed)',
    'register.append(model.aborted)',
    'register.append(policy.answered)',
    'register.append(run.admitted)',
    'register.append(timer.fired)',
    'register.append(tool.aborted)',
    'register.append(tool.unknown)',
    `register.append(${startsRun})`,
    'register.append(child.started)',
    'register.append(child.ended)',
    'register.append(cancel.requested)',
    'register.append(budget.refused)',
    'register.append(webhook.delivered)',
    'register.append(context.pruned)',
    'register.append(context.compact)',
    'register.append(context.compacted)',
    'register.append(context.unchanged)',
    'register.append(thread.titled)',
    'register.append(title.unchanged)',
    'wakeBus.publish(run)',
    'wakeBus.publish(cancel)',
    'wakeBus.publish(model)',
  ],
  worker: [
    'register.append(claim)',
    'register.append(tool.completed)',
    `register.append(tool.completed${withFiles})`,
    'register.append(tool.failed)',
    'register.append(tool.aborted)',
    'register.append(tool.late)',
    'register.append(tool.denied)',
    'register.append(budget.refused)',
    'wakeBus.publish(run)',
    'wakeBus.publish(facts)',
  ],
}

const roles: readonly Role[] = ['api', 'orchestrator', 'worker']

/** The name of a point without what it carries. */
const bare = (point: string): string => point.replace(/\(.*\)/, '')

/** What is wrong with the points of a recording: declared ones that were missed, excluded ones that were met. */
export function coverageProblems(hit: ReadonlySet<string>): readonly string[] {
  const bareHit = new Set([...hit].map(bare))
  const problems: string[] = []
  for (const role of roles) {
    for (const [port, methods] of Object.entries(ports))
      for (const [method, reach] of Object.entries(methods))
        for (const side of ['before', 'after']) {
          const point = `${role}.${port}.${method}.${side}`
          const why = reach[role]
          if (why === true && !bareHit.has(point)) problems.push(`${point} was never met`)
          if (why !== true && bareHit.has(point)) problems.push(`${point} was met, although ${why}`)
        }
    for (const point of carried[role])
      for (const side of ['before', 'after'])
        if (!hit.has(`${role}.${point}.${side}`))
          problems.push(`${role}.${point}.${side} was never met`)
  }
  return problems
}

/** Points that are passed only on the way up or down. They are not killed at: see the table. */
export function isKilled(point: string): boolean {
  const [role = '', port = '', method = ''] = bare(point).split('.')
  const reach: Reach | undefined = ports[port]?.[method]
  return roles.some((each) => each === role && reach?.[each] === true)
}

/** Must the point be met? What an append carries beyond the known is met by chance. */
export const isDeclared = (point: string): boolean =>
  bare(point) === point ||
  roles.some((role) => carried[role].some((each) => point.startsWith(`${role}.${each}.`)))

/** How many combinations of role and method are excluded, and why. */
export const exclusions = (): readonly string[] =>
  Object.entries(ports).flatMap(([port, methods]) =>
    Object.entries(methods).flatMap(([method, reach]) =>
      roles.flatMap((role) =>
        reach[role] === true ? [] : [`${role}.${port}.${method}: ${reach[role]}`],
      ),
    ),
  )
