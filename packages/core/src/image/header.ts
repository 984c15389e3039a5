/**
 * The head of an image: its type by its first bytes, and its size in pixels as it states it. Nothing is decoded.
 *
 * H1 Only the bytes decide. A name, a media type or an extension is never looked at here.
 * H2 Every read is within the bytes, so a head that is cut, or that lies about its lengths, is `broken` and never an error.
 * H3 Of a GIF the first picture counts as well as its screen: a decoder makes room for the larger of the two.
 */
import type { ImageType } from '../message.ts'

/** The type of an image, and its size in pixels. */
export interface ImageHead {
  readonly mime: ImageType
  readonly width: number
  readonly height: number
}

/** The head, or why there is none. `broken`: it begins as an image and does not say how large it is. */
export type HeadOrFault = ImageHead | 'not_an_image' | 'broken'

/** Reads the head of a content. */
export function imageHeadOf(bytes: Uint8Array): HeadOrFault {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found = formats.find(({ marks }) =>
    marks.every(([offset, mark]) => latin1(view, offset, mark.length) === mark),
  )
  if (!found) return 'not_an_image'
  const size = found.sizeOf(view)
  const isSize = size !== null && size.width > 0 && size.height > 0
  return isSize ? { mime: found.mime, ...size } : 'broken'
}

interface Size {
  readonly width: number
  readonly height: number
}

interface Format {
  readonly mime: ImageType
  /** Latin-1 texts, each at its offset. */
  readonly marks: readonly (readonly [offset: number, mark: string])[]
  readonly sizeOf: (view: DataView) => Size | null
}

/** Latin-1 text of the bytes, as far as there are any. */
function latin1(view: DataView, offset: number, length: number): string {
  const end = Math.min(view.byteLength, offset + length)
  let text = ''
  for (let at = offset; at < end; at += 1) text += String.fromCharCode(view.getUint8(at))
  return text
}

const has = (view: DataView, offset: number, length: number): boolean =>
  offset + length <= view.byteLength

/** The first chunk is `IHDR`, of 13 bytes. */
function pngSize(view: DataView): Size | null {
  if (!has(view, 0, 33) || view.getUint32(8) !== 13 || latin1(view, 12, 4) !== 'IHDR') return null
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

/** Markers without a length behind them: fill bytes aside, `TEM` and `RSTn`. */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)

/** Start of frame, whatever its coding; `C4`, `C8` and `CC` say something else. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

const [endOfImage, startOfScan] = [0xd9, 0xda]

/** Segments one behind the other, up to the one that begins the frame. Thumbnails stand inside of segments. */
function jpegSize(view: DataView): Size | null {
  let at = 2
  while (has(view, at, 2)) {
    if (view.getUint8(at) !== 0xff) return null
    const marker = view.getUint8(at + 1)
    // Any number of fill bytes may stand before a marker.
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker === endOfImage || marker === startOfScan) return null
    if (isBare(marker)) {
      at += 2
      continue
    }
    if (!has(view, at + 2, 2)) return null
    const length = view.getUint16(at + 2)
    if (length < 2) return null
    if (isFrame(marker))
      return has(view, at + 5, 4)
        ? { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
        : null
    at += 2 + length
  }
  return null
}

/** Bytes of a colour table, by the flags of what it belongs to. */
const tableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1))

/** The screen, and the first picture behind its extensions. */
function gifSize(view: DataView): Size | null {
  if (!has(view, 0, 13)) return null
  const screen = { width: view.getUint16(6, true), height: view.getUint16(8, true) }
  let at = 13 + tableBytes(view.getUint8(10))
  // An extension: its label, and blocks up to an empty one.
  while (has(view, at, 2) && view.getUint8(at) === 0x21) {
    at += 2
    while (has(view, at, 1) && view.getUint8(at) > 0) at += 1 + view.getUint8(at)
    at += 1
  }
  if (!has(view, at, 10) || view.getUint8(at) !== 0x2c) return null
  const picture = {
    width: view.getUint16(at + 1, true) + view.getUint16(at + 5, true),
    height: view.getUint16(at + 3, true) + view.getUint16(at + 7, true),
  }
  return {
    width: Math.max(screen.width, picture.width),
    height: Math.max(screen.height, picture.height),
  }
}

const uint24 = (view: DataView, at: number): number =>
  view.getUint16(at, true) | (view.getUint8(at + 2) << 16)

/** The first chunk says how it is coded: lossy, without loss, or extended, with a canvas. */
function webpSize(view: DataView): Size | null {
  if (!has(view, 0, 30)) {
    return has(view, 0, 25) && latin1(view, 12, 4) === 'VP8L' ? losslessSize(view) : null
  }
  switch (latin1(view, 12, 4)) {
    case 'VP8X':
      return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 }
    case 'VP8L':
      return losslessSize(view)
    case 'VP8 ':
      return latin1(view, 23, 3) === '\x9d\x01\x2a'
        ? {
            width: view.getUint16(26, true) & 0x3fff,
            height: view.getUint16(28, true) & 0x3fff,
          }
        : null
    default:
      return null
  }
}

/** 14 bits each, one less than they are. */
function losslessSize(view: DataView): Size | null {
  if (view.getUint8(20) !== 0x2f) return null
  const bits = view.getUint32(21, true)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

/** As their specifications have them. */
const formats: readonly Format[] = [
  { mime: 'image/png', marks: [[0, '\x89PNG\r\n\x1a\n']], sizeOf: pngSize },
  { mime: 'image/jpeg', marks: [[0, '\xff\xd8\xff']], sizeOf: jpegSize },
  { mime: 'image/gif', marks: [[0, 'GIF87a']], sizeOf: gifSize },
  { mime: 'image/gif', marks: [[0, 'GIF89a']], sizeOf: gifSize },
  {
    mime: 'image/webp',
    marks: [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
    sizeOf: webpSize,
  },
]
