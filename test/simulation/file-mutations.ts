/** Safety lines of files: what a run is given, what its calls leave, and how both come in over HTTP. */
import type { GuardingTest, Mutation } from './mutations.ts'

const core = (file: string): string => `packages/core/src/${file}`
const engine = (file: string): string => `packages/engine/src/${file}`
const server = (file: string): string => `packages/server/src/files/${file}`

const given = (name: string): GuardingTest => ({
  file: 'packages/core/test/given-files.test.ts',
  name,
})
const inEngine = (name: string): GuardingTest => ({
  file: 'packages/engine/test/files.test.ts',
  name,
})
const inServer = (file: string, name: string): GuardingTest => ({
  file: `packages/server/test/${file}.test.ts`,
  name,
})
const names = (name: string): GuardingTest => ({
  file: 'packages/tools/test/file-names.test.ts',
  name,
})

export const fileMutations: readonly Mutation[] = [
  {
    name: 'a result does not name what its call changed (F2 of files)',
    file: engine('perform/tool-call.ts'),
    line: 'const changed = files ? { files } : {}',
    becomes: 'const changed = {}',
  },
  {
    name: 'a run does not say what it was given',
    file: engine('create-run.ts'),
    line: '    ...filesOf(request),\n',
    becomes: '',
    test: inEngine('a call finds what its run was given'),
  },
  {
    name: 'a rerun is not given what the other was',
    file: engine('rerun.ts'),
    line: 'const said = { ...(fields ? { fields } : {}), ...(files ? { files } : {}) }',
    becomes: 'const said = { ...(fields ? { fields } : {}) }',
    test: inEngine('a rerun and a retry are given'),
  },
  {
    name: 'a retry is not given what the other was',
    file: engine('retry.ts'),
    line: '...(created.files ? { files: created.files } : {}),',
    becomes: '',
    test: inEngine('a rerun and a retry are given'),
  },
  {
    name: 'a name can end the list that it stands in (C6)',
    file: core('text/inert.ts'),
    line: ".replaceAll('<', '&lt;')",
    becomes: '',
    test: given('cannot end their line or their block'),
  },
  {
    name: 'a file that was taken away is told of as given',
    file: core('conversation/given-files.ts'),
    line: 'files.filter(({ key }) => key !== null)',
    becomes: 'files',
    test: given('are not told where they were only removed'),
  },
  {
    name: 'a name turns the direction of what stands behind it (N2)',
    file: 'packages/tools/src/workspace/file-name.ts',
    line: '  if (invisible.test(name))\n',
    becomes: '  if (name === name.repeat(2))\n',
    test: names('turns the direction'),
  },
  {
    name: 'a taken name is given twice',
    file: 'packages/tools/src/workspace/file-name.ts',
    line: 'if (!isTaken(nameKey(free))) return free',
    becomes: 'if (n > 0 || !isTaken(nameKey(free))) return free',
    test: names('gets a number before its extension'),
  },
  {
    name: 'a boundary that goes on ends a part all the same',
    file: server('multipart.ts'),
    line: "if (line.trim() !== '') throw new MalformedMultipart('A boundary goes on after its end.')",
    becomes: '',
    test: inServer('multipart', 'with a boundary that goes on'),
  },
  {
    name: 'what stands in the quotes of a name is a parameter (P1)',
    file: server('parameters.ts'),
    line: '=(?:"((?:[^"]|',
    becomes: '=(?:"?((?:[^"]|',
    test: inServer('multipart', 'charset=utf-8; boundary'),
  },
  {
    name: 'a body is left unread by what refuses it before (B1)',
    file: 'packages/server/src/http/file-bodies.ts',
    line: '    if (c.error) await incoming.passOver()\n',
    becomes: '',
    test: inServer('upload-bodies', 'a client that listens last hears why'),
  },
  {
    name: 'more uploads than one sweep removes are never removed',
    file: 'packages/server/src/crons/chores.ts',
    line: 'if ((await upkeep.sweepUploads()) === 0) return',
    becomes: 'if ((await upkeep.sweepUploads()) >= 0) return',
    test: inServer('chores', 'sweeps uploads until nothing is left'),
  },
  {
    name: 'whoever stops reading a body breaks its connection (I1)',
    file: server('incoming.ts'),
    line: '({ next }) }',
    becomes:
      '({ next, return: async () => source.return?.() ?? { done: true, value: undefined } }) }',
    test: inServer('incoming-body', 'whoever stops reading'),
  },
  {
    name: 'a body without end is passed over for ever (I2)',
    file: server('incoming.ts'),
    line: "if (result === 'over' || read > end) return false",
    becomes: "if (result === 'over' || read > end * 1_000) return false",
    test: inServer('incoming-body', 'of a body without end'),
  },
  {
    name: 'an artifact that is gone is named',
    file: server('artifacts.ts'),
    line: 'if (key === null) this.#files.delete(path)',
    becomes: 'if (key === null) this.#files.set(path, bytes)',
    test: inServer('artifacts', 'are the files under outputs/'),
  },
  {
    name: 'a text that is no base64 becomes some file',
    file: 'packages/server/src/http/brought-files.ts',
    line: '/^[\\w+/-]*$/.test(bare) && bare.length % 4 !== 1',
    becomes: 'bare.length % 4 !== 1',
    test: inServer('brought-files', 'is none'),
  },
  {
    name: 'a message with other files is the same request (B1)',
    file: 'packages/server/src/http/create-run.ts',
    line: '{ brought: meaningOfFiles(brought) }',
    becomes: '{ brought: brought.length }',
    test: { file: 'test/clients/given-files.test.ts', name: 'a message that was sent means' },
  },
  {
    name: 'a write that depends on what is there is made all the same',
    file: 'packages/server/src/http/routes/file-changes.ts',
    line: '  if (field === undefined) return\n',
    becomes: '  if (field !== undefined) return\n',
    test: inServer('file-requests', 'is refused, and nothing is changed'),
  },
]
