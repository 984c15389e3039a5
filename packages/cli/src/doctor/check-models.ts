import type { Config } from '@signalbox/server'
import type { Shell } from '../shell.ts'
import { type DoctorFinding, failed, ok } from './finding.ts'

type Model = Config['agents'][string]['model']

/** The variables of which one must be set, by provider, where the configuration names none. */
const usual: Readonly<Record<Model['provider'], readonly string[]>> = {
  openai: ['OPENAI_API_KEY'],
  'openai-responses': ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY'],
  azure: ['AZURE_API_KEY'],
  'amazon-bedrock': ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID'],
  'openai-compatible': [],
  scripted: [],
}

/** Is the key there that each agent's model needs? Whether it is the right one only the provider knows. */
export function* checkModels(config: Config, env: Shell['env']): Generator<DoctorFinding> {
  for (const [agent, { model }] of Object.entries(config.agents)) {
    const about = `agent ${agent}`
    const names = model.apiKeyEnv === undefined ? usual[model.provider] : [model.apiKeyEnv]
    const found = names.find((name) => env[name]?.trim())
    const what = `${model.provider} ${model.model}`
    if (names.length === 0) yield ok(about, `${what}, without a key`)
    else if (found === undefined)
      yield failed(
        about,
        `${what} has no key`,
        `export ${names.join('=…, or export ')}=…, or put that into the file .env`,
      )
    else yield ok(about, `${what}, with the key of ${found}`)
  }
}
