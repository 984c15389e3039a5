/**
 * Failpoints: the ports of a process, wrapped so that it can kill itself right before a call or right after its answer.
 * A point is `<role>.<port>.<method>.<side>`; appends and publishes are told apart by what they carry.
 *
 * F1 A kill is SIGKILL from within: nothing of the process runs after it.
 * F2 `before`: the call was never made. `after`: it was made and answered, and nobody learns of the answer.
 */
import type { AppendItem, HintSource, PolicyHost } from '@signalbox/engine'
import type { Uploads } from '@signalbox/postgres'
import type { EnginePorts, Role } from '@signalbox/server'

/** What a process under test stands on. */
export type Ports = EnginePorts & { readonly policies?: PolicyHost }

export interface Armed {
  readonly point: string
  /** Killed at this hit, counted from the arming; from 1. */
  readonly hit: number
  /** `SIGSTOP`: it stops itself in place of dying, and goes on from there when it is woken. */
  readonly signal?: 'SIGSTOP'
}

export class Failpoints {
  readonly #role: Role
  readonly counts = new Map<string, number>()
  #armed: Armed | null = null
  #left = 0

  constructor(role: Role) {
    this.#role = role
  }

  arm(armed: Armed): void {
    this.#armed = armed
    this.#left = armed.hit
  }

  /** The same ports, with a failpoint on either side of every call. */
  wrap(ports: Ports): Ports {
    const { hintSource, model, policies, tools, webhooks } = ports
    return {
      register: this.#around('register', ports.register, appendLabel),
      dispatcher: this.#around('dispatcher', ports.dispatcher),
      hintSource: hintSource && this.#source(hintSource),
      wakeBus: this.#around('wakeBus', ports.wakeBus, publishLabel),
      model: model && this.#around('model', model),
      tools: tools && this.#around('toolHost', tools),
      ...(policies && { policies: this.#around('policyHost', policies) }),
      ...(webhooks && { webhooks: this.#around('webhookSender', webhooks) }),
    }
  }

  /** The uploads, which the API writes piece by piece, likewise. */
  wrapUploads(uploads: Uploads): Uploads {
    return this.#around('uploads', uploads)
  }

  #around<P extends object>(name: string, port: P, label = plainLabel): P {
    return new Proxy(port, {
      get: (target, key) => {
        const method: unknown = Reflect.get(target, key, target)
        if (typeof method !== 'function') return method
        return (...args: readonly unknown[]): unknown => {
          const point = `${name}.${label(String(key), args)}`
          this.#pass(`${point}.before`)
          const answer: unknown = Reflect.apply(method, target, args)
          if (!(answer instanceof Promise)) {
            this.#pass(`${point}.after`)
            return answer
          }
          return answer.finally(() => this.#pass(`${point}.after`))
        }
      },
    })
  }

  /** What a hint source calls is as good a place to die as what it is called for. */
  #source(source: HintSource): HintSource {
    const wrapped = this.#around('hintSource', source)
    return {
      start: (queues, perform) =>
        wrapped.start(queues, async (effectId) => {
          this.#pass('hintSource.perform.before')
          const answer = await perform(effectId)
          this.#pass('hintSource.perform.after')
          return answer
        }),
      stop: (graceMs) => wrapped.stop(graceMs),
    }
  }

  #pass(what: string): void {
    const point = `${this.#role}.${what}`
    this.counts.set(point, (this.counts.get(point) ?? 0) + 1)
    if (this.#armed?.point !== point) return
    this.#left -= 1
    if (this.#left > 0) return
    if (this.#armed.signal === 'SIGSTOP') return this.#stop()
    process.kill(process.pid, 'SIGKILL')
    // The signal is on its way; not one more line may run.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  }

  #stop(): void {
    this.#armed = null
    process.kill(process.pid, 'SIGSTOP')
    // The signal is on its way: nothing runs before it has come.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stopsMs)
  }
}

const stopsMs = 100

type Label = (method: string, args: readonly unknown[]) => string

/** A create by a run, for one of its calls. */
export const startsRun = 'run.created by a run'
/** Ends what is said of an append whose event names files. */
export const withFiles = ' with files'

const plainLabel: Label = (method) => method

const publishLabel: Label = (method, args) =>
  method === 'publish' ? `publish(${String(args[0])})` : method

const appendLabel: Label = (method, args) => {
  const item = args[0]
  return method === 'append' && isItem(item) ? `append(${kindOf(item)})` : method
}

const isItem = (value: unknown): value is AppendItem =>
  typeof value === 'object' && value !== null && 'runId' in value

/** The first thing of an item says what it is about; what a decision does to a conversation is told before that. */
function kindOf({ create, facts, decision, claims, notes }: AppendItem): string {
  if (create?.parent) return startsRun
  const [fact] = facts ?? []
  if (fact?.type.startsWith('context.')) return fact.type
  if (decision?.events.some(({ type }) => type === 'context.pruned')) return 'context.pruned'
  if (decision?.effects.some(({ kind }) => kind === 'context.compact')) return 'context.compact'
  if (fact) return 'files' in fact.payload ? `${fact.type}${withFiles}` : fact.type
  if (decision) return 'decision'
  if (claims?.length) return 'claim'
  return notes?.[0]?.type ?? 'nothing'
}
