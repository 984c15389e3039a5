/**
 * A client of the API that never takes a lost answer for a refusal: it repeats every request, creates under the same
 * idempotency key, and remembers what was acknowledged. What was, must be there in the end (I2).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FactType, JsonObject } from '@signalbox/core'
import { z } from 'zod'
import { forThisMachine } from '../support/for-this-machine.ts'
import type { Plan } from './plan.ts'

const pauseMs = 40

/** How long a request is repeated, and how long each time it is waited for. */
export interface Patience {
  readonly patienceMs: number
  readonly answerMs: number
}

const impatient: Patience = { patienceMs: 30_000, answerMs: 3_000 }
/** With the settings of production a server takes its time to say that it cannot. */
const answerMsInProduction = 35_000

/** `patienceMs` on the reference machine. */
export const patient = (patienceMs: number): Patience => ({
  patienceMs: forThisMachine(patienceMs),
  answerMs: answerMsInProduction,
})

const Run = z.object({ run_id: z.string() })

export type Resolution = 'retry' | 'happened' | 'not_happened'

export interface Answer {
  readonly status: number
  readonly body: unknown
}

export interface RunRequest {
  readonly agent: string
  readonly threadId: string
  readonly plan: Plan
  /** What it does to the runs of its thread. Default: it waits. */
  readonly strategy?: 'interrupt' | 'rollback'
  /** Who is told of it. */
  readonly webhook?: string
  /** The uploads that it is given. */
  readonly files?: readonly string[]
}

/** The body of a request: JSON, or one that states its type itself; and its headers. */
interface Sent {
  readonly body?: unknown
  readonly raw?: FormData | string
  readonly headers?: Readonly<Record<string, string>>
}

export class Client {
  readonly #url: () => string | null
  /** Runs by idempotency key, as they were acknowledged. */
  readonly created = new Map<string, string>()
  /** Facts that were acknowledged: these must stand in the logs of their runs. */
  readonly acknowledged: { readonly runId: string; readonly type: FactType }[] = []
  readonly complaints: string[] = []

  readonly #patience: Patience

  /** `url`: where the API is now; null while it is down. */
  constructor(url: () => string | null, patience = impatient) {
    this.#url = url
    this.#patience = patience
  }

  /** Creates a run, and asks for the same once more: there must be one (I3). */
  async create(request: RunRequest): Promise<string> {
    const first = await this.#createOnce(request)
    const second = await this.#createOnce(request)
    if (second !== first)
      this.complaints.push(`I3 ${request.plan.name} made ${first} and ${second}`)
    return first
  }

  async #createOnce({
    agent,
    threadId,
    plan,
    strategy,
    webhook,
    files,
  }: RunRequest): Promise<string> {
    const body = {
      assistant_id: agent,
      input: files ? { prompt: JSON.stringify(plan), files } : JSON.stringify(plan),
      ...(strategy ? { multitask_strategy: strategy } : {}),
      ...(webhook === undefined ? {} : { webhook }),
    }
    const headers = { 'idempotency-key': plan.name, 'x-user': 'requester' }
    const answer = await this.request('POST', `/threads/${threadId}/runs`, { body, headers })
    if (answer.status !== 200)
      throw new Error(`a create was refused: ${answer.status} ${JSON.stringify(answer.body)}`)
    const { run_id } = Run.parse(answer.body)
    this.created.set(plan.name, run_id)
    return run_id
  }

  cancel(runId: string): Promise<void> {
    return this.#tell(runId, 'cancel.requested', { path: 'cancel' })
  }

  /** `args`: what to execute instead. */
  approve(runId: string, callId: string, args?: JsonObject): Promise<void> {
    const body = args ? { decision: 'edit', args } : { decision: 'approve' }
    return this.#tell(runId, 'approval.answered', { path: `approvals/${callId}`, body })
  }

  answer(runId: string, callId: string, text: string): Promise<void> {
    return this.#tell(runId, 'input.answered', { path: `inputs/${callId}`, body: { text } })
  }

  resolve(runId: string, effectId: string, resolution: Resolution): Promise<void> {
    const body = { resolution }
    return this.#tell(runId, 'tool.resolved', { path: `effects/${effectId}/resolve`, body })
  }

  /** The runs that a run has started. */
  async children(runId: string): Promise<readonly string[]> {
    const { body } = await this.request('GET', `/runs/${runId}/children`)
    return z
      .array(Run)
      .parse(body)
      .map(({ run_id }) => run_id)
  }

  /** A run that has ended meanwhile refuses to be told anything; that is no acknowledgement. */
  async #tell(
    runId: string,
    type: FactType,
    { path, body }: { readonly path: string; readonly body?: unknown },
  ): Promise<void> {
    const headers = { 'x-user': 'operator' }
    const { status } = await this.request('POST', `/runs/${runId}/${path}`, { body, headers })
    if (status < 300) this.acknowledged.push({ runId, type })
  }

  /** Reads the stream of a run until it ends or breaks. A stream is a comfort: nothing rests on it. */
  async follow(runId: string): Promise<void> {
    const url = this.#url()
    if (url === null) return
    await fetch(`${url}/runs/${runId}/stream`, {
      signal: AbortSignal.timeout(this.#patience.patienceMs),
    })
      .then((response) => response.text())
      .catch(() => '')
  }

  /** Repeats until there is an answer that is none of the server's own faults. */
  async request(
    method: string,
    path: string,
    { body, raw, headers = {} }: Sent = {},
  ): Promise<Answer> {
    const deadline = Date.now() + this.#patience.patienceMs
    const init = {
      method,
      headers: { ...(raw === undefined ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(raw === undefined ? {} : { body: raw }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
    for (;;) {
      const answer = await this.#try(path, init)
      if (answer && answer.status < 500) return answer
      if (Date.now() > deadline)
        throw new Error(`${method} ${path} was not answered: ${JSON.stringify(answer)}`)
      await sleep(pauseMs)
    }
  }

  async #try(path: string, init: RequestInit): Promise<Answer | null> {
    const url = this.#url()
    if (url === null) return null
    try {
      const signal = AbortSignal.timeout(this.#patience.answerMs)
      const response = await fetch(url + path, { ...init, signal })
      const text = await response.text()
      return { status: response.status, body: text === '' ? null : JSON.parse(text) }
    } catch {
      return null
    }
  }
}
