// An MCP server over standard input and output, without a library: each line is a message of JSON-RPC. Servers of your own would use an
// SDK of the Model Context Protocol; this one shows that there is nothing behind it but two streams.
import { createInterface } from 'node:readline'

const rates = { EUR: 1, USD: 1.25 }

const tools = [
  {
    name: 'exchange_rate',
    description: 'How many units of a currency one EUR is.',
    inputSchema: {
      type: 'object',
      properties: { currency: { type: 'string' } },
      required: ['currency'],
    },
    annotations: { readOnlyHint: true },
  },
]

const text = (words, isError = false) => ({ content: [{ type: 'text', text: words }], isError })

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'rates', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ arguments: { currency } = {} }) =>
    Object.hasOwn(rates, currency)
      ? text(String(rates[currency]))
      : text(`There is no rate of ${currency}.`, true),
}

const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line)
  // A message without an id is a notification, and gets no answer.
  if (id === undefined) return
  const answer = methods[method]
  if (answer) send({ id, result: answer(params) })
  else send({ id, error: { code: -32601, message: `There is no method ${method}.` } })
})
