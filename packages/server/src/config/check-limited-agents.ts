import { fail } from './fail.ts'
import { suggestion } from './nearest.ts'
import type { Config } from './schema.ts'

/** Limits of an agent that is not there would limit nothing. @throws ConfigError `config_unknown_agent` */
export function checkLimitedAgents({ agents, runLimits }: Config): void {
  const known = Object.keys(agents)
  runLimits.forEach(({ agents: named = [] }, rule) =>
    named.forEach((name, index) => {
      if (known.includes(name)) return
      const field = `runLimits[${rule}].agents[${index}]`
      const message = `there is no agent "${name}".${suggestion(name, known)}`
      fail('config_unknown_agent', field, message)
    }),
  )
}
