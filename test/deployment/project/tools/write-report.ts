import { setTimeout } from 'node:timers/promises'
import { defineTool, z } from 'signalbox'

export const writeReport = defineTool({
  name: 'write_report',
  description: 'Writes the report of the day, which takes its time.',
  effect: 'read',
  queue: 'reports',
  timeoutMs: 10_000,
  input: z.object({}),
  run: (_, { signal }) => setTimeout(300, 'All is well.', { signal }),
})
