/**
 * Text under a guard, piece by piece: what is kept and shown is what the guard released, for every split and every order
 * of parts. The guard here writes down what it is told, and holds back four characters as a real one does.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Guarded, StreamGuard } from '@signalbox/engine'
import { TurnBuffer } from '../src/turn/buffer.ts'
import { metaOf } from '../src/turn/text-flow.ts'

type Kind = 'text' | 'reasoning'

const trip: Guarded = {
  type: 'tripped',
  trip: {
    guardrail: { id: 'g', name: 'G' },
    outcome: 'fail',
    feedback: 'I try again.',
    partType: 'text',
    offset: 0,
  },
}

/** Trips where a whole part, from its first push to its end, holds `term`. */
/** What these guards are not asked. */
const unused: Pick<StreamGuard, 'cut' | 'inspect' | 'redacted'> = {
  redacted: () => [],
  cut: () => ({ type: 'released', text: '' }),
  inspect: async ({ args }) => ({ type: 'passed', value: args, taken: [] }),
}

function honestGuard(term = '\u0000never') {
  const open = new Map<Kind, { whole: string; held: string }>()
  const texts: string[] = []
  let tripped = false
  const judge = (kind: Kind, piece: string, last: boolean): Guarded => {
    const part = open.get(kind) ?? { whole: '', held: '' }
    part.whole += piece
    tripped ||= part.whole.includes(term)
    if (tripped) return trip
    const pending = part.held + piece
    const cut = last ? pending.length : Math.max(0, pending.length - 4)
    part.held = pending.slice(cut)
    open.set(kind, part)
    if (last) {
      texts.push(`${kind}:${part.whole}`)
      open.delete(kind)
    }
    return { type: 'released', text: pending.slice(0, cut) }
  }
  const guard: StreamGuard = {
    push: (kind, text) => judge(kind, text, false),
    end: (kind) => judge(kind, '', true),
    ...unused,
    judge: () => (tripped ? trip : { type: 'released', text: '' }),
  }
  return { guard, texts }
}

interface Step {
  readonly kind: Kind
  readonly id: string
  readonly piece: string | null
}

/** Plays deltas, and ends (`piece` null), through a buffer. */
function play(steps: readonly Step[], guard: StreamGuard | null) {
  const shown: string[] = []
  const buffer = new TurnBuffer({ delta: (kind, text) => shown.push(`${kind}:${text}`) }, guard)
  for (const { kind, id, piece } of steps) {
    if (piece === null) buffer.push({ type: `${kind}-end`, id })
    else buffer.push({ type: `${kind}-delta`, id, delta: piece })
    if (buffer.trip !== null) break
  }
  buffer.close('end')
  const parts = buffer.slots.flatMap((it) => (it.type === 'call' ? [] : [`${it.type}:${it.text}`]))
  return { buffer, shown, parts: parts.filter((it) => !it.endsWith(':')) }
}

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom<Kind>('text', 'reasoning'),
    id: fc.constantFrom('a', 'b'),
    piece: fc.oneof(
      { weight: 5, arbitrary: fc.string({ unit: 'binary', maxLength: 9 }) },
      fc.constantFrom('\ud83d', '\ude00', 'a\u0000b'),
      fc.constant(null),
    ),
  }),
  { maxLength: 20 },
)

describe('with a guard that lets everything pass', () => {
  test('what is kept is what the guard was told as one text, and what is shown is what is kept', () => {
    fc.assert(
      fc.property(steps, (played) => {
        const { guard, texts } = honestGuard()
        const { parts, shown } = play(played, guard)
        expect(parts.toSorted()).toEqual(texts.filter((it) => !it.endsWith(':')).toSorted())
        for (const kind of ['text:', 'reasoning:'])
          expect(joined(shown, kind)).toHaveLength(joined(parts, kind).length)
      }),
    )
  })

  // Half a character is no text: a guard sees a part end where another one begins, so the second half is of a part of its own.
  const wholeCharacters = steps.map((played) =>
    played.filter(({ piece }) => piece === null || piece.isWellFormed()),
  )

  test('nothing is lost against a stream without a guard', () => {
    fc.assert(
      fc.property(wholeCharacters, (played) => {
        const guarded = play(played, honestGuard().guard)
        const free = play(played, null)
        for (const kind of ['text:', 'reasoning:'])
          expect(letters(joined(guarded.parts, kind))).toEqual(letters(joined(free.parts, kind)))
      }),
    )
  })
})

test('a word that is split around a part of the other kind is still one word', () => {
  const { guard } = honestGuard('secret')
  const { shown, buffer } = play(
    [
      { kind: 'text', id: 'a', piece: 'the secr' },
      { kind: 'reasoning', id: 'r', piece: 'hm, hm' },
      { kind: 'text', id: 'a', piece: 'et word' },
    ],
    guard,
  )
  expect(buffer.trip).not.toBeNull()
  expect(joined(shown, 'text:')).toBe('the ')
})

test('a part that was ended is not continued: what comes later is a part of its own', () => {
  const { guard, texts } = honestGuard('secret')
  const { parts, buffer } = play(
    [
      { kind: 'text', id: 'a', piece: 'secr' },
      { kind: 'text', id: 'b', piece: 'x' },
      { kind: 'text', id: 'a', piece: 'et' },
    ],
    guard,
  )
  expect(buffer.trip).toBeNull()
  expect(parts).toEqual(['text:secr', 'text:x', 'text:et'])
  expect(texts).toEqual(parts)
})

test('after a trip nothing is kept or shown, whatever the guard still says', () => {
  let calls = 0
  const guard: StreamGuard = {
    push: () => (++calls === 1 ? trip : { type: 'released', text: 'late' }),
    end: () => ({ type: 'released', text: 'later' }),
    ...unused,
    judge: () => trip,
  }
  const { buffer, shown } = play([{ kind: 'text', id: 'a', piece: 'x' }], guard)
  buffer.push({ type: 'text-delta', id: 'a', delta: 'more' })
  buffer.close('end')
  expect(shown).toEqual([])
  expect(buffer.trip).toBe(trip.type === 'tripped' ? trip.trip : null)
})

test('a trip that waits for the next call is asked for, whatever the network does', async () => {
  let calls = 0
  const guard: StreamGuard = {
    push: () => (++calls === 1 ? { type: 'released', text: 'x' } : trip),
    end: () => trip,
    ...unused,
    judge: () => trip,
  }
  const buffer = new TurnBuffer({ delta: () => undefined }, guard)
  buffer.push({ type: 'text-delta', id: 'a', delta: 'xyz' })
  await buffer.stopped
  expect(buffer.trip).not.toBeNull()
})

test('what comes at once is judged at once, in its order', async () => {
  const pushed: string[] = []
  const guard: StreamGuard = {
    push(kind, text) {
      if (text !== '') pushed.push(`${kind}:${text}`)
      return { type: 'released', text }
    },
    end: () => ({ type: 'released', text: '' }),
    ...unused,
    judge: () => trip,
  }
  const shown: string[] = []
  const buffer = new TurnBuffer({ delta: (kind, text) => shown.push(`${kind}:${text}`) }, guard)
  const come = (kind: Kind, ...pieces: readonly string[]): void =>
    pieces.forEach((delta) => buffer.push({ type: `${kind}-delta`, id: 'a', delta }))
  come('text', 'o', 'ne')
  come('reasoning', 'h', 'm')
  come('text', ' t', 'wo')
  await new Promise((resolve) => setImmediate(resolve))
  expect(pushed).toEqual(['text:one', 'reasoning:hm', 'text: two'])
  expect(shown).toEqual(pushed)
  come('text', ' three')
  await new Promise((resolve) => setImmediate(resolve))
  expect(shown).toEqual([...pushed.slice(0, 3), 'text: three'])
  // Much of it waits for nothing.
  come('text', 'x'.repeat(5000))
  expect(pushed).toHaveLength(5)
})

test('where showing it fails, the stream has failed, not the process', async () => {
  const { guard } = honestGuard()
  const sink = {
    delta: () => {
      throw new Error('nobody listens')
    },
  }
  const buffer = new TurnBuffer(sink, guard)
  buffer.push({ type: 'text-delta', id: 'a', delta: 'long enough' })
  await buffer.stopped
  expect(() => buffer.settle()).toThrow('nobody listens')
})

test('what nobody wants is not shown', async () => {
  const { guard } = honestGuard()
  const shown: string[] = []
  const buffer = new TurnBuffer({ delta: (_, text) => shown.push(text) }, guard)
  buffer.push({ type: 'text-delta', id: 'a', delta: 'long enough' })
  buffer.abandon()
  await new Promise((resolve) => setImmediate(resolve))
  expect(shown).toEqual([])
})

test('what a guard releases is cleaned: it may have made of it what cannot be stored', () => {
  const guard: StreamGuard = {
    push: (_, text) => ({ type: 'released', text: text === '' ? '' : `${text}\u0000\ud83d` }),
    end: () => ({ type: 'released', text: '\ude00\ud800' }),
    ...unused,
    judge: () => trip,
  }
  expect(play([{ kind: 'text', id: 'a', piece: 'x' }], guard).parts).toEqual([
    'text:x\u{1f600}\ufffd',
  ])
})

test.each([
  ['changed', (text: string) => text.replace('secret', '[x]'), undefined],
  ['left as it was', (text: string) => text, { anthropic: { signature: 's' } }],
])('metadata of a text that was %s', (_how, change, expected) => {
  const guard: StreamGuard = {
    push: (_, text) => ({ type: 'released', text: change(text) }),
    end: () => ({ type: 'released', text: '' }),
    ...unused,
    judge: () => trip,
  }
  const { buffer } = play([{ kind: 'reasoning', id: 'r', piece: 'a secret thought' }], guard)
  buffer.push({
    type: 'reasoning-end',
    id: 'r',
    providerMetadata: { anthropic: { signature: 's' } },
  })
  const [slot] = buffer.slots
  expect(slot?.type === 'reasoning' ? metaOf(slot) : null).toEqual(expected)
})

/** In any order, for parts may be cut elsewhere, and without the halves of pairs that are cut there. */
function letters(text: string): readonly string[] {
  return Array.from(text.replaceAll('\ufffd', '')).toSorted()
}

function joined(parts: readonly string[], kind: string): string {
  return parts
    .filter((part) => part.startsWith(kind))
    .map((part) => part.slice(kind.length))
    .join('')
}
