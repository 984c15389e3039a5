/** Requests by the names of operations, with the types of the OpenAPI document. */
import type { Operations } from './generated.ts'
import type { Query, Transport } from './transport.ts'

/** `GET /runs/{run_id}` and so on: every operation of the API. */
export type OperationName = keyof Operations

/** What an operation answers, as JSON; null where it answers something else, or nothing. */
export type Answer<Name extends OperationName> = Operations[Name]['answer']

/** What a request of an operation has: `path`, `query`, `header` and `body`, as far as the operation knows them. */
export type Parts<Name extends OperationName> = Omit<Operations[Name], 'answer'>

/** How it is sent. */
export interface Sending {
  readonly signal?: AbortSignal | undefined
  /** May it be sent again when nobody knows what became of it? Default: reads may. */
  readonly repeatable?: boolean | undefined
  /** A server that says nothing for so long is gone. */
  readonly silenceMs?: number | undefined
}

/** Asks for an operation. @throws SignalboxError */
export type Request = <Name extends OperationName>(
  name: Name,
  wish: Parts<Name> & Sending,
) => Promise<Answer<Name>>

interface AnyWish extends Sending {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Query
  readonly header?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Makes the function that asks. */
export function createRequest(transport: Transport): Request {
  function request<Name extends OperationName>(
    name: Name,
    wish: Parts<Name> & Sending,
  ): Promise<Answer<Name>>
  async function request(name: string, wish: AnyWish): Promise<unknown> {
    const [method = '', template = ''] = name.split(' ')
    const { path = {}, query, header, body, signal, silenceMs, repeatable } = wish
    return transport.ask({
      method,
      path: filled(template, path),
      query,
      headers: header,
      body,
      signal,
      silenceMs,
      repeatable: repeatable ?? method === 'GET',
    })
  }
  return request
}

/** A path with its parameters in place. Throws for one that is missing. */
export function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const value = values[name]
    // An empty one, or one of dots, would lead to another operation.
    if (value === undefined || /^\.{0,2}$/.test(value))
      throw new TypeError(`${name} takes an id, not "${String(value)}"`)
    return encodeURIComponent(value)
  })
}
