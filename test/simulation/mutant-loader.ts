/** Loaded before the simulation, or a test: the production code with one mutation, without a copy of it. */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'

/** The variable that says which. `file` is absolute. */
export const mutationVariable = 'SIGNALBOX_MUTATION'

const said = process.env[mutationVariable]
if (said !== undefined) {
  const Applied = z.object({ file: z.string(), line: z.string(), becomes: z.string() })
  const { file, line, becomes } = Applied.parse(JSON.parse(said))
  const place = pathToFileURL(file).href
  let isApplied = false
  registerHooks({
    load(url, context, next) {
      if (url !== place) return next(url, context)
      const text = readFileSync(file, 'utf8')
      if (text.split(line).length !== 2) throw new Error(`the line is not in ${file} once`)
      isApplied = true
      const source = text.replace(line, () => becomes)
      return { format: 'module-typescript', source, shortCircuit: true }
    },
  })
  process.once('exit', () => {
    if (isApplied) return
    console.error(`the simulation does not load ${file}`)
    process.exitCode = 1
  })
}
