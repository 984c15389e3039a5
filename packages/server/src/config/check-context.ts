/** What a configuration says of an agent's context, beyond its schema: names that must be there, and settings that work against it. */
import type { AgentConfig } from './agent-schema.ts'
import { fail } from './fail.ts'
import { suggestion } from './nearest.ts'

/** Options by which providers shorten a conversation themselves, as their packages spell them. */
const providersOwn = ['contextManagement', 'context_management']

/** @throws ConfigError `config_invalid` */
export function checkContext(field: string, agent: AgentConfig): void {
  const { context } = agent
  if (!context) return
  const models = [agent.model, ...agent.fallbackModels]
  const names = models.map(({ model }) => model)
  const { model } = context.compact
  if (model !== null && !names.includes(model)) {
    const message = `takes the name of the agent's model or of one of its fallbackModels.${suggestion(model, names)}`
    fail('config_invalid', `${field}.context.compact.model`, message)
  }
  models.forEach(({ providerOptions = {} }, n) => {
    const own = Object.values(providerOptions).find(
      (options) =>
        typeof options === 'object' &&
        options !== null &&
        providersOwn.some((name) => Object.hasOwn(options, name)),
    )
    if (own === undefined) return
    const at = n === 0 ? `${field}.model` : `${field}.fallbackModels[${n - 1}]`
    const message =
      'lets the provider shorten the conversation, which works against context. Leave out one of the two'
    fail('config_invalid', `${at}.providerOptions`, message)
  })
}
