/**
 * Images in a conversation (context systems §13 and §5.2, §19 images 1 and 3). Would catch: an image that stands before its list or between calls and
 * results, one that comes back after it gave way, a request of too many, a prefix that changes with every screenshot, a prompt that depends on
 * where its reader began.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  checkPairing,
  createProjection,
  factSchemas,
  type FileChange,
  type FoldableEvent,
  type ImagePart,
  limits,
  project,
  type Prompt,
} from '../../src/index.ts'
import { casesOf, timeout } from '../support/full.ts'
import { answered, asked, completed, event, said, text } from '../support/log.ts'
import { lines } from '../support/prompt.ts'
import { compactedEvent, numbered, prunedEvent } from '../support/room.ts'

const image = (key: string, over: Partial<ImagePart> = {}): ImagePart => ({
  type: 'image',
  key,
  mime: 'image/png',
  bytes: 1_000,
  width: 100,
  height: 50,
  name: `${key}.png`,
  ...over,
})

const file = (name: string, over: Partial<FileChange> = {}): FileChange => ({
  path: `uploads/${name}.png`,
  key: name,
  bytes: 1_000,
  mime: 'image/png',
  image: { width: 100, height: 50 },
  ...over,
})

const given = (files: readonly FileChange[], words = 'look'): FoldableEvent =>
  event('run.created', {
    agent: 'a',
    definitionHash: 'h',
    machine: 'run',
    machineVersion: 1,
    input: [{ id: 'u1', role: 'user', parts: [text(words)] }],
    metadata: {},
    files: [...files],
  })

/** A turn that calls a tool, with a result of these images. */
const shot = (
  n: string,
  images: readonly ImagePart[],
  words = 'seen',
): readonly FoldableEvent[] => [
  answered(`m${n}`, [asked(`c${n}`)]),
  completed(`c${n}`, [text(words), ...images]),
]

const line = (key: string): string =>
  `[image "${key}.png", image/png, 100 × 50, key ${key}: left out to save room]`

/** Each part that the model reads, an image as its key. */
function partsIn(prompt: Prompt): readonly string[] {
  return prompt.flatMap((message) => {
    if (message.role === 'system') return []
    const parts =
      message.role === 'tool'
        ? message.results.flatMap(({ output }) => output.content)
        : message.parts
    return parts.map((part) => {
      if (part.type === 'image') return `image ${part.key}`
      return part.type === 'text' ? part.text : part.type
    })
  })
}

const shownBy = (log: readonly FoldableEvent[]): readonly string[] =>
  partsIn(project('', log)).flatMap((part) => (part.startsWith('image ') ? [part.slice(6)] : []))
const leftOutBy = (log: readonly FoldableEvent[]): readonly string[] =>
  partsIn(project('', log)).filter((part) => part.endsWith('left out to save room]'))

describe('images that a run is given', () => {
  test('stand behind the list of its files, in the message of its user', () => {
    const [user] = project('', [given([file('a'), file('b')])])
    if (user?.role !== 'user') throw new Error('no words of a user')
    expect(user.parts.map(({ type }) => type)).toEqual(['text', 'text', 'image', 'image'])
    expect(user.parts[2]).toEqual(image('a'))
  })

  test('are files like others where nobody marked them, and say why where they are not shown', () => {
    const { image: _, ...plain } = file('a')
    const refused = file('b', { image: { refused: 'image_too_many_pixels' } })
    const log = [given([plain, refused])]
    expect(shownBy(log)).toEqual([])
    expect(
      lines(project('', log)[0] ?? { role: 'system', text: '' })[0]
        ?.split('\n')
        .slice(2, 4),
    ).toEqual([
      '- a.png (path uploads/a.png, image/png, 1000 bytes)',
      '- b.png (path uploads/b.png, image/png, 1000 bytes, not shown: it has too many pixels)',
    ])
  })

  test('are not shown where their type is none that models see, or where they were removed', () => {
    expect(shownBy([given([file('a', { mime: 'image/tiff' })])])).toEqual([])
    expect(shownBy([given([file('a', { key: null, bytes: 0 })])])).toEqual([])
  })

  test('hold no bytes in their event, and no field of one may', () => {
    const parsed = factSchemas['run.created'].parse(given([file('a')]).payload)
    expect(JSON.stringify(parsed).length).toBeLessThan(500)
    const withBytes = { ...image('a'), data: 'AAAA' }
    const result = { content: [withBytes], isError: false }
    const fact = { effectId: 'e', attempt: 1, callId: 'c', output: result, durationMs: 1 }
    expect(JSON.stringify(factSchemas['tool.completed'].parse(fact))).not.toContain('AAAA')
  })
})

test('an image of a result stands in it, behind its words, and pairing holds', () => {
  const prompt = project('', [said(['go']), ...shot('1', [image('a')])])
  expect(checkPairing(prompt)).toEqual([])
  expect(partsIn(prompt).slice(-2)).toEqual(['seen', 'image a'])
})

test('an answer that somebody wrote for the model has words for an image', () => {
  const history = [
    { id: 'h1', role: 'user', parts: [text('draw')] },
    { id: 'h2', role: 'assistant', parts: [image('a')] },
  ]
  const begun = event('run.created', { ...given([]).payload, files: undefined, history })
  expect(partsIn(project('', [begun]))).toContain('[image "a.png", image/png, 100 × 50]')
})

describe(`a request shows ${limits.imagesMax} images at most`, () => {
  const shots = (count: number, over: Partial<ImagePart> = {}): readonly FoldableEvent[] =>
    Array.from({ length: count }, (_, n) => shot(`${n}`, [image(`i${n}`, over)])).flat()
  const keys = (from: number, to: number): readonly string[] =>
    Array.from({ length: to - from }, (_, n) => `i${from + n}`)

  test('and where one more comes, the newest four stay: each other is a line with its key', () => {
    expect(shownBy([said(['go']), ...shots(8)])).toEqual(keys(0, 8))
    const nine = [said(['go']), ...shots(9)]
    expect(shownBy(nine)).toEqual(keys(5, 9))
    expect(leftOutBy(nine)).toEqual(keys(0, 5).map(line))
  })

  test('so that the beginning of requests changes at every fifth screenshot, and not at each', () => {
    let [before, changes]: [readonly string[], number] = [[], 0]
    for (let count = 1; count <= 40; count += 1) {
      const now = partsIn(project('', [said(['go']), ...shots(count)]))
      if (before.some((part, n) => now[n] !== part)) changes += 1
      before = now
    }
    // The first eight, then each fifth.
    expect(changes).toBe(7)
  })

  test('those that came together do not push each other out', () => {
    const seven = Array.from({ length: 7 }, (_, n) => file(`f${n}`))
    expect(shownBy([said(['go']), ...shots(3), given(seven)])).toEqual(seven.map(({ key }) => key))
    const ten = Array.from({ length: 10 }, (_, n) => image(`r${n}`))
    expect(shownBy([said(['go']), ...shot('1', ten)])).toEqual(ten.slice(2).map(({ key }) => key))
  })

  test('and 20 MiB of them: of large ones fewer', () => {
    const bytes = limits.imageBytesMax
    expect(shownBy([said(['go']), ...shots(2, { bytes })])).toEqual(keys(0, 2))
    expect(shownBy([said(['go']), ...shots(3, { bytes })])).toEqual(keys(2, 3))
    const six = { bytes: 6 * 1024 * 1024 }
    expect(shownBy([said(['go']), ...shots(3, six)])).toEqual(keys(0, 3))
    expect(shownBy([said(['go']), ...shots(4, six)])).toEqual(keys(3, 4))
  })
})

describe('a prune of images', () => {
  const log = [said(['go']), ...['a', 'b', 'c', 'd'].flatMap((key) => shot(key, [image(key)]))]
  const onlyImages = (keep: number) =>
    event('context.pruned', {
      ...prunedEvent({ runId: 'r', seq: 9 }, { images: keep, minChars: 1 }).payload,
      results: 0,
      images: 2,
    })

  test('leaves the newest, puts a line in the place of each other, and clears no words', () => {
    const pruned = [...log, onlyImages(2)]
    expect(shownBy(pruned)).toEqual(['c', 'd'])
    expect(leftOutBy(pruned)).toEqual(['a', 'b'].map(line))
    expect(partsIn(project('', pruned)).filter((part) => part === 'seen')).toHaveLength(4)
    expect(shownBy([...log, onlyImages(0)])).toEqual([])
    expect(shownBy([...log, onlyImages(8)])).toEqual(['a', 'b', 'c', 'd'])
  })

  test('holds for later runs, and not for a fork from before it', () => {
    expect(shownBy([...log, onlyImages(1), given([file('e')])])).toEqual(['d', 'e'])
    expect(shownBy([...log, given([file('e')])])).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test('touches the images of users as well', () => {
    expect(shownBy([given([file('x'), file('y')]), ...log.slice(1), onlyImages(1)])).toEqual(['d'])
  })

  test('of words only: their images stay with the line that says how to read them again', () => {
    const long = 'z'.repeat(2_000)
    const run = numbered('r1', [said(['go']), ...shot('1', [image('a')], long), answered('m', [])])
    const pruned = [...run, ...numbered('r1', [prunedEvent({ runId: 'r1', seq: 4 })])]
    expect(shownBy(pruned)).toEqual(['a'])
    const left = partsIn(project('', pruned)).find((part) => part.includes('left out'))
    expect(left).toContain('The result of search, 2000 bytes, was left out')
  })

  test('of a rule of before says nothing of images', () => {
    expect(shownBy([...log, prunedEvent({ runId: 'r', seq: 0 })])).toHaveLength(4)
  })
})

test('behind a cut only the images of what is kept are shown, and those of the last words', () => {
  const run = numbered('r1', [
    given([file('a')]),
    ...shot('1', [image('b')]),
    ...shot('2', [image('c')]),
  ])
  const words = { id: 'u1', parts: [text('look'), image('a')] }
  const through = { runId: 'r1', seq: 3 }
  const cut = (more: object) => [...run, ...numbered('r1', [compactedEvent(through, more)])]
  expect(shownBy(cut({}))).toEqual(['c'])
  expect(shownBy(cut({ words }))).toEqual(['a', 'c'])
})

test('a model that sums up is told of an image in words', () => {
  const projection = createProjection('')
  for (const each of numbered('r1', [given([file('a')]), ...shot('1', [image('b')])]))
    projection.take(each)
  const written = projection.part({ runId: 'r1', seq: 3 }).text({ results: 500, words: 500 })
  expect(written).toContain('[image "a.png", image/png, 100 × 50]')
  expect(written).toContain('[image "b.png", image/png, 100 × 50]')
})

describe('an image weighs in the meter', () => {
  const rule = { minChars: 1_000, exclude: [], wordsChars: 8_000, ownChars: 50_000, readable: true }
  const weighed = (log: readonly FoldableEvent[]) => {
    const projection = createProjection('')
    for (const each of log) projection.take(each)
    return projection.cuts(rule, 1).at(-1)?.keptBytes ?? 0
  }

  test('while it is shown: 4 bytes for each of its tokens', () => {
    const shownLog = numbered('r1', [
      said(['go']),
      ...shot('1', [image('a', { width: 1_000, height: 750 })]),
    ])
    const less = weighed(numbered('r1', [said(['go']), ...shot('1', [])]))
    const more = weighed(shownLog) - less
    // 1,000 tokens, and what its part says of it.
    expect(more).toBeGreaterThan(4_000)
    expect(more).toBeLessThan(4_250)
    const gone = event('context.pruned', {
      ...prunedEvent({ runId: 'r1', seq: 3 }, { images: 0 }).payload,
      results: 0,
      images: 1,
    })
    expect(weighed([...shownLog, ...numbered('r1', [gone])]) - less).toBeLessThan(250)
  })

  test('and not where others came in its place, whenever that is asked', () => {
    const log = numbered('r1', [
      said(['go']),
      ...Array.from({ length: 9 }, (_, n) => shot(`${n}`, [image(`i${n}`)])).flat(),
    ])
    const projection = createProjection('')
    for (const each of log) {
      projection.take(each)
      projection.cuts(rule, 1)
    }
    // Four are shown, of 85 tokens each.
    const all = projection.cuts(rule, 9).find(({ turns }) => turns === 8)?.keptBytes ?? 0
    expect(all).toBe(weighed8(log))
    expect(projection.images().map(({ key }) => key)).toEqual(['i5', 'i6', 'i7', 'i8'])
  })

  const weighed8 = (log: readonly FoldableEvent[]): number => {
    const projection = createProjection('')
    for (const each of log) projection.take(each)
    return projection.cuts(rule, 9).find(({ turns }) => turns === 8)?.keptBytes ?? 0
  }
})

const turns = fc.array(
  fc.record({
    results: fc.array(
      fc.record({
        chars: fc.constantFrom(5, 1_500),
        images: fc.array(fc.constantFrom(100, 6_000_000, limits.imageBytesMax), { maxLength: 3 }),
      }),
      { maxLength: 3 },
    ),
    prune: fc.option(
      fc.record({ place: fc.nat(40), keep: fc.integer({ min: 0, max: 8 }), words: fc.boolean() }),
      { nil: null, freq: 3 },
    ),
    cut: fc.option(fc.nat(40), { nil: null, freq: 4 }),
  }),
  { minLength: 1, maxLength: 8 },
)
const threads = fc.array(fc.record({ given: fc.integer({ min: 0, max: 9 }), turns }), {
  minLength: 1,
  maxLength: 3,
})
type Thread = typeof threads extends fc.Arbitrary<infer T> ? T : never

const logOf = (thread: Thread): readonly FoldableEvent[] =>
  thread.flatMap((run, r) => {
    const runId = `r${r}`
    const files = Array.from({ length: run.given }, (_, n) => file(`g${r}_${n}`))
    const log: FoldableEvent[] = [files.length > 0 ? given(files) : said([`go ${r}`])]
    for (const [n, { results, prune, cut }] of run.turns.entries()) {
      const placeOf = (at: number) => ({ runId: `r${at % (r + 1)}`, seq: Math.min(at, log.length) })
      if (prune) {
        const made = prunedEvent(placeOf(prune.place), { images: prune.keep, minChars: 1_000 })
        log.push(
          event('context.pruned', {
            ...made.payload,
            images: 1,
            ...(prune.words ? {} : { results: 0 }),
          }),
        )
      }
      if (cut !== null) log.push(compactedEvent(placeOf(cut)))
      const ids = results.map((_, at) => `c${r}_${n}_${at}`)
      log.push(answered(`m${r}_${n}`, [text('so'), ...ids.map((id) => asked(id))]))
      for (const [at, { chars, images }] of results.entries())
        log.push(
          completed(ids[at] ?? '', [
            text('z'.repeat(chars)),
            ...images.map((bytes, i) => image(`${ids[at]}_${i}`, { bytes })),
          ]),
        )
    }
    return numbered(runId, log)
  })

const imagesIn = (prompt: Prompt): readonly ImagePart[] =>
  prompt.flatMap((message) => {
    if (message.role === 'tool')
      return message.results.flatMap(({ output }) =>
        output.content.filter((part) => part.type === 'image'),
      )
    return message.role === 'user' ? message.parts.filter((part) => part.type === 'image') : []
  })

const isRelief = ({ type }: FoldableEvent): boolean =>
  type === 'context.pruned' || type === 'context.compacted'

const numRuns = casesOf(300)

test(
  'P1: whatever is shown, pruned and cut where: calls pair, a request has no image too many, and the newest is shown',
  () => {
    fc.assert(
      fc.property(threads, (thread) => {
        const log = [...logOf(thread), given([file('newest')])]
        const prompt = project('', log)
        assert.deepEqual(checkPairing(prompt), [])
        const images = imagesIn(prompt)
        assert.ok(images.length <= limits.imagesMax)
        assert.ok(images.reduce((sum, { bytes }) => sum + bytes, 0) <= limits.imagesBytesMax)
        assert.equal(images.at(-1)?.key, 'newest')
      }),
      { numRuns },
    )
  },
  timeout,
)

test(
  'P2: a request begins with the one before, unless a prune, a cut or more images than it takes lie between (I25)',
  () => {
    let [compared, full] = [0, 0]
    fc.assert(
      fc.property(threads, (thread) => {
        const projection = createProjection('')
        let before: readonly string[] = []
        for (const each of [...logOf(thread), said(['and?'])]) {
          if (isRelief(each)) before = []
          if (each.type === 'model.completed') {
            const now = partsIn(projection.prompt())
            const images = before.filter((part) => part.startsWith('image '))
            // One gave way: there are others in its place.
            const isFull = !images.every((key) => now.includes(key))
            if (isFull) full += 1
            else {
              compared += 1
              assert.deepEqual(now.slice(0, before.length), before)
            }
            before = now
          }
          projection.take(each)
        }
      }),
      { numRuns },
    )
    expect(compared).toBeGreaterThan(numRuns)
    expect(full).toBeGreaterThan(0)
  },
  timeout,
)

test(
  'P3: turn by turn, at once, or from the newest cut on, it is the same to the byte',
  () => {
    let cuts = 0
    fc.assert(
      fc.property(threads, (thread) => {
        const log = logOf(thread)
        const projection = createProjection('')
        for (const each of log) {
          projection.take(each)
          projection.prompt()
        }
        const whole = JSON.stringify(project('', log))
        assert.equal(JSON.stringify(projection.prompt()), whole)
        // A register answers from the first event of the run in which the kept turns begin.
        const cut = log.findLast(({ type }) => type === 'context.compacted')
        if (!cut) return
        const { keep } = factSchemas['context.compacted'].parse(cut.payload)
        const since = log.slice(log.findIndex((each) => each.runId === keep.runId))
        cuts += 1
        assert.equal(JSON.stringify(project('', since)), whole)
      }),
      { numRuns },
    )
    expect(cuts).toBeGreaterThan(20)
  },
  timeout,
)
