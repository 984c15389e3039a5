/** Options that several commands have, and how their values are read. */
import { InvalidArgumentError, type Command } from 'commander'
import type { Server } from './client/http.ts'
import { usageFailure } from './failure.ts'
import { reachableHost } from './local/running-server.ts'
import type { Shell } from './shell.ts'

export interface CommonOptions {
  readonly json?: true
  readonly debug?: true
}

export interface ServerOptions extends CommonOptions {
  readonly url?: string
}

/** Adds what every command has. */
export const withCommon = (command: Command): Command =>
  command
    .option('--json', 'answer with JSON: one document, or one per line where it goes on')
    .option('--debug', 'show where an error came from (or SIGNALBOX_DEBUG=1)')

/** Adds what every command has that asks a server. */
export const withServer = (command: Command): Command =>
  withCommon(command).option(
    '--url <url>',
    'the server (default: SIGNALBOX_URL, PORT, the one that runs in this folder, or its configuration)',
  )

const portDefault = '7420'

/** The server that the options, the environment, or nobody named. @throws Failure */
export function serverOf(options: ServerOptions, shell: Shell): Server & { isNamed: boolean } {
  const { env } = shell
  const named = options.url ?? env['SIGNALBOX_URL']?.trim() ?? ''
  const text = named || unnamed(shell)
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw usageFailure(
      `"${text}" is no address of a server. Write --url http://127.0.0.1:${portDefault}`,
    )
  return {
    url: `${url.origin}${url.pathname}`.replace(/\/+$/, ''),
    apiKey: env['SIGNALBOX_API_KEY']?.trim() || null,
    isNamed: named !== '',
  }
}

/** The server that nobody named: on the port of the environment, else the one of the folder. */
function unnamed({ env, server }: Shell): string {
  const port = env['PORT']?.trim() || null
  if (port === null && server?.url) return server.url
  return `http://${reachableHost(env['HOST']?.trim() || '127.0.0.1')}:${port ?? portDefault}`
}

/** Reads a whole number within bounds. */
export const wholeNumber = (min: number, max: number) => (text: string) => {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (number >= min && number <= max) return number
  throw new InvalidArgumentError(`It takes a whole number from ${min} to ${max}.`)
}

const unitMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 24 * 3_600_000,
}

/** Reads a span of time; answers milliseconds. */
export function span(text: string): number {
  const [, count = '0', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const ms = Number(count) * (unitMs[unit] ?? 0)
  if (ms > 0) return ms
  throw new InvalidArgumentError('It takes a span of time such as 90s, 15m, 2h or 7d.')
}

/** Reads a time, or how long ago it was; answers ISO 8601. */
export function instant(text: string): string {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count !== undefined)
    return new Date(Date.now() - Number(count) * (unitMs[unit] ?? 0)).toISOString()
  const ms = /^\d{9,15}$/.test(text) ? Number(text) : Date.parse(text)
  if (Number.isFinite(ms) && Math.abs(ms) <= 8.64e15) return new Date(ms).toISOString()
  throw new InvalidArgumentError(
    'It takes a time such as 2026-11-20T12:00:00Z, how long ago it was such as 90s, 15m, 2h or 7d, or milliseconds since 1970.',
  )
}
