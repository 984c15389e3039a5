/**
 * One measured set-up: api and orchestrator in this process, the worker in a child, composed of the production parts.
 */
import type { AgentDefinition } from '@signalbox/core'
import {
  createEngine,
  defaultSettings,
  type Engine,
  type EngineSettings,
  type Model,
  systemClock,
  systemRandom,
} from '@signalbox/engine'
import { createPolicyHost, createStreamGuardrails } from '@signalbox/policies'
import { createRegister } from '@signalbox/postgres'
import { complaining } from './complaining-log.ts'
import { directDispatcher } from './direct.ts'
import { endOf, markOf, watched } from './marking.ts'
import { type Mark, now } from './messages.ts'
import { type Addresses, openDispatcher, openWakeBus } from './transport.ts'
import { instantModel } from './world.ts'
import { WorkerProcess } from './worker-process.ts'

export interface SetUp {
  readonly worker: WorkerProcess
  /** Creates a run, of its own thread unless one is named, and resolves when it has completed. */
  run(agent: AgentDefinition, threadId?: string): Promise<string>
  /** Moments since the last time, of both processes, in order. */
  takeMarks(): Promise<readonly Mark[]>
  close(): Promise<void>
}

/** A run that takes longer hangs. */
const runMsMax = 180_000

interface SetUpOptions {
  readonly model?: Model
  readonly settings?: Partial<EngineSettings>
}

export async function openSetUp(
  addresses: Addresses,
  { model = instantModel, settings }: SetUpOptions = {},
): Promise<SetUp> {
  const log = complaining('orchestrator')
  const worker = new WorkerProcess()
  await worker.ask({ kind: 'start', addresses })
  const register = createRegister({ engineUrl: addresses.engineUrl })
  const direct = directDispatcher((effects) => worker.hint(effects))
  const dispatcher = openDispatcher(addresses, log, direct)
  const wakeBus = await openWakeBus(addresses, log)
  const ends = new Ends()
  let marks: Mark[] = []
  const engine = createEngine({
    register: watched(register, (item, result) => {
      const mark = markOf(item, result)
      if (mark) marks.push(mark)
      const outcome = endOf(item, result)
      if (outcome !== null) ends.tell(item.runId, outcome)
    }),
    dispatcher,
    hintSource: null,
    wakeBus,
    model,
    tools: null,
    policies: createPolicyHost({
      log,
      clock: systemClock,
      env: {},
      modules: new Map(),
      baseDir: '.',
    }),
    guardrails: createStreamGuardrails(() => null),
    clock: systemClock,
    random: systemRandom,
    log,
    roles: ['orchestrator'],
    settings: { ...defaultSettings, owner: `bench.${process.pid}`, ...settings },
  })
  await engine.start()
  return {
    worker,
    async run(agent, threadId = systemRandom.uuid()) {
      const at = now()
      const runId = await createRun(engine, agent, threadId)
      marks.push({ runId, what: 'asked', at })
      await ends.of(runId)
      return runId
    },
    async takeMarks() {
      const { marks: ofWorker } = await worker.ask({ kind: 'marks' })
      const all = [...marks, ...ofWorker].sort((a, b) => a.at - b.at)
      marks = []
      return all
    },
    async close() {
      await engine.stop(5_000)
      await worker.stop()
      await wakeBus.close()
      await dispatcher.close()
      await register.close()
    },
  }
}

async function createRun(
  engine: Engine,
  definition: AgentDefinition,
  threadId: string,
): Promise<string> {
  const answer = await engine.commands.createRun({
    tenantId: 'bench',
    actor: 'bench',
    threadId,
    definition,
    input: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Go.' }] }],
    metadata: {},
    alias: null,
  })
  if (answer.code !== 'created') throw new Error(`a run was not created: ${answer.code}`)
  return answer.runId
}

/** Who waits for the end of which run. */
class Ends {
  readonly #waiting = new Map<string, (outcome: string) => void>()
  readonly #early = new Map<string, string>()

  tell(runId: string, outcome: string): void {
    const waiting = this.#waiting.get(runId)
    if (waiting) waiting(outcome)
    else this.#early.set(runId, outcome)
  }

  async of(runId: string): Promise<void> {
    const outcome = this.#early.get(runId) ?? (await this.#wait(runId))
    this.#early.delete(runId)
    this.#waiting.delete(runId)
    if (outcome !== 'completed') throw new Error(`the run ${runId} ended as ${outcome}`)
  }

  #wait(runId: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const hangs = setTimeout(
        () => reject(new Error(`the run ${runId} did not end within ${runMsMax} ms`)),
        runMsMax,
      )
      this.#waiting.set(runId, (outcome) => {
        clearTimeout(hangs)
        resolve(outcome)
      })
    })
  }
}
