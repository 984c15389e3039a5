/**
 * `npm run test:mutations [-- --seeds 10000] [--only <name>] [--remember]`: one mutation at a time of the production code; the
 * simulation must turn red. Exit 1 when a mutation survives all seeds.
 *
 * The seed that caught a mutation last is tried first (`caught.json`, which `--remember` writes): most runs play one seed for
 * each. Where it does not catch it any more, because the traces of seeds have changed, the others are played as ever.
 * `--known` plays the remembered seeds, and 3,000 where one does not catch any more: a sample that takes minutes.
 * Mutations without one are counted, and wait for a run without it.
 *
 * A mutation that no seed catches names the test of the suite that does: that is played, and must turn red.
 */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { allMutations } from './all-mutations.ts'
import { mutationVariable } from './mutant-loader.ts'
import type { GuardingTest, Mutation } from './mutations.ts'

const root = join(import.meta.dirname, '../..')
const caughtFile = join(import.meta.dirname, 'caught.json')
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10000' },
    only: { type: 'string', default: '' },
    remember: { type: 'boolean', default: false },
    known: { type: 'boolean', default: false },
  },
})

interface Failure {
  readonly seed: number
  readonly violations: readonly string[]
}

/** What a lane of the simulation writes; the rest is not asked for here. */
const Failures = z.object({
  failures: z.array(z.object({ seed: z.number(), violations: z.array(z.string()) })),
})

const loader = join(import.meta.dirname, 'mutant-loader.ts')

/** The environment of a process that runs the mutation, or the code as it is. */
const environmentOf = (mutation?: Mutation): NodeJS.ProcessEnv => ({
  ...process.env,
  NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
  ...(mutation && {
    [mutationVariable]: JSON.stringify({ ...mutation, file: join(root, mutation.file) }),
  }),
})

/** Plays seeds in one process. Throws with what it said if it did not come to its end. */
function play(seeds: readonly string[], mutation?: Mutation): Promise<readonly Failure[]> {
  const main = join(import.meta.dirname, 'main.ts')
  const args = ['--no-warnings', '--import', loader, main, '--lane', '0', '--lanes', '1', ...seeds]
  const env = environmentOf(mutation)
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr.slice(-500) || error.message))
      else resolve(Failures.parse(JSON.parse(stdout)).failures)
    })
  })
}

/** Of Vitest's report. */
const Report = z.object({
  testResults: z.array(
    z.object({
      assertionResults: z.array(
        z.object({ status: z.string(), failureMessages: z.array(z.string()).optional() }),
      ),
    }),
  ),
})

/** Plays one test. Answers with the first line of each failure; throws where no test of that name has run. */
async function playTest(
  { file, name }: GuardingTest,
  mutation?: Mutation,
): Promise<readonly string[]> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const pattern = name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  const folder = await mkdtemp(join(tmpdir(), 'mutation-'))
  const output = join(folder, 'report.json')
  const args = [
    vitest,
    'run',
    file,
    '-t',
    pattern,
    '--reporter=json',
    `--outputFile.json=${output}`,
  ]
  // The processes of Vitest's workers run the mutation, too.
  const imported = `--import=${pathToFileURL(loader).href}`
  const env = { ...environmentOf(mutation), NODE_OPTIONS: imported }
  await new Promise<void>((resolve) => {
    execFile(process.execPath, args, { cwd: root, env, maxBuffer: 1 << 26 }, () => resolve())
  })
  const report = Report.parse(JSON.parse(await readFile(output, 'utf8')))
  await rm(folder, { recursive: true })
  const played = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed' || status === 'failed')
  if (played.length === 0) throw new Error(`no test "${name}" in ${file}`)
  return played.flatMap(({ failureMessages = [] }) =>
    failureMessages.map((message) => message.split('\n')[0] ?? ''),
  )
}

/** What a run with `--known` plays of a mutation whose seed has changed. */
const knownSeeds = '3000'

/** The first failure: at the seed that is remembered, else from where the mutation says. */
async function firstFailure(mutation: Mutation): Promise<Failure | undefined> {
  const known = remembered[mutation.name]
  const [again] = known === undefined ? [] : await play(['--list', String(known)], mutation)
  if (again) return again
  const seeds = values.known ? knownSeeds : values.seeds
  const range = ['--from', String(mutation.from ?? 1), '--seeds', seeds, '--stop']
  return (await play(range, mutation))[0]
}

interface Verdict {
  readonly mutation: Mutation
  /** Null where no seed caught it. */
  readonly seed: number | null
  readonly isCaught: boolean
  readonly said: string
}

async function judge(mutation: Mutation): Promise<Verdict> {
  const survived = { mutation, seed: null, isCaught: false }
  try {
    if (mutation.test) {
      const [said] = await playTest(mutation.test, mutation)
      if (said === undefined) return { ...survived, said: `"${mutation.test.name}" is green` }
      return { ...survived, isCaught: true, said: `"${mutation.test.name}": ${said}` }
    }
    const failure = await firstFailure(mutation)
    if (!failure) return { ...survived, said: 'no seed failed' }
    const { seed, violations } = failure
    return { mutation, seed, isCaught: true, said: `seed ${seed}: ${violations.join('; ')}` }
  } catch (error) {
    return { ...survived, said: String(error) }
  }
}

/** Tests that are red without a mutation prove nothing of it. */
async function redTests(verdicts: readonly Verdict[]): Promise<readonly GuardingTest[]> {
  const tests = verdicts.flatMap(({ mutation, isCaught }) =>
    isCaught && mutation.test ? [mutation.test] : [],
  )
  const red: GuardingTest[] = []
  for (const test of new Set(tests)) if ((await playTest(test)).length > 0) red.push(test)
  return red
}

/** Seeds that fail without a mutation prove nothing of it. */
async function redUnchanged(verdicts: readonly Verdict[]): Promise<ReadonlySet<number>> {
  const seeds = new Set(verdicts.flatMap(({ seed }) => (seed === null ? [] : [seed])))
  if (seeds.size === 0) return seeds
  return new Set((await play(['--list', [...seeds].join()])).map(({ seed }) => seed))
}

const remembered = z
  .record(z.string(), z.number())
  .parse(JSON.parse(readFileSync(caughtFile, 'utf8')))
const began = performance.now()
const chosen = allMutations.filter(({ name }) => name.includes(values.only))
const waiting = chosen.filter(
  ({ name, test }) => !values.known || test !== undefined || remembered[name] !== undefined,
)
if (waiting.length < chosen.length)
  console.log(
    `${chosen.length - waiting.length} of ${chosen.length} have no seed in caught.json: run without --known`,
  )
const verdicts: Verdict[] = []
await Promise.all(
  Array.from({ length: Math.min(4, availableParallelism()) }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const verdict = await judge(next)
      verdicts.push(verdict)
      const found = verdict.isCaught ? 'caught  ' : 'SURVIVED'
      console.log(`${found} ${next.name}: ${verdict.said.slice(0, 160)}`)
    }
  }),
)
const red = await redUnchanged(verdicts)
for (const seed of red) console.log(`SURVIVED: seed ${seed} fails without a mutation, too`)
const redGuards = await redTests(verdicts)
for (const { name } of redGuards) console.log(`SURVIVED: "${name}" is red without a mutation, too`)
const caught = verdicts.filter(
  ({ isCaught, seed, mutation }) =>
    isCaught &&
    (seed === null || !red.has(seed)) &&
    !redGuards.some((test) => test === mutation.test),
)
const bySeed = caught.flatMap(({ mutation, seed }) => (seed === null ? [] : [{ mutation, seed }]))
const found = { ...remembered, ...Object.fromEntries(bySeed.map((v) => [v.mutation.name, v.seed])) }
const moved = bySeed.filter(({ mutation, seed }) => remembered[mutation.name] !== seed).length
if (values.remember) {
  const entries = allMutations.map(({ name }) => [name, found[name]])
  writeFileSync(caughtFile, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`)
} else if (moved > 0) {
  console.log(
    `${moved} were caught by other seeds than those of caught.json: --remember writes them`,
  )
}
console.log(`${Math.round((performance.now() - began) / 1_000)} s`)
console.log(`${caught.length} passed, ${verdicts.length - caught.length} failed`)
process.exitCode = caught.length < verdicts.length ? 1 : 0
