/** The filter of system calls, read as the kernel reads it: by an interpreter of its instructions (Documentation/networking/filter). */
import { describe, expect, it } from 'vitest'
import {
  refusedCalls,
  seccompProgram,
  unownedMemory,
} from '../../src/sandbox/bubblewrap/seccomp.ts'

const arches = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const
const killed = 'killed'

/** The answer of the program to a call: `allowed`, `killed`, or the number of an error. */
function verdictOf(
  program: Uint8Array,
  call: { readonly arch: number; readonly number: number; readonly argument?: number },
): 'allowed' | 'killed' | number {
  const bytes = Buffer.from(program)
  const data: Readonly<Record<number, number>> = {
    0: call.number,
    4: call.arch,
    16: call.argument ?? 0,
  }
  let accumulator = 0
  for (let at = 0; at < bytes.length / 8; at += 1) {
    const code = bytes.readUInt16LE(at * 8)
    const k = bytes.readUInt32LE(at * 8 + 4)
    const jump = (holds: boolean): void => {
      at += bytes.readUInt8(at * 8 + (holds ? 2 : 3))
    }
    if (code === 0x20) accumulator = data[k] ?? Number.NaN
    else if (code === 0x15) jump(accumulator === k)
    else if (code === 0x35) jump(accumulator >= k)
    else if (code === 0x45) jump((accumulator & k) !== 0)
    else if (code === 0x06) {
      if (k === 0x7fff_0000) return 'allowed'
      return k === 0x8000_0000 ? killed : k & 0xffff
    } else throw new Error(`an instruction that is none: ${code}`)
  }
  throw new Error('ran out of the program')
}

describe.each(['x64', 'arm64'] as const)('the filter of system calls on %s', (name) => {
  const arch = arches[name]
  const program = seccompProgram(name, { isMemoryBounded: false })
  const index = name === 'x64' ? 0 : 1

  it('refuses what it names with EPERM', () => {
    for (const [call, numbers] of Object.entries(refusedCalls))
      expect(verdictOf(program, { arch, number: numbers[index] }), call).toBe(1)
    expect(Object.keys(refusedCalls).length).toBeGreaterThan(20)
  })

  it('allows everyday calls', () => {
    // read, write, close, mmap, execve, exit_group, connect, futex, prlimit64: x64, and arm64.
    const everyday = {
      x64: [0, 1, 3, 9, 59, 231, 42, 202, 302],
      arm64: [63, 64, 57, 222, 221, 94, 203, 98, 261],
    }
    for (const number of everyday[name])
      expect(verdictOf(program, { arch, number })).toBe('allowed')
  })

  it('allows clone for threads and processes, refuses it for namespaces, and has no clone3', () => {
    const number = name === 'x64' ? 56 : 220
    const threads = 0x003d_0f00
    expect(verdictOf(program, { arch, number, argument: threads })).toBe('allowed')
    expect(verdictOf(program, { arch, number, argument: 17 })).toBe('allowed')
    for (const flag of [0x2_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000])
      expect(verdictOf(program, { arch, number, argument: flag | 17 })).toBe(1)
    expect(verdictOf(program, { arch, number: 435 })).toBe(38)
  })

  it('B3 allows sockets of the families that stay in a namespace, and no others', () => {
    const numbers = name === 'x64' ? [41, 53] : [198, 199]
    for (const number of numbers) {
      for (const argument of [1, 2, 10, 16])
        expect(verdictOf(program, { arch, number, argument })).toBe('allowed')
      // Among them AF_PACKET, AF_ALG, AF_VSOCK; families of no kernel yet.
      for (const argument of [0, 3, 9, 11, 15, 17, 29, 38, 40, 44, 1000])
        expect(verdictOf(program, { arch, number, argument })).toBe(97)
    }
  })

  it('B4 refuses memory that belongs to no process where nobody else bounds it', () => {
    const bounded = seccompProgram(name, { isMemoryBounded: true })
    for (const [call, numbers] of Object.entries(unownedMemory)) {
      expect(verdictOf(program, { arch, number: numbers[index] }), call).toBe(38)
      expect(verdictOf(bounded, { arch, number: numbers[index] }), call).toBe('allowed')
    }
  })

  it('kills what was built for another machine', () => {
    const all = [arches.x64, arches.arm64, 0x4000_0003, 0x4000_0028]
    const others = all.filter((other) => other !== arch)
    for (const other of others) expect(verdictOf(program, { arch: other, number: 1 })).toBe(killed)
  })
})

it('kills calls of x32', () => {
  const program = seccompProgram('x64', { isMemoryBounded: true })
  for (const number of [0x4000_0000, 0x4000_0000 + 59])
    expect(verdictOf(program, { arch: arches.x64, number })).toBe(killed)
})
