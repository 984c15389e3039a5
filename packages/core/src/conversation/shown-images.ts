/**
 * The images of a conversation that a request shows. One has so many images, and bytes of them, at most: where another image would be too many,
 * older ones give way to a line each, several at a time, so that the beginning of requests changes seldom.
 *
 * G1 The images that are shown are a function of those that are there, in their order: whoever reads the conversation, from wherever, shows the same.
 * G2 The newest image is shown, and of images that came together as many as a request takes.
 * G3 Images that the log says were left out (`context.pruned`) are lines in the conversation itself, and no images any more.
 */
import { leftOutWords } from '../image/words.ts'
import { limits } from '../limits.ts'
import type { ContentPart, ImagePart, TextPart } from '../message.ts'
import type { Entries, Results } from './entries.ts'
import type { CallAnswer } from './write.ts'

/** The images of one message, or of one result. */
interface Batch {
  readonly images: readonly ImagePart[]
  /** Tells those who have read the message or the result that it is shown otherwise. */
  readonly touch: () => void
}

/** Which images of a conversation give way. */
export class ShownImages {
  #hidden: ReadonlySet<ContentPart> = new Set()

  /** Looks anew which of them give way. */
  bringUp(conversation: Heard): void {
    if (!hasAny(conversation)) return
    const batches = batchesOf(conversation)
    const shown = new Set(windowOf(batches.map(({ images }) => images)))
    const before = this.#hidden
    const all = batches.flatMap(({ images }) => images)
    this.#hidden = new Set(all.filter((image) => !shown.has(image)))
    for (const { images, touch } of batches)
      if (images.some((image) => before.has(image) !== this.#hidden.has(image))) touch()
  }

  /** The parts as a request shows them: the same list where nothing of it gives way. */
  visible(parts: readonly ContentPart[]): readonly ContentPart[] {
    const isHidden = (part: ContentPart): boolean => this.#hidden.has(part)
    return this.#hidden.size > 0 && parts.some(isHidden)
      ? parts.map((part) => (part.type === 'image' && isHidden(part) ? leftOut(part) : part))
      : parts
  }

  /** The images that a request shows, oldest first. */
  in(conversation: Heard): readonly ImagePart[] {
    if (!hasAny(conversation)) return []
    const all = batchesOf(conversation).flatMap(({ images }) => images)
    return all.filter((image) => !this.#hidden.has(image))
  }
}

/** The part of a conversation in which images are. */
interface Heard {
  readonly entries: Entries
  readonly results: Results
}

const hasAny = ({ entries, results }: Heard): boolean => entries.hasImages || results.hasImages

const leftOut = (part: ImagePart): TextPart => ({ type: 'text', text: leftOutWords(part) })

const imagesIn = (parts: readonly ContentPart[]): readonly ImagePart[] =>
  parts.filter((part) => part.type === 'image')

/** In the order in which a request shows them. */
function batchesOf({ entries, results }: Heard): readonly Batch[] {
  const batches: Batch[] = []
  for (const [at, entry] of entries.all.entries()) {
    if (entry.type === 'said') {
      const touch = (): void => entries.replace(at, entry)
      batches.push({ images: imagesIn(entry.parts), touch })
    } else
      for (const { id, output } of outputsOf(entry, results)) {
        const touch = (): void => results.set(id, output)
        batches.push({ images: imagesIn(output.content), touch })
      }
  }
  return batches.filter(({ images }) => images.length > 0)
}

/** The results of the calls of an answer, in the order of the calls. */
function outputsOf({ parts }: CallAnswer, results: Results) {
  return parts.flatMap((part) => {
    const output = part.type === 'tool_call' ? results.get(part.id) : undefined
    return part.type === 'tool_call' && output ? [{ id: part.id, output }] : []
  })
}

const bytesOf = (images: readonly ImagePart[]): number =>
  images.reduce((sum, { bytes }) => sum + bytes, 0)

interface Bounds {
  readonly count: number
  readonly bytes: number
}

const most: Bounds = { count: limits.imagesMax, bytes: limits.imagesBytesMax }

/** The images that are left when all of them have come, batch by batch. */
function windowOf(batches: readonly (readonly ImagePart[])[]): readonly ImagePart[] {
  let shown: readonly ImagePart[] = []
  for (const batch of batches) {
    const all = [...shown, ...batch]
    if (all.length <= most.count && bytesOf(all) <= most.bytes) {
      shown = all
      continue
    }
    // The step is large, so that the next images find room; but those that came together do not push each other out.
    shown = newest(all, {
      count: Math.min(most.count, Math.max(limits.imagesKept, batch.length)),
      bytes: Math.min(most.bytes, Math.max(most.bytes / 2, bytesOf(batch))),
    })
  }
  return shown
}

/** As many of the newest as are within the bounds, and the newest in any case. */
function newest(images: readonly ImagePart[], { count, bytes }: Bounds): readonly ImagePart[] {
  let kept = images.slice(-count)
  while (kept.length > 1 && bytesOf(kept) > bytes) kept = kept.slice(1)
  return kept
}

/** Puts a line in the place of all but so many of the newest images. One that is a line already is no image. */
export function leaveOutImages({ entries, results }: Heard, keep: number): void {
  if (!hasAny({ entries, results })) return
  const all = batchesOf({ entries, results }).flatMap(({ images }) => images)
  const gone: ReadonlySet<ContentPart> = new Set(all.slice(0, Math.max(0, all.length - keep)))
  const isGone = (part: ContentPart): boolean => gone.has(part)
  const without = (parts: readonly ContentPart[]): ContentPart[] =>
    parts.map((part) => (part.type === 'image' && isGone(part) ? leftOut(part) : part))
  for (const [at, entry] of entries.all.entries()) {
    if (entry.type === 'said') {
      if (entry.parts.some(isGone)) entries.replace(at, { ...entry, parts: without(entry.parts) })
    } else
      for (const { id, output } of outputsOf(entry, results))
        if (output.content.some(isGone))
          results.set(id, { ...output, content: without(output.content) })
  }
}
