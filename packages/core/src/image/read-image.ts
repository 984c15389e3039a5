/**
 * Whether a content may be shown to a model as an image. The bytes decide, and whoever says another type of them is not believed.
 *
 * R1 A content that its name or its declared type denies is refused: one of the two is wrong, and nobody here can tell which was meant.
 * R2 What bytes stand behind the head is nobody's business here: an image that is something else as well is shown as an image, and is
 *    served as nothing else.
 */
import { limits } from '../limits.ts'
import type { ImageType } from '../message.ts'
import { imageHeadOf, type ImageHead } from './header.ts'

/** Why a content is not shown as an image. Stable words: they stand in events and in errors of tools. */
export const imageRefusals = [
  'not_an_image',
  'image_broken',
  'image_type_mismatch',
  'image_too_large',
  'image_too_many_pixels',
] as const

/** Why a content is no image that is shown. */
export type ImageRefusal = (typeof imageRefusals)[number]

/** An image that may be shown, or why the content is none, in words that end "not shown: …". */
export type ReadImage =
  | ({ readonly ok: true } & ImageHead)
  | { readonly ok: false; readonly code: ImageRefusal; readonly message: string }

/** The words of others about a content. */
export interface SaidOfImage {
  /** Its file name, or a path that ends with one. */
  readonly name?: string | undefined
  /** A media type. */
  readonly mime?: string | undefined
}

/** Judges a content by its bytes, and by what is said of it. */
export function readImage(bytes: Uint8Array, said: SaidOfImage = {}): ReadImage {
  const head = imageHeadOf(bytes)
  if (head === 'not_an_image') return refusal(head, 'it is no JPEG, PNG, WebP or GIF')
  if (head === 'broken') return refusal('image_broken', 'its head does not say how large it is')
  const { mime, width, height } = head
  const other = deniedBy(mime, said)
  if (other !== null) return refusal('image_type_mismatch', `it is ${mime}, and not ${other}`)
  if (bytes.length > limits.imageBytesMax)
    return refusal(
      'image_too_large',
      `it has ${bytes.length} bytes, and an image at most ${limits.imageBytesMax}`,
    )
  const isWide = width > limits.imageSideMax || height > limits.imageSideMax
  if (isWide || width * height > limits.imagePixelsMax)
    return refusal(
      'image_too_many_pixels',
      `it has ${width} × ${height} pixels, and an image at most ${limits.imageSideMax} a side and ${limits.imagePixelsMax} in all`,
    )
  return { ok: true, ...head }
}

const refusal = (code: ImageRefusal, message: string): ReadImage => ({ ok: false, code, message })

/** Extensions by the type that they claim. */
const extensions: Readonly<Record<ImageType, readonly string[]>> = {
  'image/jpeg': ['jpg', 'jpeg', 'jpe', 'jfif'],
  'image/png': ['png', 'apng'],
  'image/webp': ['webp'],
  'image/gif': ['gif'],
}

/** Other names of the types, as clients and servers have them. */
const aliases = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/x-png', 'image/png'],
  ['image/apng', 'image/png'],
])

/** Types that say nothing of a content. */
const unsaid = new Set(['', '*/*', 'image/*', 'image', 'application/octet-stream'])

/** The type that somebody says it has instead; null: nobody does. */
function deniedBy(mime: ImageType, { name = '', mime: declared = '' }: SaidOfImage): string | null {
  const bare = declared.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!unsaid.has(bare) && (aliases.get(bare) ?? bare) !== mime) return bare.slice(0, 100)
  // Digits alone claim no type, and neither does a name without a dot in it.
  const [, extension] = /[^/]\.([a-z]{2,5}|mp[34])$/i.exec(name) ?? []
  const isOwn = extension === undefined || extensions[mime].includes(extension.toLowerCase())
  return isOwn ? null : `.${extension.toLowerCase()}`
}
