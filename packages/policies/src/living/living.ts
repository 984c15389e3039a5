/** Living passports: the one at the source judges the call, in place of the one the run was started with. */
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import type { PassportSpec, PolicyAnswer, PolicyRequest, PolicySpec } from '@signalbox/core'
import { canonical, type Log } from '@signalbox/engine'
import { denial } from '../answer.ts'
import { bounds } from '../bounds.ts'
import { isWebAddress, addressForLogs } from '../http/address.ts'
import { addressLook } from './address.ts'
import { fileLook } from './file.ts'
import { LivePassport } from './live-passport.ts'

/** A passport that has a source. */
export type LivingSpec = PassportSpec & { readonly source: string }

/** Judges a call by a passport. */
export type EvaluatePassport = (spec: PassportSpec, request: PolicyRequest) => PolicyAnswer

/** The things that living passports take. */
export interface LivingWorld {
  readonly log: Log
  readonly clock: { now(): number }
  readonly fetch: typeof globalThis.fetch
  readonly evaluatePassport: EvaluatePassport
  /** Relative paths of passports start here. */
  readonly baseDir: string
  readonly closing: AbortSignal
}

/** Asks the living passport of a spec. Rejects when its source is down for too long, or on an abort. */
export type AskLiving = (
  spec: LivingSpec,
  request: PolicyRequest,
  signal: AbortSignal,
) => Promise<PolicyAnswer>

/** Is it a passport whose status may change while a run works? */
export const isLiving = (spec: PolicySpec): spec is LivingSpec =>
  spec.use === 'passport' && spec.source !== null

const codes = { missing: 'oap.passport_not_found', invalid: 'oap.passport_invalid' } as const

/** The living passports of a process. */
export function livingPassports(world: LivingWorld): AskLiving {
  const passports = new Map<string, LivePassport>()

  const passportOf = (source: string): LivePassport => {
    const passport = passports.get(source) ?? open(source, world)
    passports.delete(source)
    passports.set(source, passport)
    for (const oldest of passports.keys()) {
      if (passports.size <= bounds.passportsMax) break
      passports.delete(oldest)
    }
    return passport
  }

  return async (spec, request, signal) => {
    const found = await passportOf(spec.source).read(signal)
    if (found.how !== 'read') return denial(spec, codes[found.how], found.message)
    const pinned = spec.passport['passport_id']
    if (typeof pinned !== 'string' || found.passport['passport_id'] !== pinned) {
      const message = 'The living passport is not the one the run was started with.'
      return denial(spec, 'oap.passport_invalid', message)
    }
    // An unchanged passport keeps the digest that the run knows; a changed one has its own.
    if (found.text === canonical(spec.passport)) return world.evaluatePassport(spec, request)
    const digest = `sha256:${createHash('sha256').update(found.text).digest('hex')}`
    return world.evaluatePassport({ ...spec, passport: found.passport, digest }, request)
  }
}

function open(source: string, world: LivingWorld): LivePassport {
  const remote = isWebAddress(source)
  const name = remote ? addressForLogs(source) : source
  return new LivePassport({
    look: remote ? addressLook(source, world.fetch) : fileLook(resolve(world.baseDir, source)),
    everyMs: remote ? bounds.passportHttpMsMax : bounds.passportFileMsMax,
    now: () => world.clock.now(),
    closing: world.closing,
    onTurn: (failure) => {
      if (failure === null) world.log.info('a living passport is readable again', { source: name })
      else world.log.warn('a living passport cannot be read', { source: name, failure })
    },
  })
}
