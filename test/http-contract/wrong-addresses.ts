/** Addresses of nothing, and parts of addresses that are none. */
import fc from 'fast-check'
import { type Change, type Draft, encoded } from './draft.ts'
import { strangeText } from './strange.ts'

/** Percent-encodings of nothing. */
export const badEscapes = [
  '%',
  '%zz',
  '%ff',
  '%00',
  '%ud800',
  '%ed%a0%80',
  '%c0%af',
  '+',
  '&&=',
  'a[b]=1',
  '#',
  '%25%30%30',
]

const addresses = [
  '/',
  '//',
  '//threads',
  '/threads/',
  '/threads/..',
  '/../../../../etc/passwd',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/threads/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '/threads/%00',
  '/threads/%ff',
  '/threads/%',
  '/threads/a%2fb',
  '/threads/%F0%9F%92%A5',
  '/THREADS',
  '/threads;a=b',
  '/threads\\..\\..',
  '/.env',
  '/.git/config',
  '/package.json',
  '/openapi.json/',
  '/console',
  'http://evil.example/threads',
  'https://:1/threads',
  '*',
  `/threads/${'a'.repeat(9000)}`,
  `/${'a/'.repeat(2000)}`,
]

/** Another address, or a part of it that is another. */
export const wrongAddress: fc.Arbitrary<Change> = fc.oneof(
  fc.constantFrom(...addresses).map((path) => (draft: Draft) => ({ ...draft, path })),
  fc.tuple(fc.nat(6), strangeText).map(
    ([n, text]) =>
      (draft: Draft) =>
        segment(draft, n, encoded(text).slice(0, 8000)),
  ),
  fc.tuple(fc.nat(6), fc.constantFrom(...badEscapes)).map(
    ([n, text]) =>
      (draft: Draft) =>
        segment(draft, n, text),
  ),
)

/** One part of the address is another. */
function segment(draft: Draft, n: number, text: string): Draft {
  const parts = draft.path.split('/').slice(1)
  const at = n % parts.length
  return {
    ...draft,
    path: `/${parts.map((part, place) => (place === at ? text : part)).join('/')}`,
  }
}
