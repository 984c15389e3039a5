/** The network of a sandbox with an allow-list: the proxy of the worker, and what the sandbox needs to reach it. */
import { chmod, chown } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SandboxEgress } from '@signalbox/core'
import { type Admits, EgressProxy } from '../egress/proxy.ts'
import type { EgressRules } from '../sandbox.ts'
import type { Slot } from './slots.ts'

/** Of a program that looks for its proxy in variables. */
const port = 3128
const proxy = `http://127.0.0.1:${port}`

const extension = extname(import.meta.url)
const relay = fileURLToPath(new URL(`../egress/relay-main${extension}`, import.meta.url))
const inside = {
  node: '/run/node',
  // It lies alone in there, without the package that would say what kind of module it is.
  relay: extension === '.ts' ? '/run/relay.mts' : '/run/relay.mjs',
  socket: '/run/egress',
} as const

/** Threads of the relay count as processes of the sandbox. */
export const relayProcesses = 24

/** A way out, while its call lasts. */
export interface WayOut {
  /** Options of bwrap, and what stands before the command. */
  readonly more: readonly string[]
  readonly before: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly report: () => readonly SandboxEgress[]
  readonly close: () => Promise<void>
}

/** Opens the proxy of a call in its slot. */
export async function openWayOut(rules: EgressRules, slot: Slot, admits?: Admits): Promise<WayOut> {
  const server = new EgressProxy(rules, admits)
  const socket = join(slot.directory, 'egress')
  await server.listen(socket)
  await chmod(socket, 0o600)
  if (slot.uid !== null) await chown(socket, slot.uid, slot.uid)
  const names = ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']
  return {
    more: [
      ['--ro-bind', process.execPath, inside.node, '--ro-bind', relay, inside.relay],
      ['--bind', socket, inside.socket],
    ].flat(),
    before: [inside.node, inside.relay, inside.socket, String(port)],
    env: Object.fromEntries(names.map((name) => [name, proxy])),
    report: () => server.report(),
    close: () => server.close(),
  }
}
