/**
 * Turns whatever a tool returned into JSON that the register can hold.
 *
 * S1 Never throws, whatever getters, proxies and `toJSON` methods do.
 * S2 Never nests deeper than `limits.jsonDepthMax`, never visits more than `nodesMax` values.
 * S3 Keeps at most `bytesMax` bytes of text and numbers; what is left out is counted.
 */
import { limits, type Json } from '@signalbox/core'
import { cleanText, cutText, textBytes } from './text.ts'

const nodesMax = 1_000_000
/** Assigning these to an object would change its prototype or shadow its constructor. */
const unsafeKeys = new Set(['__proto__', 'constructor', 'prototype'])

/** JSON made of a value. `dropped` counts bytes left out; `more` says that there was more than could be counted. */
export interface Sanitised {
  readonly value: Json
  readonly dropped: number
  readonly more: boolean
}

interface Walk {
  left: number
  nodesLeft: number
  dropped: number
  more: boolean
  readonly open: Set<object>
}

/** JSON made of any value, within `bytesMax` bytes. */
export function sanitise(value: unknown, bytesMax: number = limits.toolResultBytesMax): Sanitised {
  const walk: Walk = {
    left: bytesMax,
    nodesLeft: nodesMax,
    dropped: 0,
    more: false,
    open: new Set(),
  }
  const json = visit(value, 0, walk) ?? null
  return { value: json, dropped: walk.dropped, more: walk.more }
}

/** Undefined means: leave it out, as JSON does with functions. */
function visit(value: unknown, depth: number, walk: Walk): Json | undefined {
  if (walk.nodesLeft-- <= 0) {
    walk.more = true
    return undefined
  }
  switch (typeof value) {
    case 'string':
      return takeText(value, walk)
    case 'number':
      return take(8, walk) && Number.isFinite(value) ? value : null
    case 'boolean':
      return take(5, walk) ? value : null
    case 'bigint':
      return takeText(value.toString(), walk)
    case 'object':
      return value === null ? null : visitObject(value, depth, walk)
    case 'undefined':
    case 'function':
    case 'symbol':
      return undefined
  }
}

function visitObject(object: object, depth: number, walk: Walk): Json | undefined {
  if (walk.open.has(object)) return '[circular]'
  if (depth >= limits.jsonDepthMax) return '[nested too deep]'
  walk.open.add(object)
  try {
    return visitContents(object, depth, walk)
  } catch {
    // A getter, a proxy or a toJSON method threw: the rest of the result is still worth having.
    return '[unreadable]'
  } finally {
    walk.open.delete(object)
  }
}

function visitContents(object: object, depth: number, walk: Walk): Json | undefined {
  if (object instanceof Error) return takeText(`${object.name}: ${object.message}`, walk)
  if (ArrayBuffer.isView(object)) return takeText(`[${object.byteLength} bytes]`, walk)
  if (object instanceof ArrayBuffer) return takeText(`[${object.byteLength} bytes]`, walk)
  if ('toJSON' in object && typeof object.toJSON === 'function') {
    return visit(object.toJSON(''), depth + 1, walk)
  }
  if (Array.isArray(object)) return visitList(object, depth, walk)
  if (object instanceof Set) return visitList(object, depth, walk)
  if (object instanceof Map) return visitEntries(object.entries(), depth, walk)
  return visitEntries(ownEntries(object), depth, walk)
}

/** Lazily, so that a getter behind the budget is not even called. */
function* ownEntries(object: object): Generator<[string, unknown]> {
  for (const key of Object.keys(object)) yield [key, Reflect.get(object, key)]
}

function visitList(items: Iterable<unknown>, depth: number, walk: Walk): Json {
  const list: Json[] = []
  for (const item of items) {
    if (walk.more) break
    const cut = walk.left <= 0
    const json = visit(item, depth + 1, walk)
    if (!cut) list.push(json ?? null)
  }
  return list
}

function visitEntries(entries: Iterable<[unknown, unknown]>, depth: number, walk: Walk): Json {
  const record: Record<string, Json> = {}
  for (const [name, item] of entries) {
    if (walk.more) break
    const key = cleanText(String(name))
    if (unsafeKeys.has(key)) continue
    const cut = !take(textBytes(key), walk)
    const json = visit(item, depth + 1, walk)
    if (!cut && json !== undefined) record[key] = json
  }
  return record
}

function take(bytes: number, walk: Walk): boolean {
  if (bytes <= walk.left) {
    walk.left -= bytes
    return true
  }
  walk.left = 0
  walk.dropped += bytes
  return false
}

function takeText(text: string, walk: Walk): string {
  const cut = cutText(text, walk.left)
  walk.left = cut.dropped > 0 ? 0 : walk.left - textBytes(cut.text)
  walk.dropped += cut.dropped
  return cleanText(cut.text)
}
