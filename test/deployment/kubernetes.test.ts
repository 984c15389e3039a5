/**
 * The objects of Kubernetes that `signalbox deploy kubernetes` prints for the project of the fixtures, by the schemas that Kubernetes,
 * KEDA and the Prometheus operator publish, and by what the product relies on. No cluster has run them.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseConfig } from '@signalbox/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'

import { plannedQueues } from '../../packages/cli/src/deployment/plan.ts'
import { signalbox } from '../../packages/cli/test/support/command.ts'
import { type Deployed, deployProject } from './support/deployed.ts'
import { faultsOf } from './support/published-schemas.ts'

const Container = z.looseObject({
  image: z.string(),
  args: z.array(z.string()),
  envFrom: z.array(z.object({ secretRef: z.object({ name: z.string() }) })),
  env: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  lifecycle: z.unknown().optional(),
  readinessProbe: z.looseObject({ httpGet: z.object({ path: z.string() }) }).optional(),
  livenessProbe: z.looseObject({ httpGet: z.object({ path: z.string() }) }).optional(),
  securityContext: z.looseObject({}),
})
const Pod = z.looseObject({
  terminationGracePeriodSeconds: z.number().optional(),
  automountServiceAccountToken: z.boolean(),
  securityContext: z.looseObject({ runAsNonRoot: z.boolean() }),
  containers: z.tuple([Container]),
})
const Workload = z.looseObject({
  kind: z.enum(['Deployment', 'Job']),
  metadata: z.looseObject({ name: z.string(), namespace: z.string() }),
  spec: z.looseObject({ template: z.looseObject({ spec: Pod }) }),
})
const Scaled = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({
    scaleTargetRef: z.object({ name: z.string() }),
    triggers: z.tuple([
      z.object({
        type: z.literal('prometheus'),
        metadata: z.looseObject({ query: z.string(), threshold: z.string() }),
      }),
    ]),
  }),
})

let place: Deployed
let objects: readonly { readonly kind: string }[]
const args = ['deploy', 'kubernetes', '--image', 'registry.example/shop:1', '--namespace', 'shop']

const printed = (more: readonly string[] = []) =>
  signalbox([...args, ...more], { cwd: place.folder, env: { SHOP_FOLDER: place.folder } })

const makeSecrets = () =>
  signalbox(['deploy', 'secrets'], {
    cwd: place.folder,
    env: { CLERK_MODEL_KEY: 'key-of-the-provider', SHOP_FOLDER: place.folder },
  })

const documentsIn = (text: string) =>
  parseAllDocuments(text).map((document) => {
    expect(document.errors).toEqual([])
    const value: unknown = document.toJS()
    return z.looseObject({ kind: z.string() }).parse(value)
  })

beforeAll(async () => {
  place = await deployProject()
  const { code, stdout, stderr } = await printed()
  if (code !== 0) throw new Error(stderr)
  objects = documentsIn(stdout)
})
afterAll(() => place.remove())

const ofKind = (kind: string) => objects.filter((object) => object.kind === kind)
const workloads = () =>
  [...ofKind('Deployment'), ...ofKind('Job')].map((object) => Workload.parse(object))

describe('signalbox deploy kubernetes', () => {
  it('prints objects that the published schemas take', () => {
    expect(objects.length).toBeGreaterThan(15)
    expect(objects.flatMap(faultsOf)).toEqual([])
  })

  it.each([
    ['a field of another type', { replicas: 'two' }],
    ['a field that is missing', { selector: undefined }],
    ['a field that there is not', { replica: 2 }],
  ])('would be found out with %s', (_, change) => {
    const [first] = ofKind('Deployment')
    const spec = { ...z.looseObject({ spec: z.looseObject({}) }).parse(first).spec, ...change }
    expect(faultsOf({ ...first, spec })).not.toEqual([])
  })

  it('has a Deployment for each role and queue, a Job for the schema, and a budget for each', () => {
    const deployments = ofKind('Deployment').map((object) => Workload.parse(object).metadata.name)
    expect(deployments.toSorted()).toEqual([
      'signalbox-api',
      'signalbox-orchestrator',
      'signalbox-worker-payments',
      'signalbox-worker-reports',
      'signalbox-worker-tools',
    ])
    expect(ofKind('Job')).toHaveLength(1)
    expect(ofKind('PodDisruptionBudget')).toHaveLength(deployments.length)
    for (const { metadata } of workloads()) expect(metadata.namespace).toBe('shop')
  })

  it('gives each pod the Secret of its role, and the administrator to the Job alone', () => {
    const secretOf = Object.fromEntries(
      workloads().map(({ metadata, spec }) => [
        metadata.name,
        spec.template.spec.containers[0].envFrom.map(({ secretRef }) => secretRef.name),
      ]),
    )
    expect(secretOf).toEqual({
      'signalbox-api': ['signalbox-api'],
      'signalbox-orchestrator': ['signalbox-orchestrator'],
      'signalbox-worker-payments': ['signalbox-worker'],
      'signalbox-worker-reports': ['signalbox-worker'],
      'signalbox-worker-tools': ['signalbox-worker'],
      'signalbox-migrate': ['signalbox-migrate'],
    })
    for (const { kind, spec } of workloads()) {
      const { args: command } = spec.template.spec.containers[0]
      expect(command.includes('--no-migrate')).toBe(kind === 'Deployment')
    }
  })

  it('lets no pod be root, write into its image or speak to Kubernetes', () => {
    for (const { spec } of workloads()) {
      const { automountServiceAccountToken, securityContext, containers } = spec.template.spec
      expect(automountServiceAccountToken).toBe(false)
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      expect(containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    }
  })

  it('waits for a pod longer than its longest call may take, and asks each for its health', () => {
    // Of charge_card, write_report, and the tools that say nothing.
    const longest: Readonly<Record<string, number>> = { payments: 30, reports: 10, tools: 60 }
    for (const object of ofKind('Deployment')) {
      const { metadata, spec } = Workload.parse(object)
      const { terminationGracePeriodSeconds = 0, containers } = spec.template.spec
      const [{ env, livenessProbe, readinessProbe, lifecycle }] = containers
      expect(livenessProbe?.httpGet.path).toBe('/live')
      expect(readinessProbe?.httpGet.path).toBe('/ready')
      const graceMs = Number(env.find(({ name }) => name === 'SIGNALBOX_GRACE_MS')?.value)
      expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThan(graceMs)
      // A call gets five seconds after its timeout to come back. Other roles have no calls of tools.
      const seconds = longest[metadata.name.replace('signalbox-worker-', '')] ?? -5
      expect(graceMs).toBeGreaterThan((seconds + 5) * 1_000)
      // Balancers must have forgotten the API before it stops to answer.
      expect(lifecycle !== undefined).toBe(metadata.name === 'signalbox-api')
    }
  })

  it('scales workers by the calls of their queue that wait', () => {
    const scaled = ofKind('ScaledObject').map((object) => Scaled.parse(object))
    const facts = scaled.map(({ spec }) => [
      spec.scaleTargetRef.name,
      /queue="([a-z]+)"/.exec(spec.triggers[0].metadata.query)?.[1],
      spec.triggers[0].metadata.threshold,
    ])
    expect(facts).toEqual(
      expect.arrayContaining([
        ['signalbox-worker-payments', 'payments', '1'],
        ['signalbox-worker-reports', 'reports', '1'],
        ['signalbox-worker-tools', 'tools', '16'],
      ]),
    )
    expect(facts).toHaveLength(3)
    for (const { spec } of scaled)
      expect(spec.triggers[0].metadata.query).toContain('max(signalbox_effects_waiting{')
  })

  it('prints the Secrets of a folder apart, each with the variables of its role', async () => {
    const made = await makeSecrets()
    expect(made.code, made.stderr).toBe(0)
    const { code, stdout, stderr } = await printed(['--secrets', 'secrets'])
    expect(code, stderr).toBe(0)
    const secrets = documentsIn(stdout)
    expect(secrets.flatMap(faultsOf)).toEqual([])
    const variables = Object.fromEntries(
      secrets.map((secret) => {
        const { metadata, stringData } = z
          .looseObject({
            metadata: z.looseObject({ name: z.string() }),
            stringData: z.record(z.string(), z.string()),
          })
          .parse(secret)
        return [metadata.name, Object.keys(stringData)]
      }),
    )
    expect(Object.keys(variables).toSorted()).toEqual([
      'signalbox-api',
      'signalbox-metrics',
      'signalbox-migrate',
      'signalbox-orchestrator',
      'signalbox-worker',
    ])
    const having = (name: string) =>
      Object.keys(variables).filter((secret) => variables[secret]?.includes(name))
    expect(having('DATABASE_URL')).toEqual(['signalbox-migrate'])
    expect(having('SIGNALBOX_API_KEY')).toEqual(['signalbox-api'])
    expect(having('CLERK_MODEL_KEY')).toEqual(['signalbox-orchestrator'])
    expect(having('DATABASE_APP_URL')).not.toContain('signalbox-worker')
    expect(await readFile(join(place.folder, '.gitignore'), 'utf8')).toContain('secrets/')
  })

  it('makes no secrets a second time', async () => {
    const made = await makeSecrets()
    expect(made.code).toBe(5)
    expect(made.stderr).toContain('no secret is overwritten')
  })

  it.each([
    ['ends as no name may', { queue: 'pay-' }, 'ends with "-"'],
    ['has calls that no worker is waited for', { timeoutMs: 7_200_000 }, 'Shorten its timeoutMs'],
  ])('refuses a queue that %s', (_, change, why) => {
    const config = parseConfig({
      agents: { clerk: { model: { provider: 'scripted', model: 'm' } } },
      mcpServers: { desk: { command: 'desk', ...change } },
    })
    expect(() => plannedQueues(config)).toThrow(why)
  })

  it('refuses what is no namespace', async () => {
    const { code, stderr } = await printed(['--namespace', 'Not One'])
    expect(code).toBe(2)
    expect(stderr).toContain('--namespace: "Not One" is no name of a namespace.')
  })
})
