import { createHash } from 'node:crypto'

/** The namespace in which LangGraph's server derives the ids of its own assistants, so that theirs name the same here. */
const namespace = Buffer.from('6ba7b8219dad11d180b400c04fd430c8', 'hex')

/** The UUID (version 5) that stands for an agent's name. */
export function assistantUuid(name: string): string {
  const bytes = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [0, 8, 12, 16, 20].map((from, n) => hex.slice(from, [8, 12, 16, 20, 32][n])).join('-')
}
