/** A project with tools of its own, for the tests of the deployment: one that charges, one that is slow, and an MCP server. */
import { defineConfig } from 'signalbox'
import { chargeCard } from './tools/charge-card.ts'
import { lookAround } from './tools/look-around.ts'
import { writeReport } from './tools/write-report.ts'

export default defineConfig({
  agents: {
    clerk: {
      // A script plays the model. It has a key all the same, as a real one would.
      model: { provider: 'scripted', model: 'clerk', apiKeyEnv: 'CLERK_MODEL_KEY' },
      instructions: 'You run a shop.',
      tools: ['charge_card', 'write_report', 'look_around', 'mcp:desk'],
    },
  },
  tools: [chargeCard, writeReport, lookAround],
  mcpServers: {
    desk: {
      command: 'node',
      args: ['mcp/desk.mjs'],
      env: { SHOP_FOLDER: '${SHOP_FOLDER}', DESK_TOKEN: '${DESK_TOKEN:-none}' },
      trustHints: true,
    },
  },
  queues: { payments: { concurrency: 1 }, reports: { concurrency: 1 } },
  scripts: {
    // Calls the tools that the message names, separated by blanks, all in one turn.
    clerk: (prompt, turn) => {
      if (turn > 0) return { text: 'Done.' }
      const asked = prompt.findLast((message) => message.role === 'user')
      const text =
        asked?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? ''
      const calls = text
        .split(' ')
        .map((name) => ({ name, args: name === 'charge_card' ? { amount: 5 } : {} }))
      return { calls }
    },
  },
})
