/** What the model reads: §3.4 and §3.5 of agent-governance.md. */
import { describe, expect, test } from 'vitest'
import { LoopLayer } from '../../src/loop-layer.ts'
import { loopStop, loopWarning } from '../../src/verdict/loop/texts.ts'

const verdict = {
  layer: 'tool_frequency',
  tools: ['search'],
  count: 30,
  threshold: 30,
  set: 'ab',
} as const
const all = LoopLayer.options.map((layer) => ({ ...verdict, layer }))

describe.each(all)('$layer', (each) => {
  test('a warning and a stop begin with their markers and say how often', () => {
    expect(loopWarning({ ...each, action: 'warn' })).toMatch(/^\[LOOP DETECTED\] .*30/)
    expect(loopStop({ ...each, action: 'stop', threshold: 29 })).toMatch(
      /^\[FORCED STOP\] .*30.*29/,
    )
  })

  test('neither says a set', () => {
    const set = 'f00dfeed'
    expect(loopWarning({ ...each, action: 'warn', set })).not.toContain(set)
    expect(loopStop({ ...each, action: 'stop', set })).not.toContain(set)
  })
})

test('a tool that is called too often is named, with its count', () => {
  expect(loopWarning({ ...verdict, action: 'warn' })).toContain('the tool search 30 times')
})

const text = (tools: readonly string[]) =>
  loopWarning({ ...verdict, layer: 'identical_call_set', action: 'warn', tools })

test('a tool asked for twice is named once; of many and long names there are few and short ones', () => {
  expect(text(['search', 'status', 'search'])).toContain('(search, status)')
  const names = Array.from({ length: 64 }, (_, n) => `${n}`.padEnd(10_000, 'x'))
  expect(text(names)).toContain('and 56 more')
  expect(text(names).length).toBeLessThan(1_000)
})
