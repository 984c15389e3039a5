/** Two corpora under one passport for development: what people do all day passes, ways out of it do not. */
import { expect, test } from 'vitest'
import { evaluatePassport } from '../../src/passport/evaluate-passport.ts'
import { development } from './corpora/development.ts'
import { escapes as knownEscapes } from './corpora/escapes.ts'
import { everyday as knownEveryday } from './corpora/everyday.ts'
import { manualEscapes } from './corpora/manual-escapes.ts'
import { manualEveryday } from './corpora/manual-everyday.ts'
import { hiddenReads, hiddenWrites, lookAlikes } from './corpora/reads-and-writes.ts'
import { request, verdictOf } from './passports.ts'

const escapes = [...knownEscapes, ...manualEscapes, ...hiddenWrites, ...hiddenReads]
const everyday = [...knownEveryday, ...manualEveryday, ...lookAlikes]

const judged = (command: string): string =>
  verdictOf(evaluatePassport(development, request('bash', { command })))

test('the corpus of everyday work has at least 330 commands, each once', () => {
  expect(new Set(everyday).size).toBe(everyday.length)
  expect(everyday.length).toBeGreaterThanOrEqual(330)
})

test.each(everyday)('everyday work passes: %s', (command) => {
  expect(judged(command)).toBe('allow')
})

test('the corpus of escapes has at least 550 commands, each once', () => {
  expect(new Set(escapes).size).toBe(escapes.length)
  expect(escapes.length).toBeGreaterThanOrEqual(550)
})

test.each(escapes)('an escape is denied: %s', (command) => {
  expect(judged(command)).not.toBe('allow')
})

test('none of the escapes is denied for being no command at all', () => {
  expect(escapes.filter((command) => judged(command) === 'oap.invalid_context')).toEqual([])
})
