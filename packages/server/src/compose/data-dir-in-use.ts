/** A data directory that another process has: which one, where it serves, and what to type. */
import { announcedIn } from './announce.ts'
import type { EmbeddedFailure } from './embedded.ts'
import { StartError } from './start-error.ts'

/** The error of a start; null where the embedded server fails for another reason. */
export async function dataDirInUse(
  error: EmbeddedFailure,
  dataDir: string,
): Promise<StartError | null> {
  if (error.code !== 'data_dir_in_use') return null
  const { pid } = error
  const announced = await announcedIn(dataDir)
  const url = announced !== null && announced.pid === pid ? announced.url : null
  const who = pid === null ? 'another process' : `process ${pid}`
  const end = pid === null ? 'end that process' : `end that process first: kill ${pid}`
  const where = url === null ? '' : `, which serves at ${url}`
  const advice =
    url === null
      ? `Wait if it is a command that will end; else ${end}.`
      : `Commands that are typed in this folder ask that server; from elsewhere add --url ${url}. For a new one ${end}.`
  return new StartError(
    'embedded_postgres',
    `The data directory ${dataDir} is in use by ${who}${where}. ${advice} ` +
      'A second server at the same time takes another SIGNALBOX_DATA_DIR, or both share one Postgres through DATABASE_URL. ' +
      '(data_dir_in_use)',
    error,
  )
}
