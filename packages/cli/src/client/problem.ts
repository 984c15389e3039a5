/** Refusals of the API, and its absence, as failures of a command. */
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { ProblemDocument } from './documents.ts'

/** What to type, by the code of a problem whose detail speaks to programs. */
const advice: Readonly<Record<string, string>> = {
  unauthenticated: 'Set SIGNALBOX_API_KEY to the key of the server.',
  forbidden_scope:
    'Put another key into SIGNALBOX_API_KEY, or make one with: signalbox keys create',
  unknown_approval: 'List the calls that wait with: signalbox approvals',
  unknown_effect: 'List the effects that wait with: signalbox unknown',
  unknown_pause: 'List what is paused with: signalbox pauses',
  unknown_run: 'List runs with: signalbox runs',
}

/** The failure for a response that is not what was asked for. */
export async function refusal(response: Response, url: string): Promise<Failure> {
  const text = await response.text().catch(() => '')
  const problem = ProblemDocument.safeParse(parsed(text))
  if (!problem.success) {
    const message = `${url} answers ${response.status} and is no Signalbox. Name another server with --url.`
    return new Failure('not_signalbox', message, { exitCode: exitCodes.unreachable })
  }
  const { code, detail } = problem.data
  const message = advice[code] === undefined ? detail : `${detail} ${advice[code]}`
  return new Failure(code, message, { exitCode: exitCodeOf(response.status) })
}

function exitCodeOf(status: number): ExitCode {
  if (status === 404) return exitCodes.notFound
  // 410 is an approval that nobody answered in time.
  if (status === 409 || status === 410) return exitCodes.conflict
  return status === 429 || status >= 500 ? exitCodes.unreachable : exitCodes.usage
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The failure for a server that does not answer at all. */
export function unreachable(url: string, cause: unknown): Failure {
  const message = `No server answers at ${url}. Start one with "npx signalbox dev", or name another with --url or SIGNALBOX_URL.`
  return new Failure('server_unreachable', message, { exitCode: exitCodes.unreachable, cause })
}

/** May the same request succeed in a moment? */
export const isPassing = (error: unknown): boolean =>
  error instanceof Failure && error.exitCode === exitCodes.unreachable
