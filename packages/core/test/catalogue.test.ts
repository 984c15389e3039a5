/**
 * The catalogue of events, over every type there is. Would catch: a type that nobody can read on a line, arguments of a verdict on one, a
 * path of the search that names no field of the payload.
 */
import {
  currentVersion,
  eventSchemas,
  type EventType,
  eventTypes,
  exampleOf,
  linePartsOf,
  searchedPaths,
  sentenceOf,
  toneOf,
} from '../src/index.ts'
import { describe, expect, it } from 'vitest'

/** Those whose type says it all. */
const silent = new Set(['run.admitted', 'model.aborted', 'run.hidden', 'thread.hidden'])

const read = (type: EventType) => ({
  type,
  version: currentVersion(type),
  payload: exampleOf(type),
})

describe.each(eventTypes)('%s', (type) => {
  it('says something on a line, or nothing where its type says it all', () => {
    const said = linePartsOf(read(type), false).filter((part) => part !== '')
    const isSilent = silent.has(type) || (type === 'cancel.requested' && said.length === 0)
    expect(said.length > 0).toBe(!isSilent)
  })

  it('has an example that stands as it is in a log', () => {
    const example = exampleOf(type)
    expect(eventSchemas[type].parse(JSON.parse(JSON.stringify(example)))).toEqual(example)
  })

  it('is searched by fields that it has', () => {
    const payload = JSON.stringify(eventSchemas[type].toJSONSchema({ io: 'input' }))
    for (const path of searchedPaths[type] ?? [])
      for (const [, field] of path.matchAll(/[.](\w+)/g))
        expect(payload, path).toContain(`"${field}"`)
  })
})

it('says nothing of what it cannot read: a newer version, an erased payload, a newer type', () => {
  const denied = read('call.denied')
  expect(linePartsOf({ ...denied, version: 2 }, true)).toEqual([])
  expect(linePartsOf({ ...denied, payload: {} }, true)).toEqual([])
  expect(linePartsOf({ ...denied, type: 'newer.thing' }, true)).toEqual([])
  expect(toneOf('newer.thing')).toBe('plain')
})

it('has a sentence for each verdict that ends an answer', () => {
  const speaking = eventTypes.filter((type) => sentenceOf(read(type)) !== null)
  expect(speaking.toSorted()).toEqual(
    [
      'answer.missing',
      'budget.exhausted',
      'context.exhausted',
      'guardrail.stopped',
      'loop.stopped',
      'rerun.stopped',
      'safety.suppressed',
      'turn.cut',
    ].toSorted(),
  )
})
