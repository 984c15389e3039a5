/**
 * Measures whether a pattern of the evil lists can make us slow: per pattern, the time over 200 kB of its attack text
 * divided by the time over 100 kB, least of five each. `engine` is the pattern as it is on our engine, where that
 * takes it; `guardrail` is its bounded form as a guardrail over the whole text. (A stream is judged in pieces of one size,
 * so there the time is in proportion by construction.) Exits 1 if a ratio is over 3.
 *
 * Run: node packages/policies/bench/redos.ts
 */
import { RE2JS } from 're2js'
import { createGuardrail, guardProblem } from '../src/guardrails/create-guardrail.ts'
import { StreamGuardSpec } from '@signalbox/core'
import { attackOf, boundedForm, evilPatterns } from '../test/guardrails/evil-patterns.ts'

const ratioMax = 3

const specOf = (pattern: string) =>
  StreamGuardSpec.parse({ use: 'patterns', patterns: [{ name: 'evil', pattern }] })

type Run = (text: string) => void

const cpuMs = (): number => process.cpuUsage().user / 1000

/** Processor time is counted in ticks of some milliseconds: less than this says nothing. */
const enoughMs = 40

/** Milliseconds of processor time, so that neighbours do not count, for a run over each text. Short work is repeated. */
function timesOf(run: Run, texts: readonly string[]): readonly number[] {
  const once = (text: string, repeats: number): number => {
    const begin = cpuMs()
    for (let n = 0; n < repeats; n += 1) run(text)
    return cpuMs() - begin
  }
  const plans = texts.map((text) => {
    let repeats = 1
    while (once(text, repeats) < enoughMs) repeats *= 2
    return { text, repeats }
  })
  // By turns, and the least of five: a machine that is slow for a while is slow for both.
  const rounds = Array.from({ length: 5 }, () =>
    plans.map(({ text, repeats }) => once(text, repeats) / repeats),
  )
  return texts.map((_, n) => Math.min(...rounds.map((round) => round[n] ?? Infinity)))
}

function engineRun(pattern: string): Run | null {
  try {
    const compiled = RE2JS.compile(pattern)
    return (text) => void compiled.matcher(text).find()
  } catch {
    return null
  }
}

function guardrailRun(pattern: string): Run | null {
  const bounded = boundedForm(pattern, (form) => guardProblem(specOf(form)) === null)
  const guardrail = bounded === null ? null : createGuardrail(specOf(bounded))
  if (guardrail === null) return null
  const context = { availableTools: [], availableSkills: [], attempt: 0, released: '', last: true }
  return (text) => void guardrail.handle({ type: 'text', text }, context)
}

let slow = 0
for (const evil of evilPatterns) {
  const columns = [engineRun(evil.pattern), guardrailRun(evil.pattern)].map((run) => {
    if (run === null) return 'refused'
    const texts = [100_000, 200_000].map((chars) => attackOf(evil, chars))
    const [half = Number.NaN, whole = Number.NaN] = timesOf(run, texts)
    if (!(whole / half <= ratioMax)) slow += 1
    return `${(whole / half).toFixed(2)} (${whole.toFixed(1)} ms)`
  })
  console.log(`engine ${columns[0]}, guardrail ${columns[1]}: ${evil.pattern}`)
}
console.log(slow === 0 ? `all within ${ratioMax}` : `${slow} over ${ratioMax}`)
process.exitCode = slow === 0 ? 0 : 1
