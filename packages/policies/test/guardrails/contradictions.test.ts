/**
 * Where the peers' guardrails do not do what their document says (reference: stream guardrails, section 6, points 1 to
 * 6). Each point, as far as it is pure, with what ours does instead.
 */
import { describe, expect, it } from 'vitest'

import { createStreamGuard } from '../../src/guardrails/create-stream-guard.ts'
import { fail, type Guardrail, pass } from '../../src/guardrails/part.ts'
import { context, guardrailOf, inDeltas, play } from './play.ts'

const text = 'My SSN is 123-45-6789 ok'

/** Takes the number out by hand, as a user's own guardrail would. */
const own: Guardrail = {
  id: 'own',
  name: 'Own',
  window: 10,
  handle: (part) =>
    'text' in part
      ? pass({ ...part, text: part.text.replaceAll(/\d{3}-\d{2}-\d{4}/g, '[gone]') })
      : pass(part),
}

describe('point 1: redaction via pass(part) does not work', () => {
  it('ours: the changed part is what goes out', () => {
    expect(play([own], [text]).text).toBe('My SSN is [gone] ok')
    expect(play([guardrailOf({ use: 'pii' })], [text]).text).toBe('My SSN is [redacted:ssn] ok')
  })

  it('ours: later guardrails see the changed part, and what they pass goes out', () => {
    const shout: Guardrail = {
      id: 'shout',
      name: 'Shout',
      handle: (part) =>
        'text' in part ? pass({ ...part, text: part.text.toUpperCase() }) : pass(part),
    }
    expect(play([own, shout], [text]).text).toBe('MY SSN IS [GONE] OK')
  })
})

describe('point 2: redaction per delta leaks across chunk borders', () => {
  it('ours: two deltas at every split point', () => {
    for (let at = 0; at <= text.length; at += 1)
      for (const guardrail of [own, guardrailOf({ use: 'pii' })])
        expect(play([guardrail], [text.slice(0, at), text.slice(at)]).text).not.toMatch(/\d/)
  })

  it('ours: no delta on the way shows a part of it', () => {
    const guard = createStreamGuard({ guardrails: [guardrailOf({ use: 'pii' })], context })
    const long = `${'It is a long story. '.repeat(12)}${text}${' And so on.'.repeat(30)}`
    for (const delta of inDeltas(long, 1)) {
      const guarded = guard.push('text', delta)
      expect(guarded.type === 'released' && guarded.text).not.toMatch(/\d/)
    }
  })
})

describe('point 3: maxGuardrailRetries counts attempts, and 0 is no call at all', () => {
  it.each([0, 1, 3])(
    'ours: attempt %d is judged like any other; guards count nothing',
    (attempt) => {
      const seen: number[] = []
      const watching: Guardrail = {
        id: 'watching',
        name: 'Watching',
        handle: (part, about) => {
          seen.push(about.attempt)
          return pass(part)
        },
      }
      const guard = createStreamGuard({ guardrails: [watching], context: { ...context, attempt } })
      guard.push('text', 'hello')
      expect(guard.end('text')).toEqual({ type: 'released', text: 'hello' })
      expect(seen).toEqual([attempt])
    },
  )
})

describe('point 4: exhaustion looks like success', () => {
  it('ours: a failed attempt never ends as if it had passed', () => {
    const guard = createStreamGuard({
      guardrails: [guardrailOf({ use: 'pii', action: 'fail' })],
      context,
    })
    expect(guard.push('text', text)).toEqual({ type: 'released', text: 'My SSN is ' })
    const first = guard.end('text')
    expect(first).toMatchObject({
      type: 'tripped',
      trip: {
        outcome: 'fail',
        guardrail: { id: 'pii', name: 'Personal data' },
        partType: 'text',
        offset: 10,
      },
    })
    expect(guard.end('text')).toEqual(first)
    expect(guard.push('text', 'and all is well')).toEqual(first)
  })
})

describe('point 5: error recovery is inert, because the error is masked before it comes', () => {
  it('ours: judges the words of the provider, and lets none of them out', () => {
    const guard = createStreamGuard({
      guardrails: [guardrailOf({ use: 'error-recovery' })],
      context: { ...context, availableTools: ['search'] },
    })
    const message = "tool 'grep' not in request.tools (org-4711)"
    const guarded = guard.judge({ type: 'error', class: 'tool_use_failed', message })
    expect(guarded).toMatchObject({ type: 'tripped', trip: { outcome: 'fail', partType: 'error' } })
    expect(JSON.stringify(guarded)).toContain('grep')
    expect(JSON.stringify(guarded)).not.toContain('org-4711')
  })

  it('ours: what is masked already stands as the error it is', () => {
    const guard = createStreamGuard({
      guardrails: [guardrailOf({ use: 'error-recovery' })],
      context,
    })
    expect(
      guard.judge({ type: 'error', class: 'unknown', message: 'An error occurred.' }),
    ).toMatchObject({
      type: 'tripped',
      trip: { outcome: 'stop', feedback: '', guardrail: { id: 'error-recovery' } },
    })
  })
})

describe('point 6: a stream guardrail cannot stop a tool', () => {
  const noRemoving: Guardrail = {
    id: 'no-rm',
    name: 'No rm',
    handle: (part) =>
      part.type === 'tool_call' && part.name === 'rm' ? fail('I will not remove it.') : pass(part),
  }

  it('ours: a call that fails is never answered with anything but the trip, nor is a call after it', () => {
    const guard = createStreamGuard({ guardrails: [noRemoving], context })
    const call = { type: 'tool_call', name: 'ls', args: {} } as const
    expect(guard.judge(call)).toEqual({ type: 'released', text: '' })
    const first = guard.judge({ ...call, name: 'rm', args: { path: '/etc/canary' } })
    expect(first).toMatchObject({
      type: 'tripped',
      trip: { outcome: 'fail', partType: 'tool_call' },
    })
    expect(guard.judge(call)).toEqual(first)
    expect(JSON.stringify(first)).not.toContain('canary')
  })
})
