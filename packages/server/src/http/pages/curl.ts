/** An operation as a line for a terminal. */

interface Typed {
  readonly method: string
  readonly path: string
  readonly parameters: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly example?: unknown
  }[]
  readonly requestBody?:
    | { readonly content: Readonly<Record<string, { readonly example?: unknown }>> }
    | undefined
}

/** The line, with the example where the operation takes something. */
export function curlLine({ method, path, parameters, requestBody }: Typed): string {
  const given = (name: string): string => {
    const { example } = parameters.find((each) => each.name === name) ?? {}
    return typeof example === 'string' ? encodeURIComponent(example) : `<${name}>`
  }
  const address = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => given(name))
  const query = parameters
    .filter((each) => each.in === 'query' && each.required)
    .map(({ name }) => `${name}=${given(name)}`)
    .join('&')
  const url = `"$SIGNALBOX_URL${address}${query === '' ? '' : `?${query}`}"`
  const body = requestBody?.content['application/json']?.example
  const line = ['curl -s', ...(method === 'GET' ? [] : [`-X ${method}`]), url].join(' ')
  if (body === undefined) return line
  return `${line} -H 'content-type: application/json' \\\n  -d ${quoted(JSON.stringify(body))}`
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
