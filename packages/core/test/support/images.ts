/**
 * Images as bytes. Those of one pixel are whole, as cameras and libraries write them; the others have a real head that states whatever size a
 * test wants, and nothing behind it.
 */
import { Buffer } from 'node:buffer'
import { deflateSync } from 'node:zlib'

const fromBase64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))

/** Whole images of one pixel, by what writes them. */
export const onePixel = {
  jpeg: fromBase64(
    '/9j/4AAQSkZJRgABAQEAAAAAAAD/2wBDAAoHBwgHBgoICAgLCgoLDhgQDg0NDh0VFhEYIx8lJCIfIiEmKzcvJik0KSEiMEExNDk7Pj4+JS5ESUM8SDc9Pjv/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AVN//2Q==',
  ),
  gif: fromBase64('R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw=='),
  lossyWebp: fromBase64('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA'),
  losslessWebp: fromBase64('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=='),
  extendedWebp: fromBase64(
    'UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA==',
  ),
} as const

const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'))
const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values)
const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))
const be16 = (n: number): Uint8Array => bytes((n >>> 8) & 0xff, n & 0xff)
const le16 = (n: number): Uint8Array => bytes(n & 0xff, (n >>> 8) & 0xff)
const be32 = (n: number): Uint8Array => joined(be16(n >>> 16), be16(n & 0xffff))

const crcTable = Array.from({ length: 256 }, (_, n) => {
  let crc = n
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1
  return crc >>> 0
})

function crcOf(content: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of content) crc = (crcTable[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}

function chunk(type: string, content: Uint8Array): Uint8Array {
  const typed = joined(latin1(type), content)
  return joined(be32(content.length), typed, be32(crcOf(typed)))
}

const pngMark = latin1('\x89PNG\r\n\x1a\n')
const ihdr = (width: number, height: number): Uint8Array =>
  chunk('IHDR', joined(be32(width), be32(height), bytes(8, 2, 0, 0, 0)))

/** A whole PNG of one colour. */
export function png(width = 2, height = 2, shade = 0): Uint8Array {
  const row = joined(bytes(0), new Uint8Array(width * 3).fill(shade))
  const rows = joined(...Array.from({ length: height }, () => row))
  const idat = chunk('IDAT', new Uint8Array(deflateSync(rows)))
  return joined(pngMark, ihdr(width, height), idat, chunk('IEND', bytes()))
}

/** The head of a PNG that states this size, and so many bytes behind it. */
export const pngHead = (width: number, height: number, more = 0): Uint8Array =>
  joined(pngMark, ihdr(width, height), new Uint8Array(more))

/** A segment of a JPEG. */
const segment = (marker: number, content: Uint8Array): Uint8Array =>
  joined(bytes(0xff, marker), be16(content.length + 2), content)

const frame = (width: number, height: number): Uint8Array =>
  joined(bytes(8), be16(height), be16(width), bytes(1, 1, 0x11, 0))

/** The head of a JPEG of this size, with segments before its frame: a camera writes a thumbnail there. */
export const jpegHead = (width: number, height: number, kind = 0xc0): Uint8Array =>
  joined(
    bytes(0xff, 0xd8),
    segment(0xe1, joined(latin1('Exif\0\0'), bytes(0xff, 0xd8), segment(0xc0, frame(160, 120)))),
    // Tables, and fill bytes before a marker, as some cameras write them.
    segment(0xc4, bytes(0, 0)),
    bytes(0xff, 0xff),
    segment(kind, frame(width, height)),
    segment(0xda, bytes(1)),
  )

/** The head of a GIF whose screen is of one size, and whose first picture of another. */
export const gifHead = (
  screen: readonly [number, number],
  picture: readonly [number, number] = screen,
): Uint8Array =>
  joined(
    latin1('GIF89a'),
    le16(screen[0]),
    le16(screen[1]),
    // A table of two colours.
    bytes(0x80, 0, 0, 1, 2, 3, 4, 5, 6),
    // An extension of two blocks.
    bytes(0x21, 0xff, 2, 1, 2, 1, 9, 0),
    bytes(0x2c, 0, 0, 0, 0),
    le16(picture[0]),
    le16(picture[1]),
    bytes(0, 2, 1, 0, 0, 0x3b),
  )
