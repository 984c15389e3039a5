/** Real models that `init` writes a configuration for. */

/** A provider by the word that is typed. */
export type InitProvider = 'openai' | 'anthropic' | 'google' | 'ollama'

/** What stands in `model` of an agent. */
interface Model {
  readonly provider: string
  readonly model: string
  readonly baseURL?: string
  readonly apiKeyEnv?: string
}

/** A model, and what is to be done before it answers. */
export interface ProviderChoice {
  readonly model: Model
  /** Where a key is made; null where none is needed. */
  readonly keysAt: string | null
  readonly before: readonly string[]
}

/** A model of each that calls tools and is not the dearest. */
export const providers: Readonly<Record<InitProvider, ProviderChoice>> = {
  openai: {
    model: { provider: 'openai', model: 'gpt-5.4-mini', apiKeyEnv: 'OPENAI_API_KEY' },
    keysAt: 'https://platform.openai.com/api-keys',
    before: [],
  },
  anthropic: {
    model: { provider: 'anthropic', model: 'claude-haiku-5-5', apiKeyEnv: 'ANTHROPIC_API_KEY' },
    keysAt: 'https://platform.claude.com/settings/keys',
    before: [],
  },
  google: {
    model: {
      provider: 'google',
      model: 'gemini-flash-latest',
      apiKeyEnv: 'GOOGLE_GENERATIVE_AI_API_KEY',
    },
    keysAt: 'https://aistudio.google.com/apikey',
    before: [],
  },
  ollama: {
    model: {
      provider: 'openai-compatible',
      model: 'llama3.2',
      baseURL: 'http://127.0.0.1:11434/v1',
    },
    keysAt: null,
    before: ['ollama pull llama3.2'],
  },
}
