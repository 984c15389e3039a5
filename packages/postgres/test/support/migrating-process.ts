/** A process that migrates the database of its first argument, and says so: for tests that kill it. */
import { migrate } from '../../src/migrate/migrate.ts'

const { applied } = await migrate(process.argv[2] ?? '')
process.stdout.write(JSON.stringify(applied))
