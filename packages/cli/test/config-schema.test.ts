/** The JSON Schema that editors read: it takes what the loader takes, and marks what it refuses. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ConfigError, parseConfig } from '@signalbox/server'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { signalbox } from './support/command.ts'
import { createFolder } from './support/folder.ts'

const model = { provider: 'openai', model: 'm' }
const agents = { a: { model } }

let accepts: (value: unknown) => boolean
beforeAll(async () => {
  const file = fileURLToPath(new URL('../config.schema.json', import.meta.url))
  const schema = JSON.parse(await readFile(file, 'utf8'))
  accepts = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
})

const right: readonly unknown[] = [
  { agents },
  { $schema: './x.json', agents, server: { port: 8080 } },
  {
    agents: {
      a: { model, guardrails: { stream: ['pii', { use: 'banned-terms', terms: ['x'] }] } },
    },
  },
  { agents: { a: { model, guardrails: { provider: { use: 'allowlist', allowedTools: null } } } } },
  { agents: { a: { model, guardrails: { provider: { use: './policy.ts#judge' } } } } },
  { agents: { a: { model, limits: { maxCost: 0.5 } } }, mcpServers: { fs: { command: 'fs' } } },
]
it.each(right)('takes %j, as the loader does', (value) => {
  expect(() => parseConfig(value)).not.toThrow()
  expect(accepts(value)).toBe(true)
})

const wrong: readonly unknown[] = [
  {},
  { agents: { a: {} } },
  { agents: [] },
  { agents: { a: { model: { provider: 'opnai', model: 'm' } } } },
  { agents: { a: { model: { ...model, apiKey: 'x' } } } },
  { agents: { a: { model, instrucions: '' } } },
  { agents: { a: { model, limits: { maxTurns: 0 } } } },
  { agents: { a: { model, limits: { maxTurns: '5' } } } },
  { agents: { a: { model, limits: { maxCost: 0 } } } },
  { agents: { a: { model, guardrails: { stream: [{ id: 'x', name: 'x' }] } } } },
  { agents: { a: { model, guardrails: { provider: { use: 'policy.ts' } } } } },
  { agents, tools: [{}] },
  { agents, server: { port: 70_000 } },
]
it.each(wrong)('marks %j, as the loader does', (value) => {
  expect(() => parseConfig(value)).toThrow(ConfigError)
  expect(accepts(value)).toBe(false)
})

it('is named by what init --json writes, and found there', async () => {
  const { dir, remove } = await createFolder()
  onTestFinished(remove)
  await signalbox(['init', '--json'], { cwd: dir })
  const config = JSON.parse(await readFile(join(dir, 'signalbox.config.json'), 'utf8'))
  expect(accepts(config)).toBe(true)
  const named = JSON.parse(await readFile(join(dir, config.$schema), 'utf8'))
  expect(named).toMatchObject({ title: 'Configuration of Signalbox' })
})

it('says in an editor what a key does', async () => {
  const file = fileURLToPath(new URL('../config.schema.json', import.meta.url))
  const { properties } = JSON.parse(await readFile(file, 'utf8'))
  expect(properties.server.properties.port.description).toBe(
    'Overridden by `PORT`; 0 takes a free one.',
  )
})
