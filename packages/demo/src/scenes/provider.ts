/** The same task as the first, on a real provider, for those who have a key. */
import type { ConfigInput, Env } from '@signalbox/server'
import { expect } from '../expect.ts'
import { reportInput, reportInstructions, reportTools } from '../report-task.ts'
import type { Scene, Stage } from '../scene.ts'

const agent = 'reporter-live'
const providers = [
  { keyEnv: 'OPENAI_API_KEY', provider: 'openai', model: 'gpt-5.4-mini' },
  { keyEnv: 'ANTHROPIC_API_KEY', provider: 'anthropic', model: 'claude-haiku-5-5' },
  { keyEnv: 'GOOGLE_GENERATIVE_AI_API_KEY', provider: 'google', model: 'gemini-flash-latest' },
  { keyEnv: 'GEMINI_API_KEY', provider: 'google', model: 'gemini-flash-latest' },
] as const

/** A real model takes its time, and costs money: both have an end here. */
const limits = { maxTurns: 8, maxToolCalls: 20, maxTokens: 60_000, timeoutMs: 30_000 }

/** The keys that the scene looks for, and what may change it. */
const settingEnvs = ['SIGNALBOX_DEMO_MODEL', 'OPENAI_BASE_URL']

/** Of the environment, what the real provider needs, and nothing else. */
export const providerEnv = (env: Env): Env =>
  Object.fromEntries(
    [...providers.map(({ keyEnv }) => keyEnv), ...settingEnvs].map((name) => [name, env[name]]),
  )

/** The scene for an environment: a run if there is a key, else a line that says how. */
export function providerScene(env: Env): Scene {
  const chosen = providers.find(({ keyEnv }) => env[keyEnv]?.trim())
  const model = env['SIGNALBOX_DEMO_MODEL']?.trim() || chosen?.model
  const title = 'The same task on a real provider'
  if (!chosen || !model)
    return { title, why: howTo, agents: () => ({}), scripts: {}, play: () => Promise.resolve() }
  const baseURL = chosen.provider === 'openai' ? env['OPENAI_BASE_URL']?.trim() : undefined
  const { provider, keyEnv } = chosen
  const agents: ConfigInput['agents'] = {
    [agent]: {
      model: { provider, model, apiKeyEnv: keyEnv, ...(baseURL ? { baseURL } : {}) },
      instructions: reportInstructions,
      tools: reportTools,
      limits,
      modelRetries: { max: 1 },
    },
  }
  const why = `${model}, with ${keyEnv}; SIGNALBOX_DEMO_MODEL names another model.`
  return { title, why, agents: () => agents, scripts: {}, play }
}

const howTo =
  'Skipped: set OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY to see it.'

/** What others make of a task is not ours to promise; that the log and the workspace agree is. */
async function play(stage: Stage): Promise<void> {
  const before = await stage.files('report.md')
  const { outcome, events } = await stage.run({ agent, input: reportInput }).ended
  stage.print.outcome(outcome)
  const wrote = events.some(({ type, tool }) => type === 'tool.completed' && tool === 'write_file')
  const after = await stage.files('report.md')
  if (outcome !== 'completed') {
    stage.print.act('the provider did not see it through: the timeline says why; the demo goes on')
    return
  }
  expect(wrote === after.length > before.length, 'the log and the workspace do not agree')
  stage.print.met(wrote ? 'report.md is in the workspace' : 'the model chose to write no report')
}
