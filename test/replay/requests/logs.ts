/**
 * `node logs.ts --root <checkout> --out <file>`: makes every model call of every log in `test/replay/logs` of the checkout with its code, and
 * writes what it read and the request it made. Twice: as a process that follows the run makes them (one transcript that grows, call by call),
 * and as one that comes late (the whole log is there already, beyond what the call may see). A third time, as nobody does: after each event, so
 * that whatever changes what was written before comes between two prompts.
 *
 * `--lineages <dump of simulations> --out <file>` does the third with the longest conversation of each thread in that dump.
 */
import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { checkInstalled, Dump, from, install, tap } from './dump.ts'

type Any = any

const { values } = parseArgs({ options: { root: { type: 'string' }, out: { type: 'string' }, lineages: { type: 'string' } } })
if (!values.root || !values.out) throw new Error('--root and --out are needed')
const root = resolve(values.root)
install(root)
const core = await from(root, 'packages/core/src/index.ts')
const { performModelCall } = await from(root, 'packages/engine/src/perform/model-call.ts')
const { createTranscripts } = await from(root, 'packages/engine/src/perform/transcript.ts')
const { createContent } = await from(root, 'packages/engine/src/perform/content.ts')
const { createDigests } = await from(root, 'packages/engine/src/record/digests.ts')
const { createStreamGuardrails } = await from(root, 'packages/policies/src/index.ts')
checkInstalled(['performModelCall', 'promptOf'])
tap.conversational = new Set(core.conversationTypes)

const dump = new Dump(values.out)

interface Played {
  readonly of: string
  readonly agent: Any
  readonly place: { readonly tenantId: string; readonly threadId: string; readonly rootId: string }
  readonly events: readonly Any[]
  /** What the process can see when each call is made: so many events. */
  readonly calls: readonly { runId: string; effect: Any; attempt: number; seq: number; visible: number }[]
  readonly digestKey: string | null
  readonly blobs: Record<string, string | null>
}

/** Makes the calls one after the other, by one process, and writes them. */
async function play({ of, agent, place, events, calls, digestKey, blobs }: Played): Promise<void> {
  let visible = 0
  const seen = () => events.slice(0, visible)
  const register: Any = {
    conversation: async () => seen(),
    continuation: async (_thread: string, runId: string, known: Any) => {
      const at = seen().findIndex((event) => event.runId === known.runId && event.seq === known.seq)
      return at < 0 || known.runId === runId ? null : seen().slice(at + 1)
    },
    events: async (runId: string, { after = 0 }) => seen().filter((event) => event.runId === runId && event.seq > after),
    digestKey: async () => digestKey,
    blob: async (_thread: Any, key: string) => (blobs[key] ? { mime: '', bytes: Buffer.from(blobs[key]) } : null),
    grants: async () => [],
    reserve: async () => ({ code: 'reserved' }),
    spend: async () => {},
  }
  const random = { hex: (n: number) => '00'.repeat(n), unit: () => 0.5, uuid: () => '0' }
  const clock = { now: () => 0, monotonic: () => 0 }
  tap.of = of
  tap.calls = []
  const transcripts = createTranscripts(register, 20)
  let before: string | null = null
  for (const call of calls) {
    const { runId, effect, attempt, seq } = call
    visible = call.visible
    const now = seen()
    tap.raw = { conversation: async () => now, digestKey: register.digestKey }
    if (before !== null && before !== runId) transcripts.forget(before)
    before = runId
    const deps = {
      model: {
        call: async (request: Any) => ({
          verdict: 'error',
          message: { id: request.messageId, role: 'assistant', parts: [] },
          suppressed: [],
          evidence: [],
          finish: null,
          usage: {},
          error: { class: 'auth', retryable: false, message: 'dump' },
          provider: 'dump',
          model: 'dump',
        }),
      },
      register,
      breaker: { admit: async () => ({ state: 'closed', waitMs: 0 }), report: async () => {} },
      guardrails: createStreamGuardrails(() => null),
      transcripts,
      content: createContent({ register, clock, random } as Any),
      digests: createDigests({ register, random }),
      live: { begin: () => ({ delta() {}, end() {} }) },
      writer: { fact: (type: string, told: Any) => ({ type, payload: told }) },
      clock,
      random,
      log: { debug() {}, info() {}, warn() {}, error() {} },
    }
    const held = { signal: new AbortController().signal, begin: async () => {}, keep: (work: Any) => work() }
    await performModelCall(deps, { ...place, runId, agent, effect, attempt, seq }, held)
  }
  await new Promise((done) => setImmediate(done))
  for (const call of tap.calls) dump.call(call)
}

/** A call after each event, of the run whose event it is. */
const everyOf = (events: readonly Any[], effect: Any): Played['calls'] =>
  events.map(({ runId, seq }, n) => ({ runId, effect, attempt: 1, seq, visible: n + 1 }))

async function playLineages(file: string): Promise<void> {
  dump.head(root, { mode: 'lineages', of: file })
  let known = new Map<string, Any>()
  let longest = new Map<string, Any>()
  let lineages = 0
  const flush = async (): Promise<void> => {
    dump.forget()
    for (const { of, task, agent, events, digestKey, blobs } of longest.values()) {
      lineages += 1
      const { tenantId, threadId, rootId, effect } = task
      await play({ of: `${of} every`, agent, place: { tenantId, threadId, rootId }, events, calls: everyOf(events, effect), digestKey, blobs })
    }
    known = new Map()
    longest = new Map()
  }
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const read: Any = JSON.parse(line)
    if (read.is === 'forget') await flush()
    else if (read.is === 'agent' || read.is === 'event') known.set(`${read.is}${read.n}`, read.value)
    else if (read.is === 'call' && read.request !== null) {
      const before = longest.get(read.task.threadId)
      if (before && before.events.length >= read.events.length) continue
      const events = read.events.map((n: number) => known.get(`event${n}`))
      longest.set(read.task.threadId, { ...read, agent: known.get(`agent${read.agent}`), events })
    }
  }
  await flush()
  await dump.end({ lineages })
  console.log(JSON.stringify({ calls: dump.calls, lineages }))
  if (dump.calls === 0) process.exitCode = 1
}

async function playLogs(): Promise<void> {
  const folder = join(root, 'test/replay/logs')
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  dump.head(root, { mode: 'logs', logs: names.length })
  const none: string[] = []
  const n = { claims: 0, completed: 0, unrecorded: 0, every: 0 }
  for (const name of names) {
    const log = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    const agent = core.AgentDefinition.parse(log.definition)
    const events: Any[] = log.events.map((event: Any) => ({ ...event, runId: log.run, tenantId: 'tenant', threadId: 'thread' }))
    const effects = new Map<string, Any>(
      events
        .filter(({ type }) => type === 'run.transitioned')
        .flatMap(({ payload }) => payload.effects)
        .filter(({ kind }: Any) => kind === 'model.call')
        .map((effect: Any) => [effect.id, effect]),
    )
    const claims = events.filter(({ type, payload }) => type === 'effect.started' && effects.has(payload.effectId))
    n.claims += claims.length
    if (claims.length === 0) none.push(name)
    dump.forget()
    const of = { agent, place: { tenantId: 'tenant', threadId: 'thread', rootId: log.run }, events, digestKey: '5a'.repeat(32), blobs: {} }
    const calls = claims.map(({ seq, payload: { effectId, attempt } }) => ({ runId: log.run, effect: effects.get(effectId), attempt, seq }))
    for (const way of ['follows', 'late']) {
      const seenBy = (seq: number) => (way === 'late' ? events.length : events.filter((event) => event.seq <= seq).length)
      await play({ ...of, of: `${name} ${way}`, calls: calls.map((call) => ({ ...call, visible: seenBy(call.seq) })) })
      const recorded = new Set(tap.calls.map(({ task }) => `${task.effect.id} ${task.attempt}`))
      for (const { type, payload } of events)
        if (type === 'model.completed') {
          n.completed += 1
          if (!recorded.has(`${payload.effectId} ${payload.attempt}`)) n.unrecorded += 1
        }
    }
    const effect = [...effects.values()][0]
    if (!effect) continue
    n.every += events.length
    await play({ ...of, of: `${name} every`, calls: everyOf(events, effect) })
  }
  await dump.end({ logs: names.length, logsWithoutModelCall: none, ...n })
  console.log(JSON.stringify({ calls: dump.calls, logs: names.length, logsWithoutModelCall: none, ...n }))
  if (dump.calls !== 2 * n.claims + n.every || n.claims === 0 || n.unrecorded > 0) process.exitCode = 1
}

await (values.lineages ? playLineages(values.lineages) : playLogs())
