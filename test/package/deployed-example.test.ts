/**
 * The example that charges cards, in its image, role by role, with a provider of the test. Would catch: an example whose tests pass and that
 * cannot be deployed, a provider's key that reaches a worker, an approval that no role carries on.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { redisMissing, skipRedis } from '../../packages/bullmq/test/support/redis-server.ts'
import { deployedRoles } from '../../packages/cli/src/deployment/role-secrets.ts'
import { call } from '../../packages/server/test/support/http.ts'
import { startAnthropicStub, type Stub } from './anthropic-stub.ts'
import { type DeployedImage, deployImage } from './deployed-image.ts'

const providerKey = 'provider-key-0123456789'
const charge = { order: 'A-17', amount: 1200, currency: 'EUR' }

describe.skipIf(skipRedis)(`the example of payments${redisMissing}`, () => {
  let box: DeployedImage
  let provider: Stub
  beforeAll(async () => {
    provider = await startAnthropicStub([
      [
        { name: 'mcp__rates__exchange_rate', input: { currency: 'USD' } },
        { name: 'charge_card', input: charge },
        { name: 'monthly_report', input: { days: 2 } },
      ],
      [{ text: 'Charged.' }],
    ])
    const secrets = { ANTHROPIC_API_KEY: providerKey }
    box = await deployImage('examples/payments', secrets, (project) => {
      const file = join(project, 'signalbox.config.ts')
      const config = readFileSync(file, 'utf8')
      const asked = config.replace(
        "provider: 'anthropic',",
        `provider: 'anthropic', baseURL: '${provider.url}',`,
      )
      if (asked === config) throw new Error('the configuration names its provider otherwise')
      writeFileSync(file, asked)
    })
  }, 300_000)
  afterAll(async () => {
    await box?.remove()
    provider?.close()
  })

  it('has its sources and its MCP server in the image, and no secrets', () => {
    const { image } = box
    const files = readdirSync(join(image.root, image.workdir))
    expect(files).toEqual(expect.arrayContaining(['signalbox.config.ts', 'src', 'servers']))
    expect(files).not.toContain('secrets')
  })

  it('does its work role by role: the charge waits for a person, and is made once', async () => {
    expect(await box.start('migrate').ended).toBe(0)
    const roles = ['api', 'orchestrator', 'worker'].map((role) => box.start(role))
    const [api = ''] = await Promise.all(roles.map(({ url }) => url))
    const headers = { authorization: `Bearer ${box.variablesOf('api')['SIGNALBOX_API_KEY']}` }
    const asked = await call(api, 'POST', '/runs/wait', {
      body: { assistant_id: 'cashier', input: 'Charge 12.00 EUR for order A-17.' },
      headers,
    })
    const { run_id: run, waiting } = asked.body.run
    expect(waiting).toMatchObject([{ tool: 'charge_card', args: charge }])
    const [{ approval_id: approval }] = waiting

    await call(api, 'POST', `/approvals/${approval}`, { body: { decision: 'approve' }, headers })
    const { body: ended } = await call(api, 'GET', `/runs/${run}/join`, { headers })
    expect(ended).toMatchObject({ outcome: 'completed' })
    expect(JSON.stringify(ended.messages)).toContain('receipt-1')
    expect(JSON.stringify(ended.messages)).toContain('1.25')
    const { body } = await call(api, 'GET', `/events?run_id=${run}&type=effect.started`, {
      headers,
    })
    const charges = body.events.filter(
      ({ tool }: { tool: string | null }) => tool === 'charge_card',
    )
    expect(charges).toHaveLength(1)
    expect(provider.keys).toEqual([providerKey, providerKey])
  })

  it('gives the key of the provider to the orchestrator alone', () => {
    const having = deployedRoles.filter((role) =>
      Object.hasOwn(box.variablesOf(role), 'ANTHROPIC_API_KEY'),
    )
    expect(having).toEqual(['orchestrator'])
  })
})
