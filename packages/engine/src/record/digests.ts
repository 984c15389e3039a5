/**
 * Digests of what calls ask and answer. They stand in many events, and in none of them is a secret if nobody can compute them:
 * small arguments are guessed from a plain digest in no time.
 *
 * J1 The keyed digest is an HMAC of the plain one under a key of the tenant, which stands in no event, job, answer or export.
 * J2 A run has one scheme, that of its definition. Arguments are compared in the scheme of the digest that is stored.
 * J3 A plain digest can be keyed without the arguments, so what older runs have recorded is found by newer ones.
 * J4 The key is read once per tenant and process: no call and no turn costs a statement more.
 */
import { createHmac } from 'node:crypto'
import type { AgentDefinition, JsonObject } from '@signalbox/core'
import { LRUCache } from 'lru-cache'
import type { Random, Register } from '../ports.ts'
import { canonical, sha256 } from './draft.ts'

/** Keyed digests of arguments begin so; plain ones are 64 hex digits and nothing else. */
const keyedPrefix = 'hk1:'

export const isKeyed = (argsHash: string): boolean => argsHash.startsWith(keyedPrefix)

/** Digests in the scheme of one run. */
export interface RunDigest {
  readonly argsHash: (args: JsonObject) => string
  /** The first hex digits of the digest of a text. */
  readonly short: (text: string, digits: number) => string
}

export interface Digests {
  /** As a run of the tenant with this definition makes them. */
  by(tenantId: string, agent: Pick<AgentDefinition, 'digests'>): Promise<RunDigest>
  /** Is this the digest of these arguments, in whichever scheme it is? (I11) */
  matches(tenantId: string, args: JsonObject, argsHash: string): Promise<boolean>
  /** The digest of the same arguments in each scheme, the plain one first. */
  both(tenantId: string, calls: readonly JsonObject[]): Promise<readonly [string, string][]>
  /** A plain digest of arguments, or the digits of another one, keyed afterwards. */
  keyed(tenantId: string): Promise<Pick<KeyedForms, 'args' | 'digits'>>
}

interface KeyedForms {
  readonly args: (plain: string) => string
  readonly digits: (plain: string) => string
}

/** Of so many tenants the keys are kept. */
const keptMax = 10_000

const plainOf = (args: JsonObject): string => sha256(canonical(args))

const plainDigest: RunDigest = {
  argsHash: plainOf,
  short: (text, digits) => sha256(text).slice(0, digits),
}

/** Digests under the keys that the register holds. */
export function createDigests(deps: {
  readonly register: Pick<Register, 'digestKey'>
  readonly random: Pick<Random, 'hex'>
}): Digests {
  const kept = new LRUCache<string, Promise<KeyedForms>>({ max: keptMax })

  /** Reads it as part of whatever effect asks first, and ends with that one: which is no reason for the others to fail. */
  const keyed = async (tenantId: string): Promise<KeyedForms> => {
    const known = kept.get(tenantId)
    if (known) return (await known.catch(() => null)) ?? keyed(tenantId)
    const read = deps.register
      .digestKey({ tenantId, key: deps.random.hex(32) })
      .then((key) => formsUnder(Buffer.from(key, 'hex')))
    kept.set(tenantId, read)
    // A key that could not be read is asked for again by whoever needs it next.
    read.catch(() => kept.delete(tenantId))
    return read
  }

  return {
    keyed,
    async by(tenantId, { digests }) {
      if (digests === 'sha256') return plainDigest
      const forms = await keyed(tenantId)
      return {
        argsHash: (args) => forms.args(plainOf(args)),
        short: (text, digits) => forms.digits(plainDigest.short(text, digits)),
      }
    },
    async matches(tenantId, args, argsHash) {
      const plain = plainOf(args)
      return argsHash === (isKeyed(argsHash) ? (await keyed(tenantId)).args(plain) : plain)
    },
    async both(tenantId, calls) {
      const forms = await keyed(tenantId)
      return calls.map((args) => {
        const plain = plainOf(args)
        return [plain, forms.args(plain)]
      })
    },
  }
}

/** A signature has as many digits as are kept of it: so no digest of one sort is one of another. */
function formsUnder(key: Buffer): KeyedForms {
  const sign = (plain: string): string => createHmac('sha256', key).update(plain).digest('hex')
  return {
    args: (plain) => `${keyedPrefix}${sign(plain)}`,
    digits: (plain) => sign(plain).slice(0, plain.length),
  }
}
