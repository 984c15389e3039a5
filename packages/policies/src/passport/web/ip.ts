/** IP addresses in all the spellings that programs accept, and which of them lead into private networks. */

/** Four bytes of an IPv4 address; null if it is none. Parts may be decimal, octal or hex, and fewer than four. */
export function parseIpv4(text: string): readonly [number, number, number, number] | null {
  const parts = text.split('.')
  if (parts.length > 4) return null
  const numbers = parts.map(numberOf)
  const last = numbers.at(-1)
  const front = numbers.slice(0, -1)
  if (last === undefined || last === null || last >= 256 ** (5 - numbers.length)) return null
  let value = last
  for (const [at, each] of front.entries()) {
    if (each === null || each > 255) return null
    value += each * 256 ** (3 - at)
  }
  return bytesOf(value)
}

const bytesOf = (value: number): readonly [number, number, number, number] => [
  Math.floor(value / 2 ** 24),
  Math.floor(value / 2 ** 16) % 256,
  Math.floor(value / 2 ** 8) % 256,
  value % 256,
]

function numberOf(part: string): number | null {
  if (/^0x[0-9a-f]{0,8}$/i.test(part)) return part.length === 2 ? 0 : Number.parseInt(part, 16)
  if (/^0[0-7]{1,11}$/.test(part)) return Number.parseInt(part, 8)
  return /^(?:0|[1-9]\d{0,9})$/.test(part) ? Number(part) : null
}

/** Eight parts of an IPv6 address; null if it is none. It may end in an IPv4 address; it may not name a zone. */
export function parseIpv6(text: string): readonly number[] | null {
  if (!/^[0-9a-f:.]{2,45}$/i.test(text)) return null
  const halves = text.split('::')
  if (halves.length > 2) return null
  const parts = halves.map((half) => partsOf(half))
  const [head, tail] = parts
  if (!head || tail === null) return null
  const missing = 8 - head.length - (tail?.length ?? 0)
  if (halves.length === 1) return missing === 0 ? head : null
  return missing < 1
    ? null
    : [...head, ...Array.from({ length: missing }, () => 0), ...(tail ?? [])]
}

function partsOf(half: string): readonly number[] | null {
  if (half === '') return []
  const parts: number[] = []
  const words = half.split(':')
  for (const [at, word] of words.entries()) {
    if (word.includes('.')) {
      const ipv4 = at === words.length - 1 && /^[\d.]+$/.test(word) ? parseIpv4(word) : null
      if (!ipv4) return null
      parts.push(ipv4[0] * 256 + ipv4[1], ipv4[2] * 256 + ipv4[3])
    } else if (/^[0-9a-f]{1,4}$/i.test(word)) parts.push(Number.parseInt(word, 16))
    else return null
  }
  return parts
}

const privateIpv4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]

const valueOf = (bytes: readonly number[]): number =>
  bytes.reduce((value, byte) => value * 256 + byte, 0)

/** Is the address private, loopback, link-local, shared, reserved or multicast? */
export function isPrivateIpv4(bytes: readonly number[]): boolean {
  const value = valueOf(bytes)
  return privateIpv4.some(([base, bits]) => {
    const size = 2 ** (32 - bits)
    return Math.floor(value / size) === Math.floor(valueOf(parseIpv4(base) ?? []) / size)
  })
}

/** The same for IPv6, addresses that carry an IPv4 address included. */
export function isPrivateIpv6(parts: readonly number[]): boolean {
  const [first = 0, second = 0] = parts
  const low = parts.slice(0, 6).every((part) => part === 0)
  const mapped = parts.slice(0, 4).every((part) => part === 0)
  const carried = (at: number): boolean =>
    isPrivateIpv4([parts[at], parts[at + 1]].flatMap((part = 0) => [part >> 8, part & 255]))
  // ::, ::1 and everything else below ::/32 that is not mapped IPv4: nothing public lives there.
  if (low) return true
  // Mapped (::ffff:0:0/96) and translated (::ffff:0:0:0/96).
  if (mapped && (parts[5] === 0xffff || parts[4] === 0xffff)) return carried(6)
  // NAT64, 6to4, Teredo.
  if (first === 0x64 && second === 0xff9b) return parts[2] === 1 || carried(6)
  if (first === 0x2002) return carried(1)
  if (first === 0x2001 && second === 0) return true
  // Only 2000::/3 is handed out; of it, 2001:db8::/32 is for documents.
  return first >> 13 !== 1 || (first === 0x2001 && second === 0xdb8)
}
