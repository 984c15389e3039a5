/** The floor of a stream: the HTTP server of Signalbox with nothing behind it, and an answer that stays open until it is told. */
import { listen } from '../../../packages/server/src/compose/listen.ts'
import { ownCpuMs } from '../messages.ts'
import { answering } from './answering.ts'
import { residentBytes } from './memory.ts'
import { ServerOrder, type ServerReport } from './messages.ts'

const open = new Set<ReadableStreamDefaultController<Uint8Array>>()
const event = new TextEncoder().encode('event: values\ndata: {"a":1}\n\n')

const app = {
  fetch: () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        open.add(controller)
        controller.enqueue(event)
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  },
}

answering(ServerOrder, async (order): Promise<ServerReport> => {
  const address = { host: '127.0.0.1', port: 0, keepAliveMs: 5_000 }
  const started = order.kind === 'start' ? await listen(app, address) : null
  const at = performance.timeOrigin + performance.now()
  if (order.kind === 'let-go') {
    for (const controller of open) {
      controller.enqueue(event)
      controller.close()
    }
    open.clear()
  }
  return {
    url: started?.url ?? '',
    residentBytes: order.kind === 'memory' ? await residentBytes() : 0,
    cpuMs: ownCpuMs(),
    at,
  }
})
