/** A file of the thread whose content was erased, in a command of `virtual`. Would catch: a command that is lost for it when it has exited. */
import { contractLimits, givenFiles, play } from '@signalbox/testing/contract'
import { expect, it, onTestFinished } from 'vitest'
import { VirtualSandboxes } from '../../src/sandbox/virtual/virtual-sandboxes.ts'

/** The end of a script over files of which some were erased, and what it left. */
async function over(script: string) {
  const sandboxes = new VirtualSandboxes(contractLimits)
  onTestFinished(() => sandboxes.close())
  const given = givenFiles({ gone: 'text', 'dir/gone': 'text', 'dir/here': 'text' })
  const read = async (path: string) => (path.endsWith('gone') ? null : given.read(path))
  return play(sandboxes, `${script}; echo $? > code`, { files: { ...given, read } })
}

it.each([
  ['cat gone', 1, {}],
  ['mv gone moved', 1, {}],
  ['mv dir other', 0, { 'dir/here': null, 'other/here': 'text' }],
  ['cp gone copied', 1, {}],
  ['cp -r dir other', 0, { 'other/here': 'text' }],
  ['cp -r . /tmp/copy', 1, {}],
  ['cat gone; rm gone', 0, { gone: null }],
  ['mv gone moved; echo new > gone', 0, { gone: 'new\n' }],
  ['ln gone linked', 1, {}],
  ['chmod +x gone', 1, {}],
  ['rm gone', 0, { gone: null }],
  ['rm -r dir', 0, { 'dir/gone': null, 'dir/here': null }],
  ['mv gone moved; rm -f gone', 0, {}],
  ['echo more >> gone', 0, { gone: 'more\n' }],
  ['echo new > gone', 0, { gone: 'new\n' }],
])('%s: answers %i, and leaves %j', async (script, code, left) => {
  const { ended, files } = await over(script)
  expect(ended).toMatchObject({ ended: 'exited', exitCode: 0 })
  expect(files).toEqual({ ...left, code: `${code}\n` })
})
