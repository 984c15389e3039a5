/**
 * `npm run bench -- --http [--json] [--only part,…] [--events n] [--data folder] [--streams n] [--requests n]`: what the HTTP side costs, each
 * figure beside the same by hand. Takes half an hour and twelve gigabytes of disk with five million events, so it is run only
 * when it is asked for. Standard output holds the results alone, each as soon as it is there.
 */
import { cpus } from 'node:os'
import { measureSpeed, scaledLimit } from '../../ci/machine-speed.ts'
import { bytesPerEvent, generateEvents } from './audit/generate.ts'
import { measureAudit } from './audit/measure-audit.ts'
import { measureExport } from './audit/measure-export.ts'
import { Child } from './child.ts'
import { openBenchDatabase } from './database.ts'
import { benchEnqueue } from './enqueue.ts'
import { type ServerOrder, ServerReport } from './messages.ts'
import { type HttpOptions, readHttpOptions } from './options.ts'
import { type Tell, teller } from './result.ts'
import { benchStreams } from './streams.ts'

/** A bench that hangs must not hang whoever waits for it. */
const minutesMaxAtReference = 60

/** Runs the parts that are asked for, one after the other. */
export async function benchHttp(args: readonly string[]): Promise<void> {
  const options = readHttpOptions(args)
  const { parts } = options
  const tell = teller(options.json)
  const speed = await measureSpeed()
  const minutesMax = scaledLimit(minutesMaxAtReference, speed)
  const overdue = setTimeout(() => {
    console.error(`the bench took longer than ${minutesMax} minutes and is given up`)
    process.exit(1)
  }, minutesMax * 60_000)
  overdue.unref()
  tell({
    bench: 'machine',
    what: cpus()[0]?.model ?? 'unknown',
    figures: {
      cpus: cpus().length,
      node: process.version,
      speed,
      at: new Date().toISOString(),
    },
  })
  if (parts.has('enqueue')) await benchEnqueue(options, tell)
  if (parts.has('streams')) await benchStreams(options, tell)
  if (parts.has('audit') || parts.has('export')) await benchFeed(options, tell)
}

/** The parts that read a large register. It writes no log while it is filled, which is not what is measured. */
async function benchFeed({ parts, events, data }: HttpOptions, tell: Tell): Promise<void> {
  const database = await openBenchDatabase({
    bytes: events * bytesPerEvent,
    ...(data === undefined ? {} : { keep: data }),
    settings: { wal_level: 'minimal', max_wal_senders: 0, max_wal_size: '4GB' },
  })
  const server = new Child<ServerOrder, ServerReport>(
    new URL('server-main.ts', import.meta.url),
    ServerReport,
  )
  try {
    const { adminUrl, dir: dataDir } = database
    tell({
      bench: 'audit',
      what: 'the register',
      figures: { ...(await generateEvents(adminUrl, events)) },
    })
    const start: ServerOrder = { kind: 'start', databaseUrl: adminUrl, dataDir, roles: ['api'] }
    const { url } = await server.ask(start)
    if (parts.has('audit')) await measureAudit({ url, adminUrl }, tell)
    if (parts.has('export')) await measureExport({ url, adminUrl }, tell)
  } finally {
    await server.stop({ kind: 'stop' })
    await database.stop()
  }
}
