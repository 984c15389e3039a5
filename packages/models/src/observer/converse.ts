/** The Converse wire of Amazon Bedrock: each event is an object whose one key is the event's type. */
import { readProviderError } from '../provider-error.ts'
import { fields, text, type Fields } from '../read.ts'
import type { Sightings } from './sightings.ts'

/** Reads one event. */
export function readConverse(event: Fields, seen: Sightings): void {
  for (const [type, body] of Object.entries(event)) readEvent(type, fields(body) ?? {}, seen)
}

function readEvent(type: string, body: Fields, seen: Sightings): void {
  if (type.endsWith('Exception')) {
    seen.error(readProviderError(body, type))
    return
  }
  switch (type) {
    case 'messageStart':
      seen.begin()
      seen.open('message')
      seen.open('metadata')
      return
    case 'contentBlockDelta':
    case 'contentBlockStop':
      goOn(seen)
      return
    case 'contentBlockStart': {
      goOn(seen)
      const name = text(fields(fields(body['start'])?.['toolUse'])?.['name'])
      // The package rewrites ids for the models of Mistral, so calls are compared by their number here.
      if (name) seen.calls.start(text(body['contentBlockIndex']) ?? '', name)
      return
    }
    case 'messageStop':
      seen.reason('stopReason', body['stopReason'])
      seen.end('message')
      // It comes last, and holds the usage. Some come before the stop: after all content is enough.
      seen.open('metadata')
      return
    case 'metadata':
      seen.end('metadata')
      readTrace(fields(fields(body['trace'])?.['guardrail']) ?? {}, seen)
      return
    default:
  }
}

function goOn(seen: Sightings): void {
  seen.goOn('message', 'metadata')
}

/** `actionReason` is "Guardrail blocked." where one acted, "No action." where it only looked. */
function readTrace(trace: Fields, seen: Sightings): void {
  const reason = text(trace['actionReason'])
  if (reason && /block/i.test(reason)) seen.flag('trace.guardrail.actionReason', reason)
}
