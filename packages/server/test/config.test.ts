/** Configurations: what is accepted, and that every mistake names its field and what would be right. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentDefinition } from '@signalbox/core'
import { validateDetectors } from '@signalbox/models'
import {
  type Config,
  ConfigError,
  defineConfig,
  loadConfig,
  loadGovernance,
  parseConfig,
  readEnvironment,
  resolveAgents,
} from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { importWithin } from '../src/config/import-within.ts'
import { configErrorOf } from './support/mistakes.ts'

const folders: string[] = []
const folder = async (): Promise<string> => {
  const made = await mkdtemp(join(tmpdir(), 'signalbox-config-'))
  folders.push(made)
  return made
}
afterAll(async () => {
  for (const made of folders) await rm(made, { recursive: true, force: true })
})

/** The configuration of the design. */
const example = {
  agents: {
    writer: {
      model: {
        provider: 'openai-compatible',
        model: 'kimi-k2',
        baseURL: 'http://127.0.0.1:9999/v1',
        apiKeyEnv: 'KIMI_API_KEY',
      },
      instructions: 'You write reports.',
      tools: ['look'],
      safety: {
        detectors: [{ use: 'openai-compatible', finishReasons: ['content_filter', 'sensitive'] }],
      },
      guardrails: {
        provider: { use: 'allowlist', deniedTools: ['look'] },
        failClosed: true,
        stream: ['error-recovery'],
        maxGuardrailRetries: 3,
      },
      loop: { warnThreshold: 3, hardLimit: 5, windowSize: 20 },
      limits: { maxTurns: 50, maxToolCalls: 200, maxTokens: 1_000_000, timeoutMs: 3_600_000 },
    },
  },
  mcpServers: {
    fs: { command: 'npx', args: ['mcp-server-filesystem', './data'], trustHints: true },
  },
}

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  effect: 'read',
  input: z.object({}),
  run: () => 'seen',
})
const resolved = async (config: Config) => {
  const governance = await loadGovernance({ config, dir: tmpdir() })
  return resolveAgents(config, { specs: [look.toSpec()], validateDetectors, governance })
}

/** The example with one value replaced. */
function changed(
  [key, ...path]: readonly string[],
  value: unknown,
  from: object = example,
): unknown {
  const inner: unknown = Reflect.get(from, key ?? '')
  if (path.length === 0) return { ...from, [key ?? '']: value }
  if (typeof inner !== 'object' || !inner) throw new Error(`nothing at ${key}`)
  return { ...from, [key ?? '']: changed(path, value, inner) }
}

function errorOf(run: () => unknown): ConfigError {
  try {
    run()
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('nothing was wrong')
}

const writer = ['agents', 'writer']
const mistakes: readonly (readonly [readonly string[], unknown, string, string, string])[] = [
  [['agnets'], {}, 'config_unknown_key', 'agnets', 'Did you mean "agents"?'],
  [
    [...writer, 'instrucions'],
    '',
    'config_unknown_key',
    'agents.writer.instrucions',
    '"instructions"',
  ],
  [
    [...writer, 'limits', 'maxTurn'],
    1,
    'config_unknown_key',
    'agents.writer.limits.maxTurn',
    '"maxTurns"',
  ],
  [
    [...writer, 'model', 'contextWindw'],
    32_000,
    'config_unknown_key',
    'agents.writer.model.contextWindw',
    '"contextWindow"',
  ],
  [
    [...writer, 'model', 'contextWindow'],
    999,
    'config_invalid',
    'agents.writer.model.contextWindow',
    'from 1000',
  ],
  [
    [...writer, 'model', 'contextWindow'],
    2000.5,
    'config_invalid',
    'agents.writer.model.contextWindow',
    'a whole number',
  ],
  [
    [...writer, 'model', 'contextWindow'],
    100_000_001,
    'config_invalid',
    'agents.writer.model.contextWindow',
    'up to 100000000',
  ],
  [
    [...writer, 'model', 'maxOutputTokens'],
    10_000_001,
    'config_invalid',
    'agents.writer.model.maxOutputTokens',
    'up to 10000000',
  ],
  [
    [...writer, 'model', 'baseUrl'],
    '',
    'config_unknown_key',
    'agents.writer.model.baseUrl',
    '"baseURL"',
  ],
  [
    ['mcpServers', 'fs', 'trustHint'],
    true,
    'config_unknown_key',
    'mcpServers.fs.trustHint',
    '"trustHints"',
  ],
  [
    [...writer, 'guardrails', 'provider', 'denyTools'],
    [],
    'config_unknown_key',
    'agents.writer.guardrails.provider.denyTools',
    '"deniedTools"',
  ],
  [
    [...writer, 'limits', 'maxTurns'],
    0,
    'config_invalid',
    'agents.writer.limits.maxTurns',
    'from 1',
  ],
  [
    [...writer, 'limits', 'maxTurns'],
    '5',
    'config_invalid',
    'agents.writer.limits.maxTurns',
    'number',
  ],
  [
    [...writer, 'model', 'provider'],
    'opnai',
    'config_invalid',
    'agents.writer.model.provider',
    'openai',
  ],
  [['agents'], {}, 'config_invalid', 'agents', 'at least one'],
  [['agents', 'a b'], example.agents.writer, 'config_invalid', 'agents.a b', 'a name is'],
  [['tools'], [{}], 'config_invalid', 'tools[0]', 'defineTool'],
  [
    ['queues'],
    { tools: { concurrency: 0 } },
    'config_invalid',
    'queues.tools.concurrency',
    'from 1',
  ],
]

describe('a configuration', () => {
  it('of the design is accepted, and resolved', async () => {
    const config = parseConfig(example)
    const agent = (await resolved(config)).get('writer')
    expect(agent).toMatchObject({
      name: 'writer',
      instructions: 'You write reports.',
      guardrails: { allowedTools: null, failClosed: true, maxGuardrailRetries: 3 },
      limits: { maxTurns: 50, maxToolCalls: 200, maxTokens: 1_000_000, timeoutMs: 3_600_000 },
    })
    expect(agent?.tools).toEqual([look.toSpec()])
  })

  it('is completed with the defaults of an agent', async () => {
    const config = parseConfig({
      agents: { a: { model: { provider: 'anthropic', model: 'claude' } } },
    })
    expect((await resolved(config)).get('a')).toMatchObject({
      instructions: '',
      tools: [],
      loop: { warnThreshold: 3, hardLimit: 5, windowSize: 20, cycles: { longest: 5 }, news: true },
      approvals: { rememberedBits: 128 },
      continueCutCalls: true,
      limits: { maxTurns: 50 },
      onUnknown: 'ask',
    })
    expect(config.server).toMatchObject({ port: 7420, host: '127.0.0.1' })
  })

  it('asks a new run for the end marker of the chat wire, unless the model says that none comes', async () => {
    const model = { provider: 'openai-compatible', model: 'm', baseURL: 'http://127.0.0.1:9999/v1' }
    const lax = { ...model, endMarker: 'optional' }
    const agents = {
      a: { model, fallbackModels: [lax] },
      b: { model: lax, fallbackModels: [model] },
    }
    const definitions = await resolved(parseConfig({ agents }))
    const markers = [...definitions.values()].map(({ model: first, fallbackModels: [second] }) => [
      first.endMarker,
      second?.endMarker,
    ])
    expect(markers).toEqual([
      ['required', 'optional'],
      ['optional', 'required'],
    ])
    // What an older build stored says nothing of it: its runs execute nothing behind a missing end either.
    expect(AgentDefinition.parse({ name: 'a', model, instructions: '', tools: [] })).toMatchObject({
      model: { endMarker: 'required' },
    })
  })

  it.each(mistakes)('with %j = %j is refused', (path, value, code, field, hint) => {
    const error = errorOf(() => parseConfig(changed(path, value)))
    expect(error).toMatchObject({ code, field })
    expect(error.message).toContain(hint)
  })

  const unresolved: readonly (readonly [readonly string[], unknown, string, string])[] = [
    [[...writer, 'tools'], ['lok'], 'config_unknown_tool', '"look"'],
    [[...writer, 'tools'], ['mcp:sf'], 'config_unknown_mcp_server', '"fs"'],
    [[...writer, 'tools'], ['workspace'], 'config_unknown_tool', 'workspace'],
    [[...writer, 'guardrails', 'approvalTools'], ['loook'], 'config_unknown_tool', '"look"'],
    [[...writer, 'guardrails', 'provider', 'deniedTools'], ['bash'], 'config_unknown_tool', 'look'],
    [
      [...writer, 'safety', 'detectors'],
      [{ use: 'opnai' }],
      'config_unknown_detector',
      'openai-compatible',
    ],
    [[...writer, 'model'], { provider: 'scripted', model: 'x' }, 'config_invalid', 'scripts'],
  ]
  it.each(unresolved)(
    'that names at %j what is not there (%j) is refused',
    async (path, value, code, hint) => {
      const config = parseConfig(changed(path, value))
      const error = await configErrorOf(() => resolved(config))
      expect(error.code).toBe(code)
      expect(error.field).toContain('agents.writer')
      expect(error.message).toContain(hint)
    },
  )

  it('is read from a file of any kind', async () => {
    const text = JSON.stringify(example)
    const files = {
      'signalbox.config.json': text,
      'signalbox.config.mjs': `export default ${text}`,
      'signalbox.config.ts': `const config: { readonly agents: object } = ${text}\nexport default config`,
    }
    for (const [name, content] of Object.entries(files)) {
      const cwd = await folder()
      await writeFile(join(cwd, name), content)
      const { config, dir } = await loadConfig({ cwd, env: {} })
      expect(config).toEqual(parseConfig(defineConfig(parseConfig(example))))
      expect(dir).toBe(cwd)
    }
  })

  it('that is missing, doubled or broken is told apart', async () => {
    const cwd = await folder()
    const load = (env = {}) => loadConfig({ cwd, env })
    await expect(load()).rejects.toMatchObject({ code: 'config_not_found' })
    await expect(load({ SIGNALBOX_CONFIG: 'x.json' })).rejects.toMatchObject({
      code: 'config_not_found',
      field: 'SIGNALBOX_CONFIG',
    })
    await writeFile(join(cwd, 'signalbox.config.json'), '{')
    await expect(load()).rejects.toMatchObject({ code: 'config_unreadable' })
    await writeFile(join(cwd, 'signalbox.config.json'), '{"agents":{},"agents":{}}')
    await expect(load()).rejects.toMatchObject({ code: 'config_unreadable' })
    await writeFile(join(cwd, 'signalbox.config.mjs'), 'export const config = {}')
    await expect(load()).rejects.toMatchObject({ code: 'config_ambiguous' })
    await expect(load({ SIGNALBOX_CONFIG: 'signalbox.config.mjs' })).rejects.toMatchObject({
      code: 'config_invalid',
    })
  })

  it('whose module waits for ever at its top level is said to', async () => {
    const file = join(await folder(), 'waits.mjs')
    await writeFile(file, 'await new Promise(() => {})\nexport const judge = () => null')
    await expect(importWithin(file, 200)).rejects.toThrow(/not loaded after 0.2 s.*top level/)
  })
})

describe('the environment', () => {
  const wrong: readonly (readonly [string, string])[] = [
    ['DATABASE_URL', 'mysql://user:geheim@host/db'],
    ['DATABASE_URL', 'geheim'],
    ['REDIS_URL', 'http://geheim'],
    ['REDIS_URL', 'redis://:geheim@a,b'],
    ['REDIS_URL', 'redis-sentinel://:geheim@a'],
    ['SIGNALBOX_QUEUE_PREFIX', '{geheim}'],
    ['SIGNALBOX_QUEUE_PREFIX', 'geheim:x'],
    ['PORT', '70000'],
    ['PORT', '-1'],
    ['PORT', '8e3'],
    ['SIGNALBOX_API_KEY', 'geheim'],
    ['LOG_LEVEL', 'geheim'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'geheim'],
  ]
  it.each(wrong)('with %s=%s is refused, without saying the value', (name, value) => {
    const error = errorOf(() => readEnvironment({ [name]: value }))
    expect(error).toMatchObject({ code: 'config_env', field: name })
    expect(error.message).not.toContain('geheim')
  })

  it('counts an empty variable as absent', () => {
    expect(readEnvironment({ DATABASE_URL: '', REDIS_URL: ' ', PORT: '' })).toMatchObject({
      databaseUrl: null,
      redisUrl: null,
      port: null,
    })
  })
})
