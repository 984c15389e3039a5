/** What the runs of a hunt leave behind, in one place: a real server, a client on each stream, and all that overhears. */
import type { Log } from '@signalbox/engine'
import {
  type ConfigInput,
  createLog,
  parseConfig,
  type Role,
  type Signalbox,
  startSignalbox,
} from '@signalbox/server'
import { z } from 'zod'
import { StreamMode } from '../../packages/server/src/wires/langgraph/stream/modes.ts'
import { watchContract } from '../../packages/server/test/support/contract.ts'
import { readSse } from '../../packages/server/test/support/http.ts'
import { type OtherWire, streamOn, tasksOf, textsOf } from './other-wires.ts'
import type { Remains } from './remains.ts'

export interface Scene {
  readonly api: string
  /** The last run of each agent that was watched. */
  readonly runs: ReadonlyMap<string, string>
  /** Starts a run of each agent at once and watches each stream to its end. Answers the outcomes, in the same order. */
  watch(agents: readonly string[]): Promise<readonly string[]>
  /** The same on another wire, whose stream says how the run ended in words of its own. Answers how many bytes it had. */
  watchOn(wire: OtherWire, agent: string): Promise<number>
  /** A run of an agent that is given a file with this content. Answers its outcome. */
  give(agent: string, content: string): Promise<string>
  /** Logs, streams, metrics and what the API shows afterwards. */
  overheard(): Promise<readonly Remains[]>
  /** Sends the spans that are left, too. */
  stop(): Promise<void>
}

export interface SceneOptions {
  readonly databaseUrl: string
  readonly redisUrl?: string
  readonly otlpUrl: string
  readonly dir: string
  /** Signs webhooks. */
  readonly hookSecret: string
  /** Runs of these agents are cancelled as soon as they have said something. */
  readonly isCancelled: (agent: string) => boolean
}

/** A process that serves the API, another one that works, and what both log. */
export interface Processes {
  readonly api: string
  /** Where the one that works says how it is. */
  readonly health: string
  /** Sends the spans that are left, too. */
  stop(): Promise<void>
  /** The lines that both processes have logged so far. */
  logged(): Remains
}

interface ProcessOptions extends Omit<SceneOptions, 'isCancelled'> {
  /** The provider's, where one is asked for. */
  readonly apiKey?: string
}

/**
 * A Signalbox that says all it can say: log at debug, traces on. One process serves the API and another one works, so that
 * what is live crosses the wake bus.
 */
export async function startProcesses(
  config: ConfigInput,
  options: ProcessOptions,
): Promise<Processes> {
  const lines: string[] = []
  const contract = watchContract()
  const start = (roles: readonly Role[]): Promise<Signalbox> =>
    startSignalbox({
      loaded: { config: parseConfig(config), file: 'test', dir: options.dir },
      env: {
        DATABASE_URL: options.databaseUrl,
        OTEL_EXPORTER_OTLP_ENDPOINT: options.otlpUrl,
        TEST_KEY: options.apiKey ?? 'test-key-value',
        HOOK_SECRET: options.hookSecret,
        ...(options.redisUrl === undefined ? {} : { REDIS_URL: options.redisUrl }),
      },
      dataDir: options.dir,
      inspect: contract.inspect,
      port: 0,
      roles,
      log: everything(lines),
    })
  const served = await start(['api'])
  const works = await start(['orchestrator', 'worker'])
  return {
    api: served.url ?? '',
    health: works.url ?? '',
    stop: async () => {
      await works.stop()
      await served.stop()
      contract.assertKept()
    },
    logged: () => ({ where: 'the log', bytes: Buffer.from(lines.join('')) }),
  }
}

/** The same, with a client on each stream. */
export async function openScene(config: ConfigInput, options: SceneOptions): Promise<Scene> {
  const streams: Remains[] = []
  const runs = new Map<string, string>()
  const processes = await startProcesses(config, options)
  const { api, health } = processes
  return {
    api,
    runs,
    watch: (agents) =>
      Promise.all(
        agents.map(async (agent) => {
          const watched = await watchRun(api, agent, options.isCancelled(agent))
          streams.push({ where: `the stream of ${agent}`, bytes: watched.bytes })
          runs.set(agent, watched.runId)
          return watched.outcome
        }),
      ),
    watchOn: async (wire, agent) => {
      const bytes = await streamOn(api, wire, agent)
      streams.push({ where: `the stream of ${agent} on ${wire}`, bytes })
      return bytes.length
    },
    give: async (agent, content) => {
      const given = await giveFile(api, agent, content)
      streams.push({ where: `the stream of ${agent}`, bytes: given.bytes })
      return given.outcome
    },
    overheard: async () => [
      ...streams,
      processes.logged(),
      ...(await Promise.all(['/metrics', '/events?limit=1000', '/approvals'].map(page(api)))),
      ...(await Promise.all([...runs.keys()].map((agent) => page(api)(tasksOf(agent))))),
      { ...(await page(health)('/metrics')), where: 'metrics of the worker' },
    ],
    stop: () => processes.stop(),
  }
}

function everything(lines: string[]): Log {
  const destination = { write: (line: string) => void lines.push(line) }
  return createLog({ level: 'debug', secrets: [], destination })
}

const page =
  (api: string) =>
  async (path: string): Promise<Remains> => {
    const answer = await fetch(`${api}${path}`)
    return {
      where: `GET ${path} (${answer.status})`,
      bytes: Buffer.from(await answer.arrayBuffer()),
    }
  }

/** Uploads a file, names it in a run, and reads all that the API says of it but its content. */
async function giveFile(api: string, agent: string, content: string) {
  const thread = `${api}/threads/given-${agent}`
  const json = { 'content-type': 'application/json' }
  const post = (url: string, body: object): Promise<Response> =>
    fetch(url, { method: 'POST', headers: json, body: JSON.stringify(body) })
  await post(`${api}/threads`, { thread_id: `given-${agent}` })
  const form = new FormData()
  form.append('files', new Blob([content]), 'given.txt')
  const uploaded = await fetch(`${thread}/uploads`, { method: 'POST', body: form })
  const [{ upload_id: uploadId }] = Uploads.parse(await uploaded.json())
  const input = { prompt: 'Keep it.', files: [uploadId] }
  const ended = await post(`${thread}/runs/wait`, { assistant_id: agent, input })
  const said = await ended.text()
  const pages = await Promise.all(
    ['/files', '/state', '/history', '/context'].map(async (path) =>
      (await fetch(`${thread}${path}`)).text(),
    ),
  )
  const { outcome } = z.looseObject({ outcome: z.string() }).parse(JSON.parse(said))
  return { outcome, bytes: Buffer.from([said, ...pages].join('\n')) }
}

const Uploads = z.tuple([z.looseObject({ upload_id: z.string() })])

/** What a client of a stream has read, with all texts of its events once more in one piece: a word may be split. */
async function watchRun(api: string, agent: string, isCancelled: boolean) {
  const response = await fetch(`${api}/runs/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      assistant_id: agent,
      input: 'Write it down.',
      stream_mode: 'signalbox',
    }),
  })
  if (!response.body || response.status !== 200) throw new Error(await response.text())
  const chunks: Uint8Array[] = []
  const keep = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      chunks.push(chunk)
      controller.enqueue(chunk)
    },
  })
  const texts: string[] = []
  let [outcome, runId] = ['no end', '']
  let isOpen = isCancelled
  for await (const { event, data } of readSse(response.body.pipeThrough(keep))) {
    if (event === 'metadata') runId = data.run_id
    if (event === 'end') outcome = String(data.outcome)
    texts.push(...textsOf(data))
    if (!isOpen || !/I write|Take/.test(texts.join(''))) continue
    isOpen = false
    const cancel = await fetch(`${api}/runs/${runId}/cancel`, { method: 'POST' })
    if (!cancel.ok) throw new Error(await cancel.text())
  }
  const joined = await page(api)(`/runs/${runId}/join`)
  const modes = StreamMode.options.map((mode) => `stream_mode=${mode}`).join('&')
  const streamed = await page(api)(`/runs/${runId}/stream?${modes}`)
  const said = Buffer.from(texts.join(''))
  return { outcome, runId, bytes: Buffer.concat([...chunks, said, joined.bytes, streamed.bytes]) }
}
