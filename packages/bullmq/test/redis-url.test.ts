/** Addresses of Redis. Would catch: a host or a password that is read wrong, a secret in a message. */
import { describeRedis, parseRedisUrl } from '@signalbox/bullmq'
import { describe, expect, it } from 'vitest'

const plain = { username: undefined, password: undefined, tls: false }
const node = (host: string, port = 6379) => ({ host, port })

describe('an address of Redis', () => {
  it.each([
    ['redis://r', { kind: 'single', nodes: [node('r')], ...plain }],
    ['redis://[::1]:7000/3', { kind: 'single', nodes: [node('::1', 7000)], ...plain }],
    [
      'rediss://me:a%2Fb:c@r:1?family=6',
      { kind: 'single', nodes: [node('r', 1)], username: 'me', password: 'a/b:c', tls: true },
    ],
    ['redis://:p@r', { kind: 'single', nodes: [node('r')], ...plain, password: 'p' }],
    [
      'rediss://u:p@a:1,b,[fe80::2]:3?cluster=true',
      {
        kind: 'cluster',
        nodes: [node('a', 1), node('b'), node('fe80::2', 3)],
        username: 'u',
        password: 'p',
        tls: true,
      },
    ],
    ['redis://a/0?cluster=true', { kind: 'cluster', nodes: [node('a')], ...plain }],
    [
      'redis-sentinel://:p@a,b:2/main/4?sentinelPassword=q',
      {
        kind: 'sentinel',
        nodes: [node('a', 26_379), node('b', 2)],
        name: 'main',
        db: 4,
        sentinelPassword: 'q',
        sentinelUsername: undefined,
        ...plain,
        password: 'p',
      },
    ],
  ])('%s', (url, target) => {
    expect(parseRedisUrl(url)).toEqual(target)
  })

  it.each([
    ['', 'must be an address'],
    ['http://geheim@r', 'must be an address'],
    ['redis://:geheim@a,b', 'add ?cluster=true'],
    ['redis://:geheim@a:99999', 'host:port'],
    ['redis://:geheim@', 'host:port'],
    ['redis://:geheim@a,,b?cluster=true', 'host:port'],
    ['redis://:geheim@a?cluster=yes', 'true or false'],
    ['redis://:geheim@a/1?cluster=true', 'database 0'],
    ['redis://:geheim@a/x', 'a number'],
    ['redis://:geheim%@a', 'hexadecimal'],
    ['redis://:geheim@a?clutser=true', 'known: cluster'],
    ['redis-sentinel://:geheim@a', 'name of the master'],
    ['redis-sentinel://:geheim@a/m/1/2', 'name of the master'],
    [`redis://${'a,'.repeat(60)}a?cluster=true`, 'more than 50'],
  ])('%s says what would be right, and no secret', (url, message) => {
    expect(() => parseRedisUrl(url)).toThrow(message)
    expect(() => parseRedisUrl(url)).not.toThrow('geheim')
  })

  it('is shown without secrets', () => {
    const shown = [
      'redis://u:geheim@r',
      'redis://:geheim@a,[::1]:2?cluster=true',
      'redis-sentinel://:geheim@a/m?sentinelPassword=geheim',
    ].map((url) => describeRedis(parseRedisUrl(url)))
    expect(shown).toEqual(['r:6379', 'a:6379, [::1]:2 (cluster)', 'a:26379 (sentinel)'])
  })
})
