/**
 * Bodies of `multipart/form-data`, read as they arrive (RFC 7578, RFC 2046 section 5.1; file names as browsers write them, HTML section 4.10.21.8).
 *
 * M1 No part is held whole: its content is handed on piece by piece, and no more is read before it was taken.
 * M2 What stands around contents is bounded, preamble and padding too; nothing behind the last boundary is read.
 * M3 However the body is cut into pieces, the same parts come of it. A body that ends before its last boundary is an error.
 */
import { limits } from '@signalbox/core'
import { parametersOf } from './parameters.ts'

/** A part. Its content must be read, or skipped, before the next part is asked for. */
export interface FilePart {
  /** The name of the field. */
  readonly name: string
  /** Null: it is no file. */
  readonly filename: string | null
  readonly content: AsyncIterable<Uint8Array>
}

/** The body is not what it should be. The message says how. */
export class MalformedMultipart extends Error {
  override readonly name = 'MalformedMultipart'
}

/** The boundary that a Content-Type names; null if it is no `multipart/form-data` with one. */
export function boundaryOf(contentType: string): string | null {
  const type = parametersOf(contentType)
  if (type?.value !== 'multipart/form-data') return null
  const boundary = type.parameters.get('boundary') ?? ''
  // RFC 2046: 1 to 70 characters, of these.
  return /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/.test(boundary) ? boundary : null
}

/** The parts of a body, in order. @throws MalformedMultipart, and whatever the body throws */
export async function* readMultipart(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<FilePart, void, undefined> {
  const input = new Input(body[Symbol.asyncIterator]())
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  let around = limits.uploadHeadBytesMax
  // So the first boundary is like all others, with or without something before it.
  input.unread(Buffer.from('\r\n'))
  for await (const skipped of until(input, delimiter, { isOver: false })) {
    around -= skipped.length
    if (around < 0) throw new MalformedMultipart('It does not begin with its boundary.')
  }
  for (;;) {
    const line = await lineOf(input, around)
    if (line.startsWith('--')) return
    if (line.trim() !== '') throw new MalformedMultipart('A boundary goes on after its end.')
    const { headers, length } = await headersOf(input, around)
    around -= length
    const passed = { isOver: false }
    const content = { [Symbol.asyncIterator]: () => until(input, delimiter, passed) }
    yield { ...about(headers), content }
    // A caller that did not want the part has not read it, or not to its end.
    await skip(content)
  }
}

/** The bytes that have arrived and were not taken yet. */
class Input {
  readonly #more: AsyncIterator<Uint8Array>
  held: Buffer = Buffer.alloc(0)

  constructor(more: AsyncIterator<Uint8Array>) {
    this.#more = more
  }

  unread(bytes: Buffer): void {
    this.held = Buffer.concat([bytes, this.held])
  }

  /** Waits for the next piece. @throws MalformedMultipart if none comes */
  async wait(): Promise<void> {
    const next = await this.#more.next()
    if (next.done === true)
      throw new MalformedMultipart('It ended before its last boundary: it was broken off.')
    const { buffer, byteOffset, byteLength } = next.value
    const piece = Buffer.from(buffer, byteOffset, byteLength)
    this.held = this.held.length === 0 ? piece : Buffer.concat([this.held, piece])
  }

  take(length: number): Buffer {
    const taken = this.held.subarray(0, length)
    this.held = this.held.subarray(length)
    return taken
  }
}

async function skip(content: AsyncIterable<Uint8Array>): Promise<void> {
  const pieces = content[Symbol.asyncIterator]()
  while ((await pieces.next()).done !== true);
}

/** The bytes before the delimiter, which is taken as well. A second reader goes on where the first one stopped. */
async function* until(
  input: Input,
  delimiter: Buffer,
  passed: { isOver: boolean },
): AsyncGenerator<Uint8Array, void, undefined> {
  while (!passed.isOver) {
    const at = input.held.indexOf(delimiter)
    if (at > 0) yield input.take(at)
    if (at >= 0) {
      input.take(delimiter.length)
      passed.isOver = true
      return
    }
    // The end of what is here may be the beginning of the delimiter.
    const sure = input.held.length - delimiter.length + 1
    if (sure > 0) yield input.take(sure)
    await input.wait()
  }
}

async function textUntil(input: Input, end: string, most: number): Promise<string> {
  for (;;) {
    const at = input.held.indexOf(end)
    const length = at < 0 ? input.held.length : at
    if (length > most) throw new MalformedMultipart('The headers of its parts are too long.')
    if (at >= 0) {
      const text = utf8(input.take(at))
      input.take(end.length)
      return text
    }
    await input.wait()
  }
}

/** A name in another encoding would be another name. */
function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new MalformedMultipart('The headers of a part are not UTF-8.')
  }
}

/** The text behind a boundary on its line. The last boundary ends with its dashes: behind them need not be a line break. */
async function lineOf(input: Input, most: number): Promise<string> {
  while (input.held.length < 2) await input.wait()
  if (input.held.subarray(0, 2).toString('latin1') === '--') return '--'
  return textUntil(input, '\r\n', most)
}

async function headersOf(input: Input, most: number) {
  // So a part without any header has them behind a line break, too.
  input.unread(Buffer.from('\r\n'))
  const text = await textUntil(input, '\r\n\r\n', most)
  const headers = new Map<string, string>()
  // A line that begins with a space goes on with the one before it.
  const lines = text.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  for (const line of lines.filter((each) => each !== '')) {
    const colon = line.indexOf(':')
    if (colon < 1) throw new MalformedMultipart('A header of a part has no colon.')
    const name = line.slice(0, colon).trim().toLowerCase()
    if (headers.has(name) && once.has(name))
      throw new MalformedMultipart(`A part has the header ${name} twice.`)
    headers.set(name, line.slice(colon + 1).trim())
  }
  return { headers, length: Buffer.byteLength(text) }
}

const once: ReadonlySet<string> = new Set(['content-disposition', 'content-transfer-encoding'])

function about(headers: ReadonlyMap<string, string>): Pick<FilePart, 'name' | 'filename'> {
  const said = headers.get('content-disposition') ?? ''
  const disposition = parametersOf(said)
  if (!disposition && /^form-data\b/i.test(said))
    throw new MalformedMultipart(
      'A Content-Disposition is no list of parameters, each once, with quotation marks around what has spaces.',
    )
  if (disposition?.value !== 'form-data')
    throw new MalformedMultipart('A part has no "Content-Disposition: form-data".')
  // RFC 7578, section 4.7: nobody should send it. What is encoded would be kept as if it was the content.
  const encoding = headers.get('content-transfer-encoding') ?? 'binary'
  if (!/^(7bit|8bit|binary)$/i.test(encoding))
    throw new MalformedMultipart(
      'A part has a Content-Transfer-Encoding. Send what is in a file as it is.',
    )
  const { parameters } = disposition
  const [name = '', plain = null] = ['name', 'filename'].map((each) =>
    unescaped(parameters.get(each)),
  )
  const filename = extended(parameters.get('filename*')) ?? plain
  if (filename === null && parameters.has('filename*'))
    throw new MalformedMultipart('A file name is in another encoding than UTF-8.')
  return { name, filename }
}

/** Browsers write `%22`, `%0D` and `%0A` for what would end a text in quotes. */
const unescaped = (text: string | undefined): string | undefined =>
  text?.replaceAll(/%22/g, '"').replaceAll(/%0D/gi, '\r').replaceAll(/%0A/gi, '\n')

/** `charset'language'percent-encoded` (RFC 8187). Null: there is none, or one that the plain name stands for. */
function extended(text: string | undefined): string | null {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(text ?? '') ?? []
  if (encoded === undefined) return null
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw new MalformedMultipart('A file name is not percent-encoded UTF-8.')
  }
}
