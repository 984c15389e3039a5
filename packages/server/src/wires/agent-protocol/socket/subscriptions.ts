/** The subscriptions of a socket, by their ids. */
import { z } from '@hono/zod-openapi'
import { limits } from '@signalbox/core'
import type { Random } from '@signalbox/engine'
import { take } from '../commands/command.ts'
import { ProtocolProblem } from '../protocol-error.ts'
import { EventStreamRequest } from '../subscription.ts'
import type { SharedTape } from './shared-tape.ts'

const Unsubscribe = z.object({ subscription_id: z.string().max(100) })

export class Subscriptions {
  readonly #tape: Pick<SharedTape, 'watch' | 'leave'>
  readonly #random: Pick<Random, 'uuid'>
  readonly #open = new Map<string, EventStreamRequest>()

  constructor(tape: Pick<SharedTape, 'watch' | 'leave'>, random: Pick<Random, 'uuid'>) {
    this.#tape = tape
    this.#random = random
  }

  /** A new subscription. Nothing comes of it before it was begun. @throws Problem where it is refused */
  subscribe(params: unknown) {
    const asked = take(EventStreamRequest, params)
    if (this.#open.size >= limits.subscriptionsMax) {
      const detail = `This socket has ${limits.subscriptionsMax} subscriptions, which is the limit. subscription.unsubscribe ends one.`
      throw new ProtocolProblem('not_supported', detail, 'method')
    }
    const id = this.#random.uuid()
    this.#open.set(id, asked)
    return { id, begin: () => this.#tape.watch(asked) }
  }

  /** @throws Problem where there is none of this id */
  unsubscribe(params: unknown): void {
    const { subscription_id: id } = take(Unsubscribe, params)
    const asked = this.#open.get(id)
    if (!asked) {
      const detail = `This socket has no subscription "${id}".`
      throw new ProtocolProblem('no_such_subscription', detail, 'params.subscription_id')
    }
    this.#open.delete(id)
    this.#tape.leave(asked)
  }
}
