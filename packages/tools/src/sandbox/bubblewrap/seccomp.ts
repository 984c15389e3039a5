/**
 * The system calls that nothing in a sandbox may make, as a program for the kernel's filter (classic BPF).
 *
 * B1 A call of a foreign architecture ends the process: its numbers mean other calls.
 * B2 What is not named is allowed. It is the second fence: the first is that there is nothing to reach.
 * B3 Sockets are of the families that a namespace of the network divides. Others reach past it: `vsock` the machine around
 *    this one, `alg` the drivers of the kernel.
 * B4 Where no control group bounds memory, there is none but that of processes: what belongs to no process is refused.
 *
 * Numbers: `arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h` of Linux.
 */

/** Architectures with a program: those of Node's builds for Linux on 64 bits. */
export type SeccompArch = 'x64' | 'arm64'

/** By name: the number on x64, and on arm64. */
export const refusedCalls: Readonly<Record<string, readonly [x64: number, arm64: number]>> = {
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  open_by_handle_at: [304, 265],
  acct: [163, 89],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  quotactl: [179, 60],
  /** The log of the kernel, which names this machine and what happens on it. */
  syslog: [103, 116],
  pidfd_getfd: [438, 438],
}

/** Memory that is in no process's own size, so that a limit of it does not count. */
export const unownedMemory: Readonly<Record<string, readonly [x64: number, arm64: number]>> = {
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  shmget: [29, 194],
}

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: the last is how programs ask for the addresses of their own namespace. */
const families = [1, 2, 10, 16] as const
const sockets = {
  x64: { socket: 41, socketpair: 53 },
  arm64: { socket: 198, socketpair: 199 },
} as const

const clone = { x64: 56, arm64: 220 } as const
/** Its flags are in memory, where a filter cannot look: libraries fall back to `clone` where it does not exist. */
const clone3 = 435
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const newNamespaces = 0x7e02_0000

const auditArch = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const
/** Calls of x32 have this bit in their number. */
const x32 = 0x4000_0000

const load = 0x20
const ifEqual = 0x15
const ifAtLeast = 0x35
const ifAnyBit = 0x45
const answer = 0x06
/** Places in `struct seccomp_data`: the number, the architecture, the low half of the first argument. */
const at = { number: 0, arch: 4, firstArgument: 16 } as const
const allow = 0x7fff_0000
const killProcess = 0x8000_0000
const errno = (code: number): number => 0x0005_0000 | code
const operationNotPermitted = errno(1)
const notImplemented = errno(38)
const noSuchFamily = errno(97)

interface Instruction {
  readonly code: number
  readonly ifTrue: number
  readonly ifFalse: number
  readonly k: number
}

/**
 * The program as `struct sock_filter[]`, little-endian, as `bwrap --seccomp` reads it. `isMemoryBounded`: by a control group,
 * which counts all of it.
 */
export function seccompProgram(
  arch: SeccompArch,
  { isMemoryBounded }: { readonly isMemoryBounded: boolean },
): Uint8Array {
  const index = arch === 'x64' ? 0 : 1
  const refused = Object.values(refusedCalls).map((numbers) => numbers[index])
  const unowned = isMemoryBounded
    ? []
    : Object.values(unownedMemory).map((numbers) => numbers[index])
  const instructions = [
    step(load, at.arch),
    // Of this architecture: over the kill.
    jump(ifEqual, auditArch[arch], { ifTrue: 1, ifFalse: 0 }),
    step(answer, killProcess),
    step(load, at.number),
    ...(arch === 'x64' ? skipUnless(ifAtLeast, x32, killProcess) : []),
    ...refused.flatMap((number) => skipUnless(ifEqual, number, operationNotPermitted)),
    ...[...unowned, clone3].flatMap((number) => skipUnless(ifEqual, number, notImplemented)),
    ...Object.values(sockets[arch]).flatMap(ofFamilies),
    jump(ifEqual, clone[arch], { ifTrue: 0, ifFalse: 3 }),
    step(load, at.firstArgument),
    ...skipUnless(ifAnyBit, newNamespaces, operationNotPermitted),
    step(answer, allow),
  ]
  const bytes = Buffer.alloc(instructions.length * 8)
  instructions.forEach(({ code, ifTrue, ifFalse, k }, n) => {
    bytes.writeUInt16LE(code, n * 8)
    bytes.writeUInt8(ifTrue, n * 8 + 2)
    bytes.writeUInt8(ifFalse, n * 8 + 3)
    bytes.writeUInt32LE(k >>> 0, n * 8 + 4)
  })
  return bytes
}

/** The architecture of this process, null if there is no program for it. */
export const seccompArch = (): SeccompArch | null =>
  process.arch === 'x64' || process.arch === 'arm64' ? process.arch : null

const step = (code: number, k: number): Instruction => ({ code, ifTrue: 0, ifFalse: 0, k })

const jump = (
  code: number,
  k: number,
  over: { readonly ifTrue: number; readonly ifFalse: number },
): Instruction => ({ code, k, ...over })

/** Allows the call if its first argument is one of the families, else answers that there is no such. */
const ofFamilies = (number: number): readonly Instruction[] => [
  jump(ifEqual, number, { ifTrue: 0, ifFalse: families.length + 3 }),
  step(load, at.firstArgument),
  ...families.map((family, n) =>
    jump(ifEqual, family, { ifTrue: families.length - n, ifFalse: 0 }),
  ),
  step(answer, noSuchFamily),
  step(answer, allow),
]

/** Answers if the condition holds. */
const skipUnless = (code: number, k: number, verdict: number): readonly Instruction[] => [
  jump(code, k, { ifTrue: 0, ifFalse: 1 }),
  step(answer, verdict),
]
