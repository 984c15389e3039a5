/**
 * Somebody who names threads while their runs go on, and what a thread is called when all is over:
 *
 * Y1 A thread that a person has named is called as that person said, whatever its runs and models made of it.
 * Y2 Every other thread is called as its notes say in their order: by the first words, then by a run whose turn it was.
 */
import { noteSchemas } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import type { MemoryRegister } from '@signalbox/testing/memory'
import { isEnd, type RunRecord } from '../invariants/run-record.ts'
import { caller, type Office } from './people.ts'
import type { Incarnation } from './process.ts'
import { seeded } from './seeded.ts'
import type { World } from './world.ts'

/** How many seeds have one. No seed that `caught.json` remembers is among them: those are played as they were. */
const naming = 0.12
const namesMax = 2

export const isNaming = (seed: number): boolean => seeded(seed * 73 + 310)() < naming

/** A title that was given to a thread, and whether the person was told that it was taken. */
export interface Named {
  readonly threadId: string
  readonly title: string
  isTaken: boolean
}

/** At how many looks a thread is named that nobody is making a title for just now. */
const atAnyTime = 0.01

/** Names threads, most while a model is asked for a title, each again until the answer comes, also in the next life. */
export async function namer(life: Incarnation, office: Office): Promise<void> {
  const { schedule } = life.process
  const { names } = office.world
  for (const named of names) await give(named, life, office)
  while (names.length < namesMax) {
    await life.clock.sleep(schedule.between(1, 30))
    const threads = schedule.chance(atAnyTime) ? allThreads(office) : beingNamed(office)
    const threadId = threads[Math.floor(schedule.unit() * threads.length)]
    if (threadId === undefined) continue
    const named = { threadId, title: `name ${names.length}`, isTaken: false }
    names.push(named)
    await give(named, life, office)
  }
}

const allThreads = ({ register: { tables } }: Office): readonly string[] =>
  [...tables.threads.values()].map(({ threadId }) => threadId)

/** Threads whose titles are being made. */
const beingNamed = ({ register: { tables } }: Office): readonly string[] =>
  [...tables.effects.values()]
    .filter(({ kind, status }) => kind === 'title.make' && status === 'started')
    .flatMap(({ runId }) => tables.runs.get(runId)?.threadId ?? [])

async function give(named: Named, life: Incarnation, { engine, register }: Office): Promise<void> {
  const { threadId, title } = named
  while (!named.isTaken) {
    const runs = [...register.tables.runs.values()].filter((run) => run.threadId === threadId)
    const lastRunId = runs.at(-1)?.runId ?? null
    const answer = await engine.commands
      .titleThread({ ...caller, threadId, title, lastRunId })
      .catch(() => null)
    named.isTaken = answer === 'titled'
    if (!named.isTaken) await life.clock.sleep(50)
  }
}

interface Standing {
  readonly title: string
  readonly by: string
  readonly runId: string | null
}

/** The title that the notes of a thread give it, in their order, by the rules that stand beside the trigger that keeps them. */
function calledBy(notes: readonly StoredEvent[], isCompleted: CompletedBefore): Standing | null {
  let stands: Standing | null = null
  for (const { type, runId, payload, position } of notes) {
    const said = type === 'thread.titled' ? noteSchemas[type].parse(payload) : null
    if (stands === null) {
      if (said) stands = { title: said.title, by: said.by, runId }
      continue
    }
    const isOwn = stands.runId === runId
    const mayFollow =
      'effectId' in payload && (isOwn || !isCompleted(stands.runId, Number(position)))
    if (stands.by !== 'words' || !mayFollow) continue
    stands = said ? { title: said.title, by: said.by, runId } : { ...stands, runId }
  }
  return stands
}

type CompletedBefore = (runId: string | null, position: number) => boolean

export function namingViolations(
  { names, wishes }: Pick<World, 'names' | 'wishes'>,
  { tables }: MemoryRegister,
  runs: readonly RunRecord[],
): readonly string[] {
  const isCompleted: CompletedBefore = (runId, position) => {
    const end = runs.find(({ head }) => head.runId === runId)?.log.find(isEnd)
    return end !== undefined && end.verdict === 'completed' && Number(end.position) < position
  }
  return [...tables.threads].flatMap(([key, { threadId }]) => {
    const stands = tables.titles.get(key) ?? null
    const said = names.filter((each) => each.threadId === threadId)
    const is = JSON.stringify(stands)
    if (stands?.by === 'user' || said.some(({ isTaken }) => isTaken)) {
      const isSaid = stands?.by === 'user' && said.some(({ title }) => title === stands.title)
      return isSaid ? [] : [`Y1 ${threadId} was named by a person, and is called ${is}`]
    }
    // A crowd makes no threads beforehand: there a note may come before its thread.
    if (wishes.length > 0) return []
    const notes = runs
      .filter(({ head }) => head.threadId === threadId)
      .flatMap(({ log }) => log)
      .filter(({ type }) => type === 'thread.titled' || type === 'title.unchanged')
      .toSorted((one, other) => Number(one.position) - Number(other.position))
    const expected = calledBy(notes, isCompleted)
    const same = expected?.title === stands?.title && expected?.runId === stands?.runId
    return same
      ? []
      : [`Y2 ${threadId} is called ${is}, and its notes say ${JSON.stringify(expected)}`]
  })
}
