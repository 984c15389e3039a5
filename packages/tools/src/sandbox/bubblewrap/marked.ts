/**
 * Processes that carry a mark: a word of their command line that stands in no other. By it those are found whose number nobody
 * knows, or whose parent is gone.
 *
 * K1 A program carries its mark from its first instruction. bwrap and the first process of its namespace keep it to their end.
 * K2 Only a whole mark is looked for: any shorter text could be in the command line of somebody else.
 */
import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { inBatches } from './disk.ts'
import { isRunning, startOf } from './process-facts.ts'

/** The mark of one worker: those of its slots begin with it. */
export const newMark = (): string => `signalbox-sandbox-${randomUUID()}`

/** The mark of a slot. It ends where its number does: slot 1 is not found in slot 12. */
export const markOfSlot = (mark: string, slot: number): string => `${mark}.${slot}.`

const whole = /^(signalbox-sandbox-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.\d+\.)?$/

export const isMark = (text: string): boolean => whole.test(text)

/** The mark of the worker, of its own mark or that of a slot; null for a text that is none. */
export const markOfWorker = (text: string): string | null => whole.exec(text)?.[1] ?? null

/** Between two looks, milliseconds. */
const look = { first: 1, most: 100 } as const

/**
 * Kills all processes with a mark but this one, and those that they start meanwhile. Resolves when none is left, with how many
 * there were.
 * @throws TypeError for a text that is no mark.
 */
export async function endMarked(mark: string): Promise<number> {
  if (!isMark(mark)) throw new TypeError('processes are found by a whole mark')
  const killed = new Map<number, string>()
  for (let pause: number = look.first; ; pause = Math.min(2 * pause, look.most)) {
    const found = await marked(mark)
    for (const [pid, start] of found) {
      killed.set(pid, start)
      kill(pid, start)
    }
    // The first process of a namespace has lost its command line, and is there until all others in it are gone.
    const isLeft = [...killed].some(([pid, start]) => isRunning(pid) && startOf(pid) === start)
    if (found.size === 0 && !isLeft) return killed.size
    await sleep(pause)
  }
}

/** Numbers, and when they started. */
async function marked(mark: string): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>()
  const pids = (await readdir('/proc')).map(Number).filter(Number.isSafeInteger)
  await inBatches(pids, async (pid) => {
    if (pid === process.pid) return
    const start = startOf(pid)
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (start !== null && words.split('\0').some((word) => word.startsWith(mark)))
      found.set(pid, start)
  })
  return found
}

/** Another process of its number is left alone. */
export function kill(pid: number, start: string | null): void {
  if (start === null || startOf(pid) !== start) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended meanwhile.
  }
}
