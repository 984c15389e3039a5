/** Checks arguments against the JSON Schema of an MCP tool before they leave this process. */
import { limits, type JsonObject } from '@signalbox/core'
import { Ajv, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { boundedMessage } from '../text.ts'
import { anyText, linearPatterns } from './linear-patterns.ts'

const options = {
  strict: false,
  allErrors: false,
  validateFormats: false,
  logger: false,
  // The server compares what RE2 does not know.
  code: { regExp: linearPatterns(anyText) },
} as const

/** Answers what is wrong with the arguments, or null. */
export type ArgumentCheck = (args: JsonObject) => string | null

/**
 * Compiles a schema. One that cannot be compiled checks nothing: the server checks its own arguments, and a schema
 * in a dialect that is unknown here must not take its tool away.
 */
export function argumentCheck(schema: JsonObject): ArgumentCheck {
  const validate = compile(schema)
  if (validate === null) return () => null
  return (args) => {
    if (validate(args)) return null
    const [error] = validate.errors ?? []
    const where = error?.instancePath === '' ? '' : ` at ${error?.instancePath}`
    const message = `The arguments do not fit the schema${where}: ${error?.message ?? 'invalid'}`
    return boundedMessage(message, limits.errorBytesMax)
  }
}

function compile(schema: JsonObject): ValidateFunction | null {
  // 2020-12 is the dialect of MCP when a schema names none. An instance per schema: ids must not collide.
  const draft7 = typeof schema['$schema'] === 'string' && schema['$schema'].includes('draft-07')
  try {
    return draft7 ? new Ajv(options).compile(schema) : new Ajv2020(options).compile(schema)
  } catch {
    return null
  }
}
