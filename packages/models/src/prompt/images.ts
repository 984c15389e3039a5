/**
 * The images of a prompt, as one request shows them: bytes are asked for when the request is made, and are nowhere before and after it.
 *
 * J1 A model that takes no images, or none like this one, reads one line in its place. So does one whose image was erased.
 * J2 An image that a provider refuses for its type or its size is not sent: the whole request would be refused, and each later one.
 */
import { type ImagePart, imageWords, type ImageType, promptImages } from '@signalbox/core'
import type { ModelRequest } from '@signalbox/engine'

/** The images that a model takes. */
export interface ImageRules {
  readonly types: readonly ImageType[]
  /** Of one image, before it is written as base64. */
  readonly bytesMax: number
  /** Does an image stand in the result of a call? Else it stands in a message behind all results. */
  readonly inResults: boolean
}

/** An image that is sent, as base64, or the words in its place. */
export type SeenImage = { readonly base64: string } | { readonly words: string }

/** The images of one request. */
export interface SeenImages {
  readonly inResults: boolean
  readonly of: (part: ImagePart) => SeenImage
  /** Those that are sent, and those that are not. */
  readonly shown: number
  readonly leftOut: number
}

/** Of a request without any. */
export const noImages: SeenImages = {
  inResults: false,
  of: (part) => ({ words: notShown(part, 'this model takes no images') }),
  shown: 0,
  leftOut: 0,
}

/** Reads the images of a request. Rejects where the bytes cannot be read now. */
export async function seeImages(
  { prompt, model, images }: Pick<ModelRequest, 'prompt' | 'model' | 'images'>,
  rules: ImageRules | undefined,
): Promise<SeenImages> {
  const parts = promptImages(prompt)
  if (parts.length === 0) return noImages
  if (model.vision !== true || !rules || !images) return { ...noImages, leftOut: parts.length }
  const byKey = new Map<string, SeenImage>()
  for (const part of parts)
    if (!byKey.has(part.key)) byKey.set(part.key, await see(part, rules, images))
  const of = (part: ImagePart): SeenImage => byKey.get(part.key) ?? noImages.of(part)
  const leftOut = parts.filter((part) => 'words' in of(part)).length
  return { inResults: rules.inResults, of, shown: parts.length - leftOut, leftOut }
}

async function see(
  part: ImagePart,
  { types, bytesMax }: ImageRules,
  images: NonNullable<ModelRequest['images']>,
): Promise<SeenImage> {
  if (!types.includes(part.mime))
    return { words: notShown(part, `this model takes no ${part.mime}`) }
  if (part.bytes > bytesMax)
    return { words: notShown(part, `this model takes images of at most ${bytesMax} bytes`) }
  const bytes = await images(part.key)
  if (!bytes) return { words: notShown(part, 'its content was erased') }
  const { buffer, byteOffset, byteLength } = bytes
  return { base64: Buffer.from(buffer, byteOffset, byteLength).toString('base64') }
}

const notShown = (part: ImagePart, why: string): string =>
  `[${imageWords(part)}: not shown, ${why}]`
