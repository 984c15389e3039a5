/** Text as it streams, with everything that a lossy stream can do to it. */
import { expect, it } from 'vitest'
import type { Event } from '../src/client/documents.ts'
import { createLiveText } from '../src/output/live-text.ts'
import type { Terminal } from '../src/output/terminal.ts'

function stage() {
  let shown = ''
  const terminal: Terminal = {
    json: false,
    line: (text) => void (shown += `${text}\n`),
    text: (text) => void (shown += text),
    document: () => {},
    note: () => {},
    paint: (_, text) => text,
  }
  const live = createLiveText(terminal)
  const delta = (offset: number, text: string, attempt = 1, message_id = 'm') =>
    live.delta({ message_id, attempt, offset, text })
  return { live, delta, shown: () => shown }
}

const completed = (text: string, id = 'm'): Event => ({
  run_id: 'r',
  thread_id: 't',
  seq: 3,
  type: 'model.completed',
  at: '2026-11-20T12:00:00.000Z',
  actor: 'a',
  tool: null,
  verdict: null,
  payload: { turn: { message: { id, parts: [{ type: 'text', text }] } } },
})

it('is shown once, though a reconnect repeats it from its beginning', () => {
  const { live, delta, shown } = stage()
  delta(0, 'One ')
  delta(4, 'two ')
  delta(0, 'One two thr')
  delta(11, 'ee.')
  live.completed(completed('One two three.'))
  expect(shown()).toBe('One two three.\n')
})

it('is completed by the event, where pieces were missed or never came', () => {
  const { live, delta, shown } = stage()
  delta(0, 'One ')
  live.completed(completed('One two.'))
  live.completed(completed('Three.', 'n'))
  expect(shown()).toBe('One two.\nThree.\n')
})

it('begins anew on a line of its own when the message is written once more', () => {
  const { live, delta, shown } = stage()
  delta(0, 'Onne', 1)
  delta(0, 'One.', 1001)
  delta(4, ' stale', 1)
  live.completed(completed('One.'))
  expect(shown()).toBe('Onne\nOne.\n')
})

it('is shown whole, where it was written anew and no piece of that came', () => {
  const { live, delta, shown } = stage()
  delta(0, 'Come today: guar')
  live.completed(completed('Prices rise and fall.'))
  expect(shown()).toBe('Come today: guar\nPrices rise and fall.\n')
})

it('brings no control sequences onto the screen', () => {
  const { live, delta, shown } = stage()
  delta(0, 'a\u001B[2Jb\n')
  live.completed(completed('a\u001B[2Jb\n'))
  expect(shown()).toBe('a[2Jb\n')
})
