/** The names of arguments that a tool may declare, against the tables of limits. */
import { expect, test } from 'vitest'
import { argumentNames } from '../../../core/src/verdict/authorization/argument-names.ts'
import { argumentNamesOf } from '../../src/passport/fields/argument-names.ts'
import { fieldTableOf } from '../../src/passport/fields/tables.ts'
import { knownNames } from '../../src/passport/packs.ts'

test('each of them is an argument that a limit is compared with', () => {
  const looked = [...knownNames].flatMap((name) => argumentNamesOf(fieldTableOf(name) ?? {}))
  expect(new Set(looked)).toEqual(new Set(argumentNames))
})
