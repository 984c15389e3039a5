// What `npm start` in this repository serves: an agent without a key, to try the API with. `npx signalbox init` writes the same.
import { defineConfig, defineTool, z } from 'signalbox'

// What an agent may do. `effect` says what happens when a call is made twice: 'read' is harmless, 'idempotent' is
// the same as once under one key, and 'once' is never run again by itself.
const countWords = defineTool({
  name: 'count_words',
  description: 'Counts the words of a text.',
  effect: 'read',
  input: z.object({ text: z.string() }),
  run: ({ text }) => String(text.split(/\s+/).filter(Boolean).length),
})

export default defineConfig({
  agents: {
    assistant: {
      // A script plays the model, so that this works without a key. A real one:
      // model: { provider: 'openai-compatible', model: '…', baseURL: 'https://…/v1', apiKeyEnv: 'MY_API_KEY' },
      model: { provider: 'scripted', model: 'sample' },
      instructions: 'You answer questions about texts. Count words with the tool.',
      tools: ['count_words'],
    },
  },
  tools: [countWords],
  scripts: {
    sample: (prompt, turn) => {
      const question = prompt.findLast((message) => message.role === 'user')
      const text =
        question?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? ''
      if (turn === 0)
        return { text: 'Let me count.', calls: [{ name: 'count_words', args: { text } }] }
      const results = prompt.flatMap((message) => (message.role === 'tool' ? message.results : []))
      const [answer] = results.at(-1)?.output.content ?? []
      return { text: `Words in your message: ${answer?.type === 'text' ? answer.text : 'none'}.` }
    },
  },
})
