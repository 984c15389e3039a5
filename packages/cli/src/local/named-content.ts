/**
 * Contents that events name and do not hold: long texts and files, stored under an HMAC of their bytes with the key of their thread.
 *
 * N1 Only what our own schemas say is read: a tool may call anything in its arguments a blob.
 * N2 What a webhook is told at is secret: it is verified where the database is, and never exported.
 */
import { createHmac } from 'node:crypto'
import { factSchemas, FileChanges, FileManifest } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { at, listAt } from '@signalbox/core/text'

/** `manifest`: a list of files that names more. `secret`: an address of a webhook. */
export type NamedAs = 'content' | 'manifest' | 'secret'

/** A content that an event names. */
export interface NamedContent {
  readonly key: string
  readonly as: NamedAs
}

/** Everything that an event names. */
export function contentsOf({ type, payload }: StoredEvent): readonly NamedContent[] {
  const messages = [
    ...listAt(payload, 'input'),
    ...listAt(payload, 'history'),
    ...listAt(payload, 'messages'),
    ...listAt(payload, 'edit', 'messages'),
    at(payload, 'turn', 'message'),
  ]
  const parts = [
    ...messages.flatMap((message) => listAt(message, 'parts')),
    ...listAt(payload, 'output', 'content'),
    ...listAt(payload, 'skills').flatMap((skill) => listAt(skill, 'body')),
  ]
  const long = parts.filter((part) => at(part, 'type') === 'blob').map((part) => at(part, 'key'))
  const told = type === 'run.created' ? toldAt(payload) : []
  return [...long.flatMap((key) => named(key, 'content')), ...filesOf(payload['files']), ...told]
}

/** The files of a manifest. */
export function filesOfManifest(manifest: Uint8Array): readonly NamedContent[] {
  try {
    return filesOf(FileManifest.parse(JSON.parse(Buffer.from(manifest).toString('utf8'))))
  } catch {
    // Its bytes are what they were: then it was never a list.
    return []
  }
}

/** Are these the bytes that the key was made of? `threadKey` is hex. */
export const isNamedContent = (key: string, bytes: Uint8Array, threadKey: string): boolean =>
  createHmac('sha256', Buffer.from(threadKey, 'hex')).update(bytes).digest('hex') === key

function filesOf(files: unknown): readonly NamedContent[] {
  const said = FileChanges.safeParse(files)
  if (!said.success) return []
  if (!Array.isArray(said.data)) return named(said.data.manifest, 'manifest')
  return said.data.flatMap(({ key, edit }) => [
    ...named(key, 'content'),
    ...named(edit?.key, 'content'),
  ])
}

function toldAt(payload: StoredEvent['payload']): readonly NamedContent[] {
  const created = factSchemas['run.created'].safeParse(payload)
  return (created.data?.webhooks ?? []).flatMap(({ key }) => named(key, 'secret'))
}

const named = (key: unknown, as: NamedAs): readonly NamedContent[] =>
  typeof key === 'string' ? [{ key, as }] : []
