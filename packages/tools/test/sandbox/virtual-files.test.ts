/** The files of a thread in `virtual`: everyday commands do with them what they do with files that the script made. */
import { contractLimits, givenFiles, play } from '@signalbox/testing/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { VirtualSandboxes } from '../../src/sandbox/virtual/virtual-sandboxes.ts'

const found = { 'e/f': 'old f\n', 'e/g': 'old g\n', new: 'new\n', top: 'top\n' }

/** Plays a script over `found`. */
const played = async (script: string) => {
  const sandboxes = new VirtualSandboxes(contractLimits)
  onTestFinished(() => sandboxes.close())
  const { stdout, stderr, files, ended } = await play(sandboxes, script, {
    files: givenFiles(found),
  })
  return { stdout, stderr, files, ended: ended.ended }
}

const exited = { stdout: '', stderr: '', ended: 'exited' }

describe('a file of the thread that nobody has read yet', () => {
  it.each([
    ['cp new e/f', { 'e/f': 'new\n' }],
    ['cp new top e/', { 'e/new': 'new\n', 'e/top': 'top\n' }],
    ['mv new e/f', { 'e/f': 'new\n', new: null }],
    ['mv new t && mv top new && mv t top', { new: 'top\n', top: 'new\n' }],
    ['mkdir k && cp e/* k/ && cp new k/f', { 'k/f': 'new\n', 'k/g': 'old g\n' }],
    ['split -l 1 top part', { partaa: 'top\n' }],
    ['sort -o top new', { top: 'new\n' }],
    ['cp top top 2> /dev/null; mv top ./top 2> /dev/null; true', {}],
  ])('%s', async (script, files) => {
    expect(await played(script)).toEqual({ ...exited, files })
  })
})

describe('a link', () => {
  it.each([
    // Of a directory.
    ['ln -s e d; echo x > d/f', { 'e/f': 'x\n' }],
    ['ln -s e d; echo x >> d/f; cat < new >> d/g', { 'e/f': 'old f\nx\n', 'e/g': 'old g\nnew\n' }],
    ['ln -s e d; sed -i s/old/NEW/ d/f', { 'e/f': 'NEW f\n' }],
    ['ln -s e d; cd d; touch z; mkdir -p s/t; echo x > s/t/u', { 'e/z': '', 'e/s/t/u': 'x\n' }],
    ['ln -s e d; cp new d/f; mv top d/top', { 'e/f': 'new\n', 'e/top': 'top\n', top: null }],
    ['ln -s e d; rm d/f', { 'e/f': null }],
    ['ln -s e d; ln new d/n', { 'e/n': 'new\n' }],
    ['ln -s e d; rm -rf d', {}],
    ['ln -s /workspace/e d; echo x > d/f', { 'e/f': 'x\n' }],
    ['ln -s /workspace/top e/l; echo x > e/l; cd e; echo y >> l', { top: 'x\ny\n' }],
    // Of a file, and of nothing.
    ['ln -s top l; echo x > l', { top: 'x\n' }],
    ['ln -s later l; echo x > l', { later: 'x\n' }],
    ['ln -s e d; ln -s ../top d/up; echo x > d/up', { top: 'x\n' }],
    ['ln -s b a; ln -s a b; echo x > a', { a: 'x\n' }],
  ])('is written through: %s', async (script, files) => {
    expect(await played(script)).toEqual({ ...exited, files })
  })

  it.each(['/etc/passwd', '../tmp/x', '../../x', '/workspacex/a'])(
    'that leads out of the workspace is not made: %s',
    async (target) => {
      const script = `mkdir -p e; ln -s ${target} l; echo x > l; cat l`
      const { stdout, stderr, files } = await played(script)
      expect(stderr).toMatch(/^ln: /)
      expect({ stdout, files }).toEqual({ stdout: 'x\n', files: { l: 'x\n' } })
    },
  )

  it('shows what is there', async () => {
    const script =
      'ln -s e d; ls d; chmod +x d/f; mkdir e/s; echo x > e/s/t; ls d/s; readlink d; ln -s $PWD/e abs; readlink abs'
    const { stdout, stderr, files } = await played(script)
    expect({ stdout, stderr }).toEqual({ stdout: 'f\ng\nt\ne\n/workspace/e\n', stderr: '' })
    expect(files).toEqual({ 'e/f': 'old f\n', 'e/s/t': 'x\n' })
  })
})
