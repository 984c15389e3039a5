/** The details of an event on one line, as the catalogue of events says them. */
import { linePartsOf } from '@signalbox/core'
import type { Event } from '../client/documents.ts'
import { oneLine } from '@signalbox/core/text'

const charsMax = 400

/**
 * The details of an event; empty where its type says it all, or this build cannot read it.
 * @param isVerbose - say arguments, outputs and what people wrote as well; arguments of a verdict are never said
 */
export function eventDetails(event: Event, isVerbose: boolean): string {
  const { type, version = 1, payload, verdict } = event
  const parts = linePartsOf({ type, version, payload }, isVerbose)
  return oneLine(parts.filter((part) => part !== '' && part !== verdict).join(' '), charsMax)
}
