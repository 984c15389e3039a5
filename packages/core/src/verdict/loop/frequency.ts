/**
 * How often each tool was called of late, whatever the arguments. A rolling list of calls, two letters per tool: its
 * place in the agent's list of tools, which a run pins. Capitals: the model was told about this tool.
 *
 * F1 A tool is told about once, until its count falls below where it warns.
 * F2 Every call of a set is counted, so that no set is too large to be stopped.
 */
import type { LoopConfig } from './config.ts'

/** An agent's loop detection, and its tools by name in the agent's order. */
export interface LoopSetting {
  readonly config: LoopConfig
  readonly toolNames: readonly string[]
}

/** A tool that was called too often, and how often by then. */
export interface Frequent {
  readonly action: 'warn' | 'stop'
  readonly tool: string
  readonly count: number
  readonly threshold: number
}

/** Tools the agent does not have, and those beyond the letters, count as one. */
const other = 'zz'
const letters = 26

/** Letters of the tool with this place in the list. */
function codeOf(place: number): string {
  if (place < 0 || place >= letters * letters - 1) return other
  return String.fromCharCode(97 + Math.floor(place / letters), 97 + (place % letters))
}

const placeOf = (code: string): number =>
  (code.charCodeAt(0) - 97) * letters + code.charCodeAt(1) - 97

const codesOf = (calls: string): readonly string[] => calls.match(/../g) ?? []

const listLength = ({ windowSize, toolFreqHardLimit, toolFreqOverrides }: LoopConfig): number =>
  Math.max(
    windowSize,
    toolFreqHardLimit,
    ...Object.values(toolFreqOverrides).map((each) => each.hardLimit),
  )

function thresholdsOf({ config, toolNames }: LoopSetting, code: string) {
  const { toolFreqWarn: warn, toolFreqHardLimit: hard, toolFreqOverrides: overrides } = config
  const tool = code === other ? undefined : toolNames[placeOf(code)]
  const own = tool !== undefined && Object.hasOwn(overrides, tool) ? overrides[tool] : undefined
  return own ? { warn: own.warn, hard: own.hardLimit } : { warn, hard }
}

const countOf = (codes: readonly string[], code: string): number =>
  codes.filter((each) => each.toLowerCase() === code).length

/** The list with these calls as its newest, and what is too much in it: the first stop, or else the first warning. */
export function countCalls(
  setting: LoopSetting,
  calls: string,
  tools: readonly string[],
): { readonly calls: string; readonly frequent: Frequent | null } {
  const length = listLength(setting.config)
  let codes = codesOf(calls)
  let frequent: Frequent | null = null
  for (const tool of tools) {
    const code = codeOf(setting.toolNames.indexOf(tool))
    const told = codes.includes(code.toUpperCase())
    codes = [...codes, told ? code.toUpperCase() : code].slice(-length)
    codes = forgetFew(setting, codes)
    const count = countOf(codes, code)
    const { warn, hard } = thresholdsOf(setting, code)
    if (count >= hard) {
      frequent = { action: 'stop', tool, count, threshold: hard }
      break
    }
    if (!frequent && count >= warn && !codes.includes(code.toUpperCase()))
      frequent = { action: 'warn', tool, count, threshold: warn }
  }
  return { calls: codes.join(''), frequent }
}

/** A tool that is called less again may be told about again (F1). */
function forgetFew(setting: LoopSetting, codes: readonly string[]): readonly string[] {
  const told = new Set(codes.filter((code) => code !== code.toLowerCase()))
  const few = [...told].filter((capitals) => {
    const code = capitals.toLowerCase()
    return countOf(codes, code) < thresholdsOf(setting, code).warn
  })
  return few.length === 0
    ? codes
    : codes.map((code) => (few.includes(code) ? code.toLowerCase() : code))
}

/** The list once the model was told about this tool. */
export function tellTool({ toolNames }: LoopSetting, calls: string, tool: string): string {
  const code = codeOf(toolNames.indexOf(tool))
  return codesOf(calls)
    .map((each) => (each === code ? each.toUpperCase() : each))
    .join('')
}
