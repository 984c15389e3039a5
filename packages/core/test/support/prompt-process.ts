/** A process of its own that builds prompts: a log per line on its input, the SHA-256 of the prompt per line on its output. */
import { createInterface } from 'node:readline'
import { promptHash } from './prompt-hash.ts'

for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${promptHash(JSON.parse(line))}\n`)
