/**
 * Measures whether a pattern of the evil lists can make us slow: per pattern, the time over 200 kB of its attack text
 * divided by the time over 100 kB, median of five each. `engine` is the pattern as it is on our engine, where that
 * takes it; `guardrail` is its bounded form as a guardrail over the whole text. (A stream is judged in pieces of one size,
 * so there the time is in proportion by construction.) Exits 1 if a ratio is over 3.
 *
 * Run: node packages/core/bench/redos.ts
 */
import { RE2JS } from 're2js'
import { createGuardrail, guardProblem } from '../src/verdict/stream/create-guardrail.ts'
import { StreamGuardSpec } from '../src/verdict/stream/spec.ts'
import { attackOf, boundedForm, evilPatterns } from '../test/stream/evil-patterns.ts'

const ratioMax = 3

const specOf = (pattern: string) =>
  StreamGuardSpec.parse({ use: 'patterns', patterns: [{ name: 'evil', pattern }] })

type Run = (text: string) => void

const cpuMs = (): number => process.cpuUsage().user / 1000

/** Milliseconds of processor time, so that neighbours do not count; median of five. Short work is repeated. */
function timeOf(run: Run, text: string): number {
  const once = (repeats: number): number => {
    const begin = cpuMs()
    for (let n = 0; n < repeats; n += 1) run(text)
    return (cpuMs() - begin) / repeats
  }
  const warm = once(1)
  const repeats = Math.min(500, Math.max(1, Math.ceil(20 / Math.max(warm, 0.01))))
  const times = Array.from({ length: 5 }, () => once(repeats))
  return times.toSorted((left, right) => left - right)[2] ?? 0
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
    const half = timeOf(run, attackOf(evil, 100_000))
    const whole = timeOf(run, attackOf(evil, 200_000))
    if (whole / half > ratioMax) slow += 1
    return `${(whole / half).toFixed(2)} (${whole.toFixed(1)} ms)`
  })
  console.log(`engine ${columns[0]}, guardrail ${columns[1]}: ${evil.pattern}`)
}
console.log(slow === 0 ? `all within ${ratioMax}` : `${slow} over ${ratioMax}`)
process.exitCode = slow === 0 ? 0 : 1
