/** A register that a process loses at one moment, for ever: what the process asks from then on is never answered. */
import type { Register } from '@signalbox/engine'

/** The same register until `kill`: then the process that has it can do nothing more, as after kill -9. */
export function killable(register: Register): {
  readonly register: Register
  readonly kill: () => void
} {
  let dead = false
  const never = new Promise<never>(() => {})
  const lost = new Proxy(register, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return async (...args: unknown[]) => {
        if (dead) return never
        const answer: unknown = await Reflect.apply(method, target, args)
        return dead ? never : answer
      }
    },
  })
  return { register: lost, kill: () => void (dead = true) }
}
