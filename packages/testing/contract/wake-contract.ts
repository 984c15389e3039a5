/**
 * What every WakeBus adapter owes its users. Deliveries are awaited, never timed; as the port is lossy, the first word
 * between two processes is repeated until it is heard, and only then does silence mean something.
 */
import type { Delta, WakeBus, WakeTopic } from '@signalbox/engine'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

/** Two buses that stand for two processes, on one carrier. */
export interface TwoBuses {
  readonly a: WakeBus
  readonly b: WakeBus
  close(): Promise<void>
}

/** Runs the contract of the WakeBus port against an adapter. */
export function wakeBusContract(name: string, makeTwo: () => Promise<TwoBuses>): void {
  describe(`WakeBus contract: ${name}`, () => {
    test('a wake reaches the own process and the other, under its topic only', () =>
      useTwo(makeTwo, async ({ a, b }) => {
        const here = collectIds(a, 'run')
        const there = collectIds(b, 'run')
        const elsewhere = collectIds(b, 'cancel')
        await meet(a, b, 'run')
        a.publish('run', ['r1', 'r2'])
        await eventually(() => here.length >= 2 && there.length >= 2)
        expect([here, there.toSorted(), elsewhere]).toEqual([['r1', 'r2'], ['r1', 'r2'], []])
      }))

    test('nobody hears a single wake twice', () =>
      useTwo(makeTwo, async ({ a, b }) => {
        const here = collectIds(a, 'run')
        const there = collectIds(b, 'run')
        await meet(a, b, 'run')
        for (let n = 0; n < 50; n += 1) a.publish('run', [`r${n}`])
        // What comes later on the same way has overtaken nothing: an echo would be here by then.
        await meet(b, a, 'run')
        await meet(a, b, 'run')
        await eventually(() => here.length >= 50 && there.length >= 50)
        expect(here).toHaveLength(50)
        expect(new Set(there).size).toBe(there.length)
      }))

    test('a list of ids far larger than any message arrives whole', () =>
      useTwo(makeTwo, async ({ a, b }) => {
        const there = collectIds(b, 'model')
        await meet(a, b, 'model')
        const ids = Array.from({ length: 3000 }, (_, n) => `0199f3a0-7c1d-7000-8000-${pad(n)}`)
        a.publish('model', ids)
        await eventually(() => new Set(there).size >= ids.length)
        expect(there.toSorted()).toEqual(ids)
      }))

    test('after the end of a subscription nothing arrives, and its twin goes on', () =>
      useTwo(makeTwo, async ({ a, b }) => {
        const heard: string[] = []
        const listener = (ids: readonly string[]): void =>
          void heard.push(...ids.filter((id) => !isGreeting(id)))
        const end = b.subscribe('run', listener)
        b.subscribe('run', listener)
        end()
        end()
        await meet(a, b, 'run')
        a.publish('run', ['r1'])
        await eventually(() => heard.length > 0)
        await meet(a, b, 'run')
        expect(heard).toEqual(['r1'])
      }))

    test('a listener that throws harms neither the publisher nor the other listeners', () =>
      useTwo(makeTwo, async ({ a, b }) => {
        for (const bus of [a, b]) {
          bus.subscribe('run', () => {
            throw new Error('listener')
          })
        }
        const here = collectIds(a, 'run')
        const there = collectIds(b, 'run')
        await meet(a, b, 'run')
        a.publish('run', ['r1'])
        await eventually(() => here.length > 0 && there.length > 0)
        expect([here, there]).toEqual([['r1'], ['r1']])
      }))

    test('deltas arrive in order and character by character, whatever the text', () =>
      useTwo(makeTwo, async ({ a, b }) => {
        await meet(a, b, 'model')
        let run = 0
        const text = fc.string({ unit: 'binary', maxLength: 200 })
        const large = fc.string({
          unit: fc.constantFrom('"', '\\', '\0', '😀', 'é', 'x'),
          maxLength: 6000,
        })
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.oneof(text, halves, large), { minLength: 1, maxLength: 8 }),
            async (texts) => {
              run += 1
              await carriesText({ a, b }, { runId: `text-${run}`, texts })
            },
          ),
          { numRuns: 30 },
        )
        expect(run).toBeGreaterThan(0)
      }))

    test('reasoning, text and a second attempt keep their order', () =>
      useTwo(makeTwo, async ({ a, b }) => {
        const heard = await tuneIn(a, b, 'mixed')
        const sent = [
          delta('mixed', { kind: 'reasoning', text: 'hm', offset: 0 }),
          delta('mixed', { text: 'a', offset: 0 }),
          delta('mixed', { kind: 'reasoning', text: 'm', offset: 2 }),
          delta('mixed', { text: 'b', offset: 1 }),
          delta('mixed', { text: 'A', offset: 0, attempt: 2 }),
        ]
        for (const one of sent) a.publishDelta(one)
        await eventually(() => heard.length >= sent.length)
        expect(heard).toEqual(sent)
      }))

    test('notes of calls pass whole, the latest of each for certain, and text passes as ever', () =>
      useTwo(makeTwo, async ({ a, b }) => {
        const heard = await tuneIn(a, b, 'noted')
        const note = (messageId: string, text: string): Delta =>
          delta('noted', { kind: 'progress', messageId, text })
        const sent = [
          note('call-a', ''),
          note('call-b', 'b1'),
          delta('noted', { text: 'x', offset: 0 }),
          note('call-a', 'a2'),
          delta('noted', { text: 'y', offset: 1 }),
          note('call-b', 'b2'),
        ]
        for (const one of sent) a.publishDelta(one)
        const latest = [note('call-a', 'a2'), note('call-b', 'b2')]
        const has = (one: Delta) => heard.some((each) => isSame(each, one))
        const text = () => assemble(heard.filter(({ kind }) => kind === 'text'))
        await eventually(() => latest.every(has) && text() === 'xy')
        for (const one of heard.filter(({ kind }) => kind === 'progress'))
          expect(sent).toContainEqual(one)
      }))

    test('deltas go to subscribers of their run only', () =>
      useTwo(makeTwo, async ({ a, b }) => {
        const one = await tuneIn(a, b, 'one')
        const two = await tuneIn(a, b, 'two')
        a.publishDelta(delta('one', { text: 'x', offset: 0 }))
        a.publishDelta(delta('two', { text: 'y', offset: 0 }))
        await eventually(() => one.length > 0 && two.length > 0)
        expect([one.map((d) => d.text), two.map((d) => d.text)]).toEqual([['x'], ['y']])
      }))

    test('after close nothing is published, delivered or thrown', () =>
      useTwo(makeTwo, async ({ a, b }) => {
        const here = collectIds(a, 'run')
        await meet(a, b, 'run')
        await a.close()
        await a.close()
        a.publish('run', ['r1'])
        a.publishDelta(delta('r1', { text: 'x', offset: 0 }))
        a.subscribe('run', () => undefined)()
        b.publish('run', ['r2'])
        expect(here).toEqual([])
      }))
  })
}

async function useTwo(
  makeTwo: () => Promise<TwoBuses>,
  body: (two: TwoBuses) => Promise<void>,
): Promise<void> {
  const two = await makeTwo()
  try {
    await body(two)
  } finally {
    await two.close()
  }
}

/** Characters cut in half at the border of two deltas. */
const halves = fc.constantFrom('\ud83d', '\ude00', 'a\ud83d', '\ude00b')

let greetings = 0

const isGreeting = (id: string): boolean => id.startsWith('greeting-')

/** Waits until a word of `from` reaches `to` under a topic: whoever subscribed to it before hears what follows. */
async function meet(from: WakeBus, to: WakeBus, topic: WakeTopic): Promise<void> {
  greetings += 1
  const word = `greeting-${greetings}`
  let heard = false
  const end = to.subscribe(topic, (ids) => {
    if (ids.includes(word)) heard = true
  })
  await eventually(() => {
    if (!heard) from.publish(topic, [word])
    return heard
  })
  end()
}

/** Subscribes `to` to the deltas of a run and waits until `from` knows; answers what is heard from then on. */
async function tuneIn(from: WakeBus, to: WakeBus, runId: string): Promise<Delta[]> {
  const heard: Delta[] = []
  let tuned = false
  to.subscribeDeltas(runId, (one) => {
    if (one.messageId === 'probe') tuned = true
    else heard.push(one)
  })
  await eventually(() => {
    if (!tuned) from.publishDelta({ ...delta(runId, { text: '?', offset: 0 }), messageId: 'probe' })
    return tuned
  })
  return heard
}

async function carriesText(
  { a, b }: { readonly a: WakeBus; readonly b: WakeBus },
  sent: { readonly runId: string; readonly texts: readonly string[] },
): Promise<void> {
  const { runId, texts } = sent
  const there = await tuneIn(a, b, runId)
  const here: Delta[] = []
  const end = a.subscribeDeltas(runId, (one) => void here.push(one))
  let offset = 0
  for (const text of texts) {
    a.publishDelta(delta(runId, { text, offset }))
    offset += text.length
  }
  a.publishDelta({ ...delta(runId, { text: '.', offset: 0 }), messageId: 'last' })
  await eventually(() => there.some(isLast) && here.some(isLast))
  end()
  for (const heard of [here, there]) expect(assemble(heard)).toBe(texts.join(''))
}

/** Puts the text together as a client does, which proves the offsets. */
function assemble(deltas: readonly Delta[]): string {
  let text = ''
  for (const one of deltas) {
    if (one.messageId === 'last') continue
    expect(one.offset).toBe(text.length)
    text += one.text
  }
  return text
}

const isSame = (one: Delta, other: Delta): boolean =>
  one.kind === other.kind && one.messageId === other.messageId && one.text === other.text

function isLast(one: Delta): boolean {
  return one.messageId === 'last'
}

function delta(runId: string, part: Partial<Delta>): Delta {
  return { runId, messageId: 'm1', attempt: 1, offset: 0, kind: 'text', text: '', ...part }
}

function collectIds(bus: WakeBus, topic: 'run' | 'cancel' | 'model'): string[] {
  const ids: string[] = []
  bus.subscribe(topic, (more) => {
    ids.push(...more.filter((id) => !isGreeting(id)))
  })
  return ids
}

function pad(n: number): string {
  return String(n).padStart(12, '0')
}

/** Asks again until it holds. The limit is the test's own. */
async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}
