/** Lines of the log for people. Would catch: a line about a run whose reader must find the agent, the cause and the run among fields. */
import { expect, test } from 'vitest'
import { humanLog } from '../src/output/human-log.ts'

const time = '2026-11-25T12:00:00.000Z'
const about = { runId: 'r-1', threadId: 't-1', agent: 'clerk', requestId: 'q-1' }

/** The line without its time of day. */
function human(entry: object): string {
  let text = ''
  const log = humanLog({ write: (line) => void (text += line) }, false)
  log.write(JSON.stringify({ level: 'info', time, pid: 1, ...entry }))
  return text.slice(9).trimEnd()
}

test.each([
  [{ msg: 'run begun' }, 'info  clerk: run begun  r-1'],
  [
    { msg: 'run waits', waitsFor: 'approval of pay' },
    'info  clerk: run waits for approval of pay  r-1',
  ],
  [
    { msg: 'run ended', outcome: 'completed', durationMs: 1234, tokens: 81, cost: 0.02 },
    'info  clerk: run ended: completed in 1.2s, 81 tokens, cost 0.02  r-1',
  ],
  [
    { msg: 'run ended', outcome: 'failed', durationMs: 65_000, tokens: 0 },
    'info  clerk: run ended: failed in 1m, 0 tokens  r-1',
  ],
  [
    {
      msg: 'model call failed',
      level: 'warn',
      reason: 'overloaded: 500',
      next: 'retry',
      retryMs: 500,
    },
    'warn  clerk: model call failed, overloaded: 500 (again in 0.5s)  r-1',
  ],
  [
    { msg: 'model call failed', level: 'warn', class: 'network', next: 'fallback to gpt-y' },
    'warn  clerk: model call failed, network (fallback to gpt-y)  r-1',
  ],
  [
    { msg: 'outcome of a tool call unknown', level: 'warn', tool: 'pay', reason: 'worker_lost' },
    'warn  clerk: the outcome of pay is unknown (worker_lost): signalbox unknown  r-1',
  ],
  [
    { msg: 'run faulted', level: 'warn', code: 'undecidable' },
    'warn  clerk: run faulted: undecidable  r-1',
  ],
])('%j', (entry, line) => {
  expect(human({ ...about, ...entry })).toBe(line)
})

test('a line about something else shows its fields', () => {
  expect(human({ msg: 'serving', port: 1 })).toBe('info  serving  port=1')
  expect(human({ msg: 'a run could not be advanced', runId: 'r-1' })).toContain('runId=r-1')
})
