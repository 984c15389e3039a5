/** Tools that users write: a zod schema in, anything out. */
import {
  limits,
  type JudgedArguments,
  judgedProblem,
  JsonObjectSchema,
  type ToolSpec,
  type EffectMode,
  type JsonObject,
} from '@signalbox/core'
import { z } from 'zod'
import { toOutput } from './output.ts'
import type { Execution, Runnable, ToolContext } from './runnable.ts'
import { boundedMessage } from './text.ts'
import { checkDefinition, checkedSpec, inputSchemaOf, toolMistake } from './tool-mistakes.ts'
import { toolVersion } from './version.ts'

/** A tool as its author writes it. */
export interface ToolDefinition<Input extends z.ZodObject> {
  /** `[a-zA-Z0-9_-]{1,64}`, unique in a host, not starting with `mcp__`. */
  readonly name: string
  /** What the model reads to decide when to call it. */
  readonly description: string
  /** Checked before every execution. What JSON Schema cannot express is refused here, at definition. */
  readonly input: Input
  /** What happens when a call is made twice. `once` unless said otherwise: it is never re-run by itself. */
  readonly effect?: EffectMode
  /** Milliseconds one execution may take. */
  readonly timeoutMs?: number
  /** The worker queue. */
  readonly queue?: string
  /**
   * Which arguments are paths, addresses, recipients: `{ path: ['output'], none: ['remark'] }`. Passports judge them by it.
   */
  readonly judged?: JudgedArguments
  /**
   * Does the work. A text or JSON is the result; `{ content, isError?, structured? }` says more. A throw makes the call
   * fail with code `tool_error`; the model reads the message.
   */
  run(input: z.output<Input>, context: ToolContext): unknown
}

/** A tool that a host can run. */
export interface DefinedTool extends Runnable {
  /** What the agent's definition pins of this tool. */
  toSpec(): ToolSpec
}

/** Defines a tool. Throws when the definition itself is wrong: that is a mistake in the program, found at its start. */
export function defineTool<Input extends z.ZodObject>(
  definition: ToolDefinition<Input>,
): DefinedTool {
  const spec = specOf(definition)
  return {
    spec,
    toSpec: () => spec,
    settlesOnAbort: true,
    async execute(args: JsonObject, context: ToolContext): Promise<Execution> {
      const input = await definition.input.safeParseAsync(args)
      if (!input.success) {
        return { ok: false, code: 'invalid_arguments', message: describe(input.error) }
      }
      return { ok: true, output: toOutput(await definition.run(input.data, context)) }
    },
  }
}

function specOf<Input extends z.ZodObject>(definition: ToolDefinition<Input>): ToolSpec {
  checkDefinition(definition)
  const { name, description, effect = 'once', timeoutMs = 60_000, queue = 'tools' } = definition
  const { judged } = definition
  const problem = judged && judgedProblem(judged)
  if (problem) throw toolMistake(name, 'judged', problem)
  const inputSchema = JsonObjectSchema.parse(inputSchemaOf(name, definition.input))
  const version = toolVersion({ name, inputSchema, effect })
  return checkedSpec({
    name,
    version,
    description,
    inputSchema,
    effect,
    queue,
    timeoutMs,
    ...(judged && { judged }),
  })
}

function describe(error: z.ZodError): string {
  const message = `The arguments do not fit the schema: ${z.prettifyError(error)}`
  return boundedMessage(message, limits.errorBytesMax)
}
