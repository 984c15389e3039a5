/** §3.1 of agent-governance.md: defaults and what is refused, the unreachable hard stop included. */
import { describe, expect, test } from 'vitest'
import { LoopConfig } from '../../src/verdict/loop/config.ts'

test('defaults', () => {
  expect(LoopConfig.parse({})).toEqual({
    enabled: true,
    warnThreshold: 3,
    hardLimit: 5,
    windowSize: 20,
    toolFreqWarn: 30,
    toolFreqHardLimit: 50,
    toolFreqOverrides: {},
    progress: true,
    news: false,
    repeatable: [],
    cycles: { warn: 3, hardLimit: 4, longest: 2 },
    stagnation: { warn: 5, hardLimit: null },
  })
})

const many = (n: number) =>
  Object.fromEntries(Array.from({ length: n }, (_, at) => [`t${at}`, { warn: 1, hardLimit: 2 }]))

describe('refused, with what would do', () => {
  test.each([
    [{ warnThreshold: 6 }, 'hardLimit', /at least 6/],
    [{ toolFreqWarn: 51 }, 'toolFreqHardLimit', /at least 51/],
    [
      { toolFreqOverrides: { bash: { warn: 9, hardLimit: 8 } } },
      'toolFreqOverrides.bash.hardLimit',
      /at least 9/,
    ],
    [{ cycles: { warn: 5 } }, 'cycles.hardLimit', /at least 5/],
    [{ stagnation: { hardLimit: 4 } }, 'stagnation.hardLimit', /at least 5/],
    [{ hardLimit: 9, windowSize: 8 }, 'windowSize', /at least 9.*no set is ever stopped/],
    [{ windowSize: 7 }, 'cycles.hardLimit', /windowSize of 8, it is 7.*lower this to 3/],
    [{ warnThreshold: 1, hardLimit: 1, windowSize: 1 }, 'cycles.hardLimit', /set cycles to null/],
    [{ toolFreqOverrides: many(51) }, 'toolFreqOverrides', /at most 50 tools, not 51/],
    [{ windowSize: 41 }, 'windowSize', /40/],
    [{ toolFreqHardLimit: 121 }, 'toolFreqHardLimit', /120/],
    [
      { toolFreqOverrides: { bash: { warn: 9, hardLimit: 121 } } },
      'toolFreqOverrides.bash.hardLimit',
      /120/,
    ],
    [{ warnThreshold: 0 }, 'warnThreshold', /1/],
    [{ hardLimit: 0 }, 'hardLimit', /1/],
    [{ windowSize: 0 }, 'windowSize', /1/],
    [{ toolFreqWarn: 0 }, 'toolFreqWarn', /1/],
    [
      { toolFreqOverrides: { bash: { warn: 0, hardLimit: 1 } } },
      'toolFreqOverrides.bash.warn',
      /1/,
    ],
    [{ cycles: { warn: 0 } }, 'cycles.warn', /1/],
    [{ stagnation: { warn: 0 } }, 'stagnation.warn', /1/],
    [{ hardLimit: 4.5 }, 'hardLimit', /int/],
  ])('%o', (config, path, message) => {
    const issues = LoopConfig.safeParse(config).error?.issues ?? []
    expect(issues.map((issue) => issue.path.join('.'))).toEqual([path])
    expect(issues[0]?.message).toMatch(message)
  })
})

test.each([
  { warnThreshold: 5 },
  { hardLimit: 20 },
  { windowSize: 8 },
  { windowSize: 40, cycles: { hardLimit: 20 } },
  { windowSize: 5, cycles: null },
  { warnThreshold: 1, hardLimit: 1, windowSize: 1, cycles: null },
  { toolFreqWarn: 50 },
  { toolFreqHardLimit: 120, toolFreqOverrides: many(50) },
  { stagnation: null },
  { stagnation: { warn: 9, hardLimit: 9 } },
])('taken: %o', (config) => {
  expect(LoopConfig.safeParse(config).success).toBe(true)
})
