/**
 * Bodies of multipart/form-data, read as they arrive. What they hold is compared with what the platform's own FormData says of the same
 * bytes. Would catch: a delimiter that is missed where a piece ends, a content that loses a byte, a part that is held whole.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundaryOf, MalformedMultipart, readMultipart } from '../src/files/multipart.ts'

interface Read {
  readonly name: string
  readonly filename: string | null
  readonly bytes: Buffer
}

async function* cutAt(body: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0
  for (const cut of [...cuts.toSorted((a, b) => a - b), body.length]) {
    if (cut > from) yield body.subarray(from, cut)
    from = Math.max(from, cut)
  }
}

async function readAll(body: AsyncIterable<Uint8Array>, boundary: string): Promise<Read[]> {
  const parts: Read[] = []
  for await (const { name, filename, content } of readMultipart(body, boundary)) {
    const chunks: Uint8Array[] = []
    for await (const chunk of content) chunks.push(chunk)
    parts.push({ name, filename, bytes: Buffer.concat(chunks) })
  }
  return parts
}

/** The body that the platform makes, and what it reads from it. */
async function platform(files: readonly (readonly [string, Uint8Array<ArrayBuffer>])[]) {
  const form = new FormData()
  for (const [name, bytes] of files) form.append('files', new Blob([bytes]), name)
  const made = new Response(form)
  const type = made.headers.get('content-type') ?? ''
  const body = new Uint8Array(await made.arrayBuffer())
  const again = await new Response(body, { headers: { 'content-type': type } }).formData()
  const expected: Read[] = []
  for (const value of again.getAll('files')) {
    if (typeof value === 'string') throw new Error('a file was read as a text')
    const bytes = Buffer.from(await value.arrayBuffer())
    expected.push({ name: 'files', filename: value.name, bytes })
  }
  return { type, body, expected }
}

/** A body of one part with these parameters. */
const partWith = (parameters: string): Buffer =>
  Buffer.from(`--B\r\nContent-Disposition: form-data; name="f"; ${parameters}\r\n\r\nx\r\n--B--`)

const names = fc.constantFrom('a.txt', 'é.txt', 'a"b.txt', 'x y;z.txt', '漢字', 'a%41.txt')
/** Contents that look like what stands around them. */
const contents = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc
    .array(fc.constantFrom('\r', '\n', '-', '--', '\r\n--', 'x', '\r\n\r\n', ':'), {
      maxLength: 40,
    })
    .map((texts) => new TextEncoder().encode(texts.join(''))),
)

describe('a body', () => {
  it('is read as the platform reads it, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(names, contents), { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(2000), { maxLength: 30 }),
        async (files, cuts) => {
          const { type, body, expected } = await platform(
            files.map(([name, bytes]) => [name, new Uint8Array(bytes)] as const),
          )
          const boundary = boundaryOf(type) ?? ''
          expect(await readAll(cutAt(body, cuts), boundary)).toEqual(expected)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('is the same in two pieces, wherever it is cut, and byte by byte', async () => {
    const { type, body, expected } = await platform([
      ['a.bin', new Uint8Array(Buffer.from('\r\n--\r\n-----'))],
      ['b.bin', new Uint8Array(0)],
    ])
    const boundary = boundaryOf(type) ?? ''
    for (let at = 0; at <= body.length; at += 1)
      expect(await readAll(cutAt(body, [at]), boundary)).toEqual(expected)
    const every = Array.from({ length: body.length }, (_, n) => n)
    expect(await readAll(cutAt(body, every), boundary)).toEqual(expected)
  })

  it('that is broken off anywhere before its end is an error', async () => {
    const { type, body } = await platform([['a.txt', new Uint8Array(Buffer.from('hello'))]])
    const boundary = boundaryOf(type) ?? ''
    const end = Buffer.from(body).lastIndexOf(`--${boundary}--`) + boundary.length + 4
    for (let length = 0; length < end; length += 1)
      await expect(readAll(cutAt(body.subarray(0, length), []), boundary)).rejects.toThrow(
        MalformedMultipart,
      )
  })

  it('has fields whose names look like parameters, as the platform reads them', async () => {
    const hostile = [
      '; filename="evil.txt"',
      "; filename*=UTF-8''evil.txt",
      '; name=x',
      'a;b',
      '\\',
    ]
    const form = new FormData()
    for (const name of hostile) form.append(name, 'a text')
    for (const name of hostile) form.append(name, new Blob(['x']), 'a.txt')
    const made = new Response(form)
    const type = made.headers.get('content-type') ?? ''
    const body = new Uint8Array(await made.arrayBuffer())
    const parts = await readAll(cutAt(body, []), boundaryOf(type) ?? '')
    expect(parts.map(({ name, filename }) => [name, filename])).toEqual([
      ...hostile.map((name) => [name, null]),
      ...hostile.map((name) => [name, 'a.txt']),
    ])
  })

  it.each([
    ['filename="a.txt"', 'a.txt'],
    ['filename=a.txt', 'a.txt'],
    ['filename=a.txt;', 'a.txt'],
    ['filename="a b; c.txt"', 'a b; c.txt'],
    ['filename="a\\"b.txt"', 'a"b.txt'],
    ['filename="a%22b.txt"', 'a"b.txt'],
    ['filename="C:\\dir\\"', 'C:\\dir\\'],
    ['filename="C:\\dir\\a.txt"; x="y"', 'C:\\dir\\a.txt'],
    ['filename="=?UTF-8?B?YS50eHQ=?="', '=?UTF-8?B?YS50eHQ=?='],
    ['filename=""', ''],
    ["filename*=UTF-8''na%C3%AFve.txt", 'naïve.txt'],
    ["filename*=utf-8'de'%E2%82%AC.txt; filename=euro.txt", '€.txt'],
    ["filename=naive.txt; filename*=iso-8859-1''na%EFve.txt", 'naive.txt'],
  ])('with the parameters %s has a file called %j', async (parameters, filename) => {
    const read = readAll(cutAt(partWith(parameters), []), 'B')
    expect(await read).toEqual([{ name: 'f', filename, bytes: Buffer.from('x') }])
  })

  it.each([
    'FileName = "a.txt"',
    "filename*=iso-8859-1''na%EFve.txt",
    'filename=my file.txt',
    'filename="a.txt" b',
    'filename="a.txt',
    'filename="a.txt"; filename="b.txt"',
    'filename="a.txt"; FILENAME="b.txt"',
  ])('with the parameters %s is refused', async (parameters) => {
    const read = readAll(cutAt(partWith(parameters), []), 'B')
    await expect(read).rejects.toThrow(MalformedMultipart)
  })

  it('may have headers over more than one line', async () => {
    const head = 'Content-Disposition: form-data;\r\n\tname="f";\r\n filename="a: b.txt"'
    const text = `--B\r\n${head}\r\n\r\nx\r\n--B--`
    expect(await readAll(cutAt(Buffer.from(text), []), 'B')).toEqual([
      { name: 'f', filename: 'a: b.txt', bytes: Buffer.from('x') },
    ])
  })

  it('whose heads are as long and as odd as they may be holds nobody up', async () => {
    const odd = [';', '; ', ';a', ';a=', ';a="', '\\"', '; a="\\";', ' ', '"'].map((each) =>
      each.repeat(Math.floor(60_000 / each.length)),
    )
    for (const parameters of odd) {
      const text = `--B\r\nContent-Disposition: form-data${parameters}\r\n\r\nx\r\n--B--`
      // Of this thread alone: the machine may be busy with others.
      const began = process.threadCpuUsage()
      await readAll(cutAt(Buffer.from(text), []), 'B').catch(() => {})
      expect(process.threadCpuUsage(began).user).toBeLessThan(1_000_000)
    }
  })

  const disposition = 'Content-Disposition: form-data; name="f"; filename="a"'
  it.each([
    ['without its boundary', 'nothing like it'],
    ['with a boundary that goes on', `--B and more\r\n${disposition}\r\n\r\nx\r\n--B--`],
    ['with a part without a disposition', '--B\r\nContent-Type: text/plain\r\n\r\nx\r\n--B--'],
    ['with another disposition', '--B\r\nContent-Disposition: attachment\r\n\r\nx\r\n--B--'],
    ['with two dispositions', `--B\r\n${disposition}\r\n${disposition}b"\r\n\r\nx\r\n--B--`],
    ['with line feeds alone', `--B\n${disposition}\n\nx\n--B--\n`],
    ['with a boundary that is longer', `--BB\r\n${disposition}\r\n\r\nx\r\n--BB--`],
    ['with a header without a colon', `--B\r\n${disposition}\r\nnonsense\r\n\r\nx\r\n--B--`],
    ['with headers without an end', `--B\r\n${disposition}; x="${'x'.repeat(70_000)}`],
    ['with a long preamble', `${'x'.repeat(70_000)}\r\n--B\r\n${disposition}\r\n\r\nx\r\n--B--`],
    [
      'with a name that is not percent-encoded',
      `--B\r\nContent-Disposition: form-data; name="f"; filename*=UTF-8''%ff\r\n\r\nx\r\n--B--`,
    ],
  ])('%s is an error', async (_, text) => {
    await expect(readAll(cutAt(Buffer.from(text), []), 'B')).rejects.toThrow(MalformedMultipart)
  })

  it('may have a preamble, padding and an epilogue, and names as other clients write them', async () => {
    const text = [
      'a preamble',
      '--B \t',
      "Content-Disposition: form-data; name=f; filename=plain.txt; filename*=UTF-8''na%C3%AFve.txt",
      'Content-Type: text/html',
      '',
      'one',
      '--B',
      'content-disposition: FORM-DATA; NAME="g"',
      '',
      'two',
      '--B--',
      'an epilogue',
    ].join('\r\n')
    expect(await readAll(cutAt(Buffer.from(text), []), 'B')).toEqual([
      { name: 'f', filename: 'naïve.txt', bytes: Buffer.from('one') },
      { name: 'g', filename: null, bytes: Buffer.from('two') },
    ])
  })

  it('is read no further than it was taken: a slow reader holds it up (M1)', async () => {
    let sent = 0
    const body = (async function* () {
      yield Buffer.from(`--B\r\n${disposition}\r\n\r\n`)
      for (; sent < 1000; sent += 1) yield Buffer.alloc(64 * 1024, 120)
      yield Buffer.from('\r\n--B--')
    })()
    for await (const { content } of readMultipart(body, 'B')) {
      let taken = 0
      for await (const chunk of content) {
        taken += chunk.length
        expect(sent * 64 * 1024 - taken).toBeLessThanOrEqual(64 * 1024)
      }
      expect(taken).toBe(1000 * 64 * 1024)
    }
  })
})

describe('a boundary', () => {
  it.each([
    ['multipart/form-data; boundary=abc', 'abc'],
    ['multipart/form-data; charset=utf-8; boundary="a b c"', 'a b c'],
    ['Multipart/Form-Data;boundary=----WebKitFormBoundaryx', '----WebKitFormBoundaryx'],
    ['multipart/form-data', null],
    ['multipart/form-data; boundary=""', null],
    ['multipart/form-data; x="; boundary=no"; boundary=yes', 'yes'],
    ['multipart/form-data; boundary=one; boundary=two', null],
    ['multipart/form-data; boundary=a b', null],
    ['multipart/form-data ; boundary=abc;', 'abc'],
    ['multipart/form-data; boundary="abc', null],
    ['multipart/form-datax; boundary=abc', null],
    [`multipart/form-data; boundary=${'x'.repeat(71)}`, null],
    ['multipart/form-data; boundary="a\\"b"', null],
    ['multipart/form-data; boundary="ends with a space "', null],
    ['multipart/mixed; boundary=abc', null],
    ['application/json', null],
    ['', null],
  ])('of %j is %j', (type, boundary) => {
    expect(boundaryOf(type)).toBe(boundary)
  })
})
