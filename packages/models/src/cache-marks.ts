/**
 * Where a request tells its provider what to cache.
 *
 * K1 A provider without a mark gets none: its options are as they were.
 * K2 What the configuration says stands, under whichever name of the provider it says it. Null takes the mark away, true brings ours.
 * K3 A mark never names tenant, thread or user.
 */
import type { SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { Json } from '@signalbox/core'
import { isJsonObject } from './json.ts'
import type { PromptMarks } from './prompt/mark-prompt.ts'
import type { Options } from './provider-options.ts'
import type { Unwired, Wired } from './providers/wiring.ts'

/** Options of a request, and the marks of its prompt. */
export interface Marked {
  readonly options: SharedV4ProviderOptions
  readonly marks: PromptMarks
}

const nowhere: PromptMarks = { last: null, earlier: null, head: null }

/**
 * The options with the mark in its place. A mark that stands on a message leaves the options of the request. `keepsHead`: the first message is
 * marked as well.
 */
export function withCacheMark(
  options: Options,
  { cacheMark, metaKeys }: Pick<Wired, 'cacheMark' | 'metaKeys'>,
  keepsHead: boolean,
): Marked | Unwired {
  const first = metaKeys[0]
  if (cacheMark === undefined || first === undefined) return { options, marks: nowhere }
  const { option, own, on, byDefault } = cacheMark
  const name = metaKeys.find((key) => options[key]?.[option] !== undefined)
  const configured = name === undefined ? undefined : options[name]?.[option]
  const mark = configured === undefined || configured === true ? own : configured
  const place = configured === undefined ? byDefault : on
  const rest = without(options, metaKeys, option)
  if (mark === null || place === null) return { options: rest, marks: nowhere }
  const onMessage = isJsonObject(mark) ? { [first]: { [option]: mark } } : null
  const head = keepsHead ? onMessage : null
  if (place === 'request') {
    const marked = withOption(rest, name ?? first, { [option]: mark })
    return { options: marked, marks: { last: null, earlier: onMessage, head } }
  }
  if (onMessage === null) return noObject(name ?? first, option)
  return { options: rest, marks: { last: onMessage, earlier: onMessage, head } }
}

const noObject = (name: string, option: string): Unwired => ({
  problem: 'invalid_request',
  message: `model.providerOptions.${name}.${option} must be an object such as { "type": "default" }, true for it, or null for none.`,
})

const withOption = (
  options: Options,
  name: string,
  option: Readonly<Record<string, Json>>,
): Options => ({
  ...options,
  [name]: { ...options[name], ...option },
})

/**
 * The options without one, under every name. A name under which nothing is left goes, too: Bedrock's package reads the options of one
 * name alone, and an empty object would hide the other's.
 */
function without(options: Options, names: readonly string[], option: string): Options {
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, given]) => {
      if (!names.includes(name) || given[option] === undefined) return [[name, given]]
      const { [option]: _mark, ...rest } = given
      return Object.keys(rest).length === 0 ? [] : [[name, rest]]
    }),
  )
}
