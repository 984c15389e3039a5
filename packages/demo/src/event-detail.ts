/** What a line of the timeline says about an event, and who wrote it. */
import process from 'node:process'
import { eventClass, isEventType, linePartsOf } from '@signalbox/core'
import type { RunEvent } from './run-event.ts'

/** One line at most, whatever a provider or a tool has said. */
const charsMax = 110

/** The essence of an event: its tool, number of the effect, verdict, and what the catalogue of events says of it. */
export function eventDetail(event: RunEvent): string {
  const { type, payload, verdict } = event
  // Of decisions all is said; of facts not what a tool or a model answered.
  const isDecision = isEventType(type) && eventClass(type) === 'decision'
  const said = linePartsOf({ type, version: 1, payload }, isDecision).filter((part) => part !== '')
  const isSaid = verdict === null || said.includes(verdict) || (isDecision && said.length > 0)
  const about = isSaid ? said : [verdict, ...said]
  const parts = [subject(event), about.join(' ')].filter((part) => part !== '')
  const text = parts.join('  ').replaceAll(/\s*\n\s*/g, ' ')
  return text.length > charsMax ? `${text.slice(0, charsMax - 1)}…` : text
}

/** `orchestrator` is this process; workers are told apart by their process ids. */
export function eventActor({ actor }: RunEvent): string {
  const pid = /\.(\d+)\.[0-9a-f]{8}$/.exec(actor)?.[1]
  if (pid === undefined) return actor
  return pid === String(process.pid) ? 'orchestrator' : `worker ${pid}`
}

function subject({ type, tool, payload }: RunEvent): string {
  const name = tool ?? (type === 'effect.started' ? 'model' : '')
  const { effectId } = payload
  const number = typeof effectId === 'string' ? effectId.split('.').at(-1) : undefined
  return number === undefined ? name : `${name} #${number}`.trim()
}

/** `1 call`, `2 calls`. */
export const counted = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? '' : 's'}`
