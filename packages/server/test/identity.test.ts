/**
 * Who asks, as the headers of a proxy say, and the pseudonyms of end users. Would catch: an identity that a client can
 * choose, a pseudonym that changes, a key that others can read.
 */
import { createHmac } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pseudonymKeyIn } from '../src/compose/pseudonym-key.ts'
import { pseudonymsBy, withIdentity } from '../src/http/identity.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'signalbox-identity-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const key = 'k'.repeat(32)
const named = (endUser: string): string =>
  `u_${createHmac('sha256', key).update(`default\n${endUser}`).digest('hex').slice(0, 32)}`
const known = { tenantId: 'default', actor: 'api', scopes: ['read'] as const }
const anybody = () => Promise.resolve(known)
const asked = (
  identity: { userHeader?: string; roleHeader?: string; endUserHeader?: string },
  headers: Readonly<Record<string, string>>,
) => withIdentity(anybody, identity, pseudonymsBy(key))(new Headers(headers))

const all = { userHeader: 'X-User', roleHeader: 'X-Role', endUserHeader: 'X-End-User' }
/** Headers carry bytes: what a proxy sends as UTF-8 arrives like this. */
const bytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

describe('identity', () => {
  it('is what the headers say', async () => {
    const headers = { 'x-user': 'ann', 'x-role': 'lead', 'x-end-user': 'zoe@example.com' }
    expect(await asked(all, headers)).toEqual({
      ...known,
      actor: 'user:ann',
      user: { id: 'ann', role: 'lead' },
      endUser: named('zoe@example.com'),
    })
    expect(await asked(all, {})).toEqual(known)
    expect(await asked(all, { 'x-role': 'lead' })).toEqual(known)
    expect(await asked(all, { 'x-user': ' ' })).toEqual(known)
    expect(await asked(all, { 'x-user': bytes('Zoë') })).toMatchObject({
      user: { id: 'Zoë', role: null },
    })
  })

  it('has the user as the end user where no header names another', async () => {
    expect(await asked({ userHeader: 'x-user' }, { 'x-user': 'ann' })).toMatchObject({
      endUser: named('ann'),
    })
    expect(await asked(all, { 'x-user': 'ann' })).not.toHaveProperty('endUser')
    expect(await asked({ endUserHeader: 'x-end' }, { 'x-end': 'zoe' })).toEqual({
      ...known,
      endUser: named('zoe'),
    })
  })

  it('is never of somebody who was not authenticated', async () => {
    const nobody = withIdentity(() => Promise.resolve(null), all, pseudonymsBy(key))
    expect(await nobody(new Headers({ 'x-user': 'ann' }))).toBeNull()
  })

  const unusable = ['ann, admin', 'x'.repeat(191), 'a\tb', '\u00ff']
  it.each(unusable)('is refused where a header says %j', async (value) => {
    for (const header of ['x-user', 'x-end-user'])
      await expect(asked(all, { [header]: value })).rejects.toThrow(`invalid_header: `)
  })

  it('is another pseudonym for another tenant and another key', () => {
    const one = pseudonymsBy(key)
    expect(one('default', 'zoe')).toMatch(/^u_[0-9a-f]{32}$/)
    expect(one('default', 'zoe')).toBe(pseudonymsBy(key)('default', 'zoe'))
    const others = [one('other', 'zoe'), one('default', 'zo'), pseudonymsBy('x')('default', 'zoe')]
    expect(new Set([...others, one('default', 'zoe')]).size).toBe(4)
  })
})

describe('the key of the pseudonyms', () => {
  it('is made once, whole, for everybody at once, and readable by its owner alone', async () => {
    const home = join(dir, 'new')
    const keys = await Promise.all(Array.from({ length: 16 }, () => pseudonymKeyIn(home)))
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(await readdir(home)).toEqual(['pseudonym.key'])
    const file = join(home, 'pseudonym.key')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readFile(file, 'utf8')).toBe(keys[0])
    expect(await pseudonymKeyIn(home)).toBe(keys[0])
  })

  it('that is damaged is told, not replaced', async () => {
    await writeFile(join(dir, 'pseudonym.key'), 'half')
    await expect(pseudonymKeyIn(dir)).rejects.toMatchObject({ code: 'pseudonym_key' })
    expect(await readFile(join(dir, 'pseudonym.key'), 'utf8')).toBe('half')
  })
})
