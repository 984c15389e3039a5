/**
 * A turn whose request had images: how many the model was not shown, and whether its provider objects to one.
 *
 * W1 Words of a provider may quote the request: no part of an image is kept with them.
 * W2 An objection to what an image shows is a matter of safety, and such a request is not made again.
 */
import type { ModelError, ModelTurn } from '@signalbox/core'
import type { SeenImages } from '../prompt/images.ts'

/** The turn with what is to be said of its images. It is the same where the request had none. */
export function withImages(
  turn: ModelTurn,
  { shown, leftOut }: Pick<SeenImages, 'shown' | 'leftOut'>,
): ModelTurn {
  if (shown + leftOut === 0) return turn
  const { error, trip } = turn
  return {
    ...turn,
    ...(error ? { error: errorOf(error, shown) } : {}),
    ...(trip ? { trip: { ...trip, feedback: withoutImageData(trip.feedback) } } : {}),
    ...(leftOut > 0 ? { imagesLeftOut: leftOut } : {}),
  }
}

function errorOf(error: ModelError, shown: number): ModelError {
  const message = withoutImageData(error.message)
  const isOf =
    shown > 0 && error.class === 'invalid_request' && objects(`${error.code ?? ''} ${message}`)
  return { ...error, message, ...(isOf ? { images: true as const } : {}) }
}

/** Words of providers that object to an image. */
const aboutImages =
  /\bimages?\b|image_(url|parse|file|content|format|size|too)|(invalid|unsupported|empty|input)_image|\bvision\b|multimodal/i
/** Words of those that object to what is in it. */
const aboutContent = /polic|safety|moderat|violat|sensitive|inappropriate|nsfw|harm|prohibited/i

const objects = (words: string): boolean => aboutImages.test(words) && !aboutContent.test(words)

/** The words without what they quote of an image. */
const withoutImageData = (words: string): string =>
  words
    .replaceAll(/data:[\w.+/-]{1,100};base64,[\w+/=-]*/g, '[data]')
    .replaceAll(/[\w+/-]{120,}={0,2}/g, '[data]')
