/**
 * The weight of an image in a request, by its pixels. Nobody counts an image before it was sent, and vendors count it each in another way, so
 * this is one estimate for all: a token for 750 pixels, as Anthropic has it, at least 85, which is the least of OpenAI, and at most 1,600,
 * beyond which vendors make an image smaller. The count of the provider takes its place with the answer.
 */
import type { AssistantPart, ContentPart, ImagePart } from '../message.ts'

const pixelsPerToken = 750
const tokensMin = 85
const tokensMax = 1_600

/** Bytes of text that weigh as much as a token of an image: meters count in bytes. */
const bytesPerImageToken = 4

/** Tokens of an image, by estimate. */
export const imageTokens = ({ width, height }: Pick<ImagePart, 'width' | 'height'>): number =>
  Math.min(tokensMax, Math.max(tokensMin, Math.ceil((width * height) / pixelsPerToken)))

/** The bytes that the images among these parts weigh as. */
export const imageBytesIn = (parts: readonly (AssistantPart | ContentPart)[]): number =>
  parts.reduce(
    (bytes, part) =>
      part.type === 'image' ? bytes + imageTokens(part) * bytesPerImageToken : bytes,
    0,
  )
