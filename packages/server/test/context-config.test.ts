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
  ])('refuses %s, and names the field', async (_, agent, field) => {
    expect(String(await refusal(agent))).toContain(field)
  })
})
