/** A result of the bench, told as soon as it is there: a document of a line, or words for a human. */
import { loadavg } from 'node:os'
import { round } from '../cost.ts'

/** Figures by name. Names end with their unit. */
export type Figures = Readonly<Record<string, number | string | boolean | null>>

/** One measurement beside its floor: the plainest way to the same, by hand, in the same minute. */
export interface Result {
  readonly bench: string
  readonly what: string
  readonly figures: Figures
  readonly floor?: Figures
  /** How many times the floor it is; for rates, which part of it. */
  readonly ratio?: number
}

/** Told of each result. */
export type Tell = (result: Result) => void

/** Prints to standard output. The load average stands beside each: above the number of cpus, others were busy here. */
export const teller =
  (json: boolean): Tell =>
  (result) => {
    const load = round(loadavg()[0] ?? 0)
    console.log(json ? JSON.stringify({ ...result, load }) : wordsOf(result, load))
  }

const listed = (figures: Figures): string =>
  Object.entries(figures)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')

function wordsOf({ bench, what, figures, floor, ratio }: Result, load: number): string {
  const beside = floor ? ` | floor ${listed(floor)}` : ''
  const times = ratio === undefined ? '' : ` | ratio ${ratio}`
  return `${bench.padEnd(8)} ${what.padEnd(40)} ${listed(figures)}${beside}${times} | load ${load}`
}

/** The value below which so many of a hundred lie; of few values the largest. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)] ?? NaN
}

/** Median and 99th percentile of milliseconds. */
export const spreadOf = (times: readonly number[]) => ({
  p50Ms: round(percentile(times, 50)),
  p99Ms: round(percentile(times, 99)),
})
