/**
 * More than three hundred samples of secrets and identities in sentences of eight languages, half of them harmless look-alikes: in text that is
 * split at random, in the arguments of calls, in the results of tools. Recall is at least 0.98 and false positives are at most 0.02, of each kind
 * and place; nothing of what was found goes out.
 */
import { describe, expect, test } from 'vitest'
import { createStreamGuard } from '../../src/guardrails/create-stream-guard.ts'
import { redactResult } from '../../src/guardrails/inspect.ts'
import { lookAlikes } from './corpora/look-alikes.ts'
import { positives } from './corpora/positives.ts'
import { languages } from './corpora/sentences.ts'
import { context, guardrailOf, play } from './play.ts'
import { randomOf } from './scanners/made-sample.ts'

const reach = { arguments: true, toolResults: true }
const entities = ['email', 'phone', 'ssn', 'cn-resident-id', 'credit-card', 'iban', 'ip-address']
const guardrails = [
  guardrailOf({ use: 'secrets', ...reach }),
  guardrailOf({ use: 'pii', entities, ...reach }),
]

const random = randomOf(20_263)

/** Words of the same script as the sample's do not matter: what stands around it is plain. */
const before = 'Here is what I have found so far, and it is not much. '
const after = ' That is all that there is to say about it, and nothing more is known at this time.'

/** In pieces of one to fifteen code units. */
function splitAtRandom(text: string): readonly string[] {
  const deltas: string[] = []
  for (let at = 0; at < text.length;) {
    const size = 1 + random(15)
    deltas.push(text.slice(at, at + size))
    at += size
  }
  return deltas
}

/** What comes out of each place; several ways to split a text. */
const places: Readonly<
  Record<string, (text: string) => readonly string[] | Promise<readonly string[]>>
> = {
  text: (text) =>
    [0, 1, 2]
      .map(() => play(guardrails, splitAtRandom(text)).text)
      .concat(play(guardrails, splitAtRandom(before.slice(random(50)) + text + after)).text),
  async arguments(text) {
    const inspected = await createStreamGuard({ guardrails, context }).inspect({
      name: 'send',
      args: { to: 'ops', body: text, parts: [{ note: text }] },
    })
    return [JSON.stringify(inspected.type === 'passed' ? inspected.value : inspected)]
  },
  results: async (text) => [
    (await redactResult(text, guardrails)).value,
    JSON.stringify((await redactResult({ lines: [text], ok: true }, guardrails)).value),
  ],
}

/** As it would come out untouched. */
const untouched: Readonly<Record<string, (text: string, out: readonly string[]) => boolean>> = {
  text: (text, out) => out.every((each) => each.includes(text)),
  arguments: (text, [out = '']) =>
    out === JSON.stringify({ to: 'ops', body: text, parts: [{ note: text }] }),
  results: (text, [plain, json]) =>
    plain === text && json === JSON.stringify({ lines: [text], ok: true }),
}

const pieceChars = 5

/** Pieces of the secret that its sentence does not have elsewhere. */
function piecesOf(secret: string, text: string): readonly string[] {
  const rest = text.replace(secret, '')
  return Array.from({ length: Math.max(1, secret.length - pieceChars + 1) }, (_, at) =>
    secret.slice(at, at + pieceChars),
  ).filter((piece) => !rest.includes(piece))
}

const withoutMarkers = (text: string): string => text.replaceAll(/\[redacted:[a-z0-9-]+\]/g, '')

/** One row per kind: how many, how many wrong, and which. */
class Table {
  readonly #rows = new Map<string, { of: number; wrong: string[] }>()

  count(kind: string, sample: string, right: boolean): void {
    const row = this.#rows.get(kind) ?? { of: 0, wrong: [] }
    this.#rows.set(kind, row)
    row.of += 1
    if (!right) row.wrong.push(sample)
  }

  /** Share of the wrong ones, of all rows. */
  get share(): number {
    const rows = [...this.#rows.values()]
    const wrong = rows.reduce((sum, row) => sum + row.wrong.length, 0)
    return wrong / rows.reduce((sum, row) => sum + row.of, 0)
  }

  get rows(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      [...this.#rows].map(([kind, { of, wrong }]) => [
        kind,
        [`${wrong.length} of ${of}`, ...wrong].join('\n'),
      ]),
    )
  }
}

/** What was measured, the same in each place: how many of how many are missed, and taken. */
const missedByKind = {
  token: '0 of 67',
  password: '0 of 26',
  'led value': '0 of 34',
  'told key': '0 of 14',
  card: '0 of 16',
  iban: '0 of 16',
  phone: '0 of 30',
  'phone, announced': '0 of 8',
  email: '0 of 8',
  'resident id': '0 of 8',
  ssn: '0 of 4',
  'ip address': '0 of 6',
}
const takenByKind = {
  token: '0 of 58',
  password: '0 of 50',
  card: '0 of 14',
  iban: '0 of 10',
  phone: '0 of 42',
  'ip address': '0 of 19',
  identity: '0 of 10',
  email: '0 of 10',
}

test('the corpus has three hundred samples and more, half of them harmless, in eight languages', () => {
  expect(positives.length).toBeGreaterThanOrEqual(150)
  expect(lookAlikes.length).toBeGreaterThanOrEqual(150)
  for (const samples of [positives, lookAlikes])
    expect(new Set(samples.map(({ language }) => language))).toEqual(new Set(languages))
  expect(new Set(positives.map(({ text }) => text)).size).toBe(positives.length)
  expect(new Set(lookAlikes.map(({ text }) => text)).size).toBe(lookAlikes.length)
})

describe.each(Object.keys(places))('in %s', (place) => {
  const out = async (text: string): Promise<readonly string[]> =>
    (await places[place]?.(text)) ?? []

  test('recall is at least 0.98, and nothing of a secret goes out', async () => {
    const missed = new Table()
    for (const { kind, text, secret } of positives) {
      const seen = (await out(text)).map(withoutMarkers)
      const pieces = piecesOf(secret, text)
      expect(pieces.length, text).toBeGreaterThan(0)
      missed.count(kind, text, !seen.some((each) => pieces.some((piece) => each.includes(piece))))
    }
    expect(missed.rows).toEqual(missedByKind)
    expect(1 - missed.share).toBeGreaterThanOrEqual(0.98)
  })

  test('at most 0.02 of what is harmless is taken', async () => {
    const taken = new Table()
    for (const { like, text } of lookAlikes)
      taken.count(like, text, untouched[place]?.(text, await out(text)) === true)
    expect(taken.rows).toEqual(takenByKind)
    expect(taken.share).toBeLessThanOrEqual(0.02)
  })
})
