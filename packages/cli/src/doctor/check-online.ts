/**
 * Does each model of the configuration answer? One request for each of them, all at once, with as little to write as a provider allows:
 * a wrong key, a wrong name and a wrong address show here rather than in the first run.
 */
import { randomBytes } from 'node:crypto'
import { type FailureClass, failureOf, type ModelConfig, type ModelTurn } from '@signalbox/core'
import { createModels } from '@signalbox/models'
import type { Config } from '@signalbox/server'
import type { Shell } from '../shell.ts'
import { type DoctorFinding, failed, ok, errorLine, warn } from './finding.ts'

const check = 'online'
const answerMsMax = 20_000
const silenceMsMax = 10_000
/** OpenAI's Responses take no smaller limit. */
const outputTokensMax = 16

/** Asks, and answers a finding for each model. */
export async function checkOnline(
  config: Config,
  env: Shell['env'],
): Promise<readonly DoctorFinding[]> {
  const models = modelsOf(config)
  if (models.length === 0) return [ok(check, 'no agent has a model to ask over the network')]
  const much = models.length === 1 ? 'one request' : `${models.length} requests`
  const cost = `${much} of some 20 tokens, each answer of at most ${outputTokensMax}: at your provider's price`
  return [ok(check, cost), ...(await Promise.all(models.map((model) => ask(model, env))))]
}

const keyOf = ({ provider, model, baseURL, apiKeyEnv, region }: ModelConfig): string =>
  JSON.stringify([provider, model, baseURL, apiKeyEnv, region])

/** A model that several agents share is asked once. */
function modelsOf({ agents }: Config): readonly ModelConfig[] {
  const all = Object.values(agents).flatMap(({ model, fallbackModels }) => [
    model,
    ...fallbackModels,
  ])
  const asked = all.filter(({ provider }) => provider !== 'scripted')
  return [...new Map(asked.map((model) => [keyOf(model), model])).values()]
}

async function ask(model: ModelConfig, env: Shell['env']): Promise<DoctorFinding> {
  const name = `${model.provider} ${model.model}`
  const began = performance.now()
  try {
    const turn = await call(model, env)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    return findingOf(name, turn, seconds)
  } catch (error) {
    const why = error instanceof Error && error.name === 'TimeoutError' ? 'timeout: ' : ''
    const within = why === '' ? errorLine(error) : `no whole answer within ${answerMsMax / 1000} s`
    return failed(check, `${name}: ${why}${within}`, fixes.timeout)
  }
}

function call(model: ModelConfig, env: Shell['env']): Promise<ModelTurn> {
  // Options of the agent may ask for long answers, and are not what is asked about.
  const { providerOptions: _options, temperature: _temperature, ...asked } = model
  const idleTimeoutMs = Math.min(model.idleTimeoutMs, silenceMsMax)
  return createModels({ env }).call(
    {
      model: { ...asked, idleTimeoutMs, maxOutputTokens: outputTokensMax },
      detectors: undefined,
      prompt: [{ role: 'user', parts: [{ type: 'text', text: 'Answer with the word OK.' }] }],
      tools: [],
      messageId: 'doctor',
      callIdPrefix: 'doctor',
      argsHash: () => '',
      hmacKey: randomBytes(32).toString('hex'),
      guard: null,
      endUser: null,
    },
    { delta: () => {} },
    AbortSignal.timeout(answerMsMax),
  )
}

function findingOf(name: string, turn: ModelTurn, seconds: string): DoctorFinding {
  const failure = failureOf(turn)
  if (!failure) {
    const { inputTokens = 0, outputTokens = 0 } = turn.usage
    return ok(check, `${name} answers, ${seconds} s, ${inputTokens + outputTokens} tokens`)
  }
  const { class: kind, keyEnv, message } = failure
  const fix = kind === 'auth' && keyEnv !== undefined ? `export ${keyEnv}=…` : fixes[kind]
  return passing.has(kind)
    ? warn(check, `${name}: ${message}`, fix)
    : failed(check, `${name}: ${message}`, fix)
}

/** The model is there, and answers at another time. */
const passing: ReadonlySet<FailureClass> = new Set(['rate_limit', 'overloaded'])

const fixes: Readonly<Record<FailureClass, string>> = {
  auth: 'Name the variable of the key in model.apiKeyEnv, and set it.',
  not_found: 'Correct model.model or model.baseURL in the configuration.',
  rate_limit: 'Try again later, or ask the provider for a higher limit.',
  quota: "See the billing page of the provider's account.",
  overloaded: 'Try again later; see the status page of the provider.',
  context_overflow: 'Take a model with a longer context.',
  tool_use_failed: 'Try again; if it stays so, take another model.',
  invalid_request: 'Correct the settings of the model in the configuration.',
  safety: 'Try again; if it stays so, ask the provider.',
  configuration: 'Correct the settings of the model in the configuration.',
  network: 'Check model.baseURL, the network, and that the server runs.',
  timeout: 'Try again; check model.baseURL and the network.',
  protocol: 'Check that model.baseURL leads to the API of the provider, and what stands between.',
  circuit_open: 'Try again later.',
  internal: 'Run it again with --debug.',
  unknown: 'Try again; see the status page of the provider.',
}
