/** The register as one life of a process reaches it: each method is a port call, which may fail or never be answered. */
import type { Register } from '@signalbox/engine'
import type { Incarnation } from './process.ts'
import type { Schedule } from './schedule.ts'

/** How many of its answers show that somebody has been at a register. */
const tamperedRows = 0.2

/** Every method of the register as one port call of this life. */
export function registerOf(life: Incarnation, real: Register): Register {
  return new Proxy(real, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver)
      if (typeof method !== 'function') return method
      return (...args: unknown[]) =>
        life.io(String(name), () => Promise.resolve(Reflect.apply(method, target, args)))
    },
  })
}

/** Hands out calls with other arguments than were judged, now and then. */
export const tamperedWith = (schedule: Schedule, real: Register): Register => ({
  ...real,
  effect: async (effectId) => {
    const row = await real.effect(effectId)
    if (!row?.call || !schedule.chance(tamperedRows)) return row
    return { ...row, call: { ...row.call, args: { n: 'other' } } }
  },
})
