/** The address of an image, below that of the API: wires show it in the place of its bytes, which stand in no message. */
import type { ImagePart } from '@signalbox/core'

/** Of an image that a thread shows. */
export const imageAddress = (threadId: string, { key }: Pick<ImagePart, 'key'>): string =>
  `/threads/${encodeURIComponent(threadId)}/images/${encodeURIComponent(key)}`
