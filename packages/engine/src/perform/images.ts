/**
 * The images that a tool answers with, for a model that sees them: each becomes a blob of the thread before the event that names it, and its
 * bytes stand nowhere else. A model that sees none reads what the tool says in their place.
 *
 * V1 The tool says where in its output an image belongs, and nobody believes what it says the image is: bytes decide, within the limits.
 * V2 An image that is not shown leaves its result as it was, and says why.
 */
import {
  type AgentDefinition,
  type ContentPart,
  type ImagePart,
  limits,
  readImage,
  seesImages,
  type ToolOutput,
} from '@signalbox/core'
import type { ImageDraft, ThreadRef, ToolOutcome } from '../ports.ts'
import type { Content } from './content.ts'

type Completed = Extract<ToolOutcome, { readonly status: 'completed' }>

/** The output with its images in their places. */
export async function placeImages(
  content: Pick<Content, 'store'>,
  { agent, thread }: { readonly agent: AgentDefinition; readonly thread: ThreadRef },
  { output, images = [] }: Pick<Completed, 'output' | 'images'>,
): Promise<ToolOutput> {
  if (images.length === 0 || !seesImages(agent, 0)) return output
  const parts = new Map<number, ContentPart>()
  let [count, bytes] = [0, 0]
  for (const draft of images) {
    const stand = output.content[draft.at]
    if (stand?.type !== 'text') continue
    const judged = judge(draft, { count, bytes })
    if (!judged.ok) {
      parts.set(draft.at, { type: 'text', text: notShown(stand.text, judged.message) })
      continue
    }
    const { mime, width, height } = judged.head
    const [key = ''] = await content.store(thread, [{ mime, bytes: draft.bytes }])
    const name = draft.name?.slice(0, limits.fileNameCharsMax)
    parts.set(draft.at, {
      type: 'image',
      key,
      mime,
      bytes: draft.bytes.length,
      width,
      height,
      ...(name === undefined ? {} : { name }),
    })
    count += 1
    bytes += draft.bytes.length
  }
  return { ...output, content: output.content.map((part, at) => parts.get(at) ?? part) }
}

type Judged =
  | { readonly ok: true; readonly head: Pick<ImagePart, 'mime' | 'width' | 'height'> }
  | { readonly ok: false; readonly message: string }

/** Judges an image behind those of the same result that are shown. */
function judge(
  { bytes, mime, name }: ImageDraft,
  shown: { readonly count: number; readonly bytes: number },
): Judged {
  const read = readImage(bytes, { mime, name })
  if (!read.ok) return { ok: false, message: read.message }
  const isFull =
    shown.count >= limits.imagesMax || shown.bytes + bytes.length > limits.imagesBytesMax
  if (isFull)
    return {
      ok: false,
      message: `a result shows at most ${limits.imagesMax} images and ${limits.imagesBytesMax} bytes of them`,
    }
  const { mime: type, width, height } = read
  return { ok: true, head: { mime: type, width, height } }
}

/** The words of the tool in the place of the image, and the reason in them if they end as ours do. */
const notShown = (words: string, why: string): string =>
  words.endsWith(']') ? `${words.slice(0, -1)}: ${why}]` : `${words} [Not shown: ${why}]`
