/**
 * The process of a caretaker: waits for the end of its worker, which closes its input, and ends what carries the mark. Told that
 * all is over before that, it just leaves. Arguments: the mark, and a directory to be removed, or nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { watches } from './caretaker.ts'
import { removeGroupsOf } from './control-groups.ts'
import { removeTree } from './disk.ts'
import { endMarked } from './marked.ts'

/** A process that was about to become a program when the worker died is one by then, even on a machine that has much else to do. Milliseconds. */
const quietMs = 2000
const pauseMs = 20

const [, , told = '', home = ''] = process.argv
const mark = told.replace(watches, '')

// A service tells all of its processes to end: the worker decides when, and this one ends after it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

let isOver = false
process.stdin.on('data', () => (isOver = true))
process.stdin.on('error', () => undefined)
await new Promise<void>((resolve) => {
  process.stdin.once('end', () => resolve())
  process.stdin.once('close', () => resolve())
})
if (isOver) process.exit()

for (let since = performance.now(); performance.now() - since < quietMs; await sleep(pauseMs))
  if ((await endMarked(mark)) > 0) since = performance.now()
await removeGroupsOf(mark)
if (home !== '') await removeTree(home)
