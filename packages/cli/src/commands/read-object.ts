/** Objects of JSON from the command line. */
import { ambiguityOf } from '@signalbox/core'
import { z } from 'zod'
import { usageFailure } from '../failure.ts'

const JsonObject = z.record(z.string(), z.unknown())

/** @param named - how the caller named it. @throws Failure for anything else, and for what can be read in two ways */
export function readObject(named: string, text: string): Record<string, unknown> {
  const parsed = JsonObject.safeParse(parse(text))
  const ambiguity = parsed.success ? ambiguityOf(text) : null
  if (ambiguity !== null) throw usageFailure(`${named} can be read in two ways: ${ambiguity}.`)
  if (parsed.success) return parsed.data
  throw usageFailure(`${named} takes an object of JSON, such as {"path":"a.txt"}.`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
