/** The door of a process: which hosts and origins it knows, by its configuration. */
import type { Config } from '../config/schema.ts'
import type { Cors, Door } from '../http/door.ts'
import { hostsOf } from '../http/hosts.ts'
import { localOrigins, originsOf } from '../http/origins.ts'

/** What clients of the API send, and browsers do not let pass unasked. */
const sent = [
  'a2a-extensions',
  'a2a-version',
  'accept',
  'authorization',
  'baggage',
  'cache-control',
  'content-encoding',
  'content-type',
  'idempotency-key',
  'last-event-id',
  'traceparent',
  'tracestate',
  'user-agent',
  'x-api-key',
  'x-auth-scheme',
  'x-request-id',
]

/** What clients of the API read, and browsers do not show unasked. */
const shown = [
  'allow',
  'content-disposition',
  'content-location',
  'link',
  'location',
  'retry-after',
  'www-authenticate',
  'x-pagination-next',
  'x-pagination-total',
  'x-request-id',
  'x-signalbox-position',
  'x-vercel-ai-ui-message-stream',
]

export function doorOf(parts: {
  readonly server: Pick<Config['server'], 'hosts' | 'origins' | 'cors' | 'publicUrl'>
  /** Where the process listens. */
  readonly host: string
  readonly isOpen: Door['isOpen']
  /** Does CORS allow pages of this machine, where the configuration names nobody? */
  readonly localPages: boolean
}): Door {
  const { server, host, isOpen, localPages } = parts
  const known = server.publicUrl === null ? [] : [new URL(server.publicUrl)]
  return {
    isOpen,
    knowsHost: hostsOf([...server.hosts, ...known.map(({ hostname }) => hostname)], host),
    isOurs: originsOf([...server.origins, ...known.map(({ origin }) => origin)]),
    cors: corsOf(server.cors, localPages),
  }
}

function corsOf(cors: Config['server']['cors'], localPages: boolean): Cors | null {
  const origins = cors.origins ?? (localPages ? localOrigins : [])
  if (origins.length === 0) return null
  return {
    allows: originsOf(origins),
    headers: [...sent, ...cors.headers].join(','),
    expose: [...shown, ...cors.expose].join(','),
  }
}
