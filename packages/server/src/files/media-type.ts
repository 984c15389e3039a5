/**
 * The type of a content, by its bytes; its name, and the type that its client states, are ignored.
 *
 * T1 Nothing that a browser would execute has a type by which it would: markup and scripts are text.
 * T2 A type that is not sure is `application/octet-stream`. What is text, and begins by chance with letters that another format has, is text.
 */

/** The type of a file of unknown content. */
const unknownType = 'application/octet-stream'
const textType = 'text/plain; charset=utf-8'

interface Signature {
  readonly type: string
  /** A file of this format is no text, but its marks are letters: what is text has them by chance. */
  readonly lettered?: true
  /** Latin-1 texts, each at its offset. */
  readonly marks: readonly (readonly [offset: number, mark: string])[]
}

const at0 = (type: string, ...marks: readonly string[]): readonly Signature[] =>
  marks.map((mark) => ({ type, marks: [[0, mark]] }))
const riff = (type: string, form: string): Signature => ({
  type,
  marks: [
    [0, 'RIFF'],
    [8, form],
  ],
})
const ftyp = (type: string, ...brands: readonly string[]): readonly Signature[] =>
  brands.map((brand) => ({ type, lettered: true, marks: [[4, `ftyp${brand}`]] }))
const lettered = (type: string, mark: string, offset = 0): Signature => ({
  type,
  lettered: true,
  marks: [[offset, mark]],
})

/** The more specific stand first. Formats as their specifications, or the MIME Sniffing Standard, have them. */
const signatures: readonly Signature[] = [
  ...at0('image/png', '\x89PNG\r\n\x1a\n'),
  ...at0('image/jpeg', '\xff\xd8\xff'),
  ...at0('image/gif', 'GIF87a', 'GIF89a'),
  riff('image/webp', 'WEBPVP8'),
  ...ftyp('image/avif', 'avif', 'avis'),
  ...ftyp('image/heic', 'heic', 'heix', 'mif1'),
  ...at0('image/tiff', 'II*\0', 'MM\0*'),
  ...at0('application/pdf', '%PDF-'),
  ...at0('application/zip', 'PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'),
  ...at0('application/gzip', '\x1f\x8b\x08'),
  ...at0('application/zstd', '\x28\xb5\x2f\xfd'),
  lettered('application/x-bzip2', 'BZh'),
  ...at0('application/x-xz', '\xfd7zXZ\0'),
  ...at0('application/x-7z-compressed', '7z\xbc\xaf\x27\x1c'),
  ...at0('application/vnd.rar', 'Rar!\x1a\x07'),
  lettered('application/x-tar', 'ustar', 257),
  riff('audio/wav', 'WAVE'),
  riff('video/x-msvideo', 'AVI '),
  lettered('audio/mpeg', 'ID3'),
  ...at0('audio/mpeg', '\xff\xfb', '\xff\xf3', '\xff\xf2'),
  lettered('audio/flac', 'fLaC'),
  ...at0('application/ogg', 'OggS\0'),
  lettered('video/mp4', 'ftyp', 4),
  ...at0('video/webm', '\x1a\x45\xdf\xa3'),
  ...at0('application/vnd.sqlite3', 'SQLite format 3\0'),
  lettered('application/vnd.apache.parquet', 'PAR1'),
  ...at0('application/wasm', '\0asm'),
  ...at0('application/x-elf', '\x7fELF'),
  ...at0('application/x-ole-storage', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'),
]

/** All types that a content may have, without parameters. */
export const fileTypes: readonly string[] = [
  ...new Set([...signatures.map(({ type }) => type), 'text/plain', unknownType]),
]

/** As far as any signature looks. */
const headBytes = 512

type Decoder = InstanceType<typeof TextDecoder>

/** Looks at a content while it passes. */
export class MediaType {
  #head: Buffer = Buffer.alloc(0)
  /** Null: it is no text. */
  #text: Decoder | null = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

  /** The next piece. */
  take(bytes: Uint8Array): void {
    if (this.#head.length < headBytes)
      this.#head = Buffer.concat([this.#head, bytes.subarray(0, headBytes - this.#head.length)])
    if (this.#text && !isText(this.#text, bytes)) this.#text = null
  }

  /** Of everything that was taken. An empty content is text. */
  get(): string {
    const head = this.#head.toString('latin1')
    const known = signatures.find(({ marks }) =>
      marks.every(([offset, mark]) => head.startsWith(mark, offset)),
    )
    if (known && known.lettered !== true) return known.type
    if (this.#text && isText(this.#text, null)) return textType
    return known?.type ?? unknownType
  }
}

/** The type of a content that is here. */
export function typeOf(bytes: Uint8Array): string {
  const type = new MediaType()
  type.take(bytes)
  return type.get()
}

/** Null: it is over. Text has none of the control characters that the MIME Sniffing Standard calls binary. */
function isText(decoder: Decoder, bytes: Uint8Array | null): boolean {
  try {
    const text = bytes === null ? decoder.decode() : decoder.decode(bytes, { stream: true })
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    return !/[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/.test(text)
  } catch {
    return false
  }
}
