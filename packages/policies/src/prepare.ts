/** The things that a process lacks for a definition's policies, said before the first call rather than by denying every one. */
import type { PolicySpec } from '@signalbox/core'
import { faultOf, isWebAddress } from './http/address.ts'
import type { PolicyModule } from './module/ask-module.ts'

/** The things that a process has. */
export interface Provisions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly modules: ReadonlyMap<string, PolicyModule>
}

/** Throws with what is missing. Cedar is checked where it is loaded; lists, passports and the audit of `bash` need nothing. */
export function checkProvisions(spec: PolicySpec, provisions: Provisions): void {
  const missing = missingOf(spec, provisions)
  if (missing !== null) throw new Error(`The policy "${spec.id}" cannot be used: ${missing}.`)
}

function missingOf(spec: PolicySpec, { env, modules }: Provisions): string | null {
  switch (spec.use) {
    case 'allowlist':
    case 'cedar':
    case 'bash-audit':
      return null
    case 'passport': {
      const fault = spec.source !== null && isWebAddress(spec.source) ? faultOf(spec.source) : null
      return fault === null ? null : `the source of its passport ${fault}`
    }
    case 'http': {
      const fault = faultOf(spec.url)
      if (fault !== null) return `its url ${fault}`
      if (spec.tokenEnv === undefined || env[spec.tokenEnv]) return null
      return `the environment variable ${spec.tokenEnv} is not set`
    }
    case 'module':
      return modules.has(spec.path) ? null : `the module ${spec.path} is not loaded`
  }
}
