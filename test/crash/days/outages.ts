/** Postgres away for a while: killed and started again later, or stopped in the middle of everything, so that it hangs. */
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { families } from '../families.ts'
import type { Fault } from '../schedule.ts'
import type { Stack } from '../stack.ts'
import { dayViolations } from './check.ts'
import { atWork, crowd } from './crowd.ts'
import { Watchers } from './watchers.ts'

const seconds = 1_000
export const leaseMs = 15 * seconds
/** After an outage everything has ended within this. */
export const settleMs = 30 * seconds + leaseMs
const crowdTimes = 2
const streams = 100

type Way = 'killed' | 'hanging'

/** `awayS`: seconds. */
export function outage(awayS: number, way: Way): Fault {
  const watchers = new Watchers(awayS >= 60 ? streams : streams / 5)
  return {
    name: `Postgres ${way} for ${awayS} s`,
    waves: ['work'],
    parts: [...families, crowd(crowdTimes), watchers.part],
    patienceMs: awayS * seconds + settleMs,
    settleMs,
    async play(stack) {
      watchers.follow(() => stack.child('api').url)
      await atWork(stack)
      const away = sleep(awayS * seconds)
      const back = await goAway(stack, way)
      await away
      await back()
    },
    missed: () => Promise.resolve([]),
    check: (runs, executions) => [...dayViolations(runs, executions), ...watchers.violations(runs)],
  }
}

/** Answers the way back. */
async function goAway(stack: Stack, way: Way): Promise<() => Promise<void>> {
  if (way === 'killed') {
    await stack.endPostgres()
    return () => stack.beginPostgres()
  }
  const pids = await stopped(await stack.postgresPid())
  return async () => {
    for (const pid of pids) signal(pid, 'SIGCONT')
  }
}

/**
 * Stops a process and its children, and answers all of them. The parent first: it starts and reaps none from then on. A child
 * that had ended before is no reason to leave the others stopped for ever.
 */
async function stopped(parent: number): Promise<readonly number[]> {
  signal(parent, 'SIGSTOP')
  const children = await childrenOf(parent)
  for (const pid of children) signal(pid, 'SIGSTOP')
  return [parent, ...children]
}

/** One that has ended needs no signal. */
function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name)
  } catch {}
}

async function childrenOf(parent: number): Promise<readonly number[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const stats = await Promise.all(
    all.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')),
  )
  return all.filter((_, n) => parentIn(stats[n] ?? '') === parent).map(Number)
}

/** The fourth field; the second one is a name in brackets, with anything in it. */
const parentIn = (stat: string): number =>
  Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
