/** The model of a box: plays turns and recordings, and asks a provider only to record. */
import type { ModelConfig } from '@signalbox/core'
import type { Log, Model, ModelRequest, ModelSink } from '@signalbox/engine'
import { createModels, type SafetyDetector, type ScriptedTurn } from '@signalbox/models'
import { type Env, suggestion } from '@signalbox/server'
import { TestBoxError } from './box-error.ts'
import type { KnownRun, KnownRuns } from './known-runs.ts'
import { isRecording, type ModelSource } from './model-source.ts'
import { type Recording, Tape } from './recording.ts'
import { readTurn, type TestTurn } from './turns.ts'

/** The parts of the model of a box. */
export interface PlayedModelParts {
  readonly runs: KnownRuns
  /** The source of an agent's answers, for runs without one of their own; null: the test named none. */
  readonly sourceOf: (agent: string) => ModelSource | null
  /** Plays the scripts of the configuration; null: there are none but those of the test. */
  readonly configured: () => Model | null
  readonly detectors: Readonly<Record<string, SafetyDetector>>
  readonly env: Env
  readonly log: Log
}

/** The model, and the end of it. */
export interface PlayedModel extends Model {
  /** Writes what was recorded. */
  close(): Promise<void>
}

type Call = readonly [ModelRequest, ModelSink, AbortSignal]

/** Makes it. A mistake of the test is kept with its run, and ends the run: `invalid_request` is not retried. */
export function playedModel(parts: PlayedModelParts): PlayedModel {
  const tapes = new Map<Recording, Tape>()
  const answer = (run: KnownRun, call: Call) => {
    const [request] = call
    const source = run.source ?? parts.sourceOf(run.agent)
    if (source === null) {
      const scripts = request.model.provider === 'scripted' ? parts.configured() : null
      if (scripts) return scripts.call(...call)
      throw new TestBoxError(
        'no_answers',
        `Nothing says what the model of the agent "${run.agent}" (${request.model.provider} ${request.model.model}) answers, and a test asks no provider. Give the box, or the run, turns or a recording: { turns: ['Hello.'] }`,
      )
    }
    return isRecording(source)
      ? playTape(parts, { tape: tapeOf(tapes, source), recording: source }, call)
      : playTurn(parts, { run, turns: source }, call)
  }
  return {
    call: async (...call) => {
      const run = parts.runs.writing(call[0].messageId)
      try {
        if (!run) throw new TestBoxError('no_answers', 'the model was asked for an unknown run')
        return await answer(run, call)
      } catch (error) {
        if (!(error instanceof TestBoxError)) throw error
        if (run) run.mistake ??= error
        return say(parts, { status: { code: 400, error: { message: error.message } } }, call)
      }
    },
    close: async () => void (await Promise.all([...tapes.values()].map((tape) => tape.close()))),
  }
}

function tapeOf(tapes: Map<Recording, Tape>, recording: Recording): Tape {
  const tape = tapes.get(recording) ?? new Tape(recording)
  tapes.set(recording, tape)
  return tape
}

function playTurn(
  parts: PlayedModelParts,
  { run, turns }: { readonly run: KnownRun; readonly turns: Exclude<ModelSource, Recording> },
  call: Call,
) {
  const [{ prompt, tools }] = call
  const turn = turns[run.played]
  run.played += 1
  if (turn === undefined) {
    const count = turns.length === 1 ? '1 turn' : `${turns.length} turns`
    throw new TestBoxError(
      'out_of_turns',
      `The script of the agent "${run.agent}" has ${count}, and the run asked the model ${run.played} times. Add a turn: a text, say, that ends the run.`,
    )
  }
  const played = readTurn(turn, prompt)
  const names = tools.map(({ name }) => name)
  checkCalls(played, names, `Turn ${run.played} of the script of the agent "${run.agent}"`)
  return say(parts, played, call)
}

function checkCalls({ calls = [] }: TestTurn, tools: readonly string[], turn: string): void {
  const stranger = calls.find(({ name, unknownTool }) => !unknownTool && !tools.includes(name))
  if (!stranger) return
  const { name } = stranger
  const hint = 'If the test is about that, say so with unknownTool: true in the call.'
  throw new TestBoxError(
    'unknown_tool',
    `${turn} calls "${name}", which is none of its tools.${suggestion(name, tools)} ${hint}`,
  )
}

/** Streams the turn through the code that reads and judges the answers of providers. */
function say({ detectors, log }: PlayedModelParts, turn: ScriptedTurn, [request, ...rest]: Call) {
  const models = createModels({
    env: {},
    detectors,
    log,
    scripts: { [request.model.model]: () => turn },
  })
  return models.call({ ...request, model: scriptedModel(request.model) }, ...rest)
}

/** The same model without the settings that only its provider needs. */
function scriptedModel(model: ModelConfig): ModelConfig {
  const { apiKeyEnv: _key, baseURL: _url, providerOptions: _options, ...rest } = model
  return { ...rest, provider: 'scripted' }
}

async function playTape(
  { detectors, env, log }: PlayedModelParts,
  { tape, recording }: { readonly tape: Tape; readonly recording: Recording },
  call: Call,
) {
  const [{ model }] = call
  const fetch = await tape.next(model, env)
  const keys = recording.record ? env : withKeys(env, model)
  return createModels({ env: keys, detectors, log, fetch }).call(...call)
}

/** Settings that the packages of providers want before they make a request. None is made. */
const placeholders: Env = {
  OPENAI_API_KEY: 'recorded',
  ANTHROPIC_API_KEY: 'recorded',
  GOOGLE_GENERATIVE_AI_API_KEY: 'recorded',
  AZURE_API_KEY: 'recorded',
  AZURE_RESOURCE_NAME: 'recorded',
  AWS_BEARER_TOKEN_BEDROCK: 'recorded',
  AWS_REGION: 'us-east-1',
}

const withKeys = (env: Env, { apiKeyEnv }: ModelConfig): Env => ({
  ...placeholders,
  ...(apiKeyEnv === undefined ? {} : { [apiKeyEnv]: 'recorded' }),
  ...Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim())),
})
