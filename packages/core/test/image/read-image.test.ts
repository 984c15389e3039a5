/**
 * The head of images, and whether they may be shown (context systems §13, §19 images 1). Sizes and marks are those of the specifications: PNG (ISO/IEC
 * 15948), JPEG (ITU T.81), GIF89a, RFC 9649. Would catch: a thumbnail taken for the picture, a head that reads behind its end, a picture that
 * is larger than its screen says, a name that is believed against the bytes.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { imageHeadOf, imageTokens, limits, readImage } from '../../src/index.ts'
import { gifHead, jpegHead, onePixel, png, pngHead } from '../support/images.ts'

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0))

describe('heads', () => {
  test.each([
    ['a JPEG', onePixel.jpeg, 'image/jpeg'],
    ['a GIF', onePixel.gif, 'image/gif'],
    ['a lossy WebP', onePixel.lossyWebp, 'image/webp'],
    ['a WebP without loss', onePixel.losslessWebp, 'image/webp'],
    ['an extended WebP', onePixel.extendedWebp, 'image/webp'],
    ['a PNG', png(1, 1), 'image/png'],
  ])('%s of one pixel', (_, bytes, mime) => {
    expect(imageHeadOf(bytes)).toEqual({ mime, width: 1, height: 1 })
  })

  test('any size of a PNG, and of a JPEG of any coding, past tables, fill bytes and a thumbnail', () => {
    const side = fc.integer({ min: 1, max: 65_535 })
    const codings = fc.constantFrom(0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc9, 0xca, 0xcf)
    fc.assert(
      fc.property(side, side, codings, (width, height, coding) => {
        expect(imageHeadOf(pngHead(width, height))).toEqual({ mime: 'image/png', width, height })
        const jpeg = imageHeadOf(jpegHead(width, height, coding))
        expect(jpeg).toEqual({ mime: 'image/jpeg', width, height })
      }),
    )
  })

  test('of a GIF the larger of its screen and its first picture', () => {
    const mime = 'image/gif'
    expect(imageHeadOf(gifHead([320, 200]))).toEqual({ mime, width: 320, height: 200 })
    expect(imageHeadOf(gifHead([1, 1], [60_000, 50_000]))).toEqual({
      mime,
      width: 60_000,
      height: 50_000,
    })
  })

  test('without a size that can be one: broken', () => {
    for (const bytes of [
      pngHead(0, 5),
      jpegHead(7, 0),
      gifHead([0, 0]),
      latin1('\xff\xd8\xff\xda\0\x03\x01'),
      latin1('\xff\xd8\xff\xe0\0\x01'),
      latin1('RIFF\x04\0\0\0WEBPVP9 '),
    ])
      expect(imageHeadOf(bytes)).toBe('broken')
  })

  test('cut anywhere: broken or no image, never an error, and never another size', () => {
    for (const whole of [
      ...Object.values(onePixel),
      png(3, 4),
      jpegHead(640, 480),
      gifHead([5, 6], [7, 8]),
    ]) {
      const size = imageHeadOf(whole)
      for (let length = 0; length < whole.length; length += 1) {
        // Of a buffer that goes on behind it: nothing of that may be read.
        const head = imageHeadOf(whole.subarray(0, length))
        if (typeof head === 'object') expect(head).toEqual(size)
        else expect(['not_an_image', 'broken']).toContain(head)
      }
    }
  })

  test('of any bytes behind any mark: no error', () => {
    const marks = ['\x89PNG\r\n\x1a\n', '\xff\xd8\xff', 'GIF89a', 'RIFF\0\0\0\0WEBPVP8 ', '']
    fc.assert(
      fc.property(fc.constantFrom(...marks), fc.uint8Array({ maxLength: 80 }), (mark, rest) => {
        const head = imageHeadOf(Uint8Array.from([...latin1(mark), ...rest]))
        if (typeof head !== 'object') return
        expect(Number.isInteger(head.width) && head.width > 0).toBe(true)
        expect(Number.isInteger(head.height) && head.height > 0).toBe(true)
      }),
    )
  })
})

describe('an image may be shown', () => {
  const codeOf = (...args: Parameters<typeof readImage>): string => {
    const read = readImage(...args)
    return read.ok ? 'ok' : read.code
  }

  test('up to its size in pixels, along a side and in all', () => {
    expect(codeOf(pngHead(8_000, 5_000))).toBe('ok')
    expect(codeOf(pngHead(5_000, 8_000))).toBe('ok')
    expect(codeOf(pngHead(8_001, 1))).toBe('image_too_many_pixels')
    expect(codeOf(pngHead(1, 8_001))).toBe('image_too_many_pixels')
    expect(codeOf(pngHead(8_000, 5_001))).toBe('image_too_many_pixels')
    expect(codeOf(pngHead(40_000, 40_000))).toBe('image_too_many_pixels')
    expect(codeOf(gifHead([1, 1], [40_000, 40_000]))).toBe('image_too_many_pixels')
  })

  test('up to its size in bytes', () => {
    const head = pngHead(1, 1).length
    expect(codeOf(pngHead(1, 1, limits.imageBytesMax - head))).toBe('ok')
    expect(codeOf(pngHead(1, 1, limits.imageBytesMax - head + 1))).toBe('image_too_large')
  })

  test('where its bytes say so: text, drawings, and images that models are not shown are none', () => {
    for (const text of ['', '<svg xmlns="http://www.w3.org/2000/svg"/>', '%PDF-1.7', 'BM', 'II*\0'])
      expect(codeOf(latin1(text), { name: 'a.png', mime: 'image/png' })).toBe('not_an_image')
  })

  test('where neither its name nor its declared type says otherwise', () => {
    const jpeg = jpegHead(4, 4)
    const said = (name?: string, mime?: string) => codeOf(jpeg, { name, mime })
    for (const name of ['a.jpg', 'A.JPEG', 'b/c.jfif', 'noname', 'IMG.2041', '.jpg', 'a.b/c', ''])
      expect(said(name)).toBe('ok')
    for (const name of ['a.png', 'uploads/x.WEBP', 'page.html', 'a.jpg.exe', 'movie.mp4'])
      expect(said(name)).toBe('image_type_mismatch')
    for (const mime of ['image/jpeg', 'IMAGE/JPG; q=1', 'image/*', 'application/octet-stream'])
      expect(said(undefined, mime)).toBe('ok')
    for (const mime of ['image/png', 'text/html', 'image/svg+xml'])
      expect(said(undefined, mime)).toBe('image_type_mismatch')
  })

  test('that is something else as well is the image that it begins as', () => {
    const page = latin1('<script>alert(1)</script>PK\x05\x06')
    const polyglot = Uint8Array.from([...gifHead([1, 1]), ...page])
    expect(readImage(polyglot)).toEqual({ ok: true, mime: 'image/gif', width: 1, height: 1 })
    const other = Uint8Array.from([...page, ...gifHead([1, 1])])
    expect(codeOf(other)).toBe('not_an_image')
  })

  test('says in words what is wrong, and not in those of others', () => {
    expect(readImage(jpegHead(4, 4), { name: 'a.png' })).toMatchObject({
      message: 'it is image/jpeg, and not .png',
    })
    expect(readImage(pngHead(40_000, 40_000))).toMatchObject({
      message: 'it has 40000 × 40000 pixels, and an image at most 8000 a side and 40000000 in all',
    })
  })
})

test('an image weighs a token for 750 pixels, between 85 and 1,600', () => {
  expect(imageTokens({ width: 1, height: 1 })).toBe(85)
  expect(imageTokens({ width: 1_000, height: 750 })).toBe(1_000)
  expect(imageTokens({ width: 1_001, height: 750 })).toBe(1_001)
  expect(imageTokens({ width: 8_000, height: 5_000 })).toBe(1_600)
})
