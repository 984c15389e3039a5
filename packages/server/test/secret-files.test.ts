/**
 * Secrets that stand in files. Would catch: a value with its line break, a message that quotes a secret, a file that is no secret
 * taken for one, a descriptor that can be read again.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fileNames, ownSecrets, parseConfig, withSecretFiles } from '../src/index.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'signalbox-secrets-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const fileOf = async (content: string | Buffer): Promise<string> => {
  const file = join(dir, `secret-${Math.random().toString(36).slice(2)}`)
  await writeFile(file, content)
  return file
}

describe('a secret in a file', () => {
  it.each([
    ['geheim\n', 'geheim'],
    ['geheim\r\n', 'geheim'],
    ['geheim', 'geheim'],
    ['ge heim\n\n', 'ge heim'],
    ['-----BEGIN\nabc\n-----END\n', '-----BEGIN\nabc\n-----END'],
  ])('%j is %j', async (content, value) => {
    const env = { REDIS_URL_FILE: await fileOf(content), OTHER: '1' }
    expect(withSecretFiles(env, ['REDIS_URL'])).toEqual({ REDIS_URL: value, OTHER: '1' })
  })

  it('is one of a variable that is named, and no other', async () => {
    const env = { SSL_CERT_FILE: join(dir, 'nowhere'), REDIS_URL_FILE: '  ' }
    expect(withSecretFiles(env, ownSecrets)).toBe(env)
  })

  it.each<[string, () => Promise<string>, string]>([
    ['a file that is not there', () => Promise.resolve(join(dir, 'nowhere')), 'cannot be read'],
    ['a folder', () => Promise.resolve(dir), 'cannot be read: it is a directory'],
    ['an empty file', () => fileOf('\n'), 'is empty'],
    ['a file of 65 KiB', () => fileOf('geheim '.repeat(10_000)), 'more than 65536 bytes'],
    ['a device without an end', () => Promise.resolve('/dev/zero'), 'more than 65536 bytes'],
    ['bytes that are no text', () => fileOf(Buffer.from([0xff, 0xfe])), 'no text in UTF-8'],
    ['a zero byte', () => fileOf('geheim\0'), 'no text in UTF-8'],
    ['standard input', () => Promise.resolve('/dev/fd/0'), 'standard input, output and error'],
  ])('cannot be %s', async (_, make, why) => {
    const env = { DATABASE_URL_FILE: await make() }
    const refused = (): unknown => withSecretFiles(env, ownSecrets)
    expect(refused).toThrow(why)
    expect(refused).toThrow(/^DATABASE_URL_FILE: /)
    expect(refused).not.toThrow('geheim')
  })

  it('is not given twice', async () => {
    const env = { REDIS_URL_FILE: await fileOf('geheim'), REDIS_URL: 'redis://x' }
    expect(() => withSecretFiles(env, ownSecrets)).toThrow(
      'REDIS_URL_FILE: REDIS_URL is set too. Keep one of them',
    )
  })

  it('can be a descriptor, which is closed', async () => {
    const descriptor = openSync(await fileOf('geheim\n'), 'r')
    const env = { REDIS_URL_FILE: `/dev/fd/${descriptor}` }
    expect(withSecretFiles(env, ownSecrets)).toMatchObject({ REDIS_URL: 'geheim' })
    expect(() => readSync(descriptor, Buffer.alloc(1))).toThrow('EBADF')
    expect(() => closeSync(descriptor)).toThrow('EBADF')
  })
})

describe('the names of what may stand in a file', () => {
  it('are those of the configuration, and of its MCP servers', () => {
    const config = parseConfig({
      agents: {
        one: {
          model: { provider: 'openai', model: 'm', apiKeyEnv: 'MY_KEY' },
          fallbackModels: [{ provider: 'anthropic', model: 'm' }],
        },
      },
      mcpServers: {
        desk: { command: 'desk', env: { TOKEN: 'Bearer ${DESK_TOKEN}' } },
        shop: { url: 'https://example.com', headers: { 'x-key': '${SHOP_KEY:-none}' } },
      },
      webhooks: { secretEnv: ['OLD_SECRET', 'NEW_SECRET'] },
    })
    expect(fileNames(config)).toEqual(
      expect.arrayContaining([
        'DATABASE_URL',
        'DATABASE_ENGINE_URL',
        'REDIS_URL',
        'SIGNALBOX_API_KEY',
        'SIGNALBOX_METRICS_KEY',
        'SIGNALBOX_PSEUDONYM_KEY',
        'MY_KEY',
        'OPENAI_API_KEY',
        'ANTHROPIC_API_KEY',
        'OLD_SECRET',
        'NEW_SECRET',
        'DESK_TOKEN',
        'SHOP_KEY',
      ]),
    )
  })
})
