/**
 * Bodies of `multipart/form-data`, read as they arrive (RFC 7578, RFC 2046 section 5.1; file names as browsers write them, HTML section 4.10.21.8).
 *
 * M1 No part is held whole: its content is handed on piece by piece, and no more is read before it was taken.
 * M2 What stands around contents is bounded, preamble and padding too; nothing behind the last boundary is read.
 * M3 However the body is cut into pieces, the same parts come of it. A body that ends before its last boundary is an error.
 */
import { limits } from '@signalbox/core'

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
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) return null
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^\s;,"]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain ?? ''
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
    // Whoever did not want it has not read it, or not to its end.
    await skip(content)
  }
}

/** What has arrived and was not taken yet. */
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

/** What stands before the delimiter, which is taken as well. May be gone on with where somebody has stopped. */
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

/** What stands behind a boundary on its line. The last one is over with its dashes: behind them need not be a line break. */
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
  for (const line of text.split('\r\n').filter((each) => each !== '')) {
    const colon = line.indexOf(':')
    if (colon < 1) throw new MalformedMultipart('A header of a part has no colon.')
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  return { headers, length: Buffer.byteLength(text) }
}

function about(headers: ReadonlyMap<string, string>): Pick<FilePart, 'name' | 'filename'> {
  const disposition = headers.get('content-disposition') ?? ''
  if (!/^form-data\s*(;|$)/i.test(disposition))
    throw new MalformedMultipart('A part has no "Content-Disposition: form-data".')
  // RFC 7578, section 4.7: nobody should send it. What is encoded would be kept as if it was the content.
  const encoding = headers.get('content-transfer-encoding') ?? 'binary'
  if (!/^(7bit|8bit|binary)$/i.test(encoding))
    throw new MalformedMultipart(
      'A part has a Content-Transfer-Encoding. Send what is in a file as it is.',
    )
  const [, extended] = /;\s*filename\*=utf-8'[^']*'([^;\s]+)/i.exec(disposition) ?? []
  const filename = extended === undefined ? parameter(disposition, 'filename') : decoded(extended)
  return { name: parameter(disposition, 'name') ?? '', filename }
}

/** In quotes as browsers write it, with `%22`, `%0D` and `%0A` for what would end it; or without. */
function parameter(disposition: string, name: string): string | null {
  const pattern = new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^\\s;"]+))`, 'i')
  const [, quoted, plain] = pattern.exec(disposition) ?? []
  const text = quoted ?? plain
  if (text === undefined) return null
  return text.replaceAll(/%22/g, '"').replaceAll(/%0D/gi, '\r').replaceAll(/%0A/gi, '\n')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new MalformedMultipart('A file name is not percent-encoded UTF-8.')
  }
}
