/** What only the world knows of crowds: what clients were told, what models were shown, and what stands in no event. */
import { factSchemas } from '@signalbox/core'
import { sourceOf } from '../invariants/check-reruns.ts'
import { spanOf } from '../invariants/check-threads.ts'
import { isEnd, type RunRecord } from '../invariants/run-record.ts'
import { address } from './crowd.ts'
import type { World } from './world.ts'

export function crowdViolations(world: World, runs: readonly RunRecord[]): readonly string[] {
  return [
    ...promptViolations(world, runs),
    ...refusalViolations(world, runs),
    ...runs.flatMap(secretViolations),
  ]
}

/** What clients say begins like this; so do the words of nobody else. */
const said = /^go /

/** The words of clients in a prompt, in order. */
export const wordsOf = (texts: readonly string[]): string =>
  texts.filter((text) => said.test(text)).join(' | ')

/** Stands before the words of a prompt in which a summary stands for those before them. */
export const cutMark = '… '

/** Was a model shown what it was to be shown? Behind a summary, the newest of it. */
const isShown = (words: string, expected: string): boolean =>
  words.startsWith(cutMark) ? expected.endsWith(words.slice(cutMark.length)) : words === expected

/** A model is shown what was said on the thread before, in order, but for what was rolled back (I24). */
function promptViolations({ prompts }: World, runs: readonly RunRecord[]): readonly string[] {
  return runs.flatMap((run) => {
    const expected = heardBy(run, runs)
    const shown = prompts.get(run.head.runId.slice(-12)) ?? new Set()
    return [...shown]
      .filter((words) => expected !== null && !isShown(words, expected))
      .map((words) => `I24 ${run.head.runId} was shown "${words}" instead of "${expected}"`)
  })
}

/** A rerun hears what the run heard that it repeats. Null for a run that has no place, and so has heard nothing. */
function heardBy(run: RunRecord, runs: readonly RunRecord[]): string | null {
  const source = sourceOf(run)
  const repeated = runs.find(({ head }) => head.runId === source)
  if (repeated) return heardBy(repeated, runs)
  const { threadId, place } = run.head
  if (place === null) return null
  const before = runs
    .filter(({ head }) => head.threadId === threadId && head.place !== null && head.place < place)
    .filter(({ log }) => log.find(isEnd)?.verdict !== 'rolled_back')
    .toSorted((a, b) => (a.head.place ?? 0) - (b.head.place ?? 0))
  return wordsOf([...before, run].flatMap(inputOf))
}

function inputOf({ log }: RunRecord): readonly string[] {
  const created = log[0] && factSchemas['run.created'].parse(log[0].payload)
  return (created?.input ?? []).flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  )
}

/** Every request is answered, and none is refused because of runs that were not there. */
function refusalViolations({ answers, wishes }: World, runs: readonly RunRecord[]) {
  const spans = runs.map(spanOf)
  const bad = wishes
    .filter(({ key }) => !answers.has(key))
    .map(({ key }) => `I12 ${key} was never answered`)
  for (const [key, { code, threadId, asked, answered }] of answers) {
    if (code === 'created' || code === 'existing') continue
    const found = spans.some(
      ({ run, created, ended }) =>
        run.head.threadId === threadId &&
        Number(created) <= answered &&
        (ended === '~' || Number(ended) > asked),
    )
    if (code !== 'busy' || !found) bad.push(`slot ${key} was answered ${code}`)
  }
  return bad
}

/** Addresses hold secrets, and events none (I20). */
const secretViolations = ({ log, head }: RunRecord): readonly string[] =>
  log
    .filter(({ payload }) => JSON.stringify(payload).includes(address.split('=').at(-1) ?? address))
    .map(({ seq }) => `I20 ${head.runId} says at ${seq} where a webhook goes`)
