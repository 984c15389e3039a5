/** Checks of arguments against a tool's JSON Schema. A schema that cannot be used lets nothing through. */
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { JsonObject, ToolSpec } from '@signalbox/core'
import { list } from '../read.ts'
import { anyText, linearPatterns } from './linear-patterns.ts'

type Check = (args: JsonObject) => string | null

/** Keyed by the schema object: a definition is loaded once and used for many turns. */
const checks = new WeakMap<JsonObject, Check>()

/** Null if the arguments pass, else what is wrong with them, naming places and rules, never values. */
export function schemaProblem(tool: ToolSpec, args: JsonObject): string | null {
  let check = checks.get(tool.inputSchema)
  if (!check) {
    check = compile(tool)
    checks.set(tool.inputSchema, check)
  }
  return check(args)
}

/** May the tool be called without any argument? Only then is an empty text an empty object. */
export function takesNoArguments(tool: ToolSpec): boolean {
  return list(tool.inputSchema['required']).length === 0
}

/** The author of a tool of ours answers for its patterns; a server compares its own with what it is sent. */
const ownPatterns = linearPatterns((pattern) => new RegExp(pattern, 'u'))
const foreignPatterns = linearPatterns(anyText)
const isForeign = ({ name }: ToolSpec): boolean => name.startsWith('mcp__')

function compile(tool: ToolSpec): Check {
  const { inputSchema: schema } = tool
  const dialect = typeof schema['$schema'] === 'string' ? schema['$schema'] : ''
  const Dialect = /draft-0[4-7]/.test(dialect) ? Ajv : Ajv2020
  // One instance per schema: two tools may use the same `$id`. Formats are annotations, as in the specification.
  const ajv = new Dialect({
    strict: false,
    validateFormats: false,
    validateSchema: false,
    logger: false,
    code: { regExp: isForeign(tool) ? foreignPatterns : ownPatterns },
  })
  try {
    const validate = ajv.compile(schema)
    return (args) =>
      validate(args)
        ? null
        : ajv.errorsText(validate.errors?.slice(0, 3), { dataVar: 'arguments', separator: '; ' })
  } catch {
    return () => 'the schema of the tool cannot be used'
  }
}
