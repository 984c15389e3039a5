/** What a command in a sandbox came to, as the event of its call keeps it: numbers and words, nothing that the command wrote. */
import { z } from 'zod'
import { limits } from './limits.ts'

/**
 * Why a command ended. `exited`: by itself, with any exit code; only then files are kept. All others were stopped: by the
 * clock, by a cancel, for too much output, memory or processor time; `lost`: the sandbox itself failed.
 */
export const SandboxEnd = z.enum([
  'exited',
  'timeout',
  'cancelled',
  'output',
  'memory',
  'cpu',
  'lost',
])

/** A host that a command asked the egress proxy for. */
export const SandboxEgress = z.object({
  host: z.string().max(limits.idCharsMax),
  requests: z.number().int().min(1),
  /** Through the proxy, both ways. */
  bytes: z.number().int().min(0),
  verdict: z.enum(['allowed', 'refused']),
})

/** How a command was executed. Times are milliseconds; null: this adapter cannot measure it. */
export const SandboxReport = z.object({
  adapter: z.string().max(limits.idCharsMax),
  exitCode: z.number().int().nullable(),
  signal: z.string().max(32).nullable(),
  ended: SandboxEnd,
  wallMs: z.number().int().min(0),
  cpuMs: z.number().int().min(0).nullable(),
  maxRssBytes: z.number().int().min(0).nullable(),
  outputBytes: z.number().int().min(0),
  egress: z.array(SandboxEgress).max(limits.egressHostsMax),
})

export type SandboxEnd = z.infer<typeof SandboxEnd>
export type SandboxEgress = z.infer<typeof SandboxEgress>
export type SandboxReport = z.infer<typeof SandboxReport>
