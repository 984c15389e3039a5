/**
 * What a request says of its run in the fields that the agent declares: `context`, as LangGraph has it since 0.6, and
 * `config.configurable`, as it had it before. A field that nobody declares is refused by name, since a tool that does not get it
 * does something else than was asked.
 */
import type { AgentDefinition, JsonObject } from '@signalbox/core'
import { type FieldValue, takes, takesWhat } from '../assistants/field-values.ts'
import { isPassed } from '../config/client-names.ts'
import { suggestion } from '../config/nearest.ts'
import { Problem } from './problem.ts'
import type { RunCreate } from './wire/run-create.ts'

export type SaidFields = Pick<RunCreate, 'context' | 'config'>

/** The fields that are said, checked. @throws Problem `not_available`, `invalid_request` */
export function declaredFields(
  { name: agent, fields: declared = {} }: AgentDefinition,
  { context, config }: SaidFields,
): JsonObject {
  const found = new Map<string, FieldValue>()
  const places = [
    ['context', context],
    ['config.configurable', config?.configurable],
  ] as const
  for (const [place, values] of places)
    for (const [key, value] of Object.entries(values ?? {})) {
      if (isPassed(key) || value === null || value === undefined) continue
      const field = `${place}.${key}`
      const wanted = Object.hasOwn(declared, key) ? declared[key] : undefined
      if (!wanted) throw undeclared(agent, { field, key, declared })
      if (!takes(wanted, value)) throw refused(field, takesWhat(wanted))
      if (found.has(key) && found.get(key) !== value)
        throw refused(field, 'stands in context with another value')
      found.set(key, value)
    }
  return Object.fromEntries(found)
}

const refused = (field: string, why: string): Problem =>
  new Problem('invalid_request', { detail: `${field}: ${why}`, field })

function undeclared(
  agent: string,
  about: { readonly field: string; readonly key: string; readonly declared: object },
): Problem {
  const known = Object.keys(about.declared)
  const help =
    known.length === 0
      ? ' It declares none. Say it in the input, or make an assistant of the agent.'
      : suggestion(about.key, known)
  const detail = `${about.field}: the agent "${agent}" declares no field "${about.key}", so no tool or policy would get it.${help}`
  return new Problem('not_available', { detail, field: about.field })
}
