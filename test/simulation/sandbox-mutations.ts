/** Safety lines of the sandbox and of the tool `bash`: each is guarded by a test of theirs. */
import type { GuardingTest, Mutation } from './mutations.ts'

const sandbox = (file: string): string => `packages/tools/src/sandbox/${file}`
const tested = (file: string, name: string): GuardingTest => ({
  file: `packages/tools/test/sandbox/${file}.test.ts`,
  name,
})

export const sandboxMutations: readonly Mutation[] = [
  {
    name: 'a lost attempt of a command may have changed something (B3)',
    file: 'packages/engine/src/perform/tool-call.ts',
    line: 'return tools.some(({ name, contained }) => name === effect.tool && contained === true)',
    becomes: 'return false',
    test: {
      file: 'packages/engine/test/current-policies.test.ts',
      name: 'left nothing when it was lost',
    },
  },
  {
    name: 'a file that cannot be read is one that is gone (V4)',
    file: sandbox('virtual/virtual-sandboxes.ts'),
    line: 'const bytes = await this.#request.files.read(path)',
    becomes: 'const bytes = await this.#request.files.read(path).catch(() => null)',
    test: tested('virtual', 'a file that cannot be read, not for now'),
  },
  {
    name: 'the time of a script goes on while it waits for a file (V4)',
    file: sandbox('virtual/virtual-sandboxes.ts'),
    line: 'clock.without(this.#answer(heard))',
    becomes: 'this.#answer(heard)',
    test: tested('virtual', 'a file that comes late'),
  },
  {
    name: 'a worker ends before its sandboxes are closed',
    file: sandbox('virtual/virtual-process.ts'),
    line: '    this.#child.ref()\n    this.#child.kill',
    becomes: '    this.#child.kill',
    test: tested('virtual', 'a worker with nothing else to do'),
  },
  {
    name: 'a file that a tool asks for in an outage is lost',
    file: 'packages/engine/src/record/patience.ts',
    line: '=> AsyncLocalStorage.bind(ask)',
    becomes: '=> ask',
    test: {
      file: 'packages/engine/test/outage.test.ts',
      name: 'out of a handler that is none of its own',
    },
  },
  {
    name: 'bash with a network is repeated like one without',
    file: sandbox('bash-tool.ts'),
    line: "network.kind === 'none' && snapshots ? 'idempotent' : 'once'",
    becomes: "network.kind === 'none' || snapshots ? 'idempotent' : 'once'",
    test: tested('bash-tool', 'is once with a network, which virtual does not have'),
  },
  {
    name: 'a sandbox has sockets of all families (B3 of the filter)',
    file: sandbox('bubblewrap/seccomp.ts'),
    line: '  step(answer, noSuchFamily),\n',
    becomes: '  step(answer, allow),\n',
    test: tested('seccomp', 'B3 allows sockets of the families'),
  },
  {
    name: 'memory that belongs to no process is not refused (B4 of the filter)',
    file: sandbox('bubblewrap/seccomp.ts'),
    line: '...[...unowned, clone3].flatMap(',
    becomes: '...[clone3].flatMap(',
    test: tested('seccomp', 'B4 refuses memory that belongs to no process'),
  },
  {
    name: 'what hides a project hides the programs',
    file: sandbox('bubblewrap/hidden.ts'),
    line: '    .filter((path) => !shown.some((each) => isWithin(each, path)))\n',
    becomes: '',
    test: tested('hidden', 'never holds programs or libraries'),
  },
  {
    name: 'files without a name fill the disk unseen (D2)',
    file: sandbox('bubblewrap/disk-watch.ts'),
    line: '      size.bytes += file.blocks * blockBytes\n',
    becomes: '',
    test: tested('disk-watch', 'counts files that have no name any more'),
  },
  {
    name: 'directories that may not be read are not looked at',
    file: sandbox('bubblewrap/disk-watch.ts'),
    line: '    return lstatSync(path).blocks * blockBytes\n',
    becomes: '    return lstatSync(path).isFile() ? 0 : 1\n',
    test: tested('disk-watch', 'counts below names that are no text'),
  },
  {
    name: 'the body of a request is read as another one (E5)',
    file: sandbox('egress/proxy.ts'),
    line: "      headers['transfer-encoding'] = 'chunked'\n",
    becomes: '',
    test: tested('egress', 'E5 what comes as the body of a request'),
  },
  {
    name: 'connections of the egress proxy are shared (E5)',
    file: sandbox('egress/proxy.ts'),
    line: '      agent: false,\n',
    becomes: '',
    test: tested('egress', 'E5 every request has a connection of its own'),
  },
  {
    name: 'a name of the allow-list may lead inward (E1)',
    file: sandbox('egress/proxy.ts'),
    line: '!found.every(({ address }) => this.#admits(address))',
    becomes: '!found.every(({ address }) => address !== host)',
    test: tested('egress', 'a name of the list that leads inward'),
  },
  {
    name: 'a process is found by a part of a mark (K2)',
    file: sandbox('bubblewrap/marked.ts'),
    line: 'word.startsWith(mark)',
    becomes: 'word.includes(mark)',
    test: tested('marked', 'K2 are ended, all of them, and nobody else'),
  },
  {
    name: 'a slot is taken over while processes of its dead owner are alive (S3)',
    file: sandbox('bubblewrap/slots.ts'),
    line: '  if (isMark(mark)) await endMarked(mark)\n',
    becomes: '',
    test: tested('marked', 'S3 a slot is taken over when nothing'),
  },
  {
    name: 'a caretaker that was ended is not replaced (C1)',
    file: sandbox('bubblewrap/caretaker.ts'),
    line: 'if (this.#child?.exitCode === null && this.#child.signalCode === null) return',
    becomes: 'if (this.#child) return',
    test: tested('bwrap-life', 'C1 a caretaker that was ended'),
  },
  {
    name: 'commands begin without a caretaker (C1, S3)',
    file: sandbox('bubblewrap/slots.ts'),
    line: "    this.#caretaker.watch(this.#options.users === 'each' ? null : home)\n",
    becomes: '',
    test: tested('bwrap-life', 'killed with -9 while they start a command'),
  },
  {
    name: 'a command stays outside of its control groups (G1)',
    file: sandbox('bubblewrap/argv.ts'),
    line: '    ...numbers.map((number) => `echo 0 >&${number} || exit 70`),\n',
    becomes: '',
    test: tested('bwrap-life', 'G1 a command and all that it starts'),
  },
  {
    name: 'a command has what its worker was started with (X4)',
    file: sandbox('bubblewrap/argv.ts'),
    line: ', ...inheritedDescriptors()])',
    becomes: '])',
    test: tested('bwrap-life', 'X4 no descriptor'),
  },
]
