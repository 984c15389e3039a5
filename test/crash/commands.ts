/**
 * Commands of the tool `bash` in the workload: real ones, in the adapter of the backend, over the files of their thread. What they
 * leave tells by itself whether a command was run on top of a lost one, or not at all.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { factSchemas } from '@signalbox/core'
import type { RunRecord } from '../invariants/run-record.ts'

/** `bubblewrap` where the queue is in Redis and this machine has it, so that one suite plays both. */
export const adapterFor = (hasRedis: boolean): 'virtual' | 'bubblewrap' =>
  hasRedis && hasBwrap() ? 'bubblewrap' : 'virtual'

/** On CI it has to be there. */
const hasBwrap = (): boolean =>
  process.env['SIGNALBOX_REQUIRE_ALL'] === '1' ||
  (process.env['PATH'] ?? '').split(delimiter).some((each) => existsSync(join(each, 'bwrap')))

const keptCode = 7
const markOf = (plan: string): string => `signalbox-crash-${plan}`

/**
 * The command of a turn: adds to a file, and exits with a code that says that the file holds what the turns before it left, each once.
 * It writes nothing: live output is another thing.
 */
export function commandOf(plan: string, turn: number): string {
  const all = Array.from({ length: turn + 1 }, (_, n) => n).join('')
  return `: ${markOf(plan)}; printf %s ${turn} >> kept.txt; sleep 0.3; [ "$(cat kept.txt)" = ${all} ] && exit ${keptCode}; exit 1`
}

/** One that ends by a cancel only. */
export const endlessCommand = (plan: string): string =>
  `: ${markOf(plan)}; echo lost > kept.txt; ${endless}`

const endless = 'while :; do sleep 1; done'

/** Its run's log: in an outage its time is up before its cancel can be heard of. */
const isEndless = (log: RunRecord['log']): boolean =>
  log.some(({ payload }) => JSON.stringify(payload).includes(endless))

/** A command that ended found the files of those before it; what became of one is never unknown (B3 of the tool). */
export function commandViolations({ head, log }: Pick<RunRecord, 'head' | 'log'>) {
  return log
    .filter(({ tool }) => tool === 'bash')
    .flatMap(({ type, payload, seq }) => {
      const where = `${head.runId} at ${seq}`
      if (type === 'tool.unknown') return [`B3 what became of a command of ${where} is unknown`]
      if (type === 'tool.failed')
        return [`B2 a command of ${where} failed: ${JSON.stringify(payload['error'])}`]
      if (type !== 'tool.completed') return []
      const { output, files, sandbox } = factSchemas[type].parse(payload)
      if (isEndless(log))
        return sandbox?.ended === 'timeout' && files === undefined
          ? []
          : [`B1 a command of ${where} without an end ended, or left files: ${sandbox?.ended}`]
      const said = JSON.stringify(output)
      return [
        ...(said.includes(`exit code ${keptCode}`)
          ? []
          : [`B1 a command of ${where} found other files than were left: ${said.slice(0, 300)}`]),
        ...(files === undefined ? [`B1 a command of ${where} left no file`] : []),
      ]
    })
}

const goneMsMax = 1_000
const lookMs = 50

/** When everything has ended, nothing of a schedule runs any more, a second later at the latest (X3). */
export async function leftCommands(schedule: string): Promise<readonly string[]> {
  const mark = markOf(`${schedule}-`)
  const deadline = Date.now() + goneMsMax
  for (;;) {
    const left = processesWith(mark)
    if (left.length === 0) return []
    if (Date.now() > deadline)
      return [`X3 ${left.length} processes of commands are left: ${left.join()}`]
    await sleep(lookMs)
  }
}

function processesWith(text: string): readonly number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && says(pid, text))
}

function says(pid: number, text: string): boolean {
  try {
    const isDead = /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return !isDead && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
  } catch {
    return false
  }
}
