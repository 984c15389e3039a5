/**
 * Does a text look like a path, an address or a recipient? It decides about arguments that nobody declared, so it errs to
 * both sides: a path that is one word is not seen, and a word with a slash in it may be none.
 */
import { getPublicSuffix } from 'tldts'
import type { JudgedKind } from '@signalbox/core'
import { parseIpv4, parseIpv6 } from '../web/ip.ts'

/** The kinds of thing that a text may look like. */
export type LooksLike = Extract<JudgedKind, 'path' | 'url' | 'host' | 'recipient' | 'command'>

const schemes =
  /^(?:blob|data|file|filesystem|ftps?|git|https?|javascript|jar|jdbc|ldaps?|news|s3|gs|sftp|smb|ssh|svn|tel|vbscript|view-source|wss?):\S/i
const mail = /^[^\s@/:<>]+@[^\s@/:<>]*(?:\.[a-z]{2,}|\.xn--[a-z0-9-]+)\.?$/iu
/** Where an address begins with it, whatever follows is its path. */
const paths = /^(?:[\\/]|\.{1,2}(?:[\\/]|$)|[a-z]:[\\/])|(?:^|[\\/])\.\.(?:[\\/]|$)/i
const home = /^~(?!\d+$)[\w.-]*(?:[\\/]|$)/
const encoded = /%(?:2f|5c|2e%?2e)/i
const pairs =
  /^(?:n\/a|w\/o|c\/o|i\/o|y\/n|a\/b|and\/or|yes\/no|on\/off|true\/false|tcp\/ip|km\/h|m\/s)$/i

/** The kind of thing that the text looks like; null if it looks like none. */
export function lookOf(text: string): LooksLike | null {
  // Readers of addresses drop line ends and tabs, wherever they stand, and spaces around.
  const bare = text.replaceAll(/[\t\n\r]/g, '').trim()
  if (bare === '' || isBase64(bare)) return null
  const isLines = text.trim().length > bare.length
  const isWord = !/\s/.test(bare)
  if ((!isLines || isWord) && isAddress(bare)) return 'url'
  if (isLines) return null
  if (isMail(bare)) return 'recipient'
  if (isWord && isHost(bare)) return 'host'
  return isPath(bare, isWord) ? 'path' : null
}

const isAddress = (text: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ||
  schemes.test(text) ||
  // `git@host:path`, as ssh and scp read it.
  /^[\w.-]+@[\w.-]+:\S+$/.test(text)

const isMail = (text: string): boolean =>
  /^mailto:\S/i.test(text) ||
  /<[^\s<>@]+@[^\s<>@]+>$/.test(text) ||
  text.split(/[\s,;]+/).every((each) => each === '' || mail.test(each))

function isHost(text: string): boolean {
  if (parseIpv6(text.replace(/^\[(.*)\]$/, '$1')) !== null) return true
  const match = /^(.+?)(:\d{1,5})?(?:\/.*)?$/.exec(text)
  const name = match?.[1] ?? ''
  if (name.split('.').length === 4 && parseIpv4(name) !== null) return true
  return (
    match?.[2] !== undefined &&
    (/^\[[0-9a-f:.]+\]$/i.test(name) || /^(?=.*[a-z])[\w-]+(?:\.[\w-]+)*\.?$/i.test(name))
  )
}

/** A name of a host, as a word: `example.com`. Names of files look the same, so that the name of the argument must say it. */
export const isHostName = (text: string): boolean =>
  /^[\w-]+(?:\.[\w-]+)+\.?$/.test(text) && getPublicSuffix(text) !== null

function isPath(text: string, isWord: boolean): boolean {
  if (paths.test(text) || home.test(text)) return true
  if (!isWord) return false
  if (encoded.test(text)) return true
  if (!/[\\/]/.test(text) || pairs.test(text) || /^\d+(?:\/\d+){1,2}$/.test(text)) return false
  // Sentences of scripts without spaces, and words before a comma.
  return !/[\u3000-\u303f\uff00-\uff0f\uff1a-\uff20]|[,;:!?]$/u.test(text)
}

/** Data: long, of one alphabet, and with few slashes. A path of that kind would have to be very deep. */
const isBase64 = (text: string): boolean =>
  text.length >= 100 &&
  /^[A-Za-z0-9+/]+={0,2}$/.test(text) &&
  text.replaceAll(/[^/]/g, '').length * 10 <= text.length
