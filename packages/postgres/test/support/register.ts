import type { Register } from '@signalbox/engine'
import { afterAll, beforeAll } from 'vitest'
import { createRegister } from '../../src/register/register.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'

/** A database and a register of the test file's own; filled before its first test. */
export interface Bench {
  database: TestDatabase
  register: Register
}

export function useRegister(): Bench {
  const bench: Partial<Bench> = {}
  beforeAll(async () => {
    bench.database = await createTestDatabase()
    bench.register = createRegister({ engineUrl: bench.database.engineUrl })
  })
  afterAll(async () => {
    await bench.register?.close()
    await bench.database?.drop()
  })
  return {
    get database() {
      if (bench.database === undefined) throw new Error('the database is not there yet')
      return bench.database
    },
    get register() {
      if (bench.register === undefined) throw new Error('the register is not there yet')
      return bench.register
    },
  }
}
