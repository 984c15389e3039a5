/** What `init` writes. Erasable TypeScript only: Node reads it without a build. */
import type { ProviderChoice } from './providers.ts'

/** The TypeScript configuration: with a script in the place of the model, or with a real one. */
export const tsConfig = (choice: ProviderChoice | null): string =>
  `import { defineConfig, defineTool, z } from 'signalbox'

// What an agent may do. \`effect\` says what happens when a call is made twice: 'read' is harmless, 'idempotent' is
// the same as once under one key, and 'once' is never run again by itself.
const countWords = defineTool({
  name: 'count_words',
  description: 'Counts the words of a text.',
  effect: 'read',
  input: z.object({ text: z.string() }),
  run: ({ text }) => String(text.split(/\\s+/).filter(Boolean).length),
})

export default defineConfig({
  agents: {
    assistant: {
${choice === null ? scriptedModel : realModel(choice)}
      instructions: 'You answer questions about texts. Count words with the tool.',
      tools: ['count_words'],
      guardrails: {
        // Judges what the model says while it says it: e-mail addresses and the like are taken out.
        stream: ['pii'],
        // Who may call what. Test it with: npx signalbox policy test <file>
        // provider: { use: 'allowlist', allowedTools: ['count_words'] },
        // What a human must approve, call by call: npx signalbox approvals
        // approvalTools: ['count_words'],
      },
    },
  },
  tools: [countWords],
${choice === null ? scripts : ''}})
`

const scriptedModel = `      // A script plays the model, so that this works without a key. A real one:
      // model: { provider: 'openai', model: 'gpt-5.4-mini', apiKeyEnv: 'OPENAI_API_KEY' },
      model: { provider: 'scripted', model: 'sample' },`

const scripts = `  scripts: {
    sample: (prompt, turn) => {
      const question = prompt.findLast((message) => message.role === 'user')
      const text = question?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? ''
      if (turn === 0) return { text: 'Let me count.', calls: [{ name: 'count_words', args: { text } }] }
      const results = prompt.flatMap((message) => (message.role === 'tool' ? message.results : []))
      const [answer] = results.at(-1)?.output.content ?? []
      return { text: \`Words in your message: \${answer?.type === 'text' ? answer.text : 'none'}.\` }
    },
  },
`

const realModel = ({ model }: ProviderChoice): string =>
  `      model: { ${Object.entries(model)
    .map(([key, value]) => `${key}: '${value}'`)
    .join(', ')} },`

/** Where an editor finds what a JSON configuration may hold, in a project that has installed the package. */
const schema = './node_modules/signalbox/config.schema.json'

/** JSON holds no functions, so neither scripts nor tools: a model of one's own machine needs no key either. */
export const jsonConfig = ({ model }: ProviderChoice): string =>
  `${JSON.stringify(
    {
      $schema: schema,
      agents: { assistant: { model, instructions: 'You are a helpful assistant.' } },
    },
    null,
    2,
  )}
`

/** The variables that the configuration names, for the file `.env`. */
export const envExample = (key: string, keysAt: string): string =>
  `# Copy this file to .env, which git ignores. A key is made at ${keysAt}
${key}=
`
