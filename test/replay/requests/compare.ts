/**
 * `node compare.ts --root <the build before> <dump> [<dump> ...]`: makes each request of a dump again, from its events, with the code of the
 * other build (its `performModelCall`, transcripts, content, digests), and compares the bytes. Exit 1 on a difference, on a dump that is not
 * whole, and where nothing is compared.
 */
import { execFileSync } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { bytesOf, canonicalOf } from './dump.ts'

type Any = any

const { values, positionals } = parseArgs({ options: { root: { type: 'string' }, show: { type: 'string', default: '3' } }, allowPositionals: true })
if (!values.root || positionals.length === 0) throw new Error('--root and a dump are needed')
const root = resolve(values.root)
const load = async (path: string): Promise<Any> => import(pathToFileURL(join(root, path)).href)
const core = await load('packages/core/src/index.ts')
if ((await import(pathToFileURL(join(root, 'node_modules/@signalbox/core/src/index.ts')).href)).project !== core.project)
  throw new Error('node_modules of the build before point to another build')
const { performModelCall } = await load('packages/engine/src/perform/model-call.ts')
const { createTranscripts } = await load('packages/engine/src/perform/transcript.ts')
const { createContent } = await load('packages/engine/src/perform/content.ts')
const { createDigests } = await load('packages/engine/src/record/digests.ts')

const random = { hex: (n: number) => '00'.repeat(n), unit: () => 0.5, uuid: () => '0' }
const clock = { now: () => 0, monotonic: () => 0 }

interface Again {
  readonly request: string | null
  readonly prompt: string | null
  readonly error: string | null
}

/** The request as this build makes it. */
async function again(call: Any, agent: Any, events: readonly Any[]): Promise<Again> {
  const { task } = call
  let request: string | null = null
  let prompt: string | null = null
  const register: Any = {
    conversation: async (threadId: string, runId: string) => {
      if (threadId !== task.threadId || runId !== task.runId) throw new Error('compare: another run is read')
      return events
    },
    events: async () => [],
    blob: async (_thread: Any, key: string) => {
      if (!Object.hasOwn(call.blobs, key)) throw new Error(`compare: a blob is read that was not: ${key}`)
      const text = call.blobs[key]
      return text === null ? null : { mime: 'text/plain', bytes: Buffer.from(text, 'utf8') }
    },
    digestKey: async () => {
      if (call.digestKey === null) throw new Error('compare: the key of digests is not in the dump')
      return call.digestKey
    },
    grants: async () => [],
    reserve: async () => ({ code: 'reserved' }),
    spend: async () => {},
  }
  const model = {
    call: async (asked: Any) => {
      request = bytesOf(asked)
      prompt = JSON.stringify(asked.prompt)
      return {
        verdict: 'error',
        message: { id: asked.messageId, role: 'assistant', parts: [] },
        suppressed: [],
        evidence: [],
        finish: null,
        usage: {},
        error: { class: 'auth', retryable: false, message: 'compare' },
        provider: 'compare',
        model: 'compare',
      }
    },
  }
  const deps = {
    model,
    register,
    breaker: { admit: async () => ({ state: 'closed', waitMs: 0 }), report: async () => {} },
    guardrails: () => null,
    transcripts: createTranscripts(register, 4),
    content: createContent({ register, clock, random } as Any),
    // A draft that was not asked for has no key: its prompt alone is compared.
    digests:
      call.request === null ? { by: async () => ({ argsHash: () => '', short: () => '' }) } : createDigests({ register, random }),
    live: { begin: () => ({ delta() {}, end() {} }) },
    writer: { fact: (type: string, payload: Any) => ({ type, payload }) },
    clock,
    random,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  }
  const held = { signal: new AbortController().signal, begin: async () => {}, keep: (work: Any) => work() }
  try {
    const fact = await performModelCall(deps, { ...task, agent }, held)
    return { request, prompt, error: request === null ? String(fact?.payload?.turn?.error?.message) : null }
  } catch (error: Any) {
    return { request, prompt, error: `${error?.name}: ${error?.message}` }
  }
}

const shown = { left: Number(values.show) }
function show(of: string, call: Any, was: string, is: string): void {
  if (shown.left-- <= 0) return
  let at = 0
  while (at < was.length && was[at] === is[at]) at++
  const cut = (text: string) => text.slice(Math.max(0, at - 80), at + 120)
  console.log(`DIFFERS (${of}) ${call.of}, ${call.task.effect.id} attempt ${call.task.attempt}, at ${at}\n  the build before: ${cut(was)}\n  the build now:    ${cut(is)}`)
}

/** What the requests had in them: a comparison of nothing but greetings shows little. */
function features(found: Record<string, number>, call: Any, agent: Any, events: readonly Any[]): void {
  const count = (name: string, is: boolean) => is && (found[name] = (found[name] ?? 0) + 1)
  for (const type of new Set(events.map(({ type }) => type))) if (types.has(type)) count(type, true)
  count('(several runs)', new Set(events.map(({ runId }) => runId)).size > 1)
  count('(blobs read)', Object.keys(call.blobs).length > 0)
  count('(guard)', agent.guardrails.stream.length > 0)
  count('(keyed digests)', agent.digests !== 'sha256')
  count('(system of a client)', call.request.includes('given by its client'))
}
/** Does a definition say the same of a request where the build before has read it by its own schema? */
function isReadAlike(agent: Any): boolean {
  const { data } = core.AgentDefinition.safeParse(agent)
  const told = (one: Any) => JSON.stringify([one.instructions, one.model, one.fallbackModels, one.tools, one.safety, one.digests])
  return data !== undefined && canonicalOf(told(data)) === canonicalOf(told(agent))
}
const types = new Set<string>(core.conversationTypes)

async function compare(file: string): Promise<boolean> {
  const n = {
    calls: 0, requests: 0, runs: 0, bytes: 0, differences: 0, inOrderOfKeysOnly: 0, drafts: 0, draftBytes: 0, draftDifferences: 0,
    bothRefused: 0, refusedByOne: 0, changedWhileAsked: 0, askedTwice: 0, draftIsNotRequest: 0, staleTranscripts: 0, transcriptsUnchecked: 0,
    definitionsReadOtherwise: 0, byWay: {} as Record<string, number>, notComparable: {} as Record<string, number>, foundFeatures: {} as Record<string, number>,
  }
  const problems: string[] = []
  const runs = new Set<string>()
  let known = new Map<number, Any>()
  let head: Any = null
  let end: Any = null
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const read: Any = JSON.parse(line)
    if (read.is === 'head') head = read
    else if (read.is === 'end') end = read
    else if (read.is === 'forget') known = new Map()
    else if (read.is === 'agent' || read.is === 'event') {
      known.set(read.n, read.value)
      if (read.is === 'agent' && !isReadAlike(read.value)) n.definitionsReadOtherwise += 1
    } else if (read.is === 'call') {
      n.calls += 1
      if (read.asked > 1) n.askedTwice += 1
      if (read.events === null) {
        // A conversation that is newer than the build, or no conversation at all: nothing was made of it.
        const why = read.why.replace(/[0-9a-f-]{20,}\S*/g, '…')
        n.notComparable[why] = (n.notComparable[why] ?? 0) + 1
        continue
      }
      const agent = known.get(read.agent)
      const events = read.events.map((at: number) => known.get(at))
      if (read.fresh === 'differs') n.staleTranscripts += 1
      else if (read.fresh === 'unknown') n.transcriptsUnchecked += 1
      const made = await again(read, agent, events)
      if (read.request !== null) {
        n.requests += 1
        const way = / (follows|late|every)$/.exec(read.of)?.[1] ?? 'as played'
        n.byWay[way] = (n.byWay[way] ?? 0) + 1
        runs.add(`${read.of.replace(/ (follows|late|every)$/, '')} ${read.task.runId}`)
        n.bytes += Buffer.byteLength(read.request)
        features(n.foundFeatures, read, agent, events)
        if (read.after !== null && read.after !== read.request) n.changedWhileAsked += 1
        if (JSON.stringify(JSON.parse(read.request).prompt) !== read.draft) n.draftIsNotRequest += 1
        if (made.request === read.request) continue
        if (made.request !== null && canonicalOf(made.request) === canonicalOf(read.request)) n.inOrderOfKeysOnly += 1
        n.differences += 1
        show('request', read, made.request ?? `no request: ${made.error}`, read.request)
      } else if (read.draft !== null) {
        n.drafts += 1
        n.draftBytes += Buffer.byteLength(read.draft)
        if (made.prompt === read.draft) continue
        n.draftDifferences += 1
        show('prompt, not asked for', read, made.prompt ?? `no request: ${made.error}`, read.draft)
      } else if (/the step "/.test(read.why)) {
        if (made.request === null && /pairing/.test(made.error ?? '') && /"pairing"/.test(read.why)) n.bothRefused += 1
        else {
          n.refusedByOne += 1
          show('refused', read, made.request ?? `no request: ${made.error}`, read.why)
        }
      } else n.notComparable[`no prompt yet: ${read.why}`] = (n.notComparable[`events, no prompt: ${read.why}`] ?? 0) + 1
    } else throw new Error(`what is ${line.slice(0, 80)}`)
  }
  n.runs = runs.size
  if (!head || !end || end.calls !== n.calls) problems.push('the dump is not whole')
  if (end?.unrecorded > 0) problems.push(`${end.unrecorded} calls that were made are not in the dump`)
  const unread = [...types].filter((type) => !head?.conversational.includes(type))
  if (unread.length > 0) problems.push(`types that the build before reads and the build now does not: ${unread}`)
  if (n.requests === 0) problems.push('nothing was compared')
  if (n.differences + n.draftDifferences + n.refusedByOne > 0) problems.push('requests differ')
  if (n.changedWhileAsked + n.draftIsNotRequest > 0) problems.push('a request was changed after it was made')
  if (n.definitionsReadOtherwise > 0) problems.push('definitions are read otherwise by the build before')
  if (n.staleTranscripts > 0) problems.push('transcripts are not what the register has')
  console.log(JSON.stringify({ file, now: head?.commit, changed: head?.changed, ...n }, null, 1))
  console.log(`${file}: ${problems.length === 0 ? 'SAME' : `FAILED: ${problems.join('; ')}`}`)
  return problems.length === 0
}

console.log(`the build before: ${execFileSync('git', ['-C', root, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()} (${root})`)
let isSame = true
for (const file of positionals) isSame = (await compare(file)) && isSame
process.exitCode = isSame ? 0 : 1
