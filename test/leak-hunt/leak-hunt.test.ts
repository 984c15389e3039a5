/**
 * The leak hunt (I23): forty runs whose provider ends the answer without a good ending, each with a canary in the arguments
 * of its call, while a client watches; more that are cut, or cancelled, within what a guardrail was holding; and what guardrails take
 * out. Afterwards no canary is found in anything the system keeps or said: streams of each wire, webhooks, what commands print, logs,
 * spans, tables, files. The same hunt finds the canary of runs that closed well, so it can fail.
 */
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebhookMoment } from '@signalbox/core'
import type { Log } from '@signalbox/engine'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@signalbox/embedded'
import { placeReadyCluster } from '../../packages/server/test/support/ready-cluster.ts'
import type { ConfigInput } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest'
import { z } from 'zod'
import { providers as networked } from '../../packages/models/test/support/call.ts'
import { type Loopback, startLoopback } from '../../packages/models/test/support/loopback.ts'
import { type Receiver, startReceiver } from '../../packages/server/test/support/receiver.ts'
import { sampled } from '../../scripts/ci/sampled.ts'
import { treeNumber } from '../../scripts/ci/tree-number.ts'
import { findIn, type Flock, newCards, newFlock, spellings } from './canary.ts'
import { type Collector, startCollector } from './collector.ts'
import { printed as printedByCommands } from './commands.ts'
import {
  type Cut,
  cutReply,
  cuts,
  cutScript,
  goodReply,
  halves,
  hunted,
  isCancelled,
  moreCuts,
  outcomes,
} from './cuts.ts'
import { type HuntedRedis, missingRedis, startHuntedRedis } from './hunted-redis.ts'
import { otherWires } from './other-wires.ts'
import { executed, redactedName, redacting, redactions, rejectAll } from './redacted.ts'
import { Database, type Remains } from './remains.ts'
import { openScene, type Scene } from './scene.ts'

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const providers = ['scripted', ...networked] as const
/** Runs that must leak nothing, and runs that closed well. */
const cutFlock = newFlock()
const goodFlock = newFlock()
/** Tokens and addresses that a guardrail takes out, and numbers of cards, in answers that are cut as well. */
const tokenFlock = newFlock()
const cardFlock = newCards()
/** In a file that a run is given, and that nobody reads. */
const fileFlock = newFlock()
/** None of them is found anywhere. */
const hiding = [cutFlock, tokenFlock, cardFlock]

const printed: string[] = []
const written: string[] = []
let dir: string
let loopback: Loopback
let receiver: Receiver
let postgres: EmbeddedPostgres
let database: Database

beforeAll(async () => {
  for (const method of ['debug', 'error', 'info', 'log', 'warn'] as const)
    vi.spyOn(console, method).mockImplementation((...line) => void printed.push(line.join(' ')))
  dir = await mkdtemp(join(tmpdir(), 'signalbox-leaks-'))
  // As root, Postgres runs as another user, who must get through here.
  await chmod(dir, 0o755)
  loopback = await startLoopback()
  receiver = await startReceiver()
  await placeReadyCluster(join(dir, 'postgres'))
  postgres = await startEmbeddedPostgres({ dataDir: join(dir, 'postgres'), log: silent })
})

afterAll(async () => {
  vi.restoreAllMocks()
  await database?.close()
  await postgres?.stop()
  await loopback?.close()
  await receiver?.close()
  vi.unstubAllEnvs()
  await rm(dir, { recursive: true, force: true })
})

const saveNote = defineTool({
  name: hunted,
  description: 'Saves a note.',
  effect: 'once',
  input: z.looseObject({}),
  run: (args) => {
    written.push(JSON.stringify(args))
    return 'saved'
  },
})

const allCuts: readonly Cut[] = [...cuts, ...moreCuts]
const nameOf = (provider: string, cut: Cut | 'good'): string =>
  `${provider}-${cut === 'good' ? cut : allCuts.indexOf(cut)}`

/** Every provider with every further cut; of each cut a quarter of the providers, others with every commit. */
const moreCases = ofThisCommit(
  moreCuts.flatMap((cut) => providers.map((provider) => ({ provider, cut }))),
)

function ofThisCommit<T extends { readonly cut: Cut }>(cases: readonly T[]): readonly T[] {
  if (process.env['SIGNALBOX_FULL'] === '1') return cases
  const shares = cases.map((one) => ({ one, group: one.cut, oneIn: 4 }))
  return sampled(shares, treeNumber(import.meta.dirname).number).map(({ one }) => one)
}

/** What the answer of a provider is cut in, where it says something that a guardrail takes out. */
const halfOf = (provider: (typeof providers)[number]) =>
  halves[providers.indexOf(provider) % halves.length] ?? 'token'

const plain = { instructions: '', tools: [hunted], modelRetries: { max: 0 }, title: {} }

/** An agent for each provider and each way to be cut, and one that closes well. */
function config(): ConfigInput {
  const cases = [
    ...providers.flatMap((provider) => cuts.map((cut) => ({ provider, cut }))),
    ...moreCases,
  ]
  const agents = cases.map(({ provider, cut }) => {
    const model = nameOf(provider, cut)
    const half = halfOf(provider)
    const stream = [half === 'token' ? ('secrets' as const) : ('pii' as const)]
    const common = { ...plain, guardrails: cut.startsWith('half') ? { stream } : {} }
    if (provider === 'scripted') return [model, { ...common, model: { provider, model } }]
    const isCard = cut.startsWith('half') && half === 'card'
    const canary = isCard ? cardFlock.next() : cutFlock.next()
    const baseURL = loopback.reply(cutReply(provider, cut, canary, half))
    const settings = { provider, model, baseURL, apiKeyEnv: 'TEST_KEY', region: 'us-east-1' }
    return [model, { ...common, model: settings }]
  })
  const baseURL = loopback.reply(goodReply('anthropic', goodFlock.next()))
  const model = { provider: 'anthropic', model: 'good', baseURL, apiKeyEnv: 'TEST_KEY' }
  const good = { ...plain, model, limits: { maxTurns: 1 } }
  const given = { ...plain, tools: [], model: { provider: 'scripted', model: 'given' } }
  const redacted = redacting({ tokens: tokenFlock, cards: cardFlock })
  return {
    agents: { ...Object.fromEntries(agents), good, given, ...redacted.agents },
    tools: [saveNote, ...redacted.tools],
    scripts: {
      ...Object.fromEntries(
        allCuts.map((cut) => {
          const turn = cutScript(cut, cutFlock.next(), halfOf('scripted'))
          return [nameOf('scripted', cut), () => turn]
        }),
      ),
      given: () => ({ text: 'It is kept.' }),
      ...redacted.scripts,
    },
    server: { graceMs: 1000 },
    webhooks: {
      secretEnv: 'HOOK_SECRET',
      allow: ['127.0.0.1'],
      endpoints: { all: { url: receiver.url, on: [...WebhookMoment.options] } },
    },
  }
}

/** Of the settings of a scene what both have in common. */
const sceneOptions = () => ({
  databaseUrl: postgres.url,
  dir,
  hookSecret: `whsec_${randomBytes(32).toString('base64')}`,
  isCancelled: (agent: string) =>
    allCuts.some((cut, n) => isCancelled(cut) && agent.endsWith(`-${n}`)),
})

/** What the receiver of webhooks was sent, once it was told of each of these runs. */
async function delivered(runs: Iterable<string>): Promise<Remains> {
  for (const run of runs)
    await vi.waitUntil(() => receiver.of(run).length > 0, { timeout: 60_000, interval: 20 })
  const sent = receiver.received.map(({ raw, headers }) => raw + JSON.stringify(headers))
  return { where: 'webhooks', bytes: Buffer.from(sent.join('\n')) }
}

/** Starts a run for each thing that can become of such a call, and says how it ended. */
async function watchRedacted(scene: Scene): Promise<readonly string[]> {
  let isOver = false
  const rejecting = rejectAll(scene.api, () => isOver)
  const ended = await scene.watch(redactions.map(redactedName)).finally(() => (isOver = true))
  expect(await rejecting).toBe(1)
  return redactions.map((which, n) => `${which}: ${ended[n]}`)
}

const Notes = z.looseObject({ events: z.array(z.looseObject({ verdict: z.string() })) })

/** Why titles were not made, once there is an answer for each of the runs that something was taken out of; null before. */
async function titlesRefused({ api }: Scene): Promise<readonly string[] | null> {
  const answer = await fetch(`${api}/events?type=title.unchanged&limit=1000`)
  const { events } = Notes.parse(await answer.json())
  return events.length < redactions.length ? null : events.map(({ verdict }) => verdict)
}

const leaks = (remains: readonly Remains[], flock: Flock): readonly string[] =>
  remains.flatMap(({ where, bytes }) => findIn(bytes, flock).map((spelt) => `${where}: ${spelt}`))

/** Where the flock stands as it is. */
const places = (remains: readonly Remains[], { marker }: Flock): readonly string[] =>
  remains.filter(({ bytes }) => bytes.includes(marker)).map(({ where }) => where)

const bytesOf = (remains: readonly Remains[], where: string): string =>
  remains.find((each) => each.where === where)?.bytes.toString() ?? ''

const goodOn = (wire: string): string => `the stream of good on ${wire}`

const around = (bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from('before'), bytes, Buffer.alloc(3)])

test('the hunt finds a canary in every spelling, and half of it', () => {
  const flock = newFlock()
  const canary = flock.next()
  expect(findIn(around(Buffer.from('nothing')), flock)).toEqual([])
  for (const { name, bytes } of spellings(canary))
    expect(findIn(around(bytes), flock).length, name).toBeGreaterThan(0)
  for (const before of ['', 'a', 'ab', 'abc', 'abcd'])
    expect(findIn(Buffer.from(btoa(`${before}${canary}c`)), flock).length).toBeGreaterThan(0)
  const half = Math.ceil(canary.length / 2)
  for (const part of [canary.slice(0, half), canary.slice(-half)])
    expect(findIn(Buffer.from(part), flock)).toHaveLength(1)
})

test('a number of a card is found in every spelling', () => {
  const cards = newCards()
  const numbers = Array.from({ length: 50 }, () => cards.next())
  expect(new Set(numbers.map((number) => number.length))).toEqual(new Set([16]))
  for (const { name, bytes } of spellings(numbers[0] ?? ''))
    expect(findIn(around(bytes), cards).length, name).toBeGreaterThan(0)
})

describe('with all of it in Postgres', () => {
  let scene: Scene
  let collector: Collector
  const kept: Remains[] = []

  beforeAll(async () => {
    collector = await startCollector()
    database = await Database.connect(postgres.url)
    scene = await openScene(config(), { ...sceneOptions(), otlpUrl: collector.url })
  })
  afterAll(async () => {
    await scene?.stop()
    await collector?.close()
  })

  it('forty runs end as they must, and nothing of them is executed', async () => {
    const cases = providers.flatMap((provider) => cuts.map((cut) => ({ provider, cut })))
    expect(cases).toHaveLength(40)
    const ended = await scene.watch(cases.map(({ provider, cut }) => nameOf(provider, cut)))
    const told = cases.map(({ provider, cut }, n) => `${provider}, ${cut}: ${ended[n]}`)
    expect(told).toEqual(cases.map(({ provider, cut }) => `${provider}, ${cut}: ${outcomes[cut]}`))
    expect(written).toEqual([])
    await scene.watch(['good'])
    expect(written).toHaveLength(1)
  })

  it(`${moreCases.length} more runs end as they must, and nothing of them is executed`, async () => {
    const ended: string[] = []
    // As many at once as the forty are: each is a client of its own.
    for (let from = 0; from < moreCases.length; from += 40)
      ended.push(
        ...(await scene.watch(
          moreCases.slice(from, from + 40).map(({ provider, cut }) => nameOf(provider, cut)),
        )),
      )
    const told = moreCases.map(({ provider, cut }, n) => `${provider}, ${cut}: ${ended[n]}`)
    expect(told).toEqual(
      moreCases.map(({ provider, cut }) => `${provider}, ${cut}: ${outcomes[cut]}`),
    )
    expect(written).toHaveLength(1)
  })

  it('tokens and persons in arguments, results and answers are taken out, whatever becomes of the call', async () => {
    written.length = 0
    expect(await watchRedacted(scene)).toEqual(redactions.map((which) => `${which}: completed`))
    // Executed once each, and by then what was to be taken out was gone.
    expect(written.map((args) => args.includes('[redacted:'))).toEqual(executed.map(() => true))
  })

  it('titles are asked for, and none is made of what is taken out', async () => {
    // Asked for a title, each says once more what its run began with.
    const reasons = await vi.waitUntil(() => titlesRefused(scene), {
      timeout: 60_000,
      interval: 100,
    })
    expect(reasons).toContain('guardrail')
    expect(reasons).toContain('calls')
  })

  it('a run is given a file, and its model does not read it', async () => {
    expect(await scene.give('given', fileFlock.next())).toBe('completed')
  })

  it('the other wires have the same agents', async () => {
    const agents = [redactedName('executed'), redactedName('said'), 'good']
    const { number } = treeNumber(import.meta.dirname)
    const asked = otherWires.flatMap((wire, w) => [
      // Another provider for each cut and wire, and with every commit.
      ...cuts.map((cut, c) => {
        const provider = providers[(number + w * 3 + c) % providers.length] ?? 'scripted'
        return { wire, agent: nameOf(provider, cut) }
      }),
      ...agents.map((agent) => ({ wire, agent })),
    ])
    const read = await Promise.all(asked.map(({ wire, agent }) => scene.watchOn(wire, agent)))
    expect(read.every((bytes) => bytes > 0)).toBe(true)
  })

  it('commands show what there is, and run what they are told to', async () => {
    vi.stubEnv('DATABASE_URL', postgres.url)
    vi.stubEnv('SIGNALBOX_URL', scene.api)
    const shown = [
      nameOf('openai', cuts[0]),
      redactedName('executed'),
      redactedName('said'),
      'good',
    ]
    const agents = [nameOf('anthropic', cuts[1]), redactedName('mailed')]
    const runs = shown.map((agent) => scene.runs.get(agent) ?? agent)
    kept.push(...(await printedByCommands({ runs, agents })))
    const exported = kept.filter(({ where }) => where.startsWith('signalbox audit export'))
    expect(places(exported, goodFlock)).toEqual(exported.map(({ where }) => where))
  })

  it('no canary is in streams, wakes, logs, spans and metrics', async () => {
    kept.push(await delivered(scene.runs.values()), ...(await scene.overheard()))
    kept.push(database.announced)
    kept.push({ where: 'standard output', bytes: Buffer.from(printed.join('\n')) })
    await scene.stop()
    kept.push({ where: 'spans', bytes: Buffer.concat(collector.received) })
    for (const flock of hiding) expect(leaks(kept, flock)).toEqual([])
    // An export has what is in files, so that it can be verified; nothing else has.
    const besides = kept.filter(({ where }) => !where.startsWith('signalbox audit export'))
    expect(leaks(besides, fileFlock)).toEqual([])
    expect(leaks(kept, fileFlock).length).toBeGreaterThan(0)
    expect(bytesOf(kept, 'the stream of given')).toContain('uploads/given.txt')
    for (const which of ['executed', 'shown', 'mailed', 'listed', 'said'] as const)
      expect(bytesOf(kept, `the stream of ${redactedName(which)}`)).toContain('[redacted:')
    // Each of them has something to say.
    expect(bytesOf(kept, 'spans')).toContain('anthropic-0')
    expect(bytesOf(kept, 'metrics of the worker')).toContain('outcome="safety_stopped"')
    expect(bytesOf(kept, 'NOTIFY')).toContain('I write. ')
    expect(bytesOf(kept, 'the log').length).toBeGreaterThan(0)
    expect(places(kept, goodFlock)).toEqual(
      expect.arrayContaining([
        'webhooks',
        ...['ag-ui', 'ai-sdk'].map(goodOn),
        'the stream of good',
      ]),
    )
    for (const wire of otherWires)
      expect(bytesOf(kept, `the stream of ${redactedName('said')} on ${wire}`)).toContain(
        '[redacted:',
      )
  })

  it('no canary is in a table, nor in the data directory with its write-ahead log', async () => {
    const remains = [
      ...(await database.files({ written: false })),
      ...(await database.tables(join(dir, 'copied'))),
      ...(await database.files({ written: true })),
    ]
    for (const flock of hiding) expect(leaks(remains, flock)).toEqual([])
    // The text of a file stands in its content, and in no event.
    const tables = remains.filter(({ where }) => where.includes('copied'))
    const holding = tables.filter(({ bytes }) => findIn(bytes, fileFlock).length > 0)
    const named = new Set(holding.map(({ where }) => /signalbox\.\w+/.exec(where)?.[0]))
    expect(named).toEqual(new Set(['signalbox.blob', 'signalbox.upload_part']))
    const found = places(remains, goodFlock)
    expect(found.some((place) => /copied\/signalbox\.event/.test(place))).toBe(true)
    expect(found.some((place) => place.includes('/pg_wal/'))).toBe(true)
    expect(found.some((place) => place.includes('/base/'))).toBe(true)
  })
})

describe.skipIf(missingRedis.skip)(`with Redis${missingRedis.why}`, () => {
  let redis: HuntedRedis | undefined
  afterAll(() => redis?.stop())

  it('no canary is in a key, a command, or a file of Redis', async () => {
    const folder = join(dir, 'redis')
    await mkdir(folder)
    redis = await startHuntedRedis(folder)
    const collector = await startCollector()
    const scene = await openScene(config(), {
      ...sceneOptions(),
      redisUrl: redis.url,
      otlpUrl: collector.url,
    })
    try {
      await scene.watch(cuts.map((cut) => nameOf('openai', cut)))
      await scene.watch(['good'])
      await watchRedacted(scene)
      expect(await scene.give('given', fileFlock.next())).toBe('completed')
      const sent = await delivered(scene.runs.values())
      const remains = [sent, ...(await scene.overheard()), ...(await redis.remains())]
      for (const flock of [...hiding, fileFlock]) expect(leaks(remains, flock)).toEqual([])
      expect(bytesOf(remains, 'MONITOR')).toContain('I write. ')
      expect(places(remains, goodFlock)).toContain('the stream of good')
    } finally {
      await scene.stop()
      await collector.close()
    }
  })
})
