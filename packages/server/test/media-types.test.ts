/**
 * Types of contents, by their bytes (context-systems §6: "MIME by content, the client's word ignored"). Would catch: a page that is served as
 * one, a text that is called binary because it was cut inside a character.
 */
import { describe, expect, it } from 'vitest'
import { MediaType, fileTypes, typeOf } from '../src/files/media-type.ts'

const text = 'text/plain; charset=utf-8'
const binary = 'application/octet-stream'
const latin = (said: string): Buffer => Buffer.from(said, 'latin1')

describe('a content', () => {
  it.each([
    ['nothing', Buffer.alloc(0), text],
    ['a text', Buffer.from('Grüße, 漢字 🚆\n'), text],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>'), text],
    [
      'a drawing with a script',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'),
      text,
    ],
    ['JSON', Buffer.from('{"a":1}'), text],
    ['a script', Buffer.from('#!/bin/sh\nrm -rf /\n'), text],
    ['a text with a byte order mark', Buffer.from('\ufeffa,b\n'), text],
    ['a text in Latin-1', latin('Gr\xfc\xdfe'), binary],
    ['a text with NUL', Buffer.from('a\u0000b'), binary],
    ['half a character at its end', Buffer.from('a漢').subarray(0, 3), binary],
    ['a PNG', latin('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), 'image/png'],
    ['a JPEG', latin('\xff\xd8\xff\xe0\0\x10JFIF'), 'image/jpeg'],
    ['a GIF that is a script, too', Buffer.from('GIF89a/*<script>*/=1;alert(1)'), 'image/gif'],
    ['a WebP', latin('RIFF\x10\0\0\0WEBPVP8 '), 'image/webp'],
    ['a text that begins like a song', Buffer.from('ID3 is a format of tags.\n'), text],
    ['a text that begins like an archive', Buffer.from('BZh9 is how they begin.\n'), text],
    ['a text that begins like a table', Buffer.from('PAR1,PAR2\n1,2\n'), text],
    ['a text that begins like a video', Buffer.from('The ftyp of a file'), text],
    ['a text that has a word at its place', Buffer.from(`${'x'.repeat(257)}ustar`), text],
    ['a song', latin('ID3\x04\0\0\0\0\x0f\x76'), 'audio/mpeg'],
    ['an archive of bzip2', latin('BZh91AY&SY\x9d\xee'), 'application/x-bzip2'],
    ['an archive of files', latin(`${'\0'.repeat(257)}ustar\x0000`), 'application/x-tar'],
    ['a table', latin('PAR1\x15\x04\x15'), 'application/vnd.apache.parquet'],
    ['a PDF', Buffer.from('%PDF-1.7\n'), 'application/pdf'],
    ['an archive', latin('PK\x03\x04\x14\0'), 'application/zip'],
    ['a compressed file', latin('\x1f\x8b\x08\0'), 'application/gzip'],
    ['a program', latin('\x7fELF\x02\x01'), 'application/x-elf'],
    ['a video', latin('\0\0\0\x18ftypisom'), 'video/mp4'],
    ['an AVIF', latin('\0\0\0\x18ftypavif'), 'image/avif'],
  ])('that is %s has its type', (_, bytes, type) => {
    expect(typeOf(bytes)).toBe(type)
    // In pieces it is the same.
    const pieces = new MediaType()
    for (const byte of bytes) pieces.take(Uint8Array.of(byte))
    expect(pieces.get()).toBe(type)
  })

  it('has no type by which a browser executes it (T1)', () => {
    expect(fileTypes.filter((type) => /html|xml|svg|script|json|css/.test(type))).toEqual([])
    expect(new Set(fileTypes).size).toBe(fileTypes.length)
  })
})
