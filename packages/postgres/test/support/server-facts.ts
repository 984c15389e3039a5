/** What the server of a test run tells the test files, in the file `facts.json` of its folder. */
import { z } from 'zod'

export const factsFile = 'facts.json'

/** Addresses of the database that tests copy, by who logs in. */
export const ServerFacts = z.object({
  admin: z.string(),
  app: z.string(),
  engine: z.string(),
  maintenance: z.string(),
})
export type ServerFacts = z.infer<typeof ServerFacts>

/** Of the same server: nobody is connected to the database that is copied. */
export const rootDatabase = 'postgres'

/** Name of a database that is as a server leaves it at its first start: migrated, with its queue. */
export const templateName = 'signalbox_template'
