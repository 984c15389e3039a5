/** Checks of the context of an agent, beyond its schema: names and sizes that cannot be, and settings that work against it. */
import { loadSkillToolName, marksOf, type ModelConfig } from '@signalbox/core'
import type { AgentConfig } from './agent-schema.ts'
import { fail } from './fail.ts'
import { suggestion } from './nearest.ts'
import { windowsOf } from './windows-of.ts'

/** Options by which providers shorten a conversation themselves, as their packages and their own documents spell them. */
const providersOwn: Readonly<Record<string, (value: unknown) => boolean>> = {
  contextManagement: () => true,
  context_management: () => true,
  compactionTrigger: (value) => value === true,
  // OpenAI leaves out what is in the middle, and says nothing of it.
  truncation: (value) => value === 'auto',
  // So does OpenRouter.
  transforms: (value) => Array.isArray(value) && value.includes('middle-out'),
}

/** `tools`: the names of all that there are. @throws ConfigError `config_invalid`, `config_unknown_tool` */
export function checkContext(field: string, agent: AgentConfig, tools: readonly string[]): void {
  const { context } = agent
  if (!context) return
  const at = `${field}.context`
  const models = [agent.model, ...agent.fallbackModels]
  const names = models.map(({ model }) => model)
  const { model } = context.compact
  if (model !== null && !names.includes(model)) {
    const message = `takes the name of the agent's model or of one of its fallbackModels.${suggestion(model, names)}`
    fail('config_invalid', `${at}.compact.model`, message)
  }
  context.prune.exclude.forEach((name, n) => {
    // Agents without skills have the default list as well.
    if (name === loadSkillToolName || tools.includes(name)) return
    const message = `there is no tool "${name}".${suggestion(name, tools)}`
    fail('config_unknown_tool', `${at}.prune.exclude[${n}]`, message)
  })
  checkSizes(at, agent, context)
  models.forEach(({ providerOptions = {} }, n) => {
    const own = ownIn(providerOptions)
    if (own === null) return
    const message = `lets the provider shorten the conversation (${own}), which works against context. Leave out one of the two`
    fail('config_invalid', `${field}.${placeOf(n)}.providerOptions`, message)
  })
}

const placeOf = (n: number): string => (n === 0 ? 'model' : `fallbackModels[${n - 1}]`)

/** The option by which the provider would shorten it, wherever it stands; null: there is none. */
function ownIn(options: unknown): string | null {
  if (typeof options !== 'object' || options === null) return null
  for (const [name, value] of Object.entries(options)) {
    const own = Object.hasOwn(providersOwn, name) && providersOwn[name]?.(value)
    const found = own ? name : ownIn(value)
    if (found !== null) return found
  }
  return null
}

type Context = NonNullable<AgentConfig['context']>

/** The default of `summaryTokens`: a length up to it is sensible in any window, so it is not checked. */
const leastSummaryTokens = 4_000

/** Sizes that leave nothing to sum up, or to clear, before the request is at the mark. */
function checkSizes(at: string, agent: AgentConfig, context: Context): void {
  const { model, fallbackModels } = windowsOf(agent)
  const { keep = 0, summaryTokens } = context.compact
  const { minTokens = 0 } = context.prune
  const sizes = {
    'compact.keep': keep,
    'compact.summaryTokens': summaryTokens > leastSummaryTokens ? summaryTokens : 0,
    'prune.minTokens': minTokens,
  }
  ;[model, ...fallbackModels].forEach((each, n) => {
    const mark = marksOf(context, each, 0).compact
    for (const [name, size] of Object.entries(sizes)) {
      if (size < mark) continue
      const message = `takes less than ${mark} tokens, not ${size}: ${whereOf(each, n)}`
      fail('config_invalid', `${at}.${name}`, message)
    }
  })
}

const whereOf = ({ contextWindow }: ModelConfig, n: number): string =>
  contextWindow === undefined
    ? 'that is where a summary is made, by context.tokens'
    : `that is where a summary is made in the window of ${placeOf(n)}, ${contextWindow} tokens`
