/** What the bench is asked to do. */
import { parseArgs } from 'node:util'

/** How effects get from the orchestrator to the worker. */
export const dispatcherNames = ['direct', 'bullmq-postgres', 'bullmq-redis'] as const
export type DispatcherName = (typeof dispatcherNames)[number]

/** The parts of a bench; `--only` picks some. */
const sections = ['floors', ...dispatcherNames, 'log-size', 'governance', 'growth'] as const
export type Section = (typeof sections)[number]

export interface BenchOptions {
  readonly json: boolean
  readonly profile: boolean
  readonly sections: ReadonlySet<Section>
  /** Runs of the throughput measurement. */
  readonly runs: number
  readonly inFlight: number
}

const usage = `usage: npm run bench -- [--json] [--profile] [--only part,…] [--runs 300] [--in-flight 50]
parts: ${sections.join(' ')}`

/** Reads the command line. Ends the process with code 2 for one that makes no sense. */
export function readOptions(args: readonly string[]): BenchOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        json: { type: 'boolean', default: false },
        profile: { type: 'boolean', default: false },
        only: { type: 'string', default: sections.join(',') },
        runs: { type: 'string', default: '300' },
        'in-flight': { type: 'string', default: '50' },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) return stop(0)
    return {
      json: values.json,
      profile: values.profile,
      sections: new Set(values.only.split(',').map(sectionOf)),
      runs: countOf('--runs', values.runs, 10_000),
      inFlight: countOf('--in-flight', values['in-flight'], 1_000),
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

function sectionOf(text: string): Section {
  const known = sections.find((section) => section === text.trim())
  if (known === undefined) throw new Error(`--only: there is no part "${text}"`)
  return known
}

function countOf(option: string, text: string, max: number): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > max)
    throw new Error(`${option}: a whole number from 1 to ${max}, not "${text}"`)
  return count
}
