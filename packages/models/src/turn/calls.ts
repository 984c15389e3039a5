/**
 * Calls of a turn that closed positively. A call that cannot be executed stays in the message with `invalid` and empty
 * arguments: it gets an error result, and its siblings go on. JSON is parsed or refused, never repaired.
 */
import {
  ambiguityOf,
  type JsonObject,
  limits,
  type ToolCallPart,
  type ToolSpec,
} from '@signalbox/core'
import type { ModelRequest } from '@signalbox/engine'
import { isStorableObject, jsonDepth } from '../json.ts'
import { fields, parseJson } from '../read.ts'
import { toolName } from '../text.ts'
import type { CallSlot } from './buffer.ts'
import { schemaProblem, takesNoArguments } from './tool-schema.ts'

/** Arguments are written into one event, so they may be as large as a request body. */
const argsBytesMax = limits.bodyBytesMax

type Parsed = { readonly args: JsonObject } | { readonly code: string; readonly message: string }

/** The part for a call. `tooMany`: the turn has more calls than `limits.callsPerTurnMax`, and none of them runs. */
export function toolCallPart(
  call: Readonly<CallSlot>,
  id: string,
  context: Pick<ModelRequest, 'tools' | 'argsHash'> & { readonly tooMany: boolean },
): ToolCallPart {
  const parsed = context.tooMany ? tooManyCalls() : parseArgs(call, context.tools)
  const args = 'args' in parsed ? parsed.args : {}
  return {
    type: 'tool_call',
    id,
    name: toolName(call.name),
    args,
    argsHash: context.argsHash(args),
    ...('args' in parsed ? {} : { invalid: parsed }),
    ...(call.meta === undefined ? {} : { meta: call.meta }),
  }
}

/** The call with other arguments than the model wrote: they are hashed, and fit the tool's schema or are refused. */
export function withArguments(
  call: ToolCallPart,
  args: JsonObject,
  { tools, argsHash }: Pick<ModelRequest, 'tools' | 'argsHash'>,
): ToolCallPart {
  const tool = tools.find(({ name }) => name === call.name)
  const problem = tool ? schemaProblem(tool, args) : null
  if (problem === null) return { ...call, args, argsHash: argsHash(args) }
  const message = `With what a guardrail took out, the arguments do not fit the schema of "${call.name}": ${problem.slice(0, 400)}.`
  return {
    ...call,
    args: {},
    argsHash: argsHash({}),
    invalid: { code: 'arguments_redacted', message },
  }
}

function parseArgs(call: Readonly<CallSlot>, tools: readonly ToolSpec[]): Parsed {
  const tool = tools.find(({ name }) => name === call.name)
  if (!tool)
    return { code: 'unknown_tool', message: `There is no tool named "${toolName(call.name)}".` }
  if (Buffer.byteLength(call.args) > argsBytesMax)
    return {
      code: 'arguments_too_large',
      message: `The arguments are larger than ${argsBytesMax} bytes.`,
    }
  const value = call.args === '' && takesNoArguments(tool) ? {} : parseJson(call.args)
  if (value === undefined)
    return { code: 'arguments_not_json', message: 'The arguments are not valid JSON.' }
  if (!fields(value))
    return { code: 'arguments_not_object', message: 'The arguments are not a JSON object.' }
  if (jsonDepth(value) > limits.jsonDepthMax)
    return {
      code: 'arguments_too_deep',
      message: `The arguments are nested deeper than ${limits.jsonDepthMax} levels.`,
    }
  if (!isStorableObject(value))
    return {
      code: 'arguments_not_storable',
      message:
        'The arguments hold a text that is not valid Unicode, a NUL character, a number out of range or a key "__proto__".',
    }
  const ambiguity = call.args === '' ? null : ambiguityOf(call.args)
  if (ambiguity !== null)
    return {
      code: 'arguments_ambiguous',
      message: `The arguments can be read in two ways: ${ambiguity}.`,
    }
  const problem = schemaProblem(tool, value)
  return problem === null
    ? { args: value }
    : {
        code: 'arguments_invalid',
        message: `The arguments do not fit the schema of "${call.name}": ${problem.slice(0, 400)}.`,
      }
}

function tooManyCalls(): Parsed {
  return {
    code: 'too_many_calls',
    message: `One turn may hold at most ${limits.callsPerTurnMax} calls. None of them was executed.`,
  }
}
