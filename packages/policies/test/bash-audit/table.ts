/** Reads a table of scripts: each stands behind a line `#= verdict rule`. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A script, and what the page says of it. */
export interface Expectation {
  readonly verdict: 'pass' | 'flag' | 'refuse'
  /** Among the rules that find something; empty for a script that passes. */
  readonly rule: string
  readonly script: string
}

/** The scripts of a file beside this one. Throws for a line that is no verdict. */
export function readTable(file: string): readonly Expectation[] {
  const text = readFileSync(fileURLToPath(new URL(file, import.meta.url)), 'utf8')
  return text
    .split(/^#= /m)
    .slice(1)
    .map((block) => {
      const [head = '', ...lines] = block.split('\n')
      const [verdict, rule = ''] = head.split(' ')
      if (verdict !== 'pass' && verdict !== 'flag' && verdict !== 'refuse')
        throw new Error(`${file} has a verdict "${head}"`)
      return { verdict, rule, script: lines.join('\n').replace(/\n$/, '') }
    })
}
