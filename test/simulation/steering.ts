/** Somebody who speaks to runs that go on, and what must hold of what he said (J1, J2, S1, S2). */
import { factSchemas } from '@signalbox/core'
import type { InjectAnswer } from '@signalbox/engine'
import { foldedThrough, isEnd, type RunRecord } from '../invariants/run-record.ts'
import { caller, type Office } from './people.ts'
import type { Incarnation } from './process.ts'
import type { World } from './world.ts'

/** Words to a run, and what the speaker was told of them; null until he was. */
export interface Spoken {
  readonly runId: string
  readonly key: string
  readonly words: string
  code: InjectAnswer['code'] | null
}

const wordsMax = 10
/** What he says begins like this; so do the words of nobody else. */
const mark = /^steer /

/** In which seeds somebody speaks. The others are played as they were before there was speaking. */
export const isSpokenTo = (seed: number): boolean => seed % 6 === 5

/** Speaks to runs at any time, also to those that have ended, and repeats himself until he is answered. */
export async function speaker(life: Incarnation, office: Office): Promise<void> {
  const { schedule } = life.process
  const { world, register } = office
  for (const spoken of world.spoken) await say(spoken, office)
  while (world.spoken.length < wordsMax) {
    await life.clock.sleep(schedule.between(10, 250))
    const runs = [...register.tables.runs.values()]
    const live = runs.filter(({ status }) => status !== 'ended')
    const among = schedule.chance(0.9) ? live : runs
    const run = among[Math.floor(schedule.unit() * among.length)]
    if (!run) continue
    const n = world.spoken.length
    const spoken = { runId: run.runId, key: `say-${n}`, words: `steer ${n}`, code: null }
    world.spoken.push(spoken)
    await say(spoken, office)
  }
}

async function say(spoken: Spoken, { engine }: Office): Promise<void> {
  const { runId, key, words } = spoken
  const message = { id: key, role: 'user', parts: [{ type: 'text', text: words }] } as const
  const messages = [{ ...message, parts: [...message.parts] }]
  while (spoken.code === null) {
    const answer = await engine.commands
      .injectInput({ ...caller, runId, messages, key })
      .catch(() => null)
    spoken.code = answer?.code ?? null
  }
}

/** Keeps which of his words a model was shown. */
export function hear({ heard }: World, run: string, texts: readonly string[]): void {
  for (const text of texts) if (mark.test(text)) heard.add(`${run} ${text}`)
}

/** What was accepted is in the log, once, and a model was shown it, unless the run ended otherwise than completed. */
export function steeringViolations(
  { spoken, heard }: World,
  { head, log }: RunRecord,
): readonly string[] {
  const { runId } = head
  const bad: string[] = []
  const facts = log.filter(({ type }) => type === 'input.injected')
  const outcome = log.find(isEnd)?.verdict
  const told = log
    .filter(({ type }) => type === 'input.left' || type === 'input.taken')
    .map(({ payload }) => Number(payload['through']))
  const saidIn = facts.map(({ seq, payload }) => {
    const [message] = factSchemas['input.injected'].parse(payload).messages
    const [part] = message?.parts ?? []
    return { seq, words: part?.type === 'text' ? part.text : '' }
  })
  for (const { words, code } of spoken.filter((each) => each.runId === runId)) {
    const times = saidIn.filter((each) => each.words === words).length
    const isTaken = code === 'accepted' || code === 'already'
    if (isTaken ? times !== 1 : code !== null && times > 0)
      bad.push(`S2 ${runId}: "${words}" was answered ${code}, and stands ${times}x in the log`)
  }
  for (const { seq, words } of saidIn) {
    if (heard.has(`${runId.slice(-12)} ${words}`)) continue
    if (outcome === 'completed')
      bad.push(`J1 ${runId} completed, and no model was shown "${words}"`)
    // A turn that took it may have been cut off before anybody was asked.
    else if (seq <= foldedThrough(log) && Math.max(0, ...told) < seq)
      bad.push(`J2 ${runId} left "${words}", and does not say so`)
  }
  return bad
}
