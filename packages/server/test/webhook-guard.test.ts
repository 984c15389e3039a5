/**
 * Where webhooks may go. Would catch: a way inward that is spelt otherwise, a name that leads elsewhere when it is connected to
 * than when it was checked, a redirect that is followed, an answer that is read without end.
 */
import type { LookupAddress } from 'node:dns'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseConfig } from '@signalbox/server'
import { AddressRefused, type Lookup, post } from '../src/webhooks/post.ts'
import { isPublic, reachOf } from '../src/webhooks/reach.ts'
import { webhookRefusal } from '../src/webhooks/refusal.ts'
import { readWebhooks } from '../src/webhooks/settings.ts'
import { secretProblem } from '../src/webhooks/sign.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'

/** Ranges of the registries for special purposes (RFC 6890 and its successors), and platforms' own. */
const inward = [
  ['0.0.0.0', 'this network'],
  ['10.1.2.3', 'private'],
  ['100.64.0.1', 'carrier-grade NAT'],
  ['100.100.100.200', 'metadata of Alibaba'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['168.63.129.16', 'platform of Azure'],
  ['169.254.169.254', 'metadata of AWS, Google and Azure'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.0.0.192', 'metadata of Oracle'],
  ['192.0.2.1', 'documentation'],
  ['192.88.99.1', '6to4 relay'],
  ['192.168.1.1', 'private'],
  ['198.18.0.1', 'benchmarking'],
  ['198.51.100.1', 'documentation'],
  ['203.0.113.1', 'documentation'],
  ['224.0.0.1', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['::127.0.0.1', 'IPv4-compatible'],
  ['::ffff:127.0.0.1', 'IPv4-mapped'],
  ['::ffff:a9fe:a9fe', 'IPv4-mapped metadata'],
  ['64:ff9b::7f00:1', 'NAT64'],
  ['64:ff9b:1::7f00:1', 'local NAT64'],
  ['100::1', 'discard'],
  ['2001::1', 'Teredo'],
  ['2001:db8::1', 'documentation'],
  ['2002:7f00:1::', '6to4 of loopback'],
  ['4000::1', 'not assigned'],
  ['5f00::1', 'segment routing'],
  ['fc00::1', 'unique local'],
  ['fd00:ec2::254', 'metadata of AWS'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local with a zone'],
  ['fec0::1', 'site-local'],
  ['ff02::1', 'multicast'],
  ['nonsense', 'no address'],
] as const

const nobody = reachOf([])

describe('an address', () => {
  it.each(inward)('%s is not public: %s', (address) => {
    expect(isPublic(address)).toBe(false)
    expect(nobody.admits(address)).toBe(false)
  })

  it.each(['1.1.1.1', '93.184.215.14', '172.32.0.1', '2606:4700::1111', '::ffff:1.1.1.1'])(
    '%s is public',
    (address) => expect(isPublic(address)).toBe(true),
  )

  it('is opened by its range alone', () => {
    const reach = reachOf(['10.0.0.0/8', 'fd00::/8', '192.168.1.7'])
    const admitted = ['10.9.9.9', '::ffff:10.9.9.9', 'fd00::1', '192.168.1.7']
    expect(admitted.filter((each) => !reach.admits(each))).toEqual([])
    const others = ['11.0.0.1', '192.168.1.8', 'fc00::1', '127.0.0.1']
    expect(others.filter((each) => reach.admits(each))).toEqual(['11.0.0.1'])
  })
})

describe('a URL', () => {
  it.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://①27.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://127.0.0.1./',
    'http://example.com/',
    'http://1.1.1.1/',
    'ftp://example.com/',
    'https://me@example.com/',
    'https://me:word@example.com/',
  ])('%s is refused', (url) => expect(webhookRefusal(new URL(url), nobody)).not.toBeNull())

  it('is taken where it is public and by https, or opened', () => {
    const reach = reachOf(['hooks.internal', '10.0.0.0/8', '::1'])
    const fine = [
      'https://example.com:8443/x?y=z',
      'https://1.1.1.1/',
      'http://hooks.internal/',
      'http://HOOKS.internal./',
      'http://10.1.2.3:8080/',
      'http://[::1]:1/',
    ]
    expect(fine.filter((url) => webhookRefusal(new URL(url), reach) !== null)).toEqual([])
    expect(webhookRefusal(new URL('http://hooks.internal.evil.com/'), reach)).not.toBeNull()
  })
})

const send = (url: string, lookup: Lookup, allow: readonly string[] = []) =>
  post({
    url: new URL(url),
    headers: {},
    body: Buffer.from('{}'),
    reach: reachOf(allow),
    signal: AbortSignal.timeout(5_000),
    lookup,
  })

describe('a connection', () => {
  let receiver: Receiver
  let asked: string[] = []

  beforeAll(async () => {
    receiver = await startReceiver()
  })
  afterAll(() => receiver?.close())

  /** A name that leads to these addresses, one list per lookup. */
  const leadingTo = (...lists: readonly (readonly string[])[]): Lookup => {
    const left = [...lists]
    return (host, found) => {
      asked.push(host)
      const addresses = (left.shift() ?? []).map((address): LookupAddress => ({
        address,
        family: address.includes(':') ? 6 : 4,
      }))
      found(null, addresses)
    }
  }

  const port = () => new URL(receiver.url).port

  it('is made to the address that was checked, looked up once, whatever the name says next', async () => {
    asked = []
    const rebinding = leadingTo(['127.0.0.1'], ['127.0.0.1'])
    const url = `http://rebind.test:${port()}/`
    await expect(send(url, rebinding)).rejects.toThrow(AddressRefused)
    expect(asked).toEqual(['rebind.test'])
    expect(receiver.received).toEqual([])
    expect(await send(url, leadingTo(['127.0.0.1'], ['10.0.0.1']), ['127.0.0.1'])).toMatchObject({
      status: 204,
    })
    expect(asked).toEqual(['rebind.test', 'rebind.test'])
  })

  it('is not made where one of the addresses leads inward', async () => {
    const before = receiver.received.length
    const both = leadingTo(['1.1.1.1', '127.0.0.1'])
    await expect(send(`http://both.test:${port()}/`, both)).rejects.toThrow(AddressRefused)
    const mapped = leadingTo(['::ffff:127.0.0.1'])
    await expect(send(`http://mapped.test:${port()}/`, mapped)).rejects.toThrow(AddressRefused)
    expect(receiver.received).toHaveLength(before)
  })

  it('is closed when an answer goes on and on, and when none comes', async () => {
    receiver.answers('/long', (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
      }
      response.on('drain', more).writeHead(200)
      more()
    })
    receiver.answers('/silent', () => {})
    const here = leadingTo(['127.0.0.1'], ['127.0.0.1'])
    const base = `http://name.test:${port()}`
    expect(await send(`${base}/long`, here, ['127.0.0.1'])).toMatchObject({ status: 200 })
    const waiting = post({
      url: new URL(`${receiver.url}/silent`),
      headers: {},
      body: Buffer.from('{}'),
      reach: reachOf(['127.0.0.1']),
      signal: AbortSignal.timeout(50),
    })
    await expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})

const to = (over: object) => ({ endpoints: { e: { url: 'https://example.com/', ...over } } })

describe('the configuration', () => {
  const agents = { a: { model: { provider: 'scripted', model: 'm' } } } as const
  const good = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const read = (webhooks: object, env = {}) => readWebhooks(parseConfig({ agents, webhooks }), env)

  it.each([
    ['an address that leads inward', to({ url: 'https://10.0.0.1/' }), 'webhooks.endpoints.e.url'],
    ['a name in an address', to({ url: 'https://me@example.com/' }), 'webhooks.endpoints.e.url'],
    ['no address', { endpoints: { e: {} } }, 'webhooks.endpoints.e'],
    ['a variable that is empty', { endpoints: { e: { urlEnv: 'NO' } } }, 'NO'],
    ['an agent that is not there', to({ agents: ['b'] }), 'webhooks.endpoints.e.agents'],
    ['no secret', to({ secretEnv: 'NO' }), 'NO'],
    ['a secret that is none', to({ secretEnv: 'BAD' }), 'BAD'],
    ['three secrets', { secretEnv: ['A', 'B', 'C'] }, 'webhooks.secretEnv'],
    ['a range that is none', { allow: ['10.0.0.0/99'] }, 'webhooks.allow[0]'],
    ['a moment that never comes', to({ on: ['done'] }), 'webhooks.endpoints.e.on[0]'],
  ])('refuses %s', (_, webhooks, field) => {
    const env = { SIGNALBOX_WEBHOOK_SECRET: good, BAD: 'whsec_c2hvcnQ=' }
    expect(() => read(webhooks, env)).toThrow(expect.objectContaining({ field }))
  })

  it('has its secrets from the environment, and never says one', () => {
    const settings = read(to({ agents: ['a'] }), { SIGNALBOX_WEBHOOK_SECRET: ` ${good} ` })
    expect(settings.endpoints.get('e')).toMatchObject({ secrets: [good], agents: ['a'] })
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), (secret) => {
        fc.pre(secretProblem(secret) !== null)
        expect(secretProblem(secret)).not.toContain(secret)
      }),
    )
  })
})
