/**
 * Images in the simulation: the models of some agents see, and their tools answer with images, which providers refuse now and then. An image says in
 * its bytes which attempt made it, so the log alone tells what a request must show, whatever the engine's own fold makes of it:
 *
 * W1 A request shows no more images than it may, and each of them can be read: it is the one that its call made.
 * W2 What gave way stays so: of the images before a prune, no more are shown than it left.
 * W3 Bytes of images are in blobs alone, and each image that an event names is there, in its own thread or in one that this goes on from.
 */
import { createHash } from 'node:crypto'
import {
  type AgentDefinition,
  factSchemas,
  type ImagePart,
  imageTokens,
  limits,
  payloadOf,
  promptImages,
  seesImages,
} from '@signalbox/core'
import type { ImageDraft, ModelRequest, StoredEvent } from '@signalbox/engine'
import type { MemoryRegister } from '@signalbox/testing/memory'
import type { RunRecord } from '../invariants/run-record.ts'
import { threadsOf } from './files.ts'
import { seeded } from './seeded.ts'
import type { World } from './world.ts'

type Tables = MemoryRegister['tables']

/** How many plans have an agent whose model sees, and how many of its requests with images are refused for one. */
const seeing = 0.1
const refusing = 0.15

/** Drawn by itself, so that the other plans are played as before. Of those that see, half have another model that sees nothing. */
export function visionOf(seed: number, name: string): { readonly vision?: true } {
  const unit = seeded(seed * 59 + 17)
  const sees = unit() < seeing
  return sees && (name === 'own' || unit() < 0.5) ? { vision: true } : {}
}

const mark = 'pixels of'

const be32 = (n: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(n)
  return bytes
}

/** The head of a PNG, and behind it the words of who made it. */
function imageOf(maker: string): Buffer {
  const [side = 1] = createHash('sha256').update(maker).digest()
  const size = Buffer.concat([be32(1 + side), be32(20), Buffer.from([8, 2, 0, 0, 0]), be32(0)])
  const head = [Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), be32(13), Buffer.from('IHDR'), size]
  return Buffer.concat([...head, Buffer.from(`${mark} ${maker}`)])
}

/** What an attempt of a call shows, with the words in the place of each image; null for most tools and agents. */
export function shotsOf(
  { runs, definitions }: Tables,
  { tool, runId, effectId, attempt }: Shot,
): { readonly words: readonly string[]; readonly images: readonly ImageDraft[] } | null {
  const agent = definitions.get(runs.get(runId)?.definitionHash ?? '')
  if (tool !== 'look' || !isSeeing(agent)) return null
  const made = [0, 1, 2].map((n) => imageOf(`${effectId} ${attempt} ${n}`))
  return {
    words: made.map((_, n) => `[image ${n}]`),
    images: made.map((bytes, n) => ({ at: n + 1, bytes, name: `${n}.png` })),
  }
}

interface Shot {
  readonly tool: string
  readonly runId: string
  readonly effectId: string
  readonly attempt: number
}

/** Tokens of the images of a request, beside those of its text. */
export const imageTokensIn = ({ prompt }: Pick<ModelRequest, 'prompt'>): number =>
  promptImages(prompt).reduce((sum, image) => sum + imageTokens(image), 0)

/** Does the provider refuse the request for one of its images? It does so for each of the same turn. */
export const isRefused = (
  { prompt, model }: Pick<ModelRequest, 'prompt' | 'model'>,
  turn: number,
): boolean =>
  model.vision === true &&
  promptImages(prompt).length > 0 &&
  seeded(Number(model.baseURL) * 61 + turn * 7 + 5)() < refusing

/** Looks at the images that the model of a run is asked with (W1, W2). */
export async function watchImages(
  world: World,
  { events }: Tables,
  { runId, prompt, images }: Pick<ModelRequest, 'prompt' | 'images'> & { readonly runId: string },
): Promise<void> {
  const { complaints } = world
  const shown = promptImages(prompt)
  if (shown.length === 0) return
  const bytes = shown.reduce((sum, image) => sum + image.bytes, 0)
  if (shown.length > limits.imagesMax || bytes > limits.imagesBytesMax)
    complaints.push(`W1 a prompt of ${runId} shows ${shown.length} images, ${bytes} bytes`)
  for (const violation of pruneViolations(runId, events.get(runId) ?? [], shown))
    complaints.push(violation)
  for (const image of shown) {
    const read = await images?.(image.key)
    const [, maker] = Buffer.from(read ?? [])
      .toString('latin1')
      .split(`${mark} `)
    const [effectId, attempt] = maker?.split(' ') ?? []
    const isMade = world.returned.some(
      (each) =>
        each.effectId === effectId &&
        each.attempt === Number(attempt) &&
        each.status === 'completed',
    )
    if (!isMade)
      complaints.push(`W1 a prompt of ${runId} shows ${image.key}, of ${maker ?? 'nobody'}`)
  }
}

/** The log that the prompt was made of may be older than the one that is there: only what was told before the newest answer counts. */
function pruneViolations(
  runId: string,
  log: readonly StoredEvent[],
  shown: readonly ImagePart[],
): readonly string[] {
  const at = log.findLastIndex(
    ({ type, payload }) =>
      type === 'context.pruned' && Object.hasOwn(Object(payload['rule']), 'images'),
  )
  const pruned = log[at]
  const claim = log.findLastIndex(({ type, tool }) => type === 'effect.started' && tool === null)
  if (!pruned || at > claim) return []
  const keep = Number(Object(pruned.payload['rule']).images)
  const before = new Set(
    log
      .slice(0, at)
      .flatMap(imagesNamed)
      .map(({ key }) => key),
  )
  const left = shown.filter(({ key }) => before.has(key)).length
  return left <= keep
    ? []
    : [
        `W2 a prompt of ${runId} shows ${left} images of which a prune at ${pruned.seq} left ${keep}`,
      ]
}

/** The images that an event names. */
function imagesNamed(event: StoredEvent): readonly ImagePart[] {
  if (event.type !== 'tool.completed') return []
  const { output } = payloadOf(factSchemas['tool.completed'], event)
  return output.content.filter((part) => part.type === 'image')
}

/** What must hold of the logs (W3). */
export const imageViolations = (
  { tables }: MemoryRegister,
  runs: readonly RunRecord[],
): readonly string[] =>
  runs.flatMap(({ head: { runId }, log, agent }) => {
    if (!isSeeing(agent)) return []
    const readable = threadsOf(tables, tables.runs.get(runId))
    return log.flatMap((event) => [
      ...(holdsBytes(event) ? [`W3 ${runId} says at ${event.seq} what an image is made of`] : []),
      ...imagesNamed(event)
        .filter(({ key }) => !readable.some((thread) => tables.blobs.has(`${thread}\u0000${key}`)))
        .map(({ key }) => `W3 the image ${key} of ${runId} at ${event.seq} is not there`),
    ])
  })

const isSeeing = (agent: AgentDefinition | null | undefined): boolean =>
  agent !== null && agent !== undefined && seesImages(agent, 0)

const base64Mark = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').toString('base64').slice(0, 10)

const holdsBytes = ({ payload }: StoredEvent): boolean => {
  const text = JSON.stringify(payload)
  return text.includes(mark) || text.includes(base64Mark)
}
