/** Under which address a server says that it is. Would catch: a stranger who names it, a proxy that is not heard. */
import { describe, expect, it } from 'vitest'
import { publicAddress } from '../src/http/public-address.ts'

const forwarded = {
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'agents.test',
  'x-forwarded-prefix': '/team/a',
}
const proxies = ['10.0.0.0/8', '::1']
const said = (
  settings: { readonly publicUrl?: string; readonly proxies?: readonly string[] },
  peer: string | undefined,
  headers: Readonly<Record<string, string>> = forwarded,
) => {
  const address = publicAddress({ publicUrl: null, proxies: [], ...settings })
  return address({ url: 'http://api:7420/a2a/x?y=1', headers: new Headers(headers), peer })
}

describe('the address of a server', () => {
  it('is how it was asked, whatever strangers say', () => {
    for (const peer of [undefined, '10.0.0.1', '127.0.0.1', '::1', 'nonsense'])
      expect(said({}, peer)).toBe('http://api:7420')
    for (const peer of [undefined, '11.0.0.1', '127.0.0.1', 'nonsense'])
      expect(said({ proxies }, peer)).toBe('http://api:7420')
  })

  it('is what a named proxy says', () => {
    for (const peer of ['10.1.2.3', '::ffff:10.1.2.3', '::1'])
      expect(said({ proxies }, peer)).toBe('https://agents.test/team/a')
    const host = { 'x-forwarded-host': 'evil.test, agents.test:8443' }
    expect(said({ proxies }, '::1', host)).toBe('http://agents.test:8443')
    expect(said({ proxies }, '::1', {})).toBe('http://api:7420')
  })

  it.each([
    { 'x-forwarded-host': 'a b' },
    { 'x-forwarded-host': 'agents.test/path' },
    { 'x-forwarded-host': '' },
    { 'x-forwarded-proto': 'javascript' },
    { 'x-forwarded-prefix': '/../..//evil.test' },
    { 'x-forwarded-prefix': '//evil.test' },
  ])('is not %j', (headers) => {
    expect(said({ proxies }, '::1', headers)).not.toMatch(/ |path|javascript|evil/)
  })

  it('is what the configuration says, before all others', () => {
    const publicUrl = 'https://agents.example.com/team/'
    expect(said({ publicUrl, proxies }, '::1')).toBe('https://agents.example.com/team')
  })
})
