/** What the bench of the HTTP side is asked to do. */
import { parseArgs } from 'node:util'

const httpParts = ['enqueue', 'streams', 'audit', 'export'] as const
export type HttpPart = (typeof httpParts)[number]

export interface HttpOptions {
  /** One JSON document per line instead of words. */
  readonly json: boolean
  readonly parts: ReadonlySet<HttpPart>
  /** Events of the audit and of the export. */
  readonly events: number
  /** The folder of their database; it stays, and is filled only once. */
  readonly data?: string
  readonly streams: number
  /** Creates that are measured for each number of clients. */
  readonly requests: number
}

const usage = `usage: npm run bench -- --http [--json] [--only part,…] [--events 5000000] [--data folder] [--streams 1000] [--requests 2000]
parts: ${httpParts.join(' ')}`

/** Reads the command line. Ends the process with code 2 for one that makes no sense. */
export function readHttpOptions(args: readonly string[]): HttpOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        http: { type: 'boolean' },
        json: { type: 'boolean', default: false },
        only: { type: 'string', default: httpParts.join(',') },
        events: { type: 'string', default: '5000000' },
        data: { type: 'string' },
        streams: { type: 'string', default: '1000' },
        requests: { type: 'string', default: '2000' },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) return stop(0)
    return {
      json: values.json,
      parts: new Set(values.only.split(',').map(partOf)),
      events: countOf('events', values.events, { min: 20_000, max: 50_000_000 }),
      ...(values.data === undefined ? {} : { data: values.data }),
      streams: countOf('streams', values.streams, { min: 1, max: 1_000 }),
      requests: countOf('requests', values.requests, { min: 100, max: 100_000 }),
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    return stop(2)
  }
}

function stop(code: number): never {
  console.error(usage)
  process.exit(code)
}

function partOf(text: string): HttpPart {
  const known = httpParts.find((part) => part === text.trim())
  if (known === undefined) throw new Error(`--only: with --http there is no part "${text}"`)
  return known
}

function countOf(
  option: string,
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < min || count > max)
    throw new Error(`--${option}: a whole number from ${min} to ${max}, not "${text}"`)
  return count
}
