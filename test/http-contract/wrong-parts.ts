/** What can be wrong with a request, whatever it asks for: its text, its query, its headers, its address, its method. */
import { METHODS } from 'node:http'
import fc from 'fast-check'
import { type Change, type Draft, encoded } from './draft.ts'
import type { FuzzedOperation } from './operations.ts'
import type { Body } from './request.ts'
import { strangeText } from './strange.ts'
import { badEscapes, wrongAddress } from './wrong-addresses.ts'
import { wrongHeader } from './wrong-headers.ts'

/** Half of all requests are left as they are. */
export function wrongParts(operation: FuzzedOperation): fc.Arbitrary<readonly Change[]> {
  const change = fc.oneof(
    { weight: 4, arbitrary: wrongQuery(operation) },
    { weight: 4, arbitrary: wrongHeader },
    { weight: operation.body ? 4 : 1, arbitrary: wrongText },
    { weight: 3, arbitrary: wrongAddress },
    { weight: 1, arbitrary: wrongMethod },
  )
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 4, arbitrary: fc.tuple(change) },
    { weight: 1, arbitrary: fc.tuple(change, change) },
  )
}

const wrongMethod: fc.Arbitrary<Change> = fc
  // With CONNECT a client asks for a tunnel; Node never shows it to the app.
  .constantFrom(...METHODS.filter((method) => method !== 'CONNECT'))
  .map((method) => (draft) => ({ ...draft, method }))

const brokenTexts = [
  '',
  ' ',
  '{',
  '}',
  '[',
  '"',
  'nul',
  '{"a":}',
  '{a:1}',
  "{'a':1}",
  '[1,]',
  'NaN',
  '1e999',
  '{} {}',
]

const wrongText: fc.Arbitrary<Change> = fc.oneof(
  fc.constantFrom(...brokenTexts, '['.repeat(100_000), '{"a":'.repeat(5000)).map(bodyOf),
  fc.constantFrom('[]', '"text"', '0', 'null', 'true').map(bodyOf),
  fc
    .constantFrom('"\xff"', '\xef\xbb\xbf{}', '{"a":"\xc3"}', '\xff\xfe{\x00}\x00')
    .map((text) => bodyOf(text, 'latin1')),
  fc.nat(300).map((length) => (draft: Draft) => cut(draft, length)),
  fc.constant((draft: Draft) => twice(draft)),
  fc
    .constant({ text: `"${'a'.repeat(1_100_000)}"`, encoding: 'utf8' } as const)
    .map((huge) => (draft: Draft) => ({ ...draft, body: huge })),
)

function bodyOf(text: string, encoding: Body['encoding'] = 'utf8'): Change {
  return (draft) => ({ ...draft, body: { text, encoding } })
}

const cut = (draft: Draft, length: number): Draft =>
  draft.body ? { ...draft, body: { ...draft.body, text: draft.body.text.slice(0, length) } } : draft

/** Each key of the outermost object a second time. */
function twice(draft: Draft): Draft {
  const text = draft.body?.text ?? ''
  if (!text.startsWith('{"')) return draft
  return { ...draft, body: { text: `${text.slice(0, -1)},${text.slice(1)}`, encoding: 'utf8' } }
}

function wrongQuery({ parameters }: FuzzedOperation): fc.Arbitrary<Change> {
  const known = parameters.filter((each) => each.in === 'query').map(({ name }) => name)
  const name = fc.constantFrom(
    ...known,
    ...known,
    'limit',
    'after',
    'wait',
    'stream_mode',
    'unknown',
    '__proto__',
  )
  const value = fc.oneof(
    { weight: 4, arbitrary: strangeText.map((text) => encoded(text).slice(0, 12_000)) },
    { weight: 2, arbitrary: fc.constantFrom(...badEscapes) },
  )
  const pair = fc.tuple(name, value)
  return fc.oneof(
    pair.map((each) => (draft: Draft) => ({ ...draft, query: [...draft.query, each] })),
    fc.array(pair, { maxLength: 20 }).map((query) => (draft: Draft) => ({ ...draft, query })),
    fc.constant((draft: Draft) => ({ ...draft, query: [...draft.query, ...draft.query] })),
  )
}
