/**
 * The images among the files that a run is given, for a model that is shown them in the message that they came with. What is found of each
 * stands in the event of the run: later requests ask nobody again.
 *
 * I1 The bytes say which files are images. A name that says otherwise keeps one from being shown, and the file is there all the same.
 * I2 Of a content its head is read, and all of it only where a camera wrote much before the size. One is held at a time.
 */
import { type FileChange, ImageType, limits, readImage } from '@signalbox/core'
import type { ReadModel } from '../read-model.ts'

/** The thread whose blobs the files are. */
interface Place {
  readonly tenantId: string
  readonly threadId: string
}

/** The files, those of them marked that are images. */
export async function markImages(
  read: Pick<ReadModel, 'blob' | 'blobHead'>,
  place: Place,
  files: readonly FileChange[],
): Promise<readonly FileChange[]> {
  const marked: FileChange[] = []
  let [count, bytes] = [0, 0]
  for (const file of files) {
    const image = await imageOf(read, place, file)
    if (!image) {
      marked.push(file)
      continue
    }
    const isFull = count >= limits.imagesMax || bytes + file.bytes > limits.imagesBytesMax
    if ('refused' in image) marked.push({ ...file, image })
    else if (isFull) marked.push({ ...file, image: { refused: 'too_many_images' } })
    else {
      marked.push({ ...file, image })
      count += 1
      bytes += file.bytes
    }
  }
  return marked
}

type Mark = NonNullable<FileChange['image']>

/** Null: it is a file that nobody takes for an image. */
async function imageOf(
  read: Pick<ReadModel, 'blob' | 'blobHead'>,
  place: Place,
  { path, key, bytes, mime = '' }: FileChange,
): Promise<Mark | null> {
  const isImage = ImageType.safeParse(mime).success
  if (key === null || !(isImage || mime.startsWith('image/') || claims.test(path))) return null
  if (!isImage) return { refused: 'not_an_image' }
  if (bytes > limits.imageBytesMax) return { refused: 'image_too_large' }
  const { tenantId, threadId } = place
  const head = await read.blobHead(tenantId, threadId, { key, bytes: headBytes })
  let found = readImage(head ?? new Uint8Array(), { name: path })
  if (!found.ok && found.code === 'image_broken' && bytes > headBytes) {
    const whole = await read.blob(tenantId, [threadId], key)
    found = readImage(whole ?? new Uint8Array(), { name: path })
  }
  return found.ok ? { width: found.width, height: found.height } : { refused: found.code }
}

const headBytes = 64 * 1024

/** Names that claim a type of image. A drawing (`.svg`) is text. */
const claims = /\.(jpe?g|jpe|jfif|a?png|webp|gif)$/i
