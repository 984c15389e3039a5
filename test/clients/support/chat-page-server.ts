/** The chat pages of `chat-page/`, built by vite and served from a port of their own: another origin than the server's. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { build } from 'vite'

/** Something that listens. */
export interface Site {
  readonly url: string
  readonly close: () => Promise<void>
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

/** Builds the pages and serves them. */
export async function servePage(): Promise<Site> {
  const root = join(import.meta.dirname, '../chat-page')
  const dir = await mkdtemp(join(tmpdir(), 'signalbox-page-'))
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: {
      outDir: dir,
      emptyOutDir: true,
      minify: false,
      reportCompressedSize: false,
      rolldownOptions: { input: ['index.html', 'ai.html'].map((name) => join(root, name)) },
    },
  })
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://page')
    const file = pathname === '/' ? '/index.html' : pathname
    readFile(join(dir, file)).then(
      (body) =>
        response.writeHead(200, { 'content-type': types[extname(file)] ?? 'text/plain' }).end(body),
      () => response.writeHead(404).end(),
    )
  })
  const url = await listen(server)
  return {
    url,
    close: async () => {
      await close(server)
      await rm(dir, { recursive: true, force: true })
    },
  }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return `http://127.0.0.1:${isAddress(address) ? address.port : 0}`
}

const isAddress = (address: ReturnType<Server['address']>): address is AddressInfo =>
  typeof address === 'object' && address !== null

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
