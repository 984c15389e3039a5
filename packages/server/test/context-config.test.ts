/** The field `context` of an agent. Would catch: a name that is spelt wrongly and obeyed in part, a definition that changed for agents without it. */
import { tmpdir } from 'node:os'
import { validateDetectors } from '@signalbox/models'
import { loadGovernance, parseConfig, resolveAgents } from '@signalbox/server'
import { withReadResult } from '@signalbox/engine'
import { defineTool } from '@signalbox/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { configErrorOf } from './support/mistakes.ts'

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  effect: 'read',
  input: z.object({}),
  run: () => 'seen',
})

const model = { provider: 'anthropic', model: 'claude', contextWindow: 200_000 }
/** Nobody knows its window. */
const openai = { provider: 'openai-responses', model: 'mine' }

/** The agent as runs pin it. */
async function resolved(agent: object) {
  const config = parseConfig({ agents: { reader: { model, tools: ['look'], ...agent } } })
  const governance = await loadGovernance({ config, dir: tmpdir() })
  const host = withReadResult({
    specs: async () => [look.toSpec()],
    knows: async () => true,
    call: () => Promise.reject(new Error('nothing is called')),
    close: async () => {},
  })
  const specs = await host.specs()
  const definition = resolveAgents(config, { specs, validateDetectors, governance }).get('reader')
  if (!definition) throw new Error('there is no such agent')
  return definition
}

const refusal = async (agent: object) => (await configErrorOf(() => resolved(agent))).field

describe('context', () => {
  it('has defaults for everything', async () => {
    expect((await resolved({ context: {} })).context).toEqual({
      tokens: 100_000,
      prune: { keepTurns: 4, minChars: 1_000, exclude: ['load_skill'] },
      compact: {
        at: 0.8,
        summaryTokens: 4_000,
        model: null,
        maxPerRun: 20,
        failuresMax: 3,
        maxShare: 0.25,
      },
    })
  })

  it('is absent where nobody names it, and read_result is what it was', async () => {
    const definition = await resolved({})
    expect(definition).not.toHaveProperty('context')
    const tool = definition.tools.find(({ name }) => name === 'read_result')
    expect(tool?.inputSchema).toMatchObject({ required: ['result', 'offset'] })
    const other = (await resolved({ context: {} })).tools.find(({ name }) => name === 'read_result')
    expect(other?.inputSchema).toMatchObject({ required: ['offset'] })
  })

  it.each([
    ['a key that is spelt wrongly', { context: { prun: {} } }, 'agents.reader.context'],
    ['one inside', { context: { prune: { keepturns: 3 } } }, 'agents.reader.context.prune'],
    ['a share over 1', { context: { compact: { at: 1.2 } } }, 'agents.reader.context.compact.at'],
    [
      'a prune behind the summary',
      { context: { prune: { at: 0.9 } } },
      'agents.reader.context.prune.at',
    ],
    [
      '17 turns',
      { context: { prune: { keepTurns: 17 } } },
      'agents.reader.context.prune.keepTurns',
    ],
    [
      'a model that the agent does not have',
      { context: { compact: { model: 'claud' } } },
      'agents.reader.context.compact.model',
    ],
    [
      'a provider that shortens the conversation itself',
      {
        model: { ...model, providerOptions: { anthropic: { contextManagement: { edits: [] } } } },
        context: {},
      },
      'agents.reader.model.providerOptions',
    ],
    [
      'one of a fallback that leaves out the middle',
      {
        fallbackModels: [
          { ...openai, providerOptions: { openai: { store: false, truncation: 'auto' } } },
        ],
        context: {},
      },
      'agents.reader.fallbackModels[0].providerOptions',
    ],
    [
      'one that is named deep inside',
      {
        model: {
          ...model,
          providerOptions: {
            bedrock: { additionalModelRequestFields: { context_management: {} } },
          },
        },
        context: {},
      },
      'agents.reader.model.providerOptions',
    ],
    [
      'a tool to leave whole that there is not',
      { context: { prune: { exclude: ['load_skill', 'lok'] } } },
      'agents.reader.context.prune.exclude[1]',
    ],
    // Of 200,000 tokens the room is 191,808, and the mark of a summary at eight tenths of it.
    [
      'more to keep than what is summed up',
      { context: { compact: { keep: 153_446 } } },
      'agents.reader.context.compact.keep',
    ],
    [
      'more to keep than the window of a fallback',
      {
        fallbackModels: [{ ...openai, contextWindow: 8_000 }],
        context: { compact: { keep: 5_120 } },
      },
      'agents.reader.context.compact.keep',
    ],
    [
      'more to keep than the tokens of a model without a window',
      { model: openai, context: { tokens: 5_000, compact: { keep: 10_000 } } },
      'agents.reader.context.compact.keep',
    ],
    [
      'a summary that is longer than what is summed up',
      { model: { ...model, contextWindow: 8_000 }, context: { compact: { summaryTokens: 6_000 } } },
      'agents.reader.context.compact.summaryTokens',
    ],
    [
      'a prune that would have to clear more than there is',
      { context: { prune: { minTokens: 200_000 } } },
      'agents.reader.context.prune.minTokens',
    ],
  ])('refuses %s, and names the field', async (_, agent, field) => {
    expect(String(await refusal(agent))).toContain(field)
  })

  it('says how large a size may be, and why', async () => {
    const small = { ...model, contextWindow: 8_000 }
    const agent = { model: small, context: { compact: { keep: 10_000 } } }
    const { message } = await configErrorOf(() => resolved(agent))
    expect(message).toContain(
      'takes less than 5120 tokens, not 10000: that is where a summary is made in the window of model, 8000 tokens',
    )
  })

  it.each([
    ['the largest sizes', { compact: { keep: 153_445, summaryTokens: 32_000 } }],
    ['a tool that there is', { prune: { exclude: ['look', 'load_skill', 'read_result'] } }],
  ])('takes %s', async (_, context) => {
    expect((await resolved({ context })).context).toMatchObject(context)
  })

  it('takes what is left out in the smallest window', async () => {
    const small = { ...model, contextWindow: 1_000 }
    expect(await resolved({ model: small, context: {} })).toHaveProperty('context')
  })

  it('takes options of a provider that shorten nothing', async () => {
    const options = { openai: { truncation: 'disabled' }, openrouter: { transforms: [] } }
    const agent = { model: { ...openai, providerOptions: options }, context: {} }
    expect(await resolved(agent)).toHaveProperty('context')
  })
})
