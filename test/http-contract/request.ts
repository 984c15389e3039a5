/** A request as it goes over the wire, and as a command that sends it again. */
export interface FuzzRequest {
  readonly method: string
  /** Raw, with the query: not everything in it need be right. */
  readonly path: string
  /** In order; names may come twice. */
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Body | null
}

/** Text in UTF-8, or one byte for each of its characters. */
export interface Body {
  readonly text: string
  readonly encoding: 'utf8' | 'latin1'
}

/** The bytes of a body. */
export const bytesOf = ({ text, encoding }: Body): Buffer => Buffer.from(text, encoding)

/** Longer bodies are read from a file that is said how to make. */
const shownMax = 2000

/** The request as a curl command for bash. */
export function asCurl(base: string, { method, path, headers, body }: FuzzRequest): string {
  const parts = ['curl -i --path-as-is', `-X ${method}`]
  for (const [name, value] of headers) parts.push(`-H ${short(name, value)}`)
  if (body) {
    const bytes = bytesOf(body)
    parts.push(
      bytes.length <= shownMax
        ? `--data-binary ${quoted(body.text, body.encoding)}`
        : `--data-binary @- # ${bytes.length} bytes: ${quoted(body.text.slice(0, 300))}…`,
    )
  }
  parts.splice(2, 0, quoted(base + path))
  return parts.join(' ')
}

/** A header; a long one of one character as a command that writes it. */
function short(name: string, value: string): string {
  const [first = ''] = value
  if (value.length > 300 && value === first.repeat(value.length))
    return `"${name}: $(printf '%*s' ${value.length} | tr ' ' '${first}')"`
  return quoted(`${name}: ${value}`, 'latin1')
}

/** `$'…'`: what is not plain ASCII is written as bytes. */
function quoted(text: string, encoding: Body['encoding'] = 'utf8'): string {
  if (/^[\x20-\x7e]*$/.test(text) && !/['\\!]/.test(text)) return `'${text}'`
  const written = [...Buffer.from(text, encoding)].map((byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`,
  )
  return `$'${written.join('')}'`
}
