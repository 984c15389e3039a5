/**
 * How long a caller waits for a register in trouble. The engine tries again for as long as it takes; somebody who waits for an answer
 * is told after a second of trouble, whatever the engine goes on to do. What was asked may still happen, as after any 503.
 *
 * P1 Only trouble that this very request met counts, not that of others: who asks is known by the asynchronous context.
 * P2 Trouble that passes is never told: a success of the same request ends it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { troubleIn } from './register-errors.ts'

/** A caller who waits. */
interface Waiting {
  troubled(error: unknown): void
  well(): void
}

const waiting = new AsyncLocalStorage<Waiting>()

/** How long trouble must last before it is told. */
const troubleMsMax = 1_000

/** The same port; a method whose request meets trouble for a second rejects with that trouble. */
export const impatient = <Port extends object>(port: Port): Port =>
  around(port, (ask) => {
    const told = Promise.withResolvers<never>()
    let timer: NodeJS.Timeout | null = null
    let last: unknown
    const well = (): void => {
      if (timer) clearTimeout(timer)
      timer = null
    }
    const troubled = (error: unknown): void => {
      last = error
      timer ??= setTimeout(() => told.reject(last), troubleMsMax)
    }
    return Promise.race([waiting.run({ troubled, well }, ask), told.promise]).finally(well)
  })

/** The same register, whose trouble is told to whoever waits for it. */
export const telling = <Port extends object>(register: Port): Port =>
  around(register, async (ask) => {
    const caller = waiting.getStore()
    if (!caller) return ask()
    try {
      const answer = await ask()
      caller.well()
      return answer
    } catch (error) {
      if (troubleIn(error) !== null) caller.troubled(error)
      throw error
    }
  })

/** Stands around each method that answers a promise. */
export function around<Port extends object>(
  port: Port,
  stand: (ask: () => Promise<unknown>, method: string | symbol) => Promise<unknown>,
): Port {
  return new Proxy(port, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver)
      if (typeof member !== 'function') return member
      return (...args: unknown[]): unknown =>
        stand(async () => Reflect.apply(member, target, args), name)
    },
  })
}
