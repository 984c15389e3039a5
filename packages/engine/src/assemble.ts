/** Wires the parts of one engine process. The only file that knows all of them. */
import { evaluatorError, machines as knownMachines, newestOf, noPassports } from '@signalbox/core'
import { createCommands } from './commands.ts'
import type { EngineDeps } from './create-engine.ts'
import { messageOf, warning, TerminalError } from './errors.ts'
import { createBundles } from './perform/bundles.ts'
import { createContent } from './perform/content.ts'
import { createFiles } from './perform/files.ts'
import { createLeases } from './perform/leases.ts'
import { createLiveMessages } from './perform/live.ts'
import { createMemories } from './perform/memories.ts'
import { createRecordings } from './perform/recordings.ts'
import { createTranscripts } from './perform/transcript.ts'
import type {
  FactDraft,
  Hint,
  Model,
  Observer,
  PolicyHost,
  RunRef,
  StreamGuardrails,
  WakeBus,
} from './ports.ts'
import type { EvaluatorOf } from './record/decision.ts'
import { createDigests } from './record/digests.ts'
import { changedFact } from './record/definition.ts'
import { createWriter } from './record/draft.ts'
import { endingFull, fullFact } from './record/full.ts'
import { patientRegister } from './record/patient-register.ts'
import { createPreparations } from './record/preparations.ts'
import { createRecorder } from './record/recorder.ts'
import { createStrangers } from './record/strangers.ts'
import { createViews } from './record/view.ts'
import { createBacklog } from './roles/backlog.ts'
import { createBreaker } from './perform/breaker.ts'
import { type Coalescer, createCoalescer } from './roles/coalesce.ts'
import { createFollower } from './roles/follow.ts'
import type { ReconcilerDeps } from './roles/reconciler.ts'
import { createTurns } from './effects/turns.ts'
import { createVerifier } from './roles/verify.ts'
import { createModelEffects, type Models } from './effects/models.ts'
import { createWorker } from './effects/tools.ts'
import { createWork } from './effects/work.ts'

export interface Signals {
  /** Aborted first: nothing more is claimed. */
  readonly draining: AbortSignal
  /** Aborted last: what is still in flight is handed over. */
  readonly stopped: AbortSignal
}

/** The ground of all parts. `fault` records why a run must end that nobody can decide any more. */
function groundOf(
  deps: EngineDeps,
  { draining, stopped }: Signals,
  fault: (run: RunRef, fact: FactDraft) => Promise<unknown>,
) {
  const { clock, random, log, settings } = deps
  const writer = createWriter({ actor: settings.owner, clock, random })
  const register = patientRegister(
    { clock, random, log, stopped },
    endingFull(deps.register, (run) => fault(run, fullFact(writer))),
  )
  const policies = deps.policies ?? noPolicies
  const evaluatorOf: EvaluatorOf = (spec) => policies.evaluator(spec)
  const machines = deps.machines ?? knownMachines
  const observer = deps.observer ?? noObserver
  const preparations = createPreparations({
    clock,
    cached: settings.cachedRuns,
    prepare: ({ guardrails }) => policies.prepare(guardrails.policies),
  })
  const content = createContent({ register, clock, random })
  const transcripts = createTranscripts(register, settings.cachedRuns)
  return {
    register,
    clock,
    random,
    log,
    settings,
    stopped,
    draining,
    policies,
    evaluatorOf,
    passports: policies.passports,
    guardrails: deps.guardrails ?? noGuardrails,
    preparations,
    agents: deps.agents ?? (() => null),
    strangers: createStrangers({ clock, log, onNotMine: deps.onNotMine ?? (() => {}) }),
    machine: newestOf(machines),
    writer,
    conversations: transcripts,
    views: createViews({
      register,
      conversations: transcripts,
      cachedRuns: settings.cachedRuns,
      machines,
      evaluatorOf,
      passports: policies.passports,
      preparations,
      faultChanged: (run, error) => fault(run, changedFact(writer, error)),
    }),
    content,
    digests: createDigests({ register, random }),
    files: createFiles({ register, content }),
    bundles: createBundles({ register, own: deps.skills ?? (() => null) }),
    memories: createMemories({ register, clock }),
    recordings: createRecordings(register),
    transcripts,
    observer,
    leases: createLeases({ ...deps, ...settings, stopped, observer }),
    wakeBus: deps.wakeBus,
    sender: deps.webhooks ?? null,
    checkArguments: deps.checkArguments ?? (() => 'this process cannot check arguments'),
  }
}

/** The parts of an engine, by what `createEngine` does with them. */
export function assemble(deps: EngineDeps, signals: Signals) {
  const { wakeBus, log, settings } = deps
  const base = groundOf(deps, signals, (run, fact) => recorder.record(run, [fact]))
  const { transcripts, leases } = base
  const live = createLiveMessages(wakeBus)
  const decides = deps.roles.includes('orchestrator')

  const advances = createCoalescer(
    (runId) => recorder.advance(runId),
    (runId, error) => log.warn('a run could not be advanced', { runId, error: messageOf(error) }),
  )

  const recorder = createRecorder({
    ...base,
    decides,
    followers: {
      claim: (effect) => (decides ? work.claim(effect) : null),
      decided: (committed) => follow(committed),
      recorded: (runId) => announceFacts(wakeBus, runId, decides ? advances : null),
      held: (runId) => wakeBus.publish('cancel', [runId]),
    },
  })

  const asking = { model: deps.model ?? noModel, breaker: createBreaker(base) }
  const onRoom = (effectId: string) => modelHints.ask(effectId)
  const models = createModelEffects({ ...base, ...asking, live, recorder, onRoom })
  const modelHints = modelHintsOf(deps, models)
  const dispatch = dispatchWith(deps)
  const performers = { models: deps.model ? models : null, dispatch }
  const work = createWork({ ...base, ...asking, recorder, ...performers })
  const reconciler: Omit<ReconcilerDeps, 'turned'> = {
    ...base,
    recorder,
    work,
    dispatch,
    backlog: createBacklog({ ...base, dispatcher: deps.dispatcher, dispatch }),
    advance: (runId) => advances.ask(runId),
  }

  const follow = createFollower({
    ...base,
    recorder,
    work,
    advance: (runId) => void advances.ask(runId),
    forget: (runId) => transcripts.forget(runId),
    verify: createVerifier({ ...base, every: settings.verifyEvery }),
  })

  const { tools } = deps
  const worker = tools && createWorker({ ...base, recorder, tools, turns: createTurns(base) })
  return {
    commands: createCommands({ ...base, recorder }),
    performHint: async (id: string) => (worker ? worker(id) : 'not_mine'),
    advances,
    modelHints,
    models,
    idle: async () => void (await Promise.all([models.idle(), work.idle(), leases.idle()])),
    leases,
    live,
    reconciler,
  }
}

/** A process that decides itself needs no other to; should it vanish first, the reconciler of another finds the facts. */
function announceFacts(wakeBus: WakeBus, runId: string, own: Coalescer | null): void {
  wakeBus.publish('run', [runId])
  if (own) own.hint(runId)
  else wakeBus.publish('facts', [runId])
}

/** Model calls, and summaries, that somebody announced: looked up, claimed and performed, if they still wait. */
function modelHintsOf({ model, register, log }: EngineDeps, models: Models): Coalescer {
  return createCoalescer(
    async (effectId) => {
      const row = model ? await register.effect(effectId) : null
      if (row?.status === 'pending') await models.take(row)
    },
    (effectId, error) =>
      log.warn('a model call could not be taken', { effectId, error: messageOf(error) }),
  )
}

/** Dispatching never fails: what is not announced now, the reconciler announces. */
const dispatchWith =
  ({ dispatcher, log }: EngineDeps) =>
  (hints: readonly Hint[]): Promise<void> =>
    dispatcher.dispatch(hints).catch(warning(log, 'dispatching failed'))

const noModel: Model = {
  call: () => Promise.reject(new Error('this process makes no model calls')),
}

const noPolicies: PolicyHost = {
  evaluator: () => null,
  passports: noPassports,
  prepare: () => Promise.resolve(),
  ask: () => Promise.reject(new Error('this process asks no policies')),
  recheck: ([spec], _request, { failClosed }) =>
    Promise.resolve(spec && failClosed ? evaluatorError(spec) : null),
  close: () => Promise.resolve(),
}

const lacking = (): never => {
  throw new TerminalError('no_guardrail', 'this process has no stream guardrails')
}
const noGuardrails: StreamGuardrails = { guard: lacking, redact: lacking }

const noObserver: Observer = { within: (_, work) => work(), decided: () => {}, ended: () => {} }
