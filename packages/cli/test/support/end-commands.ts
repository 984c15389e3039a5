/** Runs with each test file of commands: files share a worker, so a hook in a module of theirs would be the first file's only. */
import { afterAll } from 'vitest'
import { endCommands } from './command.ts'

afterAll(endCommands)
