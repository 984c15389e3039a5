/**
 * `node dump.ts --root <checkout> --out <file> [--from 1] [--seeds 500] [--runs 0] [--inline 0]`: plays simulated seeds with the code of the
 * checkout and writes, per model call, what the transcript step read (events, definition, blobs) and the request that was made.
 *
 * The checkout is not changed: three of its modules are loaded with one export wrapped. `--runs n` stops after the seed in which n runs
 * have asked a model (0: play all seeds). `--inline n` makes texts long from n bytes on, so that there are blobs to be read back.
 */
import { execFileSync } from 'node:child_process'
import { createWriteStream, readFileSync, type WriteStream } from 'node:fs'
import { registerHooks } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

type Any = any

export interface CallRecord {
  readonly of: string
  readonly task: Any
  events: Any[] | null
  fresh: 'same' | 'differs' | 'unknown'
  readonly blobs: Record<string, string | null>
  digestKey: string | null
  draft: string | null
  request: string | null
  /** The request once more, when the model has answered: null if it never did. */
  after: string | null
  asked: number
  why: string
}

const sorted = (value: Any): Any => {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.keys(value).toSorted().map((key) => [key, sorted(value[key])]))
}
/** Keys in order: two values are the same if these are. */
export const canonicalOf = (text: string): string => JSON.stringify(sorted(JSON.parse(text)))

const sampleArgs = { n: 1, b: ['ä', null], a: { z: 0, y: '' } }

/** What can be compared of a request: all of it, but the key of chance, and functions by what they answer. */
export function bytesOf(request: Any): string {
  const told: Any = {}
  for (const key of Object.keys(request).toSorted()) {
    if (key === 'hmacKey') continue
    else if (key === 'argsHash') told[key] = request[key](sampleArgs)
    else if (key === 'guard') told[key] = request[key] !== null
    else told[key] = request[key]
  }
  return JSON.stringify(told)
}

/** Where records of calls go. Set `of` and `raw` before calls are made. */
export const tap: {
  of: string
  /** A register that answers at once, to compare what the transcripts keep with. */
  raw: Any
  calls: CallRecord[]
  conversational: Set<string>
} = { of: '', raw: null, calls: [], conversational: new Set() }

const said = (events: readonly Any[], task: Any): string =>
  JSON.stringify(
    events
      .filter(({ type }) => tap.conversational.has(type))
      .filter((event) => event.runId !== task.runId || event.seq <= task.seq)
      .map(({ runId, seq, type, version, payload }) => [runId, seq, type, version, payload]),
  )

function wrapPerform(real: Any): Any {
  return async (deps: Any, task: Any, held: Any) => {
    const record: CallRecord = {
      of: tap.of,
      task: JSON.parse(JSON.stringify(task)),
      events: null,
      fresh: 'unknown',
      blobs: {},
      digestKey: null,
      draft: null,
      request: null,
      after: null,
      asked: 0,
      why: 'never came to its events: its process ended, or its signal',
    }
    const { raw, calls } = tap
    calls.push(record)
    const tapped = {
      ...deps,
      record,
      transcripts: {
        ...deps.transcripts,
        async prompt(run: Any, seq: number, instructions: string) {
          record.why = 'was reading its events: its process ended, or its register never answered'
          let projected
          try {
            projected = await deps.transcripts.prompt(run, seq, instructions)
          } catch (error: Any) {
            record.why = `${error?.name}: ${error?.message}`
            throw error
          }
          const { events } = projected
          if (seq !== task.seq || instructions !== task.agent.instructions) throw new Error('tap: another prompt')
          // A copy: nobody's later changes are in it.
          record.events = events.map((event: Any) => JSON.parse(JSON.stringify(event)))
          record.why = 'had its events, and was not asked for: refused, aborted, or its process ended'
          if (raw) {
            const now = said(events, task)
            raw.conversation(task.threadId, task.runId).then((all: Any) => {
              record.fresh = said(all, task) === now ? 'same' : 'differs'
            })
          }
          return projected
        },
      },
      content: {
        ...deps.content,
        async hydrate(thread: Any, parts: Any) {
          const whole = await deps.content.hydrate(thread, parts)
          for (const [n, part] of parts.entries())
            if (part.type === 'blob') record.blobs[part.key] = whole[n].type === 'text' ? whole[n].text : null
          return whole
        },
      },
      model: {
        async call(request: Any, ...rest: Any) {
          record.asked += 1
          record.request = bytesOf(request)
          record.why = ''
          if (raw && task.agent.digests !== 'sha256')
            raw.digestKey({ tenantId: task.tenantId, key: '' }).then((key: string) => (record.digestKey = key))
          try {
            return await deps.model.call(request, ...rest)
          } finally {
            record.after = bytesOf(request)
          }
        },
      },
    }
    return real(tapped, task, held)
  }
}

const wrapPromptOf = (real: Any): Any => async (deps: Any, ...rest: Any) => {
  const record: CallRecord = deps.record
  try {
    const draft = await real(deps, ...rest)
    record.draft = JSON.stringify(draft.prompt)
    return draft
  } catch (error: Any) {
    record.why = `${error?.name}: ${error?.message}`
    throw error
  }
}

const wrapRegister = (real: Any): Any => (...args: Any) => {
  const register = real(...args)
  tap.raw = register
  return register
}

const wrapped: Record<string, { readonly name: string; readonly as: Any; seen: boolean }> = {
  'packages/engine/src/perform/model-call.ts': { name: 'performModelCall', as: wrapPerform, seen: false },
  'packages/engine/src/perform/prompt-steps.ts': { name: 'promptOf', as: wrapPromptOf, seen: false },
  'packages/testing/src/memory/register.ts': { name: 'createMemoryRegister', as: wrapRegister, seen: false },
}

/** Loads the modules of the checkout with the taps in them. */
export function install(root: string, inline = 0): void {
  ;(globalThis as Any).requestTaps = Object.fromEntries(Object.values(wrapped).map(({ name, as }) => [name, as]))
  registerHooks({
    load(url, context, next) {
      const place = url.startsWith('file:') ? fileURLToPath(url.split('?')[0] ?? url) : ''
      const path = place.startsWith(`${root}/`) ? place.slice(root.length + 1) : ''
      if (/^packages\//.test(path) === false && place.includes('/packages/') && place.includes('/src/') && !place.includes('node_modules'))
        throw new Error(`${place} is not of ${root}: its node_modules point elsewhere`)
      const replaced = (from: RegExp, to: string, more = '') => {
        const text = readFileSync(place, 'utf8')
        if (text.split(from).length !== 2) throw new Error(`${from} is not in ${place} once`)
        return { format: 'module-typescript', source: text.replace(from, to) + more, shortCircuit: true } as const
      }
      if (inline > 0 && path === 'packages/core/src/limits.ts')
        return replaced(/inlineBytesMax: [^,]+,/, `inlineBytesMax: ${inline},`)
      const one = wrapped[path]
      if (!one) return next(url, context)
      one.seen = true
      const { name } = one
      return replaced(
        new RegExp(`export (?:(?=async function ${name}\\b)|(?=function ${name}\\b))(?:async )?function ${name}\\b`),
        `${/export async function/.test(readFileSync(place, 'utf8').match(new RegExp(`export (async )?function ${name}\\b`))?.[0] ?? '') ? 'async ' : ''}function ${name}Untapped`,
        `\nexport const ${name} = globalThis.requestTaps['${name}'](${name}Untapped)\n`,
      )
    },
  })
}

export function checkInstalled(names: readonly string[]): void {
  for (const { name, seen } of Object.values(wrapped))
    if (names.includes(name) && !seen) throw new Error(`${name} was not loaded: nothing is tapped`)
}

export const from = async (root: string, path: string): Promise<Any> =>
  import(pathToFileURL(join(root, path)).href)

/** The file: definitions and events once each per seed or log, calls by their numbers. */
export class Dump {
  readonly #out: WriteStream
  #known = new Map<string, number>()
  calls = 0
  constructor(file: string) {
    this.#out = createWriteStream(file)
  }
  line(value: object): void {
    this.#out.write(`${JSON.stringify(value)}\n`)
  }
  head(root: string, about: object): void {
    const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim()
    const changed = git('status', '--short', '--untracked-files=no').split('\n').filter(Boolean)
    this.line({ is: 'head', root, commit: git('rev-parse', 'HEAD'), changed, conversational: [...tap.conversational], ...about })
  }
  #number(is: string, value: Any): number {
    const text = `${is}${JSON.stringify(value)}`
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const n = this.#known.size
    this.#known.set(text, n)
    this.line({ is, n, value })
    return n
  }
  forget(): void {
    this.#known = new Map()
    this.line({ is: 'forget' })
  }
  call({ task, events, ...record }: CallRecord): void {
    const { agent, runId, tenantId, threadId, rootId, effect, attempt, seq } = task
    this.calls += 1
    this.line({
      is: 'call',
      ...record,
      task: { runId, tenantId, threadId, rootId, effect, attempt, seq },
      agent: this.#number('agent', agent),
      events: events && events.map((event) => this.#number('event', event)),
    })
  }
  /** Without this line, a file is not whole. */
  async end(about: object): Promise<void> {
    this.line({ is: 'end', calls: this.calls, ...about })
    await new Promise<void>((done) => this.#out.end(done))
  }
}

const idle = (): Promise<void> => new Promise((done) => setImmediate(done))

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      root: { type: 'string' },
      out: { type: 'string' },
      from: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '500' },
      runs: { type: 'string', default: '0' },
      inline: { type: 'string', default: '0' },
    },
  })
  if (!values.root || !values.out) throw new Error('--root and --out are needed')
  const root = resolve(values.root)
  install(root, Number(values.inline))
  const { simulate } = await from(root, 'test/simulation/simulate.ts')
  const { conversationTypes } = await from(root, 'packages/core/src/index.ts')
  tap.conversational = new Set(conversationTypes)
  checkInstalled(['performModelCall', 'promptOf', 'createMemoryRegister'])
  const dump = new Dump(values.out)
  dump.head(root, { mode: 'simulation', from: values.from, seeds: values.seeds, inline: values.inline })
  const asked = new Set<string>()
  const all = { seeds: 0, runs: 0, completed: 0, unrecorded: 0, failedSeeds: [] as number[] }
  const first = Number(values.from)
  for (let seed = first; seed < first + Number(values.seeds); seed++) {
    tap.of = `seed ${seed}`
    tap.calls = []
    const { register, violations } = await simulate(seed)
    await idle()
    await idle()
    const calls = tap.calls
    if (violations.length > 0) all.failedSeeds.push(seed)
    dump.forget()
    for (const call of calls) {
      dump.call(call)
      if (call.request !== null) asked.add(`${seed} ${call.task.runId}`)
    }
    // Completeness: whatever fact says that a model was called, there is a record of the call.
    const recorded = new Set(calls.map(({ task }) => `${task.effect.id} ${task.attempt}`))
    for (const event of [...register.tables.events.values()].flat() as Any[]) {
      if (event.type !== 'model.completed') continue
      all.completed += 1
      if (!recorded.has(`${event.payload.effectId} ${event.payload.attempt}`)) all.unrecorded += 1
    }
    all.seeds += 1
    all.runs += register.tables.runs.size
    if (Number(values.runs) > 0 && asked.size >= Number(values.runs)) break
  }
  await dump.end({ ...all, runsThatAsked: asked.size })
  console.log(JSON.stringify({ calls: dump.calls, ...all, runsThatAsked: asked.size }))
  if (asked.size === 0 || all.unrecorded > 0) process.exitCode = 1
}

if (import.meta.main) await main()
