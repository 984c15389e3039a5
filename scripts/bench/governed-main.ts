/** The process of `governed-rounds.ts`. */
import { Addresses, measureRounds } from './governed-rounds.ts'

const answer = await measureRounds(Addresses.parse(JSON.parse(process.argv[2] ?? '')))
await new Promise((resolve) => process.send?.(answer, resolve))
process.exit(0)
