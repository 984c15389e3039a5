/** The table of problem codes, made of the table that answers them. */
import { problemKinds } from '@signalbox/server'
import { table } from './markdown.ts'

/** One row per code, as it stands in the source: by status. */
export const problemTable = (): string =>
  table(
    ['code', 'status', 'meaning', 'what to do'],
    Object.entries(problemKinds).map(([code, { status, title, help }]) => [
      `\`${code}\``,
      String(status),
      title,
      help,
    ]),
  )
