/**
 * A test box: Signalbox within the process of a test, with the agents of a configuration and a model that the test plays.
 *
 * B1 Everything but the model, the faked tools and the register of `memory` is what a server runs: schemas, policies, guardrails,
 *    approvals, loops, budgets and safety judge as they do there.
 * B2 Nothing beyond the test is reached by the box itself: no provider (but to record), no webhook, no shared database. Tools and MCP
 *    servers that are not faked do what they do.
 */
import { randomUUID } from 'node:crypto'
import process from 'node:process'
import type { AgentDefinition } from '@signalbox/core'
import type { CreateRun, Model } from '@signalbox/engine'
import {
  type EnginePorts,
  type Env,
  type LoadedConfig,
  loadGovernance,
  suggestion,
  usableDetectors,
} from '@signalbox/server'
import { TestBoxError } from './box-error.ts'
import { type RunOptions, sourceIn, type TestBoxOptions } from './box-options.ts'
import { checkFakes, withFakes } from './fake-tools.ts'
import { type KeptLog, keptLog } from './kept-log.ts'
import { KnownRuns } from './known-runs.ts'
import { openConfig } from './open-config.ts'
import { type OpenProcess, openProcess } from './open-process.ts'
import { type PlayedModel, playedModel } from './played-model.ts'
import { lookUntil } from './rest.ts'
import { type RunWorld, tester, TestRun } from './test-run.ts'

/** A Signalbox for tests. Close it: until then its process has something to do. */
export interface TestBox extends AsyncDisposable {
  /** Starts a run, and waits until it has ended or waits for a person. @throws TestBoxError */
  readonly run: (agent: string, prompt: string, options?: RunOptions) => Promise<TestRun>
  /** Starts a run, and does not wait: `await run.settled()`, or `await run.executing(tool)`. @throws TestBoxError */
  readonly start: (agent: string, prompt: string, options?: RunOptions) => Promise<TestRun>
  /**
   * Moves the clock on by so many milliseconds, and waits until all that came due has happened and all runs are at rest: approvals
   * expire, for example. Only where the register is `memory`. @throws TestBoxError
   */
  readonly advance: (ms: number) => Promise<void>
  /** Stops everything, and writes recordings. May be called again. */
  readonly close: () => Promise<void>
}

const withinMsDefault = 10_000
const withinMsMax = 600_000
/** Between two looks at a run. Milliseconds. */
const everyMs = 5

/** Starts a box. @throws TestBoxError, ConfigError, StartError */
export async function startTestBox(options: TestBoxOptions = {}): Promise<TestBox> {
  const { env = process.env, withinMs = withinMsDefault } = options
  if (!Number.isFinite(withinMs) || withinMs < 1 || withinMs > withinMsMax)
    throw new TestBoxError(
      'wrong_option',
      `withinMs takes milliseconds, from 1 to ${withinMsMax}; this is ${withinMs}`,
    )
  const loaded = await openConfig(options, env)
  const agents = Object.keys(loaded.config.agents)
  const stranger = Object.keys(options.models ?? {}).find((name) => !agents.includes(name))
  if (stranger !== undefined) throw unknownAgent(stranger, agents, `models.${stranger}: `)
  const log = keptLog()
  const runs = new KnownRuns()
  const { opened, model } = await open(options, { loaded, env, log, runs })
  const { ports, signalbox } = opened
  const world: RunWorld = {
    register: ports.register,
    policies: ports.policies ?? null,
    commands: signalbox.engine.commands,
    runs,
    withinMs,
    everyMs,
    complaints: log.complaints,
  }
  return boxOf({ opened, model, world })
}

interface Parts {
  readonly loaded: LoadedConfig
  readonly env: Env
  readonly log: KeptLog
  readonly runs: KnownRuns
}

/** Starts the process of the box, with the model and the tools of the test. */
async function open(options: TestBoxOptions, { loaded, env, log, runs }: Parts) {
  const { fakes = {}, register = 'memory' } = options
  let scripts: Model | null = null
  const model = playedModel({
    runs,
    sourceOf: (agent) => sourceIn(options.models?.[agent] ?? {}) ?? sourceIn(options),
    configured: () => scripts,
    detectors: usableDetectors(await loadGovernance(loaded)),
    env,
    log,
  })
  const wrapPorts = ({ webhooks: _webhooks, ...ports }: EnginePorts): EnginePorts => {
    if (options.agents === undefined) scripts = ports.model
    const tools = ports.tools && withFakes(ports.tools, fakes, log)
    return { ...ports, register: runs.watch(ports.register), model, tools }
  }
  const opened = await openProcess(register, { loaded, env, log, wrapPorts })
  try {
    if (opened.ports.tools) await checkFakes(opened.ports.tools, fakes)
    return { opened, model }
  } catch (error) {
    await opened.stop()
    throw error
  }
}

interface BoxParts {
  readonly opened: OpenProcess
  readonly model: PlayedModel
  readonly world: RunWorld
}

function boxOf({ opened, model, world }: BoxParts): TestBox {
  const { signalbox, clock } = opened
  const started: TestRun[] = []
  let closed: Promise<void> | null = null
  const begin = async (agent: string, prompt: string, options: RunOptions = {}) => {
    if (closed) throw new TestBoxError('closed', 'The box is closed: it starts no run.')
    const definition = definitionOf(signalbox.agents, agent)
    const run = new TestRun(world, await create(world, { definition, prompt, options }))
    started.push(run)
    return run
  }
  const close = () =>
    (closed ??= (async () => {
      await opened.stop()
      await model.close()
    })())
  return {
    run: async (...about) => (await begin(...about)).settled(),
    start: begin,
    advance: async (ms) => {
      if (!clock)
        throw new TestBoxError(
          'wrong_option',
          'The time of this box is that of its database, and cannot be moved: take register: "memory".',
        )
      clock.advance(ms)
      await settleTimers(world)
      for (const run of started) await run.settled()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Waits until no timer is due any more. */
async function settleTimers({ register, withinMs }: RunWorld): Promise<void> {
  const look = async () => ((await register.dueTimers(1)).length === 0 ? true : null)
  if (await lookUntil(look, { withinMs, everyMs })) return
  throw new TestBoxError(
    'not_at_rest',
    `Timers were still due ${withinMs} ms after the clock moved.`,
  )
}

function definitionOf(agents: ReadonlyMap<string, AgentDefinition>, name: string): AgentDefinition {
  const definition = agents.get(name)
  if (definition) return definition
  throw unknownAgent(name, [...agents.keys()], '')
}

const unknownAgent = (name: string, known: readonly string[], field: string): TestBoxError =>
  new TestBoxError(
    'unknown_agent',
    `${field}There is no agent "${name}" in the configuration.${suggestion(name, known)}`,
  )

async function create(
  { commands, runs }: RunWorld,
  about: {
    readonly definition: AgentDefinition
    readonly prompt: string
    readonly options: RunOptions
  },
): Promise<string> {
  const { definition, prompt, options } = about
  const { thread = `thread-${randomUUID()}`, user, endUser, metadata = {} } = options
  const alias = `test-${randomUUID()}`
  const source = sourceIn(options)
  if (source) runs.plan(alias, source)
  const request: CreateRun = {
    ...tester,
    threadId: thread,
    definition,
    input: [{ id: `u_${randomUUID()}`, role: 'user', parts: [{ type: 'text', text: prompt }] }],
    metadata,
    alias: { key: alias, bodyHash: alias },
    ...(user === undefined ? {} : { user }),
    ...(endUser === undefined ? {} : { endUser }),
  }
  const answer = await commands.createRun(request)
  if (answer.code === 'created') return answer.runId
  const why = 'detail' in answer ? `${answer.code}, ${answer.detail}` : answer.code
  throw new TestBoxError('refused', `The run was not created: ${why}.`)
}
