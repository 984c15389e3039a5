/**
 * A chat server that never sends its end marker, with the command, a server and a model of its own process. Would catch: a run that ends
 * as interrupted while nobody is told of the option that helps; and a stream that drips and keeps a run alive for ever.
 */
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../test/contract/free-port.ts'
import { start } from './support/command.ts'
import { createFolder } from './support/folder.ts'

const chunk = (delta: object, finish_reason: string | null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
const secret = 'canary-of-the-unmarked'
const call = {
  index: 0,
  id: 'a',
  type: 'function',
  function: { name: 'greet', arguments: `{"who":"${secret}"}` },
}

/** A vendor whose streams end with their reason; under `/drip` a byte comes every tenth of a second, and no end. */
async function startVendor(): Promise<string> {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (request.url?.startsWith('/drip')) {
      const timer = setInterval(() => response.write(':'), 100)
      response.once('close', () => clearInterval(timer))
      return
    }
    request.resume()
    response.end(chunk({ tool_calls: [call] }, null) + chunk({}, 'tool_calls'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

const config = (vendor: string) => `import { defineConfig, defineTool, z } from 'signalbox'
const greet = defineTool({
  name: 'greet', description: 'Greets.', input: z.object({ who: z.string() }),
  run: () => { throw new Error('it ran') },
})
const model = { provider: 'openai-compatible', model: 'house', baseURL: '${vendor}/v1' }
export default defineConfig({
  agents: {
    plain: { model, tools: ['greet'] },
    drip: { model: { ...model, baseURL: '${vendor}/drip' }, tools: ['greet'], limits: { timeoutMs: 3000 } },
  },
  tools: [greet],
})
`

it('names the option in the event, in the log and on the terminal; a stream that drips ends with its run', async () => {
  const { dir, remove } = await createFolder()
  onTestFinished(remove)
  await writeFile(join(dir, 'signalbox.config.ts'), config(await startVendor()))
  const where = { cwd: dir, env: { PORT: String(await freePort()) } }
  const server = start(['serve'], where)
  await server.prints(/"msg":"serving"/)

  const run = await start(['run', 'Greet.', '--agent', 'plain'], where).ended
  expect(run.code).toBe(1)
  expect(run.stdout).toMatch(/turn\.cut .*model\.endMarker to "optional"/)

  const events = await start(['events', '--type', 'turn.cut', '--json'], where).ended
  const cuts = events.stdout.split('\n').filter((line) => line.includes('turn.cut'))
  expect(cuts.length).toBeGreaterThan(0)
  for (const line of cuts) {
    expect(line).toContain('"code":"end_marker_missing"')
    expect(line).toMatch(/set model\.endMarker to .{1,3}optional/)
  }

  const began = performance.now()
  const drip = await start(['run', 'Greet.', '--agent', 'drip'], where).ended
  expect(drip.stdout).toContain('timed_out')
  expect(performance.now() - began).toBeLessThan(60_000)

  server.child.kill('SIGTERM')
  const { stdout, stderr } = await server.ended
  const logged = (stdout + stderr).split('\n').filter((line) => line.includes('did not close'))
  expect(logged.length).toBeGreaterThan(0)
  for (const line of logged) expect(line).toMatch(/end_marker_missing.*model\.endMarker/)
  expect(run.stdout + events.stdout + stdout + stderr).not.toContain(secret)
})
