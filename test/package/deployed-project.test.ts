/**
 * The project of the fixtures in its image, role by role. Would catch: a file that the image lacks, a command that is not understood, a role
 * that misses a secret or has one too many.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { redisMissing, skipRedis } from '../../packages/bullmq/test/support/redis-server.ts'
import { deployedRoles } from '../../packages/cli/src/deployment/role-secrets.ts'
import { call } from '../../packages/server/test/support/http.ts'
import { type DeployedImage, deployImage } from './deployed-image.ts'

const providerKey = 'provider-key-0123456789'

describe.skipIf(skipRedis)(`a project with tools of its own${redisMissing}`, () => {
  let box: DeployedImage
  beforeAll(async () => {
    box = await deployImage('test/deployment/project', { CLERK_MODEL_KEY: providerKey })
  }, 300_000)
  afterAll(() => box?.remove())

  const having = (name: string) =>
    deployedRoles.filter((service) => Object.hasOwn(box.variablesOf(service), name))

  it('has its tools and Signalbox in the image, and neither secrets nor tests of anybody', () => {
    const { image } = box
    const files = readdirSync(join(image.root, image.workdir))
    expect(files).toEqual(expect.arrayContaining(['signalbox.config.ts', 'tools', 'mcp']))
    expect(files).not.toContain('secrets')
    expect(image.user).toBe('node')
    expect(image.entrypoint).toEqual([
      'node',
      join(image.workdir, 'node_modules/signalbox/bin/signalbox.js'),
    ])
  })

  it('is started role by role, each with its own secrets, and does its work', async () => {
    const { deployed } = box
    expect(await box.start('migrate').ended).toBe(0)
    const [api, orchestrator, worker] = ['api', 'orchestrator', 'worker'].map((role) =>
      box.start(role),
    )
    const urls = await Promise.all([api?.url, orchestrator?.url, worker?.url])
    const key = box.variablesOf('api')['SIGNALBOX_API_KEY'] ?? ''
    await deployed.answerBank()
    const answer = await call(urls[0] ?? '', 'POST', '/runs/wait', {
      body: {
        assistant_id: 'clerk',
        input: 'charge_card write_report mcp__desk__price look_around mcp__desk__look_around',
      },
      headers: { authorization: `Bearer ${key}` },
    })
    expect(answer.body).toMatchObject({ outcome: 'completed' })
    expect(await deployed.written('charges')).toMatch(/^\d+ 5\n$/)

    const secrets = deployedRoles.flatMap((service) =>
      Object.entries(box.variablesOf(service)).flatMap(([name, value]) =>
        name === 'SHOP_FOLDER' || value === '' ? [] : [value],
      ),
    )
    expect(secrets).toContain(providerKey)
    for (const name of ['seen-by-tool', 'seen-by-bash', 'seen-by-mcp']) {
      const seen = await deployed.written(name)
      expect(seen, name).toContain('SHOP_FOLDER')
      for (const secret of secrets) expect(seen, name).not.toContain(secret)
    }
    worker?.child.kill('SIGTERM')
    expect(await worker?.ended).toBe(0)
  })

  it('gives the administrator to migrate alone, and the keys to who needs them', () => {
    expect(having('DATABASE_URL')).toEqual(['migrate'])
    expect(having('SIGNALBOX_API_KEY')).toEqual(['api'])
    expect(having('CLERK_MODEL_KEY')).toEqual(['orchestrator'])
    expect(having('DATABASE_ENGINE_URL')).toEqual(['migrate', 'api', 'orchestrator', 'worker'])
  })
})
