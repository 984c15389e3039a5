/** Headers that nobody should send. */
import fc from 'fast-check'
import type { Change, Draft } from './draft.ts'
import { strangeText } from './strange.ts'

const headers: readonly (readonly [string, string])[] = [
  ['content-type', 'text/plain'],
  ['content-type', 'application/json; charset=utf-16'],
  ['content-type', 'application/x-www-form-urlencoded'],
  ['content-type', 'multipart/form-data'],
  ['content-type', ''],
  ['content-type', 'application/jsonx'],
  ['content-encoding', 'gzip'],
  ['accept', 'application/x-ndjson'],
  ['accept', 'text/csv, application/vnd.apache.parquet'],
  ['accept', 'image/png;q=2, */*;q=nan'],
  ['authorization', 'Bearer'],
  ['authorization', 'Bearer wrong'],
  ['authorization', 'Basic Og=='],
  ['x-api-key', 'wrong'],
  ['host', 'evil.example'],
  ['host', 'a b'],
  ['host', '[::1'],
  ['host', ''],
  ['expect', '100-continue'],
  ['expect', 'the-worst'],
  ['upgrade', 'websocket'],
  ['transfer-encoding', 'chunked'],
  ['content-length', '3'],
  ['x-http-method-override', 'DELETE'],
  ['x-forwarded-host', 'evil.example'],
  ['x-tenant-id', 'other'],
  ['traceparent', '00-zz-zz-01'],
  ['cookie', '=;;=;'],
  ['range', 'bytes=0-'],
  ['if-none-match', '*'],
  ['connection', 'close'],
]

const named = fc.constantFrom(
  'idempotency-key',
  'last-event-id',
  'accept',
  'authorization',
  'x-api-key',
  'x-any',
)

/** A header too many, or another one, or one of no use. */
export const wrongHeader: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...headers).map((each) => without(each, each)) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        named,
        strangeText.map((text) => text.slice(0, 20_000)),
      )
      .map(withHeaders),
  },
  { weight: 1, arbitrary: fc.tuple(named, fc.constant('a'.repeat(40_000))).map(withHeaders) },
  { weight: 1, arbitrary: named.map((name) => without([name, ''])) },
  {
    weight: 1,
    arbitrary: fc.constant((draft: Draft) => ({
      ...draft,
      headers: [...draft.headers, ...draft.headers],
    })),
  },
  {
    weight: 1,
    arbitrary: fc.constant(
      withHeaders(...Array.from({ length: 150 }, (_, n) => [`x-${n}`, 'y'] as const)),
    ),
  },
)

function withHeaders(...more: readonly (readonly [string, string])[]): Change {
  return (draft) => ({ ...draft, headers: [...draft.headers, ...more] })
}

/** Takes a header away, and puts others in its place. */
function without(
  [gone]: readonly [string, string],
  ...more: readonly (readonly [string, string])[]
): Change {
  return (draft) => ({
    ...draft,
    headers: [...draft.headers.filter(([name]) => name !== gone), ...more],
  })
}
