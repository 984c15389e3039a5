/** Files that programs obey on their own are protected by what they are for, and ordinary sources are not. */
import { describe, expect, test } from 'vitest'
import { evaluatePassport } from '../../src/passport/evaluate-passport.ts'
import { development } from './corpora/development.ts'
import { harmlessNames, startingNames } from './corpora/starting-names.ts'
import { request, verdictOf } from './passports.ts'

const written = (path: string): string =>
  verdictOf(evaluatePassport(development, request('write_file', { path, content: 'x' })))
const ran = (command: string): string =>
  verdictOf(evaluatePassport(development, request('bash', { command })))

describe.each(Object.entries(startingNames))('%s', (_kind, names) => {
  test.each(names)('%s is written by nobody', (name) => {
    expect(written(name)).toBe('oap.path_blocked')
    expect(written(`packages/a/${name}`)).toBe('oap.path_blocked')
    expect(ran(`cp a ${name}`)).toMatch(/^oap\.(?:path_blocked|dangerous_operation)$/)
  })
})

test.each(harmlessNames)('%s is written', (name) => {
  expect(written(name)).toBe('allow')
  expect(ran(`cp a ${name}`)).toBe('allow')
})
