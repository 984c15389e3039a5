/**
 * Windows of models in what runs pin. Would catch: a definition that changes its digest for an agent that does not look after its context,
 * a window that the table sets over a configured one, an answer that is to be longer than the window.
 */
import { tmpdir } from 'node:os'
import { validateDetectors } from '@signalbox/models'
import {
  type ConfigInput,
  defineConfig,
  loadGovernance,
  parseConfig,
  resolveAgents,
} from '@signalbox/server'
import { expect, it } from 'vitest'
import { windowsOf } from '../src/config/windows-of.ts'
import { configErrorOf } from './support/mistakes.ts'

const model = { provider: 'anthropic' as const, model: 'claude-sonnet-4-5' }
const fallback = { provider: 'openai' as const, model: 'gpt-4o' }
const unknown = {
  provider: 'openai-compatible' as const,
  model: 'mine',
  baseURL: 'http://127.0.0.1:1/v1',
}

const configOf = (agent: ConfigInput['agents'][string]) =>
  parseConfig(defineConfig({ agents: { a: agent } }))

const modelsOf = (agent: ConfigInput['agents'][string]) => {
  const { a } = configOf(agent).agents
  if (!a) throw new Error('no agent')
  return { model: a.model, fallbackModels: a.fallbackModels }
}

it('an agent without `context` keeps its models as they are written', async () => {
  const config = configOf({ model, fallbackModels: [fallback] })
  const governance = await loadGovernance({ config, dir: tmpdir() })
  const { a } = Object.fromEntries(
    resolveAgents(config, { specs: [], validateDetectors, governance }),
  )
  expect(JSON.stringify(a)).not.toContain('contextWindow')
  const { a: windowed } = Object.fromEntries(
    resolveAgents(configOf({ model: { ...model, contextWindow: 32_000 } }), {
      specs: [],
      validateDetectors,
      governance,
    }),
  )
  expect(windowed?.model.contextWindow).toBe(32_000)
})

it.each([undefined, null, false])('nor does one with `context: %s` get any', (context) => {
  const models = modelsOf({ model, fallbackModels: [fallback] })
  expect(windowsOf({ ...models, context })).toEqual(models)
})

it('an agent with it gets the windows that are known, and the configured ones', () => {
  const own = { ...fallback, contextWindow: 64_000 }
  const models = modelsOf({ model, fallbackModels: [fallback, own, unknown] })
  const { model: first, fallbackModels } = windowsOf({ ...models, context: {} })
  expect([first, ...fallbackModels].map(({ contextWindow }) => contextWindow)).toEqual([
    200_000,
    128_000,
    64_000,
    undefined,
  ])
  expect(fallbackModels.at(-1)).not.toHaveProperty('contextWindow')
})

it('an answer is shorter than the window', async () => {
  const { code, message } = await configErrorOf(() =>
    configOf({ model: { ...model, contextWindow: 8_000, maxOutputTokens: 8_000 } }),
  )
  expect([code, message]).toEqual([
    'config_invalid',
    'agents.a.model.maxOutputTokens: takes less than contextWindow: a request and its answer share the window',
  ])
})
