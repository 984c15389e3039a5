/**
 * Where a request tells its provider what to cache.
 *
 * K1 A provider without a mark gets none: its options are as they were.
 * K2 What the configuration says stands, under whichever name of the provider it says it; null takes the mark away.
 * K3 A mark never names tenant, thread or user.
 */
import type { SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { Json } from '@signalbox/core'
import { isJsonObject } from './json.ts'
import type { Options } from './provider-options.ts'
import type { Unwired, Wired } from './providers/wiring.ts'

/** Options of a request, and those of the message that its prompt is cached up to. */
export interface Marked {
  readonly options: SharedV4ProviderOptions
  /** Null: no message is marked. */
  readonly onMessage: SharedV4ProviderOptions | null
}

/** The options with the mark in its place. A mark that stands on messages leaves the options of the request. */
export function withCacheMark(
  options: Options,
  { cacheMark, metaKeys }: Wired,
): Marked | Unwired {
  const name = metaKeys[0]
  if (cacheMark === undefined || name === undefined) return { options, onMessage: null }
  const { option, on, value } = cacheMark
  const saidBy = metaKeys.find((key) => options[key]?.[option] !== undefined)
  const mark = saidBy === undefined ? value : (options[saidBy]?.[option] ?? null)
  const isMarked = mark !== undefined && mark !== null
  if (on === 'message') {
    if (isMarked && !isJsonObject(mark)) return noObject(saidBy ?? name, option)
    const onMessage = isMarked ? { [name]: { [option]: mark } } : null
    return { options: without(options, metaKeys, option), onMessage }
  }
  if (!isMarked) return { options: without(options, metaKeys, option), onMessage: null }
  const marked = saidBy === undefined ? withOption(options, name, { [option]: mark }) : options
  return { options: marked, onMessage: null }
}

const noObject = (name: string, option: string): Unwired => ({
  problem: 'invalid_request',
  message: `model.providerOptions.${name}.${option} must be an object such as { "type": "default" }, or null for none.`,
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
function without(
  options: Options,
  names: readonly string[],
  option: string,
): Options {
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, given]) => {
      if (!names.includes(name) || given[option] === undefined) return [[name, given]]
      const { [option]: _mark, ...rest } = given
      return Object.keys(rest).length === 0 ? [] : [[name, rest]]
    }),
  )
}
