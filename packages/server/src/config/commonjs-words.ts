import { basename, dirname, extname } from 'node:path'
import { packageTypeOf } from './package-type.ts'

/** Why Node takes a module for CommonJS, and both ways out; null where its ending says what it is. */
export async function commonJsWords(file: string): Promise<string | null> {
  const ending = extname(file)
  if (!['.ts', '.js'].includes(ending)) return null
  const nearest = await packageTypeOf(dirname(file))
  const says =
    nearest?.type === 'commonjs' ? 'says "type": "commonjs"' : 'does not say "type": "module"'
  const name = `${basename(file, ending)}.m${ending.slice(1)}`
  return `it is a module, but ${nearest?.file ?? 'package.json'} ${says}: rename it to ${name}, or write "type": "module" there`
}
