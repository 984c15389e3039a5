/**
 * Contents that stand in a message: base64 and `data:` addresses (RFC 4648 sections 4 and 5, RFC 2397). Would catch: a text that is no base64
 * and becomes some file, a content that loses its last bytes, an address that is fetched.
 */
import { limits } from '@signalbox/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { broughtFiles, fromBase64, fromDataUrl } from '../src/http/brought-files.ts'

const text = (bytes: Uint8Array | null): string | null => bytes && Buffer.from(bytes).toString()

describe('base64', () => {
  it('is read in either alphabet, padded or not', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const [plain, url] = (['base64', 'base64url'] as const).map((alphabet) =>
          Buffer.from(bytes).toString(alphabet),
        )
        for (const written of [plain, plain?.replaceAll('=', ''), url])
          expect(fromBase64(written ?? '')).toEqual(Buffer.from(bytes))
      }),
    )
  })

  // RFC 4648, section 10.
  it.each([
    ['', ''],
    ['Zg==', 'f'],
    ['Zm8=', 'fo'],
    ['Zm9v', 'foo'],
    ['Zm9vYmFy', 'foobar'],
  ])('%j is %j', (written, said) => {
    expect(text(fromBase64(written))).toBe(said)
  })

  it.each(['Z', 'Zm9v!', 'Zm 9v', 'Zg===', '=Zg=', 'Zm9vä'])('%j is none', (written) => {
    expect(fromBase64(written)).toBeNull()
  })
})

describe('an address', () => {
  it.each([
    ['data:,', ''],
    ['data:text/plain;base64,Zm9v', 'foo'],
    ['DATA:text/plain;charset=utf-8;BASE64,Zm9v', 'foo'],
    ['data:text/plain;base64,Zm%39v', 'foo'],
    ['data:,a%20b%C3%A4', 'a bä'],
    ['data:,aä,b', 'aä,b'],
  ])('%j holds %j', (url, said) => {
    expect(text(fromDataUrl(url))).toBe(said)
  })

  it.each([
    'https://example.com/a',
    'http://169.254.169.254/',
    'file:///etc/passwd',
    'data:',
    'data:text/plain;base64',
    'data:;base64,Z',
    'data:,%zz',
    'upload_1',
    '',
  ])('%j holds nothing', (url) => {
    expect(fromDataUrl(url)).toBeNull()
  })
})

const sent = (filename?: string, bytes = 'x') => ({
  filename,
  bytes: Buffer.from(bytes),
  at: 'message.parts[1]',
})

describe('the files of a message', () => {
  it('have the names that uploads have, or one by what is in them', () => {
    const named = broughtFiles([
      sent('C:\\desk\\Cafe\u0301.txt'),
      sent(''),
      sent(undefined, '%PDF-1.7'),
      sent(undefined, '\u0000\u0001'),
    ])
    expect(named.map(({ name }) => name)).toEqual(['Caf\u00e9.txt', 'file.txt', 'file.pdf', 'file'])
  })

  it.each(['..', 'CON', 'a\u202eb', 'n'.repeat(300), '.hidden', 'a\u0000'])(
    'are refused as %j',
    (filename) => {
      const facts = expect.objectContaining({ field: 'message.parts[1].filename' })
      expect(() => broughtFiles([sent(filename)])).toThrow(
        expect.objectContaining({ code: 'bad_file_name', facts }),
      )
    },
  )

  it('are at most as many as one request uploads', () => {
    const many = Array.from({ length: limits.uploadFilesMax + 1 }, () => sent('a'))
    expect(broughtFiles(many.slice(1))).toHaveLength(limits.uploadFilesMax)
    expect(() => broughtFiles(many)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })
})
